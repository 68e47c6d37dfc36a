"""The report stands alone and shows text as text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autopu_core.charts.data import class_balance
from autopu_core.export.report import Section, page

EVIL = "</script></td><script>alert(1)</script><img src=x onerror=alert(1)>&amp;\"'"
_VOID = {"meta", "img", "br", "link", "input", "hr"}


class Reader(HTMLParser):
    """What a browser makes of HTML: elements with their attributes, text by element, and a sheet of all tables."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)
        if tag in ("td", "th", "p", "h1", "h2", "li", "figcaption"):
            self.texts.append((tag, ""))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        inner = self.open[-1] if self.open else ""
        if self.texts and inner == self.texts[-1][0]:
            self.texts[-1] = (inner, self.texts[-1][1] + data)
        else:
            self.texts.append((inner, data))

    def text_of(self, tag: str) -> list[str]:
        return [text for element, text in self.texts if element == tag]


def read(section: Section) -> Reader:
    return Reader("".join(section.parts))


@pytest.fixture(scope="module")
def report() -> str:
    section = Section(f"The data {EVIL}")
    section.text(EVIL).text("An estimate.", kind="estimate").list([EVIL]).facts({EVIL: EVIL})
    section.table(pd.DataFrame({EVIL: [EVIL]})).figure(class_balance({EVIL: 3, "b": 1}))
    return page(f"Report {EVIL}", f"Of {EVIL}", [section, Section("Empty")])


def test_everything_that_a_browser_would_fetch_is_inside(report):
    read_back = Reader(report)
    for tag, attributes in read_back.elements:
        assert tag not in ("link", "iframe", "img", "object", "embed", "base", "form", "a")
        assert not {"src", "href", "srcset", "data", "action", "background"} & set(attributes)
        assert not [name for name in attributes if name.startswith("on")]
    styles = "".join(text for tag, text in read_back.texts if tag == "style")
    assert "url(" not in styles
    assert "@import" not in styles


def test_the_browser_is_told_to_fetch_nothing(report):
    (policy,) = [
        attributes["content"]
        for tag, attributes in Reader(report).elements
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules.pop("default-src") == "'none'"
    sources = {source for rule in rules.values() for source in rule.split()}
    assert sources <= {"'unsafe-inline'", "data:", "blob:"}
    head = report[: report.index("</head>")]
    assert head.index("Content-Security-Policy") < head.index("<script")  # a policy binds what stands behind it


def test_plotly_is_inside_once_and_before_the_charts(report):
    assert report.count("Plotly.newPlot(") >= 1
    scripts = [text for tag, text in Reader(report).texts if tag == "script"]
    assert len(max(scripts, key=len)) > 1_000_000
    assert report.index("</head>") < report.rindex("Plotly.newPlot(")


def test_text_of_users_is_shown_as_it_is_written_wherever_it_stands(report):
    read_back = Reader(report)
    assert read_back.text_of("h1") == [f"Report {EVIL}"]
    assert read_back.text_of("h2") == [f"The data {EVIL}", "Empty"]
    assert read_back.text_of("p") == [f"Of {EVIL}", EVIL, "An estimate."]
    assert read_back.text_of("li") == [EVIL]
    assert read_back.text_of("td") == [EVIL, EVIL, EVIL]
    assert EVIL in read_back.text_of("th")
    assert read_back.text_of("title") == [f"Report {EVIL}"]
    (caption,) = read_back.text_of("figcaption")
    assert caption == f"Rows for each value: {EVIL} 3, b 1."
    assert "alert(1)</script>" not in report


@settings(max_examples=60)
@given(st.text(st.characters(exclude_characters="\r\0", exclude_categories=["Cs"])))
def test_any_text_in_a_heading_or_cell_is_shown_as_it_is(text):
    section = Section("s").table(pd.DataFrame({"x" + text: ["y" + text]}))
    assert read(section).text_of("th") == ["x" + text]
    assert read(section).text_of("td") == ["y" + text]


def test_cells_in_words_and_numbers_to_the_right():
    frame = pd.DataFrame(
        {
            "name": ["a", None],
            "share": [0.123456, np.nan],
            "rows": [1200, 3],
            "found": [True, False],
        }
    )
    section = Section("s").table(frame)
    assert read(section).text_of("td") == ["a", "0.123", "1200", "yes", "–", "–", "3", "no"]
    right = [attributes.get("class") == "number" for tag, attributes in read(section).elements if tag == "td"]
    assert right[:4] == [False, True, True, False]


def test_facts_one_in_a_row():
    section = Section("s").facts({"Rows": 150, "Positive": ("sick", "ill"), "Share": 0.5, "Group": None, "Spies": True})
    assert read(section).text_of("td") == [
        *("Rows", "150", "Positive", "sick, ill", "Share", "0.500", "Group", "–", "Spies", "yes"),
    ]


def test_estimates_and_remarks_are_boxes():
    section = Section("s").text("one", "two", kind="estimate").text("three")
    marked = [attributes.get("class") for tag, attributes in read(section).elements if tag == "p"]
    assert marked == ["estimate", "estimate", None]


def test_parts_stay_in_their_order():
    section = Section("s").text("first").table(pd.DataFrame({"a": ["second"]})).list(["third"]).text("fourth")
    html = page("t", "l", [section, Section("after").text("fifth")])
    body = html[html.index("<body>") :]
    places = [body.index(word) for word in ("first", "second", "third", "fourth", ">after<", "fifth")]
    assert places == sorted(places)
    assert re.match(r'<!DOCTYPE html>\n<html lang="en">', html)
