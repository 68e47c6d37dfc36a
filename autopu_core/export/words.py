"""A pipeline in plain words, phase by phase, and the methods paragraph for a paper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from autopu_core.pu.classifiers import TITLES

OPTIMIZER_NAMES = {
    "ga": "a genetic algorithm (GA)",
    "bo": "Bayesian optimisation (BO)",
    "ebo": "evolutionary Bayesian optimisation (EBO)",
    "random": "random search",
}
BASELINE_NAMES = {
    "s_em": "S-EM (spies, then expectation maximisation with naive Bayes)",
    "df_pu": "DF-PU (reliable negatives by rounds of deep forests)",
}
_OBJECTIVE_NAMES = {
    "f_measure": "the F-measure against the labels",
    "lee_liu": "the Lee-Liu criterion (recall squared over the share called positive)",
    "pu_f1": "an F-measure corrected by the estimated class prior",
}
REFERENCES = {
    "auto_pu": "J. D. Saunders, A. A. Freitas: Automated Machine Learning for Positive-Unlabelled Learning.",
    "scikit_learn": (
        "F. Pedregosa et al.: Scikit-learn: Machine Learning in Python. Journal of Machine Learning Research 12, 2011."
    ),
    "elkan_noto": (
        "C. Elkan, K. Noto: Learning Classifiers from Only Positive and Unlabeled Data. Proceedings of KDD, 2008."
    ),
    "lee_liu": (
        "W. S. Lee, B. Liu: Learning with Positive and Unlabeled Examples Using Weighted Logistic Regression. "
        "Proceedings of ICML, 2003."
    ),
    "deep_forest": "Z.-H. Zhou, J. Feng: Deep forest. National Science Review 6(1), 2019.",
    "deep_forest_pu": (
        "X. Zeng, Y. Zhong, W. Lin, Q. Zou: Predicting disease-associated circular RNAs using deep forests combined "
        "with positive-unlabeled learning methods. Briefings in Bioinformatics 21(4), 2020."
    ),
    "spies": "B. Liu, W. S. Lee, P. S. Yu, X. Li: Partially Supervised Classification of Text Documents. ICML, 2002.",
}


def describe_pipeline(candidate: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The steps of a pipeline, each with its title and one or two plain sentences.

    Args:
        candidate: the active hyperparameters of a two-step learner, S-EM or DF-PU.
    """
    if "classifier_2" in candidate:
        return _describe_two_step(candidate)
    if "reliable_negative_rate" in candidate:
        return _describe_deep_forest_pu(candidate)
    return _describe_spy_em(candidate)


def _describe_two_step(candidate: Mapping[str, Any]) -> list[tuple[str, str]]:
    first = TITLES.get(candidate["classifier_1a"], candidate["classifier_1a"])
    parts = candidate["iteration_count_1a"]
    split = (
        "all unlabelled rows at once" if parts == 1 else f"the unlabelled rows, split into {parts} parts, one by one"
    )
    if candidate.get("spy_flag"):
        rule = (
            f"{candidate['spy_rate']:.0%} of the known positives hide among them as spies; rows that look less "
            f"positive than {_spies(candidate['spy_tolerance'])} become reliable negatives."
        )
    else:
        rule = f"Rows with a probability below {candidate['threshold_1a']:.2f} become reliable negatives."
    steps = [("Phase 1A: first reliable negatives", f"{first} learns the known positives against {split}. {rule}")]
    if candidate["flag_1b"]:
        second = TITLES.get(candidate["classifier_1b"], candidate["classifier_1b"])
        steps.append(
            (
                "Phase 1B: more reliable negatives",
                f"{second} learns the positives against the reliable negatives so far; of the remaining unlabelled "
                f"rows, those with a probability below {candidate['threshold_1b']:.2f} join them.",
            )
        )
    final = TITLES.get(candidate["classifier_2"], candidate["classifier_2"])
    steps.append(
        (
            "Phase 2: the final classifier",
            f"{final} learns the known positives against all reliable negatives. A new row is called positive from a "
            "probability of 0.5.",
        )
    )
    return steps


def _spies(tolerance: float) -> str:
    return f"all but {tolerance:.0%} of the spies" if tolerance else "every spy"


