"""The report of real runs: every number in it is the store's, and it says what may not be compared."""

from __future__ import annotations

import re
from dataclasses import replace
from html import escape, unescape
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from autopu_core.errors import StoreError
from autopu_core.evaluation.metrics import METRICS
from autopu_core.evaluation.pu_metrics import ESTIMATES
from autopu_core.evaluation.references import REFERENCES
from autopu_core.export.bundle import current_versions
from autopu_core.export.words import describe_pipeline
from autopu_core.pu.methods import METHODS
from autopu_core.pu.spaces import BASE_SPACE
from autopu_core.runs import RunSettings, Store, comparison
from autopu_core.runs.pools import Pools
from autopu_core.runs.reporting import comparable_records, html_report, metric_cells
from autopu_core.runs.run import execute_run
from autopu_core.search.space import SearchSpace
from autopu_core.tables import Table, describe_table

TARGET = "diagnosis <b>&"
FILE = "clinic <img src=x onerror=alert(1)>.csv"
WORKER = "tester"
GA, RANDOM, GENUINE, OTHER_SEED, WAITING = 1, 2, 3, 4, 5


def _cheap_space() -> SearchSpace:
    """The base space with classifiers that fit in milliseconds."""
    cheap = ("gaussian_nb", "bernoulli_nb", "decision_tree", "lda", "knn", "extra_tree")
    return SearchSpace(
        "base",
        [
            replace(parameter, choices=cheap) if parameter.name.startswith("classifier") else parameter
            for parameter in BASE_SPACE.parameters
        ],
    )


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store with a finished run of each kind, and one that waits."""
    rng = np.random.default_rng(1)
    sick = np.arange(120) % 3 == 0
    frame = pd.DataFrame(
        {
            "marker": rng.normal(size=120) + 2.5 * sick,
            "ward": rng.choice(["north", "south"], size=120),
            TARGET: np.where(sick, "<i>sick</i>", "well"),
        }
    )
    table = Table.from_frame(frame, FILE)
    with pytest.MonkeyPatch.context() as patch, Store(tmp_path_factory.mktemp("home")) as store, Pools() as pools:
        patch.setitem(METHODS, "base", replace(METHODS["base"], space=_cheap_space()))
        dataset = store.add_dataset(table, describe_table(table).to_dict())
        small = {"configurations": 4, "iterations": 1, "k": 1, "jobs": 1, "inner_folds": 3}
        common = {"dataset": dataset, "target": TARGET, "positive": ("<i>sick</i>",), **small}
        for choices in (
            {"optimizer": "ga", "folds": 2, "final_search": True},
            {"optimizer": "random", "folds": 2},
            {"optimizer": "random", "task": "genuine", "objective": "lee_liu"},
        ):
            run = store.create_run(RunSettings.from_preset("quick", **common, **choices), current_versions())
            assert store.claim_run(run, WORKER)
            record = execute_run(store, run, WORKER, pools=pools, export=run == GA)
            assert record.status == "finished", record.error
        other = RunSettings.from_preset("quick", **common, optimizer="random", folds=2, seed=1)
        run = store.create_run(other, current_versions())
        store.claim_run(run, WORKER)
        store.finish_run(run, WORKER, "finished", store.run(RANDOM).result)
        store.create_run(other, current_versions())
        yield store


class _Reader(HTMLParser):
    """Sections of a report as a person reads them: heading -> texts, and heading -> rows of its tables."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: dict[str, list[str]] = {}
        self.rows: dict[str, list[list[str]]] = {}
        self.tags: set[str] = set()
        self._tag, self._heading = "", ""
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self._tag = tag
        if tag == "h2":
            self._heading = ""
        elif tag == "tr":
            self.rows[self._heading].append([])
        elif tag in ("td", "th"):
            self.rows[self._heading][-1].append("")
        elif tag in ("p", "li", "figcaption"):
            self.texts.setdefault(self._heading, []).append("")

    def handle_endtag(self, tag):
        if tag == "h2":
            self.texts[self._heading], self.rows[self._heading] = [], []
        self._tag = ""

    def handle_data(self, data):
        if self._tag == "h2":
            self._heading += data
        elif self._tag in ("td", "th"):
            self.rows[self._heading][-1][-1] += data
        elif self._tag in ("p", "li", "figcaption"):
            self.texts[self._heading][-1] += data


