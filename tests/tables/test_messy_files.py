"""Files as they come: each is read exactly as it is meant, or refused with one sentence that says what to do."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import math
import zipfile
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import openpyxl
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from autopu_core.errors import TableError
from autopu_core.tables import describe_table, read_table

NAN = math.nan


@dataclass(frozen=True)
class Reads:
    """A file whose columns are known; `notes` are parts of sentences that must be among the notes."""

    name: str
    content: bytes
    columns: dict[str, list[Any]]
    notes: tuple[str, ...] = ()
    types: dict[str, str] = field(default_factory=dict)
    missing: dict[str, dict[str, int]] | None = None


@dataclass(frozen=True)
class Refused:
    """A file that isn't read; the sentence must contain `says`."""

    name: str
    content: bytes
    says: str


def text(written: str, encoding: str = "utf-8") -> bytes:
    return written.encode(encoding)


def workbook(rows: list[list[Any]], **sheets: list[list[Any]]) -> bytes:
    book = openpyxl.Workbook()
    book.active.title = "first"
    for row in rows:
        book.active.append(row)
    for title, others in sheets.items():
        sheet = book.create_sheet(title)
        for row in others:
            sheet.append(row)
    return saved(book)


def saved(book: openpyxl.Workbook) -> bytes:
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def parquet(frame: pd.DataFrame) -> bytes:
    stream = io.BytesIO()
    frame.to_parquet(stream)
    return stream.getvalue()


