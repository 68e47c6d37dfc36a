"""Plain words: help tips and the glossary. No term is used on a page without being explained here or beside it."""

from __future__ import annotations

from autopu_core.pu.classifiers import TITLES as CLASSIFIERS

GLOSSARY: dict[str, dict[str, str]] = {
    "Labels": {
        "Positive-unlabelled (PU) data": "Some patients are known to have the condition (positive). Of all others "
        "nobody knows for sure: most don't have it, some do and were never diagnosed.",
        "Labelled positive": "A patient whose diagnosis is known.",
        "Unlabelled": "A patient without a known diagnosis. That isn't the same as being healthy.",
        "Hidden positive": "A positive patient whose label is withheld on purpose in an engineered task, to see "
        "whether a pipeline finds her or him again.",
        "Known negative": "A patient of whom it is certain that the condition is absent. Never treated as unlabelled.",
        "Engineered task": "The table has complete labels. A share (delta) of the positives is hidden in every "
        "training set; the test rows keep their true labels, so the test metrics are exact.",
        "Genuine task": "The table has incomplete labels, as in real life. Test metrics can only be estimated.",
        "Delta": "The share of positives that is hidden in an engineered task.",
        "Class prior": "The share of patients who truly have the condition, labelled or not.",
    },
    "Assumptions": {
        "SCAR": "Selected completely at random: whether a positive patient got a diagnosis doesn't depend on how sick "
        "she or he is. Estimates on genuine data lean on it. Where the sicker are diagnosed first it doesn't hold, and "
        "estimates are too rosy.",
        "Separability": "Positives and negatives can be told apart by the columns of the table, at least in principle.",
        "Smoothness": "Patients who are alike tend to have the same diagnosis. Two-step learning needs separability "
        "and smoothness: it trusts rows that look least like the positives.",
    },
    "How a pipeline learns": {
        "Two-step learning": "First find patients who are almost certainly negative, then learn positives against "
        "them.",
        "Reliable negatives": "Unlabelled patients who look so unlike the positives that they are taken as negative.",
        "Phase 1A": "The unlabelled rows are split into parts; a classifier learns the positives against each part, "
        "and rows of it that look least positive become reliable negatives.",
        "Spy": "A few known positives are mixed into the unlabelled rows; how the classifier rates them tells where "
        "to draw the line for reliable negatives.",
        "Spy rate and tolerance": "The share of positives that act as spies, and the share of them that may fall below "
        "the line.",
        "Phase 1B": "Optional: a second classifier, learned on positives and the reliable negatives so far, finds more "
        "of them.",
        "Phase 2": "The final classifier: positives against reliable negatives.",
        "Threshold": "A row whose probability lies below it becomes a reliable negative.",
        "Classifier": "A method that learns from examples how probable it is that a patient is positive. There are 18.",
    },
    "How the search works": {
        "Configuration or candidate": "One complete recipe for a two-step pipeline: classifiers, thresholds, phases.",
        "Search space": "All recipes the search may try: 11.7 million in the base space, 1.8 billion with spies.",
        "Optimiser": "The strategy that decides which recipe to try next.",
        "Genetic algorithm (GA)": "Keeps a population of recipes; good ones are mixed and changed a little.",
        "Bayesian optimisation (BO)": "Learns from past trials which recipes are promising and tries the best guess.",
        "Evolutionary Bayesian optimisation (EBO)": "Mixes and changes recipes as the GA does, but only tries those "
        "that BO's model finds promising.",
        "Objective": "The number that the search tries to make large.",
        "Fitness": "The objective's value for one recipe, by cross-validation inside the training rows.",
        "Fit": "Teaching one classifier once. Equal fits are computed once and reused.",
        "CPU seconds": "Computing time, summed over all processor cores, of the different fits a run needed.",
        "Final search": "After testing, one more search on all rows; its winner is the model you take home.",
        "Preset": "A ready-made amount of searching, with a matching test design.",
    },
    "Testing": {
        "Hold-out": "A part of the rows is put aside and used once, to test the result.",
        "Cross-validation folds": "The rows are split into equal parts; each is the test set once. Slower than a "
        "hold-out, and more certain.",
        "Training and test rows": "The search sees only the training rows; the test rows judge what it found.",
        "F-measure": "One number for precision and recall together (their harmonic mean): 1 is perfect, 0 useless.",
        "Precision": "Of those called positive, the share that are.",
        "Recall or sensitivity": "Of those who are positive, the share that is found.",
        "Specificity": "Of those who are negative, the share called negative.",
        "Lee-Liu criterion": "Recall squared, divided by the share of rows called positive; needs no true negatives. "
        "Its values can be above 1.",
        "Corrected F-measure (PU)": "An F-measure whose precision is corrected by the estimated class prior. An "
        "estimate, which leans on SCAR.",
        "Plain references": "Three simple methods tested on the same rows. A search that doesn't beat them isn't "
        "worth its effort, and the program says so.",
        "Confidence interval": "Where the number would probably lie if the test were repeated with other patients.",
    },
}