@pytest.fixture(scope="module")
def engineered(store):
    return html_report(store, [GA, RANDOM])


@pytest.fixture(scope="module")
def read(engineered):
    return _Reader(engineered)


def test_it_begins_with_the_table_and_says_how_many_positives_were_hidden(store, engineered, read):
    assert f"<h1>Auto-PU report: {escape(FILE)}</h1>" in engineered
    facts = dict(read.rows["The data"][1:])
    data = store.run(GA).result["data"]
    assert facts["Table"] == FILE
    assert facts["Positive"] == f"{TARGET} = <i>sick</i> (40 rows)"
    assert facts["Rows that took part"] == "120"
    # 20 positives in a training set, 40 % of them hidden.
    assert facts["Hidden positives in the first training set"] == "8" == str(data["hidden"])
    assert facts["Labelled positives in the first training set"] == "12"
    assert facts["Fingerprint of the table (SHA-256)"] == store.dataset(store.run(GA).settings.dataset).fingerprint


def test_its_metrics_are_the_means_over_the_test_folds(store, read):
    head, *rows = read.rows["How well it did on test rows"]
    assert head == ["Metric", "1 · GA base", "2 · Random base", *[REFERENCES[name].title for name in REFERENCES]]
    assert [row[0] for row in rows] == [metric.title for metric in METRICS.values()]
    cells = {row[0]: row[1:] for row in rows}
    for run, column in ((GA, 0), (RANDOM, 1)):
        folds = [fold["test"]["f_measure"] for fold in store.run(run).result["folds"]]
        assert cells[METRICS["f_measure"].title][column].startswith(f"{np.mean(folds):.3f} (")
    reference = [fold["references"]["everybody_positive"]["recall"] for fold in store.run(GA).result["folds"]]
    assert reference == [1, 1]
    assert cells[METRICS["recall"].title][2 + list(REFERENCES).index("everybody_positive")].startswith("1.000 (")


def test_several_runs_side_by_side_come_with_a_warning_of_optimism_and_one_alone_does_not(store, read):
    assert comparison.OPTIMISM in read.texts["How well it did on test rows"]
    assert escape(comparison.OPTIMISM) not in html_report(store, [RANDOM])


def test_every_metric_is_explained(read):
    texts = read.texts["How well it did on test rows"]
    for metric in METRICS.values():
        assert f"{metric.title}: {metric.meaning}" in texts


def test_charts_say_in_words_what_they_show(store, read):
    texts = read.texts["How well it did on test rows"] + read.texts["How the search went"]
    for start in (
        f"{METRICS['f_measure'].title}, mean: 1 · GA base ",
        "ROC curves; area under the curve: 1 · GA base ",
        "Precision and recall of 1 · GA base, 2 · Random base, ",
        "Best fitness so far against candidates assessed: 1 · GA base reached ",
    ):
        assert [text for text in texts if text.startswith(start)]
    counts = comparison.confusion_counts(store.run(RANDOM))
    assert sum(counts.values()) == 120
    assert f"true positive: {counts['true_positive']}, false positive: {counts['false_positive']}" in " ".join(texts)


def test_costs_of_all_runs_and_fits_that_were_spared(store, read):
    head, *rows = read.rows["How the search went"]
    assert head[:3] == ["Run", "Assessments", "Fits one by one"]
    counts = [store.run(run).result["counts"] for run in (GA, RANDOM)]
    assert [row[1:5] for row in rows] == [
        [str(each[name]) for name in ("assessments", "fits_naive", "fits_distinct", "fits_computed")] for each in counts
    ]
    naive = sum(each["fits_naive"] for each in counts)
    assert [text for text in read.texts["How the search went"] if text.startswith(f"{naive} fits one by one, ")]


def test_the_exported_pipeline_in_plain_words_for_each_run(store, read):
    for run, label in ((GA, "1 · GA base"), (RANDOM, "2 · Random base")):
        final = store.run(run).result["final"]
        texts = read.texts[f"The pipeline of {label}"]
        for title, text in describe_pipeline(final["candidate"]):
            assert f"{title}. {text}" in texts
        assert f"(inner fitness {final['fitness']:.3f})" in texts[0]
    assert "one more search on all rows" in read.texts["The pipeline of 1 · GA base"][0]
    assert "refitted on all rows" in read.texts["The pipeline of 2 · Random base"][0]


