"""The text editor's commands on bytes: what changes, what stays, and what is said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from bot.repair.proposers.agent.edit_tool import (
    Create,
    EditRejected,
    Insert,
    ListFolder,
    NotOpened,
    ReplaceLines,
    Show,
    StrReplace,
    View,
    Write,
    decide,
)

PATH = "/workspace/a.py"
CODE = b"def f():\n    return 1\n\n\ndef g():\n    return 1\n"


def written(decision: object) -> bytes:
    assert isinstance(decision, Write), decision
    return decision.data


def said(decision: object) -> str:
    assert isinstance(decision, Show | Write | EditRejected)
    return decision.text


def test_view_numbers_lines_from_one() -> None:
    """Numbers are those of grep and sed."""
    assert said(decide(View(PATH), CODE)) == snapshot("""\
1\tdef f():
2\t    return 1
3\t
4\t
5\tdef g():
6\t    return 1\
""")


def test_view_of_a_range() -> None:
    """Both ends are included; a last line behind the end means the end."""
    assert said(decide(View(PATH, 2, 2), CODE)) == "2\t    return 1"
    assert said(decide(View(PATH, 6, 99), CODE)) == "6\t    return 1"
    assert said(decide(View(PATH, 7, None), CODE)) == snapshot(
        "view_range must be within the file's 6 lines, with the first line before the last."
    )


def test_view_counts_only_newlines_as_line_ends() -> None:
    """Form feeds and Unicode separators are characters, as grep has it."""
    text = "a\x0cb\u2028c\nd".encode()
    assert said(decide(View(PATH), text)) == "1\ta<U+000C>b<U+2028>c\n2\td"


def test_a_long_view_says_where_to_read_on() -> None:
    """A file too long to show ends with the lines that are missing."""
    text = said(decide(View(PATH), b"x = 1234567890\n" * 5000))
    assert len(text) < 25_000
    assert text.splitlines()[-1] == snapshot(
        "… lines 1256 to 5000 are not shown: view them with view_range …"
    )


def test_a_very_long_line_is_cut() -> None:
    """Minified files don't flood the conversation."""
    assert said(decide(View(PATH), b"y" * 5000)).endswith("y … 4,000 more characters …")


def test_hidden_characters_are_shown() -> None:
    """What a reader would miss stands in plain sight; bytes that are no UTF-8 don't hurt."""
    assert said(decide(View(PATH), "a\u200bb".encode() + b"\xff")) == "1\ta<U+200B>b\ufffd"


@pytest.mark.parametrize("command", [View(PATH), StrReplace(PATH, "a", "b"), Insert(PATH, 0, "a")])
def test_what_is_no_text_is_refused(command: View | StrReplace | Insert) -> None:
    """Missing files, binaries and giants are answered with a sentence."""
    assert said(decide(command, NotOpened.MISSING)) == f"{PATH} does not exist."
    assert said(decide(command, b"\x7fELF\0\0")) == f"{PATH} is binary: this tool is for text."
    assert "too large for this tool" in said(decide(command, NotOpened.TOO_LARGE))


def test_a_folder_is_listed_and_not_edited() -> None:
    """Only `view` knows folders."""
    assert decide(View(PATH), NotOpened.FOLDER) == ListFolder()
    assert said(decide(StrReplace(PATH, "a", "b"), NotOpened.FOLDER)) == f"{PATH} is a folder."
    assert said(decide(Create(PATH, "a"), NotOpened.FOLDER)) == f"{PATH} is a folder."


def test_an_empty_file_is_called_empty() -> None:
    """Nothing to number, and still an answer."""
    assert decide(View(PATH), b"") == Show("(the file is empty)")


def test_create_writes_what_is_given() -> None:
    """A new file is exactly the text; over an old one that is said."""
    assert decide(Create(PATH, "x\n"), NotOpened.MISSING) == Write(b"x\n", f"Created {PATH}.")
    assert "existed before" in said(decide(Create(PATH, "x"), CODE))


def test_create_over_a_file_keeps_its_newlines() -> None:
    """A file with CRLF stays one."""
    assert written(decide(Create(PATH, "x\ny\n"), b"a\r\nb\r\n")) == b"x\r\ny\r\n"


def test_str_replace_replaces_the_only_place() -> None:
    """The answer shows the place as it is now."""
    decision = decide(StrReplace(PATH, "f():\n    return 1", "f():\n    return 2"), CODE)
    assert written(decision) == CODE.replace(b"1", b"2", 1)
    assert said(decision) == snapshot("""\
Changed /workspace/a.py, now:
1\tdef f():
2\t    return 2
3\t
4\t
5\tdef g():
6\t    return 1\
""")


def test_str_replace_without_new_text_deletes() -> None:
    """An empty new_str removes the text."""
    assert written(decide(StrReplace(PATH, "def f():\n    return 1\n\n\n", ""), CODE)) == CODE[24:]


def test_str_replace_needs_a_unique_place() -> None:
    """Several matches change nothing, overlapping ones too; the lines are named."""
    assert said(decide(StrReplace(PATH, "    return 1\n", ""), CODE)) == snapshot(
        "old_str occurs in /workspace/a.py more than once, at lines 2, 6: add surrounding lines until it is unique. Nothing was changed."
    )
    assert isinstance(decide(StrReplace(PATH, "aa", "b"), b"aaa"), EditRejected)


def test_str_replace_shows_text_that_differs_in_white_space() -> None:
    """The commonest slip gets the exact lines back."""
    assert said(decide(StrReplace(PATH, "def g():\n  return 1", "x"), CODE)) == snapshot("""\
old_str does not occur in /workspace/a.py. Nothing was changed. The closest match, to copy exactly, including whitespace:
5\tdef g():
6\t    return 1\
""")