ENGINEERED = "My labels are complete: hide some of them to try methods out"
ENGINEERED_MEANING = (
    "Every row that isn't positive is truly negative. A share of the positives is hidden while learning, and the test "
    "shows exactly how well they are found again."
)
GENUINE = "My labels are incomplete: not diagnosed doesn't mean healthy"
GENUINE_MEANING = (
    "Rows that aren't positive, or have an empty cell, are unlabelled. What a test says is then an estimate."
)

OPTIMIZER_MEANINGS = {
    "ga": "Mixes and changes good recipes over generations. Tries the most.",
    "bo": "Learns which recipes look promising and tries the best guess. Tries the fewest.",
    "ebo": "Evolves recipes and tries only those that look promising. A good first choice.",
    "random": "Draws recipes at random. A yardstick for the others.",
    "s_em": "Hides some known positives as spies and learns by expectation maximisation with naive Bayes (2002). Fast.",
    "df_pu": "Collects the rows least likely to be positive in rounds of deep forests (2020). Slow.",
}
SPACE_MEANINGS = {
    "base": "11.7 million recipes: phases 1A, 1B and 2 with 18 classifiers each.",
    "extended": "1.8 billion recipes: may also use spies in phase 1A.",
}
OBJECTIVE_MEANINGS = {
    "f_measure": "As in the paper. Unlabelled rows that are called positive count as errors, so its value is lower "
    "than the true F-measure; for choosing among recipes that matters little.",
    "lee_liu": "Recall squared over the share called positive. Doesn't count unlabelled rows as negative.",
    "pu_f1": "Precision is corrected by the estimated share of true positives. Leans on labels being a random draw "
    "(SCAR).",
}
PRESET_MEANINGS = {
    "quick": ("Quick", "A first look: few recipes, and the best of them becomes the model."),
    "standard": ("Standard", "A thorough search, and one more on all rows for the final model."),
    "paper": ("As in the paper", "The full budget of the published experiments, and one more search on all rows."),
}
PRESET_DESIGNS = {
    "quick": "Tested on one hold-out of 20%.",
    "standard": "Tested on five folds.",
    "paper": "Tested on five folds.",
}
"""How a preset tests, unless the person chose otherwise."""
STATUS = {
    "queued": ("waiting", "gray", ":material/schedule:"),
    "running": ("running", "blue", ":material/play_arrow:"),
    "paused": ("paused", "orange", ":material/pause:"),
    "interrupted": ("interrupted", "orange", ":material/warning:"),
    "cancelled": ("stopped", "gray", ":material/stop:"),
    "finished": ("finished", "green", ":material/check:"),
    "failed": ("failed", "red", ":material/error:"),
}
"""Status of a run -> word, colour and icon."""

PARTS = {
    "classifier_2": "Phase 2: classifier",
    "spy_flag": "Phase 1A: spies",
    "spy_rate": "Phase 1A: spy rate",
    "spy_tolerance": "Phase 1A: spy tolerance",
    "iteration_count_1a": "Phase 1A: parts",
    "threshold_1a": "Phase 1A: threshold",
    "classifier_1a": "Phase 1A: classifier",
    "flag_1b": "Phase 1B",
    "threshold_1b": "Phase 1B: threshold",
    "classifier_1b": "Phase 1B: classifier",
    "reliable_negative_rate": "Share taken in each round",
    "iterations": "Rounds",
}
"""Hyperparameter -> what it is called on the pages, the most telling first."""


def value(written: object) -> str:
    """A hyperparameter's value as people read it."""
    if str(written) in ("True", "False"):
        return "yes" if str(written) == "True" else "no"
    return CLASSIFIERS.get(written, str(written))


TIPS = {title: meaning for terms in GLOSSARY.values() for title, meaning in terms.items()}
"""Term -> its meaning, for help tips."""