def _describe_spy_em(candidate: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [
        (
            "Step 1: reliable negatives by spies",
            f"{candidate['spy_rate']:.0%} of the known positives hide among the unlabelled rows as spies, and naive "
            "Bayes learns by expectation maximisation. Rows that look less positive than "
            f"{_spies(candidate['spy_tolerance'])} become reliable negatives.",
        ),
        (
            "Step 2: expectation maximisation",
            "The spies return to the known positives. Naive Bayes learns them against the reliable negatives and "
            "places all other rows by expectation maximisation; it stops where its estimated error begins to grow. A "
            "new row is called positive from a probability of 0.5.",
        ),
    ]


def _describe_deep_forest_pu(candidate: Mapping[str, Any]) -> list[tuple[str, str]]:
    rounds = candidate["iterations"]
    return [
        (
            "Step 1: reliable negatives in rounds",
            f"In {'one round' if rounds == 1 else f'each of {rounds} rounds'} a deep forest learns the known positives "
            f"against {'all' if rounds == 1 else 'a random part of the'} unlabelled rows, and "
            f"{candidate['reliable_negative_rate']:.0%} of all unlabelled rows become reliable negatives: those that "
            f"look least positive{'' if rounds == 1 else ' and were not chosen before'}.",
        ),
        (
            "Step 2: the final classifier",
            "A deep forest learns the known positives against all reliable negatives. A new row is called positive "
            "from a probability of 0.5.",
        ),
    ]


def methods_paragraph(settings: Mapping[str, Any], result: Mapping[str, Any], versions: Mapping[str, str]) -> str:
    """A paragraph for the methods section of a paper, from what was really done."""
    data, counts = result["data"], result["counts"]
    if settings["task"] == "engineered":
        labels = (
            f"To imitate incomplete diagnoses, {settings['delta']:.0%} of the positives of each training set were "
            "hidden among the unlabelled rows, drawn uniformly at random; test rows kept their true labels."
        )
    else:
        labels = (
            "Labels were taken as they are: rows without a positive label were treated as unlabelled. Test metrics are "
            "estimates that assume that labelled positives are selected completely at random."
        )
    design = (
        f"{settings['folds']}-fold stratified cross-validation"
        if settings["folds"]
        else f"one stratified hold-out of {settings['holdout']:.0%} of the rows"
    )
    final = (
        "The exported model comes from one more search on all rows, its winner by inner fitness."
        if settings["final_search"]
        else "The exported model is the best configuration of these searches by inner fitness, refitted on all rows."
    )
    return (
        f"{_searched(settings)} maximising {_OBJECTIVE_NAMES[settings['objective']]} in "
        f"{settings['inner_folds']}-fold inner cross-validation on the training rows only "
        f"({counts['assessments']:,} assessments, {counts['distinct_candidates']:,} different candidates, seed "
        f"{settings['seed']}). The table had {data['rows']:,} rows, {data['positives']:,} of them positive, and "
        f"{data['features']} columns. {labels} The system was tested by {design}, beside three plain references on the "
        f"same rows. {final} Computed with autopu-dashboard {versions.get('autopu-dashboard', '')} and scikit-learn "
        f"{versions.get('scikit-learn', '')}."
    )


def _searched(settings: Mapping[str, Any]) -> str:
    if settings["optimizer"] in BASELINE_NAMES:
        return f"The hyperparameters of {BASELINE_NAMES[settings['optimizer']]} were chosen from a grid,"
    return (
        "Two-step positive-unlabelled learners (reliable negatives by phases 1A and 1B, then a classifier) were chosen "
        f"by {OPTIMIZER_NAMES[settings['optimizer']]} from the {settings['space']} search space of Saunders and "
        "Freitas,"
    )


def citations(settings: Mapping[str, Any], candidate: Mapping[str, Any]) -> list[str]:
    """What a paper that uses this result should cite."""
    named = ["auto_pu", "scikit_learn", "elkan_noto"]
    if settings["objective"] == "lee_liu" or settings["task"] == "genuine":
        named.append("lee_liu")
    if "deep_forest" in candidate.values() or settings["optimizer"] == "df_pu":
        named.append("deep_forest")
    if settings["optimizer"] == "df_pu":
        named.append("deep_forest_pu")
    if candidate.get("spy_flag") or settings["optimizer"] == "s_em":
        named.append("spies")
    return [REFERENCES[name] for name in named]