def test_str_replace_shows_text_that_looks_alike() -> None:
    """A misremembered line gets its nearest one."""
    code = b"import os\n\ndef total(prices):\n    return sum(prices)\n"
    decision = decide(StrReplace(PATH, "def total(price_list):\n    return 0", "x"), code)
    assert said(decision) == snapshot("""\
old_str does not occur in /workspace/a.py. Nothing was changed. The closest match, to copy exactly, including whitespace:
3\tdef total(prices):
4\t    return sum(prices)\
""")


def test_str_replace_says_when_nothing_is_near_or_done_already() -> None:
    """No hint is better than a wrong one; an edit made twice is called that."""
    assert "View the file" in said(decide(StrReplace(PATH, "zzzzqqqq", "x"), CODE))
    assert "at line 5: was this edit made before?" in said(
        decide(StrReplace(PATH, "def h():", "def g():"), CODE)
    )


def test_str_replace_refuses_what_means_nothing() -> None:
    """An empty old_str and an unchanged text are mistakes."""
    assert "old_str is empty" in said(decide(StrReplace(PATH, "", "x"), CODE))
    assert "nothing would change" in said(decide(StrReplace(PATH, "def f", "def f"), CODE))


def test_crlf_stays_although_models_write_lf() -> None:
    """Text of several lines matches across CRLF, and what is put in its place gets CRLF."""
    dos = CODE.replace(b"\n", b"\r\n")
    decision = decide(StrReplace(PATH, "f():\n    return 1", "f():\n    x = 2\n    return x"), dos)
    expected = CODE.replace(b"return 1", b"x = 2\n    return x", 1).replace(b"\n", b"\r\n")
    assert written(decision) == expected
    assert written(decide(Insert(PATH, 1, "    y = 0"), dos)) == dos.replace(
        b"f():\r\n", b"f():\r\n    y = 0\r\n"
    )


def test_mixed_newlines_match_exactly_as_they_are() -> None:
    """In a file that mostly ends lines with CRLF, a place with LF is found too."""
    mixed = b"a\r\nb\r\nc\nd\ne\r\n"
    assert written(decide(StrReplace(PATH, "c\nd\n", "x\n"), mixed)) == b"a\r\nb\r\nx\r\ne\r\n"


@pytest.mark.parametrize(
    ("before", "line", "text", "after"),
    [
        (b"a\nb\n", 0, "x", b"x\na\nb\n"),
        (b"a\nb\n", 1, "x\n", b"a\nx\nb\n"),
        (b"a\nb\n", 2, "x", b"a\nb\nx\n"),
        (b"a\nb", 1, "x", b"a\nx\nb"),
        (b"a\nb", 2, "x", b"a\nb\nx"),
        (b"a\nb", 2, "x\n", b"a\nb\nx"),
        (b"", 0, "x\ny", b"x\ny\n"),
        (b"a\n\n", 2, "x", b"a\n\nx\n"),
    ],
)
def test_insert_goes_behind_its_line(before: bytes, line: int, text: str, after: bytes) -> None:
    """Line 0 is the beginning; a file without a last newline stays one."""
    assert written(decide(Insert(PATH, line, text), before)) == after


def test_insert_behind_the_end_is_refused() -> None:
    """A wrong line number is named with the right ones."""
    assert said(decide(Insert(PATH, 7, "x"), CODE)) == snapshot(
        "insert_line must be between 0 and 6, the number of lines."
    )
    assert isinstance(decide(Insert(PATH, -2, "x"), CODE), EditRejected)


def test_bytes_that_are_no_utf8_survive_an_edit_elsewhere() -> None:
    """A Latin-1 file can be edited in its ASCII parts."""
    assert written(decide(StrReplace(PATH, "one", "two"), b"\xe9t\xe9 one \xff")) == (
        b"\xe9t\xe9 two \xff"
    )


@given(st.binary(max_size=300).filter(lambda data: b"\0" not in data), st.data())
def test_replacing_a_unique_text_and_back_is_nothing(data: bytes, draw: st.DataObject) -> None:
    """Whatever the file's bytes, an edit touches its own place alone."""
    found = data + b"\nUNIQUE\n" + data
    new = draw.draw(st.text("abc", min_size=1, max_size=5).map(lambda text: f"<{text}>"))
    if found.count(b"UNIQUE") != 1 or new.encode() in found:
        return
    changed = written(decide(StrReplace(PATH, "UNIQUE", new), found))
    assert changed == found.replace(b"UNIQUE", new.encode())
    assert written(decide(StrReplace(PATH, new, "UNIQUE"), changed)) == found


def test_lines_are_replaced_by_number_and_text_added_at_the_end() -> None:
    """As other harnesses edit: whole lines, taken out where the text is empty."""

    def after(command: ReplaceLines | Insert) -> bytes:
        return written(decide(command, b"a\nb\nc\n"))

    assert after(ReplaceLines("f", 2, 2, "B")) == b"a\nB\nc\n"
    assert after(ReplaceLines("f", 2, 3, "")) == b"a\n"
    assert after(Insert("f", -1, "d")) == b"a\nb\nc\nd\n"
    assert isinstance(decide(ReplaceLines("f", 5, 6, "x"), b"a\nb\nc\n"), EditRejected)


def test_several_replacements_are_all_made_or_none() -> None:
    """Each is made on what those before it leave; one that can't be made says which it is."""
    both = StrReplace(PATH, "def f", "def first", (("def g", "def second"), ("first", "third")))
    assert written(decide(both, CODE)) == (
        b"def third():\n    return 1\n\n\ndef second():\n    return 1\n"
    )
    missing = StrReplace(PATH, "def f", "def first", (("def h", "def second"),))
    assert said(decide(missing, CODE)).startswith("Edit 2 of 2: old_str does not occur")
