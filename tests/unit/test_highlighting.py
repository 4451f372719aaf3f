"""Patches whose words are coloured."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.web.diffs import Diffs
from bot.web.highlighting import highlighted
from bot.web.shown_text import patch_lines

PATCH = '''\
diff --git a/shop.py b/shop.py
--- a/shop.py
+++ b/shop.py
@@ -1,3 +1,3 @@
 def total(prices):
-    """One
-    <b>and</b> two."""
+    return sum(prices)  # all
\\ No newline at end of file
diff --git a/new.bin b/new.bin
'''


def bare(shown: str) -> str:
    """Return what a person reads."""
    return html.unescape(re.sub(r"</?span[^>]*>", "", shown))


def test_words_and_lines_are_coloured() -> None:
    """By the language of the file, over several lines, and nothing of it is markup."""
    [shown] = highlighted([PATCH])
    assert bare(shown) == PATCH
    assert '<span class="same"> <span class="hk">def</span> <span class="hf">total</span>' in shown
    assert '<span class="del">-<span class="hs">    &lt;b&gt;and&lt;/b&gt; two.' in shown
    assert '<span class="hc"># all</span>' in shown
    assert "<b>" not in shown


@given(
    st.lists(
        st.text(st.sampled_from("+-@ \\\\<>&'\"abc/:{}#\t\r\x0b\x85\u2028\u202e"), max_size=20),
        max_size=8,
    ),
    st.sampled_from(["py", "js", "md", "yml", "html", "toml", "txt"]),
)
def test_whatever_it_is_all_of_it_is_shown(lines: list[str], ending: str) -> None:
    """Line by line what it is without colours, and the only tags are ours."""
    patch = f"+++ b/a.{ending}\n@@ -1 +1 @@\n" + "\n".join(lines)
    [shown] = highlighted([patch])
    assert bare(shown) == bare(str(patch_lines(patch)))
    assert not re.search(r"<(?!/?span)", shown)


@pytest.mark.parametrize("patch", [PATCH, "+" * 70_000])
async def test_what_a_page_shows(patch: str) -> None:
    """A usual patch is coloured by its words, one that is too long by its lines."""
    diffs = Diffs(patience=600)
    shown = (await diffs.shown([patch, patch]))[patch]
    assert bare(shown).rstrip("\n") == patch.rstrip("\n")
    assert ("hk" in shown) == (patch is PATCH)
    assert await diffs.shown([]) == {}
