"""Patches said as suggested changes, by git's own diffs; applying them gives the patched text."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.github.reviews import shown_lines
from bot.github.values import ReviewComment
from bot.model import Patch
from bot.runs.publishing.publisher import suggestions

EVERYTHING = {"a.txt": [range(1, 1000)]}


def diff(before: Sequence[str], after: Sequence[str]) -> Patch:
    """Return git's diff of a file whose lines were changed."""
    hunks = difflib.unified_diff(before, after, "a/a.txt", "b/a.txt", lineterm="")
    body = "\n".join(hunks)
    return Patch(f"diff --git a/a.txt b/a.txt\nindex 1..2 100644\n{body}\n".encode())


def applied(before: Sequence[str], comments: Sequence[ReviewComment]) -> list[str]:
    """Return the lines after GitHub applied a batch of suggestions."""
    lines = list(before)
    for comment in sorted(comments, key=lambda item: -item.start):
        first, *inside, last = comment.body.split("\n")
        assert first.endswith("`suggestion")
        assert set(last) == {"`"}
        lines[comment.start - 1 : comment.end] = inside
    return lines


LINES = st.lists(st.sampled_from(["one", "two", "three", "```py", ""]), min_size=1, max_size=12)


@given(before=LINES, after=LINES)
def test_suggestions_come_to_the_patch(before: list[str], after: list[str]) -> None:
    """Whatever they replace, insert and delete; or the patch is none for suggestions."""
    if before == after:
        return
    found = suggestions(diff(before, after), EVERYTHING)
    if found is not None:
        assert applied(before, found) == after


def test_an_insertion_replaces_its_neighbour() -> None:
    """A suggestion needs a line to stand at."""
    found = suggestions(diff(["a", "b"], ["a", "new", "b"]), EVERYTHING)
    assert found == (ReviewComment("a.txt", 1, 1, "```suggestion\na\nnew\n```"),)
    found = suggestions(diff(["a", "b"], ["new", "a", "b"]), EVERYTHING)
    assert found == (ReviewComment("a.txt", 1, 1, "```suggestion\nnew\na\n```"),)


def test_what_is_deleted_leaves_an_empty_suggestion() -> None:
    """And fences are longer than those in the text."""
    found = suggestions(diff(["a", "b", "c"], ["a", "c"]), EVERYTHING)
    assert found == (ReviewComment("a.txt", 2, 2, "```suggestion\n```"),)
    found = suggestions(diff(["a"], ["```"]), EVERYTHING)
    assert found == (ReviewComment("a.txt", 1, 1, "````suggestion\n```\n````"),)


@pytest.mark.parametrize(
    "shown", [{}, {"a.txt": []}, {"a.txt": [range(1, 2), range(3, 4)]}, {"b.txt": [range(1, 9)]}]
)
def test_lines_that_are_not_shown_can_not_be_suggested(shown: dict[str, list[range]]) -> None:
    """GitHub refuses such a review as a whole."""
    assert suggestions(diff(["a", "b", "c"], ["a", "x", "c"]), shown) is None


@pytest.mark.parametrize(
    "patch",
    [
        b"",
        b"diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+n\n",
        b"diff --git a/n b/n\ndeleted file mode 100644\n--- a/n\n+++ /dev/null\n@@ -1 +0,0 @@\n-n\n",
        b"diff --git a/n b/n\nold mode 100644\nnew mode 100755\n",
        b"diff --git a/n b/n\nindex 1..2 100644\nGIT binary patch\nliteral 1\nIcmZPo0000\n\n",
        b"diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n",
        b"diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\r\n+b\r\n",
        "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+\u202eb\n".encode(),
        b"diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-a\n+\xff\n",
        b'diff --git "a/\\303" "b/\\303"\n--- "a/\\303"\n+++ "b/\\303"\n@@ -1 +1 @@\n-a\n+b\n',
    ],
    ids=["none", "new", "gone", "mode", "binary", "end", "returns", "hidden", "bytes", "quoted"],
)
def test_what_is_no_change_of_lines_can_not_be_suggested(patch: bytes) -> None:
    """It is a comment with the patch then."""
    assert suggestions(Patch(patch), EVERYTHING) is None


def test_many_changes_are_no_suggestions() -> None:
    """Nobody applies thirty of them."""
    before = [str(n) for n in range(300)]
    after = ["x" if n % 10 == 0 else line for n, line in enumerate(before)]
    assert suggestions(diff(before, after), EVERYTHING) is None


def test_shown_lines_are_those_of_the_new_side() -> None:
    """A hunk of one line says no count; a file that lost all lines shows none."""
    patch = "@@ -1,2 +3,4 @@ def f\n a\n@@ -9 +20 @@\n-a\n+b\n@@ -1 +0,0 @@\n-a"
    assert shown_lines(patch) == [range(3, 7), range(20, 21), range(0)]
