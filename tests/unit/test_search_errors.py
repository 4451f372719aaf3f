"""Edits that come from the error of a failing test."""

from __future__ import annotations

import pytest

from bot.repair.proposers.search.evidence import Error, SearchEvidence, SeenTest, TracebackFrame
from bot.repair.proposers.search.localise import Suspect
from bot.repair.proposers.search.mutations import candidates
from bot.repair.proposers.search.mutations.change import applied

LIST = frozenset({"list"})


def evidence_of(text: str, error: Error, test: str = "") -> SearchEvidence:
    failing = SeenTest(0, "test_m.py::test", "test_m.py", "failed", 0.1, error)
    types = {"m.py:f": {"rows": LIST, "heads": LIST}}
    sources = {"m.py": text, "test_m.py": test}
    return SearchEvidence(tests={0: failing}, types=types, sources=sources)


def ranked(text: str, error: Error, test: str = "") -> list[str]:
    """Return what the edits make of a text, the most promising first."""
    lines = range(1, len(text.splitlines()) + 1)
    found = candidates(evidence_of(text, error, test), [Suspect("m.py", n, 1.0, ()) for n in lines])
    return [applied(text, candidate.change.replacements) for candidate in found]


def raised(kind: str, line: int, message: str = "", *callers: TracebackFrame) -> Error:
    return Error(kind, message, (*callers, TracebackFrame("m.py", line, "f")))


def test_an_error_that_came_out_is_caught_too() -> None:
    """A handler is widened by the error that was seen to pass it, before most other edits."""
    text = "def f(a):\n    try:\n        return int(a)\n    except ValueError:\n        return 0\n"
    right = text.replace("ValueError", "(ValueError, TypeError)")
    assert right in ranked(text, raised("TypeError", 3))[:5]


def test_a_statement_that_fails_is_passed_over() -> None:
    """Without a caller that is ready, the function goes on."""
    text = "def f(rows):\n    for row in rows:\n        row.close()\n"
    right = text.replace(
        "        row.close()\n",
        "        try:\n            row.close()\n        except OSError:\n            continue\n",
    )
    assert right in ranked(text, raised("OSError", 3))


@pytest.mark.parametrize("kind", ["AssertionError", "NameError", "RecursionError"])
def test_what_says_that_code_is_wrong_is_never_caught(kind: str) -> None:
    """To catch it would only silence the test."""
    text = "def f(a):\n    a()\n"
    assert not any("except" in item for item in ranked(text, raised(kind, 2)))


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("n = len(rows[0])", "n = len(rows[0]) if rows else 0"),
        ("n = len(rows[0])", "n = len(rows[0]) if rows else len(heads)"),
        ("n = rows[1]", "n = rows[1] if len(rows) > 1 else None"),
    ],
)
def test_an_item_that_is_not_there(wrong: str, right: str) -> None:
    """Something of the same kind is taken instead where the item is missing."""
    frame = "def f(rows, heads):\n    {}\n    return n\n"
    error = raised("IndexError", 2, "list index out of range")
    assert frame.format(right) in ranked(frame.format(wrong), error)[:40]


def test_the_same_guard_at_every_place() -> None:
    """Where one expression stands twice, both are guarded together, as one edit."""
    text = (
        "def g(rows):\n    return len(rows[0])\n\n\ndef f(rows, heads):\n    return len(rows[0])\n"
    )
    right = text.replace("len(rows[0])", "len(rows[0]) if rows else 0")
    assert right in ranked(text, raised("IndexError", 6, "list index out of range"))[:20]


def test_an_attribute_that_is_not_there() -> None:
    """A value without the attribute may be one that stands for itself."""
    text = "def f(a):\n    return list(a.parts)\n"
    error = raised("AttributeError", 2, "'int' object has no attribute 'parts'")
    assert text.replace("a.parts", "getattr(a, 'parts', [a])") in ranked(text, error)[:20]
