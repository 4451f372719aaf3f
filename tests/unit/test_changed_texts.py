"""What a commit's changed texts say about tests and files that still have the old ones."""

from __future__ import annotations

import pytest

from bot.repair.changed_texts import (
    ChangedText,
    only_renewed,
    renewed,
    renewed_literals,
    renewed_versions,
    texts_of,
)

DIFF = """\
diff --git a/app.py b/app.py
--- a/app.py
+++ b/app.py
@@ -3 +3 @@ def check(n):
-        raise ValueError(f"{n} must be positive, not zero")
+        raise ValueError(f"{n} has to be positive, not zero")
@@ -9,2 +9,2 @@
-VERSION = '1.2.3'
-NAME = 'app'
+VERSION = '1.3.0'
+NAME = 'app'
diff --git a/tests/test_app.py b/tests/test_app.py
--- a/tests/test_app.py
+++ b/tests/test_app.py
@@ -1 +1 @@
-    assert said == "old words"
+    assert said == "new words"
"""
REWORDED = ChangedText(" must be positive, not zero", " has to be positive, not zero")
RAISED = ChangedText("1.2.3", "1.3.0", is_version=True)


def test_texts_of_a_diff() -> None:
    """Those of programs, without their fields; versions are told apart; tests say nothing."""
    found = texts_of(DIFF)
    assert REWORDED in found
    assert RAISED in found
    assert not any("words" in changed_text.before for changed_text in found)


@pytest.mark.parametrize(
    ("text", "becomes"),
    [
        ("3 must be positive, not zero", "3 has to be positive, not zero"),
        ("must be positive", "has to be positive"),
        ("must be", "has to be"),
        ("positive, not", "positive, not"),
        ("be", "be"),
        ("something else", "something else"),
    ],
)
def test_a_text_is_renewed(text: str, becomes: str) -> None:
    """A part of the program's text becomes the part that stands in its place."""
    assert renewed(text, (REWORDED,)) == becomes


def test_two_changes_of_one_text_say_nothing() -> None:
    """Nobody knows which of the new texts a test should have."""
    other = DIFF.replace("has to be", "should be").replace("a/app.py", "a/b.py")
    both = DIFF + other.replace("b/app.py", "b/b.py")
    assert REWORDED not in texts_of(both)


def test_a_program_is_renewed() -> None:
    """On the lines that are named, and nothing else changes."""
    source = "def test_a():\n    assert f() == 'must be positive'\n\n\nNAME = 'must be positive'\n"
    after = renewed_literals(source, (REWORDED,), frozenset({2}))
    assert after == source.replace("must be", "has to be", 1)
    assert only_renewed(source, after, (REWORDED,))
    assert only_renewed(source, after.replace("==", " == "), (REWORDED,))
    assert not only_renewed(source, after.replace("f()", "g()"), (REWORDED,))
    assert not only_renewed(source, after.replace("positive", "negative"), (REWORDED,))


def test_versions_are_renewed() -> None:
    """On lines that speak of a version, and in files of that name."""
    text = 'version = "1.2.3"\nrequires = "1.2.3"\n'
    assert renewed_versions("pyproject.toml", text, (RAISED,)) == text.replace("1.2.3", "1.3.0", 1)
    assert renewed_versions("VERSION", "1.2.3\n", (RAISED,)) == "1.3.0\n"
    assert renewed_versions("pyproject.toml", 'version = "11.2.3"', (RAISED,)).endswith('11.2.3"')
