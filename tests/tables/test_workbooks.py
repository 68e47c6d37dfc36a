"""Excel workbooks: the old format, which sheet is read, hidden sheets, protection."""

from __future__ import annotations

import base64
import io
import zlib

import openpyxl
import pandas as pd
import pytest

from autopu_core.errors import TableError
from autopu_core.tables import read_table, sheet_names

OLD_WORKBOOK = zlib.decompress(
    base64.b85decode(
        "c-rk)Pe>F|82`Qb<L;We>$XN3i3nMlLguB5ZiOWjigl?Zs@)t?%pDo`VjZ$<k3kRwMHj(>E>@Q;DyW->z^FqI1Zy2T1qDIs^u2Fp"
        "HnkO8Fu|DL^1k`r_ul)>H{bi-o450Jx;#7fxM~JV&<Yjvb_hiaY=TP2t3*KUwk=if8l+<TSXT%IX(EesJTH9{kaH;Kdj<*~X|G8F"
        "pQ)U}AUe&IQL~0Pz&<2|^r1y)lzR&9QYk|v`xRw*j^##{54rCPmiyRpon;I4&5CYJ$2;ryx_Nv;spYmZk^+-F<|A90P=P6#$Cqyi"
        "r>~CvR$t=6I%}xbN-z$Z(sm<dSh60*Jrn~c35^{cjcsjN#Av$5@x!hGzI*HXRgG_7Te|?+e=fEMmazwE5|`R<DjF~X`>c@3oIxqt"
        "HQA!W7#K_sXAs6ET^a&7V)mL=+L*;*Y#>818!?zj_Zg`)4N96;N(B<<4O$DmN!kpC2F!lLB3sw)CX&O(5bJxWJ!P`mELogwB(i85"
        "DdojgLb8Wkka{^Uu?RiI?1OLbI+9)SGi({*SBHab@@Zh>iX1_M%a**D>UqR2mRFf|3+q)ZWAxN?t?R0Al|!T4=Nh-x(S4d3@8jDS"
        "=sQTyd_DTKI`bvIlk|!9nTxTB5AiY7(hIML#>?L*8bpJ*b6etB+`9^QEBeH;@~>^FRf*z>RA^KBgVl?fST<&y1kl%E%z{e9_1$()"
        "9%0OJ%s}ywaB4C-B3Dz~SUEM7YHF^gQB8B1MIL6s%raIlv6(%OqPtr1lOQ=6lZ;MJ$yMZXDS5aQ<_a)Zlp`6%>8+BhR!A?MK9VKq"
        "vZ#4jRAvde9;wW7Yf7@*=aygPo=0lVBhEGC%QYW9eE9I;!-tPW-*gl{E;$EA-93l~-0wPbRObE9B>ydr!K7cB{!$)9imn!h3(B8O"
        "(1ph(RyfA{UMO*#?rxzUN%o_^;QXZnwpjQ)D;^kGy(LuW{pSnu^B>>;HyrsDIs"
    )
)
"""Written by xlwt: an empty sheet, then "Kohorte" with a date column, a gap, and a text column."""


def test_old_workbook() -> None:
    table = read_table(OLD_WORKBOOK, "kohorte.xls")
    expected = pd.DataFrame(
        {
            "patient": ["P01", "P02", "P03"],
            "born": pd.to_datetime(["1950-03-04", "1949-12-31", "1980-01-01"]).as_unit("us"),
            "age": [71, 72, 41],
            "hb": [13.25, None, 11.5],
            "smoker": ["yes", "no", "yes"],
        }
    )
    pd.testing.assert_frame_equal(table.frame, expected)
    assert table.notes == ("The sheet 'Kohorte' was read; not 'empty'.",)


def book_of(**sheets: int) -> openpyxl.Workbook:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, value in sheets.items():
        sheet = book.create_sheet(title)
        sheet.append(["x", "y"])
        sheet.append([value, 1])
    return book


def saved(book: openpyxl.Workbook) -> bytes:
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def test_the_sheet_asked_for() -> None:
    content = saved(book_of(a=1, b=2))
    assert read_table(content).frame["x"].tolist() == [1]
    assert read_table(content, sheet="b").frame["x"].tolist() == [2]
    with pytest.raises(TableError, match="no sheet 'c'; it has 'a', 'b'"):
        read_table(content, sheet="c")
    with pytest.raises(TableError, match="no Excel workbook"):
        read_table(b"x,y\n1,2\n", sheet="a")


def test_hidden_sheets_come_last() -> None:
    book = book_of(lists=1, patients=2)
    book["lists"].sheet_state = "hidden"
    assert read_table(saved(book)).frame["x"].tolist() == [2]


def test_names_of_the_sheets_that_a_person_may_choose_from() -> None:
    book = book_of(lists=1, patients=2, follow_up=3)
    book.create_sheet("Sheet3", 1)  # empty
    book["lists"].sheet_state = "hidden"
    assert sheet_names(saved(book), "book.xlsx") == ["patients", "follow_up"]
    assert sheet_names(OLD_WORKBOOK, "kohorte.xls") == ["Kohorte"]
    assert sheet_names(b"x,y\n1,2\n", "book.xlsx") == []
    with pytest.raises(TableError, match=r"broken\.xlsx"):
        sheet_names(saved(book)[:-200], "broken.xlsx")


def test_protected_workbook() -> None:
    content = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500) + "EncryptedPackage".encode("utf-16-le")
    with pytest.raises(TableError, match="protected by a password"):
        read_table(content)


def test_numbers_are_read_to_the_last_bit() -> None:
    values = [0.1, 1 / 3, 1e300, -2.5e-7, 123456789.123456]
    book = openpyxl.Workbook()
    book.active.append(["x"])
    for value in values:
        book.active.append([value])
    assert read_table(saved(book)).frame["x"].tolist() == values
