"""Two classifiers that no search should contain: one never comes back from C code, one refuses at once."""

import itertools
from collections import deque


class Endless:
    """Its fit loops in C for ever, deaf to every signal handler."""

    def __init__(self, seed):
        self.seed = seed

    def fit(self, X, y):
        deque(itertools.repeat(None), maxlen=0)


class Refusing(Endless):
    """Fails instead."""

    def fit(self, X, y):
        raise ValueError("not today")