def archive(entries: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in entries.items():
            packed.writestr(name, content)
    return stream.getvalue()


def far_cell() -> bytes:
    """A sheet of two cells, the second at the far corner, written by hand: no library would fill what lies between."""
    book = openpyxl.Workbook()
    book.active.append(["age"])
    with zipfile.ZipFile(io.BytesIO(saved(book))) as packed:
        entries = {name: packed.read(name) for name in packed.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    far = b'</row><row r="1048576"><c r="XFD1048576"><v>3</v></c></row>'
    entries[sheet] = entries[sheet].replace(b"</row>", far, 1)
    return archive(entries)


def formulas() -> bytes:
    book = openpyxl.Workbook()
    book.active.append(["age", "double"])
    book.active.append([60, "=A2*2"])
    return saved(book)


PLAIN = {"age": [63, 41], "sex": ["m", "f"]}

READ = [
    Reads("plain", text("age,sex\n63,m\n41,f\n"), PLAIN),
    Reads("no line break at the end", text("age,sex\n63,m\n41,f"), PLAIN),
    Reads("old Mac line ends", text("age,sex\r63,m\r41,f\r"), PLAIN),
    Reads("byte order mark", text("age,sex\n63,m\n41,f\n", "utf-8-sig"), PLAIN),
    Reads("UTF-16 with mark", text("age\tsex\n63\tm\n41\tf\n", "utf-16"), PLAIN, ("separated by tabs",)),
    Reads("UTF-16 without mark", text("age;sex\r\n63;m\r\n41;f\r\n", "utf-16-le"), PLAIN, ("UTF-16",)),
    Reads("UTF-32", text("age,sex\n63,m\n41,f\n", "utf-32"), PLAIN),
    Reads(
        "Windows-1252",
        text("größe,befund\n1.80,Übergewicht\n1.70,normal\n", "cp1252"),
        {"größe": [1.8, 1.7], "befund": ["Übergewicht", "normal"]},
        ("Windows-1252",),
    ),
    Reads("vertical bars", text("age|sex\n63|m\n41|f\n"), PLAIN, ("vertical bars",)),
    Reads("spaces in a row", text("age  hb\n63   13.5\n 41  12\n"), {"age": [63, 41], "hb": [13.5, 12.0]}, ("spaces",)),
    Reads(
        "comma in each text of a semicolon file",
        text("name;age\nDoe, J;63\nRoe, R;41\n"),
        {"name": ["Doe, J", "Roe, R"], "age": [63, 41]},
    ),
    Reads("Excel's line about the separator", text("sep=;\nage;sex\n63;m\n41;f\n"), PLAIN),
    Reads("decimal comma", text("a;b\n1,5;2\n2,25;3\n"), {"a": [1.5, 2.25], "b": [2, 3]}, ("decimal comma",)),
    Reads("decimal commas only", text("a;b\n1,5;2,5\n2,5;3,5\n"), {"a": [1.5, 2.5], "b": [2.5, 3.5]}),
    Reads(
        "thousands or decimals",
        text("a;b\n1,234;x\n2,345;y\n"),
        {"a": ["1,234", "2,345"], "b": ["x", "y"]},
        ("'1,234' may have a thousands separator",),
    ),
    Reads(
        "German thousands without proof",
        text("a;b\n1.234;x\n2.345;y\n"),
        {"a": ["1.234", "2.345"], "b": ["x", "y"]},
        ("'1.234' may have a thousands separator",),
    ),
    Reads(
        "thousands beside decimal commas",
        text("a;b\n1.234;0,5\n2.345;1,5\n"),
        {"a": ["1.234", "2.345"], "b": [0.5, 1.5]},
        ("'1.234' may have a thousands separator",),
    ),
    Reads("three decimals in a comma file", text("a,b\n1.234,x\n2.345,y\n"), {"a": [1.234, 2.345], "b": ["x", "y"]}),
    Reads(
        "comma and point in one table",
        text('a,b\n"1,5",2.5\n"2,5",3.5\n'),
        {"a": ["1,5", "2,5"], "b": [2.5, 3.5]},
        ("decimal comma, but other numbers",),
    ),
    Reads(
        "lines of comment",
        text("# exported 2024\n# by the clinic\nage,sex\n63,m\n41,f\n"),
        PLAIN,
        ("2 lines of comment",),
    ),
    Reads("names in the comment", text("#age\thb\n63\t13.5\n41\t12.5\n"), {"age": [63, 41], "hb": [13.5, 12.5]}),
    Reads(
        "a name that begins like a comment",
        text("% fat,age,class\n31.5,63,x\n22.5,41,y\n"),
        {"% fat": [31.5, 22.5], "age": [63, 41], "class": ["x", "y"]},
    ),
    Reads(
        "citation before the names",
        text("Please cite: Little, M. (2007)\nage,sex,hb,class\n63,m,1,x\n41,f,2,y\n"),
        {**PLAIN, "hb": [1, 2], "class": ["x", "y"]},
        ("1 line before the table skipped: 'Please cite",),
    ),
    Reads(
        "titles padded with separators",
        text("Cohort A,,,\n,,,\nage,sex,hb,class\n63,m,1,x\n41,f,2,y\n"),
        {**PLAIN, "hb": [1, 2], "class": ["x", "y"]},
        ("1 line before the table skipped",),
    ),
    Reads("no names", text("63,1.5\n41,2.5\n"), {"column_1": [63, 41], "column_2": [1.5, 2.5]}, ("no line of column",)),
    Reads(
        "no names, categories only",
        text("p,x,s\np,b,y\ne,x,s\np,b,s\ne,x,y\n"),
        {"column_1": ["p", "p", "e", "p", "e"], "column_2": ["x", "b", "x", "b", "x"], "column_3": list("syssy")},
        ("no line of column",),
    ),
    Reads(
        "names of rows as R writes them",
        text('"age"\t"sex"\n"1"\t63\t"m"\n"2"\t41\t"f"\n'),
        {"column_1": [1, 2], **PLAIN},
        ("Column 1 has no name",),
    ),
    Reads("separator behind every row", text("age,sex\n63,m,\n41,f,\n"), PLAIN),
    Reads("separator behind the names", text("age,sex,\n63,m\n41,f\n"), PLAIN),
    Reads("separator behind every line", text("age,sex,\n63,m,\n41,f,\n"), PLAIN, ("1 empty column without a name",)),
    Reads("empty lines", text("\n\nage,sex\n63,m\n,\n\n41,f\n,\n"), PLAIN, ("1 empty line left out",)),
    Reads(
        "line breaks, quotes and separators in quotes",
        text('id,remark\n1,"two\nlines, and ""quotes"""\n2,none\n'),
        {"id": [1, 2], "remark": ['two\nlines, and "quotes"', "none"]},
    ),
    Reads(
        "quotation mark within a cell",
        text('id,size\n1,5" tube\n2,6" tube\n'),
        {"id": [1, 2], "size": ['5" tube', '6" tube']},
    ),
    Reads(
        "names used twice",
        text("age,age,age_2\n1,2,3\n4,5,6\n"),
        {"age": [1, 4], "age_3": [2, 5], "age_2": [3, 6]},
        ("'age' occurs again at column 2",),
    ),
    Reads(
        "names with quotes, line breaks, emoji and formulas",
        text('"a ""b""","c\nd",😀,=1+1,<b>x</b>\n1,2,3,4,5\n6,7,8,9,10\n'),
        {'a "b"': [1, 6], "c\nd": [2, 7], "😀": [3, 8], "=1+1": [4, 9], "<b>x</b>": [5, 10]},
    ),
    Reads(
        "names that are empty",
        text("age,,\n63,1,x\n41,2,y\n"),
        {"age": [63, 41], "column_2": [1, 2], "column_3": ["x", "y"]},
    ),
    Reads(
        "missing in many words",
        text("a,b\n1,x\nNA,n/a\n?,?\n-,y\n ,x\nnull,-\n.,\n4,y\n"),
        {"a": [1.0, NAN, NAN, NAN, NAN, NAN, NAN, 4.0], "b": ["x", None, None, "y", "x", None, None, "y"]},
        missing={"a": {"NA": 1, "?": 1, "-": 1, "": 1, "null": 1, ".": 1}, "b": {"n/a": 1, "?": 1, "-": 1, "": 1}},
    ),
    Reads(
        "spaces and tabs around cells",
        text("ckd,dm\n\tno, yes\nyes,\tno\n\tno,no \n"),
        {"ckd": ["no", "yes", "no"], "dm": ["yes", "no", "no"]},
    ),
    Reads(
        "minus as a result",
        text("strip,her2\n-,-\n+,1+\n++,3+\n"),
        {"strip": ["-", "+", "++"], "her2": ["-", "1+", "3+"]},
        missing={},
    ),
    Reads(
        "none as a kind",
        text("drug,dose\nnone,0\naspirin,100\nnone,0\n"),
        {"drug": ["none", "aspirin", "none"], "dose": [0, 100, 0]},
        ("'none' in the column 'drug' is kept as a kind",),
        missing={},
    ),
    Reads(
        "unknown among numbers, and among kinds",
        text("bmi,smoker\n22.5,unknown\nunknown,yes\n30,no\n"),
        {"bmi": [22.5, NAN, 30.0], "smoker": ["unknown", "yes", "no"]},
        ("'unknown' was taken as missing",),
        missing={"bmi": {"unknown": 1}},
    ),
    Reads(
        "none among numbers may mean zero",
        text("packs,x\nnone,1\n10,2\n20,3\n"),
        {"packs": ["none", "10", "20"], "x": [1, 2, 3]},
        ("'packs' is kept as text: 1 of its 3 different values is no plain number ('none')",),
    ),
    Reads(
        "numbers with units",
        text("dose,x\n5 mg,1\n10,2\n20,3\n"),
        {"dose": ["5 mg", "10", "20"], "x": [1, 2, 3]},
        ("('5 mg')",),
    ),
    Reads(
        "below the detection limit",
        text("psa\n<0.1\n2.5\n4\n3\n"),
        {"psa": ["<0.1", "2.5", "4", "3"]},
        ("('<0.1')",),
    ),
    Reads(
        "numbers with leading zeros",
        text("code,x\n00123,1\n04567,2\n"),
        {"code": ["00123", "04567"], "x": [1, 2]},
        ("begin with 0",),
    ),
    Reads(
        "integers that no float holds",
        text("id,x\n9007199254740993,1\n9007199254740992,2\n"),
        {"id": ["9007199254740993", "9007199254740992"], "x": [1, 2]},
        ("too many digits",),
    ),
    Reads("infinities", text("a,b\ninf,1\n-Infinity,2\n3,4\n"), {"a": [math.inf, -math.inf, 3.0], "b": [1, 2, 4]}),
    Reads("too large", text("a,b\n1e400,1\n5,2\n"), {"a": ["1e400", "5"], "b": [1, 2]}, ("too large",)),
    Reads("signs and exponents", text("a,b\n+5,-1e-3\n-7,.5\n"), {"a": [5, -7], "b": [-0.001, 0.5]}),
    Reads(
        "no numbers though Python thinks so",
        text("a,b\n1_000,x\n2_000,y\n"),
        {"a": ["1_000", "2_000"], "b": ["x", "y"]},
    ),
    Reads(
        "ISO dates",
        text("seen,x\n2020-01-31,1\n,2\n2021-12-01T08:30:00,3\n"),
        {"seen": [pd.Timestamp(2020, 1, 31), pd.NaT, pd.Timestamp(2021, 12, 1, 8, 30)], "x": [1, 2, 3]},
        types={"seen": "datetime64[us]"},
    ),
    Reads(
        "German dates",
        text("seen;x\n31.01.2020;1\n01.12.2021;2\n"),
        {"seen": [pd.Timestamp(2020, 1, 31), pd.Timestamp(2021, 12, 1)], "x": [1, 2]},
    ),
    Reads(
        "American dates, proven",
        text("seen,x\n01/02/2020,1\n12/31/2020,2\n"),
        {"seen": [pd.Timestamp(2020, 1, 2), pd.Timestamp(2020, 12, 31)], "x": [1, 2]},
        ("month, day, year, as '12/31/2020' shows",),
    ),
    Reads(
        "dates that may be either",
        text("seen,x\n01/02/2020,1\n03/04/2020,2\n"),
        {"seen": ["01/02/2020", "03/04/2020"], "x": [1, 2]},
        ("day/month or month/day",),
    ),
    Reads(
        "dates in both orders",
        text("seen,x\n13/02/2020,1\n03/14/2020,2\n"),
        {"seen": ["13/02/2020", "03/14/2020"], "x": [1, 2]},
        ("day/month or month/day",),
    ),
    Reads(
        "a day that doesn't exist",
        text("seen,x\n2021-02-30,1\n2021-02-01,2\n"),
        {"seen": ["2021-02-30", "2021-02-01"], "x": [1, 2]},
        ("doesn't exist",),
    ),
    Reads(
        "years with two digits",
        text("seen,x\n01.02.55,1\n03.04.56,2\n"),
        {"seen": ["01.02.55", "03.04.56"], "x": [1, 2]},
        ("four digits",),
    ),
    Reads("one row", text("age,sex\n63,m\n"), {"age": [63], "sex": ["m"]}),
    Reads("all missing", text("a,b\nNA,\n,\nNA,NA\n"), {"a": [NAN, NAN], "b": [NAN, NAN]}),
    Reads(
        "label yes or nothing",
        text("age,disease\n63,yes\n41,\n52,yes\n"),
        {"age": [63, 41, 52], "disease": ["yes", None, "yes"]},
    ),
    Reads("other scripts", text("age,诊断\n63,阳性\n41,阴性\n"), {"age": [63, 41], "诊断": ["阳性", "阴性"]}),
    Reads(
        "Orange's three lines",
        text("age\tsex\td\nc\td\td\n\t\tclass\n63\tm\t0\n41\tf\t1\n"),
        {**PLAIN, "d": [0, 1]},
        ("Orange",),
    ),
    Reads(
        "Orange's codes are kinds",
        text("age\tward\nc\td\n\tclass\n63\t1\n41\t2\n52\t3\n"),
        {"age": [63, 41, 52], "ward": ["1", "2", "3"]},
    ),
    Reads(
        "ARFF",
        text(
            "% c\n@relation r\n@attribute age numeric\n@attribute sex {m,f}\n@attribute ward {1,2,3}\n"
            "@data\n63,m,1\n?,f,2\n5,m,3\n"
        ),
        {"age": [63.0, NAN, 5.0], "sex": ["m", "f", "m"], "ward": ["1", "2", "3"]},
        ("ARFF",),
        missing={"age": {"?": 1}},
    ),
    Reads("a sheet", workbook([["age", "sex"], [63, "m"], [41, "f"]]), PLAIN),
    Reads(
        "empty sheets first",
        workbook([], second=[["age", "sex"], [63, "m"], [41, "f"]]),
        PLAIN,
        ("'second' was read; not 'first'",),
    ),
    Reads(
        "titles above a sheet's table",
        workbook([["Cohort A"], [], ["age", "sex", "hb"], [63, "m", 1], [41, "f", 2]]),
        {**PLAIN, "hb": [1, 2]},
        ("1 line before the table skipped: 'Cohort A'",),
    ),
    Reads("a sheet without names", workbook([[63, 1.5], [41, 2.5]]), {"column_1": [63, 41], "column_2": [1.5, 2.5]}),
    Reads(
        "a table that begins in the middle of a sheet",
        workbook([[], [None, "age", "sex"], [None, 63, "m"], [None, 41, "f"]]),
        PLAIN,
    ),
    Reads(
        "dates, truth values and codes in a sheet",
        workbook([["seen", "ok", "code"], [pd.Timestamp(2020, 1, 31), True, "007"], [None, False, "008"]]),
        {"seen": [pd.Timestamp(2020, 1, 31), pd.NaT], "ok": [True, False], "code": ["007", "008"]},
        types={"seen": "datetime64[us]", "ok": "bool"},
    ),
    Reads("formulas without a result", formulas(), {"age": [60], "double": [NAN]}, ("1 formula has no stored result",)),
    Reads(
        "Parquet with everything",
        parquet(
            pd.DataFrame(
                {
                    "n": pd.array([1, None, 3], dtype="Int64"),
                    "big": [2**60, 1, 2],
                    "ok": [True, False, True],
                    "kind": pd.Categorical(["a", None, "b"]),
                    "text": ["x", "", "NA"],
                    "seen": pd.to_datetime(["2020-01-31", None, "2020-02-01"]).tz_localize("UTC"),
                }
            )
        ),
        {
            "n": [1.0, NAN, 3.0],
            "big": [str(2**60), "1", "2"],
            "ok": [True, False, True],
            "kind": ["a", None, "b"],
            "text": ["x", None, None],
            "seen": pd.to_datetime(["2020-01-31", None, "2020-02-01"]).tolist(),
        },
    ),
    Reads("a workbook named .csv", workbook([["age", "sex"], [63, "m"], [41, "f"]]), PLAIN),
]

REFUSED = [
    Refused("empty", b"", "is empty"),
    Refused("blank", b" \r\n\t\n", "is empty"),
    Refused("byte order mark only", b"\xef\xbb\xbf", "is empty"),
    Refused("comment only", b"# nothing\n# more\n", "is empty"),
    Refused("quotation marks only", b'""\n""\n', "is empty"),
    Refused("names only", b"age,sex\n", "no rows"),
    Refused("row too long", b"age,sex\n63,m\n41,f,9\n52,m\n", "Line 3 of table.csv has 3 values"),
    Refused("row too short", b"age,sex,hb\n63,m,1\n41,f\n52,m,2\n", "Line 3 of table.csv has 2 values"),
    Refused("cut off in a row", b"age,sex,hb\n63,m,1\n41,f,2\n52", "Line 4"),
    Refused("one name too many", b"age,sex,hb\n63,m\n41,f\n52,m\n", "looks like the column names but has 3"),
    Refused("a name missing, first column no names", b"a,b\n1,2,3\n1,5,6\n", "looks like the column names but has 2"),
    Refused("decimal comma in a comma file", b"id,hb\nP1,13,5\nP2,12,1\n", "looks like the column names but has 2"),
    Refused("quotation mark never closed", b'age,remark\n63,"good\n41,bad\n52,bad\n', "quotation mark"),
    Refused("quotation marks that pair up wrongly", b'a,b\n1,"x\n2,y\n3,"z\n4,u\n', "quotation mark"),
    Refused("binary junk", bytes(range(256)) * 20, "binary data"),
    Refused("zeros at the end", b"age,sex\n63,m\n" + bytes(5000), "binary data"),
    Refused("UTF-16 cut off", "age,sex\n63,m\n".encode("utf-16")[:-1], "save it again as UTF-8"),
    Refused("damaged UTF-8", "größe,x\nüber,1\nöde,2\n".encode() + b"\xc3,3\n", "damaged bytes in line 4"),
    Refused("picture", b"\x89PNG\r\n\x1a\n" + bytes(100), "binary data"),
    Refused("compressed", gzip.compress(b"age,sex\n63,m\n"), "unpack it first"),
    Refused("PDF", b"%PDF-1.7\n1 0 obj\n", "PDF"),
    Refused("web page", b"<html><table><tr><td>1</td></tr></table></html>", "web page"),
    Refused("JSON", json.dumps([{"age": 63}]).encode(), "JSON"),
    Refused("archive", archive({"table.csv": b"age\n1\n"}), "no Excel workbook"),
    Refused("workbook cut off", workbook([["age"], [1]])[:-300], "damaged or cut off"),
    Refused("workbook with nothing", workbook([]), "no sheet with content"),
    Refused("workbook with names only", workbook([["age", "sex"]]), "no rows"),
    Refused("workbook with a far cell", far_cell(), "far away from its table"),
    Refused(
        "zip bomb", archive({"xl/workbook.xml": b"<x/>", "xl/worksheets/sheet1.xml": bytes(60_000_000)}), "would unpack"
    ),
    Refused("old Excel, damaged", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2000), "open it in Excel"),
    Refused("Parquet cut off", parquet(pd.DataFrame({"age": [1, 2]}))[:-20], "Parquet"),
    Refused("Parquet with lists", parquet(pd.DataFrame({"a": [[1], [2]]})), "'a' holds lists"),
    Refused("Parquet without rows", parquet(pd.DataFrame({"a": [1.0]}).head(0)), "no rows"),
    Refused("SPSS cut off", b"$FL2@(#) IBM SPSS" + bytes(50), "SPSS"),
    Refused("Stata cut off", b"<stata_dta><header>", "Stata"),
    Refused("ARFF with a wrong row", b"@relation r\n@attribute a numeric\n@data\nx\n", "no valid ARFF"),
    Refused("ARFF without rows", b"@relation r\n@attribute a numeric\n@data\n", "no rows"),
    Refused("prose", b"Dear colleague,\nattached you find, as discussed, the table.\nBest, X\n", "Line"),
]


@pytest.mark.parametrize("case", READ, ids=lambda case: case.name)
def test_reads_exactly_what_is_in_the_file(case: Reads) -> None:
    table = read_table(case.content, "table.csv")
    assert list(table.frame.columns) == list(case.columns)
    for name, expected in case.columns.items():
        actual = table.frame[name]
        assert str(actual.dtype) == case.types.get(name, str(actual.dtype))
        assert actual.dtype != object
        wanted = pd.Series(expected, dtype=actual.dtype)
        pd.testing.assert_series_equal(actual, wanted, check_names=False, check_exact=True)
        if all(isinstance(value, int) and not isinstance(value, bool) for value in expected):
            assert actual.dtype == np.int64
    for note in case.notes:
        assert any(note in sentence for sentence in table.notes), table.notes
    if case.missing is not None:
        assert table.missing_tokens == case.missing
    describe_table(table)


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case.name)
def test_refuses_with_one_sentence(case: Refused) -> None:
    with pytest.raises(TableError) as raised:
        read_table(case.content, "table.csv")
    sentence = str(raised.value)
    assert case.says in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence


