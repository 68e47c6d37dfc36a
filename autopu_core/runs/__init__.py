"""What outlives a process: the store, the settings of a run, and the worker that does it."""

from autopu_core.runs.home import Home
from autopu_core.runs.queue import LEASE_SECONDS
from autopu_core.runs.records import DatasetRecord, LeaseLostError, ModelRecord, RunRecord, WorkerRecord
from autopu_core.runs.settings import BASELINES, OBJECTIVES, OPTIMIZERS, PRESETS, SPACES, SYSTEMS, Preset, RunSettings
from autopu_core.runs.store import Store
from autopu_core.runs.trials import StoreJournal

__all__ = [
    "BASELINES",
    "LEASE_SECONDS",
    "OBJECTIVES",
    "OPTIMIZERS",
    "PRESETS",
    "SPACES",
    "SYSTEMS",
    "DatasetRecord",
    "Home",
    "LeaseLostError",
    "ModelRecord",
    "Preset",
    "RunRecord",
    "RunSettings",
    "Store",
    "StoreJournal",
    "WorkerRecord",
]
