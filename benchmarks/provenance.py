"""What a benchmark's figures were measured on."""

from __future__ import annotations

import json
import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autopu_core.export.bundle import current_versions
from autopu_core.search.executor import available_cores

RESULTS = Path(__file__).parent / "results"


def provenance() -> dict[str, Any]:
    """Machine, versions and time of a measurement."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {
        "measured": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": platform.machine(),
        "system": platform.system(),
        "cores": available_cores(),
        "load_at_start": load,
        "versions": current_versions(),
    }


def report(name: str, figures: dict[str, Any], save: bool) -> None:
    """Print one JSON object; with `save` keep it under `benchmarks/results/`."""
    text = json.dumps(figures, indent=2)
    print(text)
    if save:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"{name}.json").write_text(text + "\n", encoding="utf-8")
