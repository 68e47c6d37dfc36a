"""Seeds that follow from what is drawn, so that equal questions have equal answers whoever asks them, and when."""

from __future__ import annotations

import hashlib

_BELOW = 2**31 - 10_000  # leaves room for learners that add small numbers to their seed


def derive_seed(*parts: int | str | float) -> int:
    """A seed from a run's seed and the names of what is drawn, e.g. `derive_seed(0, "fold 1", 3, "spies", 0.1)`.

    Returns:
        An integer, 0 <= seed < 2**31 - 10,000; different parts give independent seeds.
    """
    text = "\x1f".join(f"{type(part).__name__}:{part!r}" for part in parts)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") % _BELOW