@pytest.mark.parametrize("case", READ, ids=lambda case: case.name)
def test_every_note_is_one_sentence(case: Reads) -> None:
    assert all(note.endswith(".") and "\n" not in note.replace("c\nd", "") for note in read_table(case.content).notes)


@pytest.mark.parametrize("content", [case.content for case in READ[:20]], ids=[case.name for case in READ[:20]])
@given(data=st.data())
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_cut_off_anywhere_is_a_table_or_a_sentence(content: bytes, data: st.DataObject) -> None:
    cut = content[: data.draw(st.integers(0, len(content)))]
    try:
        table = read_table(cut)
    except TableError:
        return
    assert len(table.frame) > 0


@given(st.binary(max_size=400))
@settings(max_examples=300, deadline=None)
def test_any_bytes_are_a_table_or_a_sentence(content: bytes) -> None:
    with contextlib.suppress(TableError):
        read_table(content)


# -- what is written is what is read ----------------------------------------------------------------------------------

WORDS = st.sampled_from(["mild", "très sévère", "no; yes", "a, b", 'say "x"', "über|unter", "1+", "two\nlines", "x\ty"])
NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=64).map(lambda value: value + 0.0)
COLUMNS = st.one_of(
    st.tuples(st.just("float"), st.lists(st.one_of(NUMBERS, st.just(NAN)), min_size=8, max_size=8)),
    st.tuples(st.just("int"), st.lists(st.integers(-(2**53) + 1, 2**53 - 1), min_size=8, max_size=8)),
    st.tuples(st.just("text"), st.lists(st.one_of(WORDS, st.none()), min_size=8, max_size=8)),
    st.tuples(
        st.just("date"),
        st.lists(st.datetimes(pd.Timestamp(1900, 1, 1), pd.Timestamp(2100, 1, 1)), min_size=8, max_size=8),
    ),
)


