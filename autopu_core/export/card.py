"""The model card: what a model is, what it was made from, how well it did, and what it must not be used for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

INTENDED_USE = (
    "Ranks and flags rows of tables with the same columns and from the same kind of population as the learning table, "
    "as a help for people who decide; for research, not as a medical device."
)
ENGINEERED_LIMITS = (
    "The test metrics were measured on rows with known labels after a share of the positives of each training set was "
    "hidden at random. Real missing diagnoses are rarely missing at random, so expect worse where they are not.",
)
GENUINE_LIMITS = (
    "Nobody is known to be negative, so every test metric is an estimate that holds if the labelled positives are a "
    "random draw of all positives (SCAR: selected completely at random).",
)
COMMON_LIMITS = (
    "Probabilities are the learner's own and are not calibrated to the prevalence of another population.",
    "Choosing the best of several models by their test scores makes those scores optimistic.",
    "A column that is only filled in after the diagnosis gives the answer away; check the columns before use.",
)


class Dataset(Protocol):
    """What a card says of the table: implemented by the store's record."""

    name: str
    fingerprint: str
    rows: int
    columns: int


def model_card(
    *,
    run: int,
    dataset: Dataset,
    settings: Mapping[str, Any],
    roles: Mapping[str, str],
    result: Mapping[str, Any],
    versions: Mapping[str, str],
    created: str,
) -> dict[str, Any]:
    """The card of a model as JSON-ready values.

    Args:
        run: number of the run that found it.
        dataset: the table.
        settings: of the run, see `RunSettings.to_dict`.
        roles: column -> role of the columns learned from.
        result: of the run, see `autopu_core.runs.results`; `final` is the candidate that was refitted.
        versions: of the libraries.
        created: time of the run, ISO 8601.
    """
    limits = GENUINE_LIMITS if settings["task"] == "genuine" else ENGINEERED_LIMITS
    return {
        "name": f"Auto-PU model of run {run}",
        "run": run,
        "created": created,
        "task": settings["task"],
        "target": settings["target"],
        "positive": list(settings["positive"]),
        "data": {
            "name": dataset.name,
            "fingerprint": dataset.fingerprint,
            "rows": dataset.rows,
            "columns": dataset.columns,
            **(result.get("data") or {}),
        },
        "columns": dict(roles),
        "pipeline": dict(result["final"]),
        "settings": dict(settings),
        "metrics": (result.get("test") or {}).get("system"),
        "metrics_are_estimates": settings["task"] == "genuine",
        "references": (result.get("test") or {}).get("references"),
        "cost": {name: result.get(name) for name in ("counts", "wall_seconds", "cpu_seconds")},
        "versions": dict(versions),
        "intended_use": INTENDED_USE,
        "limits": [*limits, *COMMON_LIMITS],
        "how_to_load": (
            "import pickle; model = pickle.load(open('model.pkl', 'rb')); model.score(rows)  "
            "# rows: a DataFrame with the columns above; needs autopu-dashboard and the libraries of requirements.txt"
        ),
    }
