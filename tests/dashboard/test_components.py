"""Text from outside stays text, and numbers are written for people."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.components import duration, number, plain

_ESCAPED = re.compile(r"\\[!-/:-@\[-`{-~]")


@given(st.text(alphabet=string.printable))
def test_no_sign_of_markdown_is_left(text: str) -> None:
    bare = _ESCAPED.sub("", plain(text))
    assert not set(bare) & set(string.punctuation)
    assert "\n" not in bare


@given(st.text(alphabet=string.printable))
def test_nothing_is_lost(text: str) -> None:
    shown = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", plain(text)).replace("\u2060", "")
    assert shown == " ".join(text.split())


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (None, "–"),
        (0, "0 s"),
        (89, "89 s"),
        (90, "2 min"),
        (3600, "60 min"),
        (7800, "2 h 10 min"),
        (200_000, "2 days"),
    ],
)
def test_durations(seconds: float | None, said: str) -> None:
    assert duration(seconds) == said


def test_numbers() -> None:
    assert (number(None), number(float("nan")), number(0.12345), number(2.0, 1)) == ("–", "–", "0.123", "2.0")
