"""Auto-PU: the best positive-unlabelled learning pipeline for a table whose labels may be incomplete."""

__version__ = "0.1.0"

_PUBLIC = {
    "AutoPUClassifier": "autopu_core.pu.auto",
    "BASE_SPACE": "autopu_core.pu.spaces",
    "CascadeForestClassifier": "autopu_core.pu.deep_forest",
    "DeepForestPUClassifier": "autopu_core.pu.deep_forest_pu",
    "EXTENDED_SPACE": "autopu_core.pu.spaces",
    "SpyEMClassifier": "autopu_core.pu.spy_em",
    "TwoStepClassifier": "autopu_core.pu.two_step",
    "hide_positives": "autopu_core.pu.labels",
}

__all__ = list(_PUBLIC)


def __getattr__(name: str) -> object:
    """Public names are imported when they are first used, so that a worker or `--help` starts fast."""
    if name not in _PUBLIC:
        raise AttributeError(f"module 'autopu_core' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_PUBLIC[name]), name)
