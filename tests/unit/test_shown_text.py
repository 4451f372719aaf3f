"""Untrusted text on pages: shown, coloured, and never anything but text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from bot.web.shown_text import patch_lines, prose, terminal
from tests.unit.pattern_attacks import superlinear


def test_colours() -> None:
    """Sixteen colours and four styles; the rest of what terminals know is left out."""
    assert str(
        terminal("\x1b[1;31mFAILED\x1b[0m <b> \x1b[38;5;200mx\x1b[39my\x1b[2K\x1b]0;t\x07")
    ) == snapshot('<span class="b c1">FAILED</span> &lt;b&gt; xy')


def test_progress_bars() -> None:
    """What a program wrote over is not shown; line ends of Windows are line ends."""
    assert str(terminal("10%\r50%\rdone\r\nnext\r\n")) == "done\nnext\n"


@pytest.mark.exhaustive
def test_what_programs_print_takes_no_longer_than_it_is_long() -> None:
    """Nor does the rest: texts on which such expressions backtrack."""
    for tempting in (r"[^\n\r]*\r(?!\n|$)", r"\x1b\[[0-9;]*m", r"`[^`]*`", r"\s+$"):
        for show in (terminal, prose, patch_lines):
            assert superlinear(re.compile(tempting), show) is None


def test_prose() -> None:
    """Code stands between backticks; an odd one is a backtick."""
    assert str(prose("`a<b` fails")) == "<code>a&lt;b</code> fails"
    assert str(prose("a ` <b>")) == "a ` &lt;b&gt;"


def test_diff() -> None:
    """Each line is of one kind."""
    assert str(patch_lines("--- a/x\n@@ -1 +1 @@\n-<a>\n+b\n c")) == snapshot("""\
<span class="file">--- a/x
</span><span class="hunk">@@ -1 +1 @@
</span><span class="del">-&lt;a&gt;
</span><span class="add">+b
</span><span class="same"> c
</span>\
""")


@given(st.text(st.sampled_from("\x1b[]0123456789;m<>&\"'\r\n\x07abK`+-@ \u202e"), max_size=80))
def test_nothing_of_it_is_markup(text: str) -> None:
    """Whatever it is: the only tags are ours, and nothing hidden is left."""
    for shown in (str(terminal(text)), str(prose(text)), str(patch_lines(text))):
        bare = shown.replace("</span>", "").replace("<code>", "").replace("</code>", "")
        while (start := bare.find('<span class="')) >= 0:
            end = bare.index('">', start)
            assert bare[start + 13 : end].replace(" ", "").isalnum()
            bare = bare[:start] + bare[end + 2 :]
        assert "<" not in bare
        assert "\x1b" not in shown
        assert "\u202e" not in shown