@given(
    columns=st.lists(COLUMNS, min_size=1, max_size=5),
    separator=st.sampled_from([",", ";", "\t", "|"]),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
    decimal=st.sampled_from([".", ","]),
    line_end=st.sampled_from(["\n", "\r\n"]),
)
@settings(max_examples=150, deadline=None)
def test_what_is_written_is_what_is_read(columns, separator, encoding, decimal, line_end) -> None:
    """A row number first, so that no row is blank; a measurement last, so that the decimal sign is proven."""
    frame = pd.DataFrame({"row": range(1, 9)})
    for number, (kind, cells) in enumerate(columns):
        frame[f"{kind} {number}"] = pd.Series(cells, dtype={"text": "str", "float": "float64"}.get(kind))
    frame["proof"] = [0.5, 1.25, 2.75, 3.5, 4.25, 5.75, 6.5, 7.25]
    if separator == decimal:
        separator = ";"
    written = frame.to_csv(index=False, sep=separator, decimal=decimal, lineterminator=line_end)
    read = read_table(written.encode(encoding)).frame
    assert list(read.columns) == list(frame.columns)
    for name in frame.columns:
        expected, actual = frame[name], read[name]
        if name.startswith("date"):
            assert (actual == expected.astype("datetime64[us]")).all()
        elif name.startswith("text"):
            assert [None if pd.isna(a) else a for a in actual] == [None if pd.isna(e) else e for e in expected]
        else:
            np.testing.assert_array_equal(actual.to_numpy(dtype=float), expected.to_numpy(dtype=float))


@pytest.mark.parametrize("columns", [10_000])
def test_ten_thousand_columns(columns: int) -> None:
    content = "\n".join(
        ",".join(row) for row in [[f"c{n}" for n in range(columns)], *[[str(r)] * columns for r in range(3)]]
    )
    frame = read_table(content.encode()).frame
    assert frame.shape == (3, columns)
    assert (frame.to_numpy() == [[0], [1], [2]]).all()