def test_a_methods_paragraph_with_what_to_cite(read):
    paragraph, *cited = read.texts["Methods paragraph for 1 · GA base"]
    assert "a genetic algorithm (GA)" in paragraph
    assert "The table had 120 rows, 40 of them positive, and 2 columns." in paragraph
    assert [text for text in cited if text.startswith("J. D. Saunders, A. A. Freitas")]


def test_settings_versions_hash_and_limits(store, read):
    title = "Settings, versions and limits"
    rows = {row[0]: row for row in read.rows[title][1:]}
    assert rows["1 · GA base"][-1] == store.run(GA).result["model"]["sha256"]
    assert rows["2 · Random base"][-1] == "–"
    texts = " ".join(read.texts[title])
    assert f"scikit-learn {current_versions()['scikit-learn']}" in texts
    assert "not as a medical device" in texts
    assert "hidden at random" in texts


def test_nothing_of_a_table_becomes_markup(engineered, read):
    assert not {"img", "i", "b"} & read.tags
    assert "<img src=x" not in engineered
    assert "<i>sick" not in engineered


def test_nothing_is_fetched(engineered):
    markup = re.sub(r"<script[^>]*>.*?</script>", "", engineered, flags=re.DOTALL)
    assert not re.search(r"""\b(src|href|srcset|action)\s*=\s*["']?\s*(https?:)?//""", markup)
    assert not re.search(r"<(link|iframe|object|embed|script)\b[^>]*(src|href)", markup)
    assert "default-src 'none'" in engineered


def test_a_genuine_task_has_estimates_that_say_so_and_no_curves_that_would_need_true_labels(store):
    html = html_report(store, [GENUINE])
    read = _Reader(html)
    texts = read.texts["How well it did on test rows"]
    assert texts[0].startswith("These numbers are estimates.")
    assert 'class="estimate"' in html
    titles = [row[0] for row in read.rows["How well it did on test rows"][1:]]
    assert titles == [estimate.title for estimate in ESTIMATES.values()]
    assert not [text for text in texts if text.startswith(("ROC", "Precision and recall of", "true positive"))]
    assert f"{ESTIMATES['pu_f1'].title} (estimate)" in unescape(html)
    assert dict(read.rows["The data"][1:])["Hidden positives in the first training set"] == "0"
    assert "SCAR" in " ".join(read.texts["Settings, versions and limits"])


# -- which runs ------------------------------------------------------------------------------------------------------


def test_runs_in_the_order_asked_for_and_each_once(store):
    assert [record.id for record in comparable_records(store, [RANDOM, GA, RANDOM])] == [RANDOM, GA]


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        (
            [GA, OTHER_SEED],
            "Run 4 can't be compared with run 1: another seed, so other folds and other hidden positives.",
        ),
        ([WAITING], "Run 5 can't be reported: it is queued and has no test result yet."),
        ([GA, WAITING], "Run 5 can't be reported: it is queued and has no test result yet."),
        ([], "Name at least one run; `autopu runs list` shows the runs there are."),
    ],
)
def test_what_cannot_be_reported_is_named_with_its_reason(store, runs, said):
    with pytest.raises(StoreError) as refused:
        html_report(store, runs)
    assert str(refused.value) == said


def test_an_unknown_run_is_named(store):
    with pytest.raises(StoreError, match="99"):
        comparable_records(store, [GA, 99])


def test_cells_have_an_interval_where_there_is_one_and_a_dash_where_a_metric_is_undefined(store):
    record = store.run(RANDOM)
    system = dict(record.result["test"]["system"])
    system["f_measure"] = {"mean": 0.81234, "low": 0.7, "high": 0.9, "method": "t interval over folds"}
    system["recall"] = {"mean": 0.5, "low": None, "high": None, "method": "t interval over folds"}
    system["precision"] = {"mean": None, "low": None, "high": None, "method": "t interval over folds"}
    changed = replace(record, result={**record.result, "test": {**record.result["test"], "system": system}})
    cells = metric_cells([changed]).set_index("Metric")["2 · Random base"]
    assert cells[METRICS["f_measure"].title] == "0.812 (0.70 to 0.90)"
    assert cells[METRICS["recall"].title] == "0.500"
    assert cells[METRICS["precision"].title] == "–"
