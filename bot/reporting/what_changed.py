"""What changed, for a person and for a program."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from bot.model.culprit import Certainty, ChangedLines, Culprit, EventKind, WhatChanged
from bot.model.untrusted import strip_hidden
from bot.reporting.example import example
from bot.reporting.figures import count
from bot.reporting.plain import printable
from bot.reporting.series import series

WORK_TREE = "Work tree as found"
"""The subject of the commit that stands for changes which nobody committed: `sandbox/git/freeze.py`."""

NOTHING_FOUND = "No commit or release was found that explains the failure."
_SHORT = 12
_PATCH_INDENTATION = 4
_NAMED = 3
"""Tests that are listed."""


def as_json(found: WhatChanged) -> str:
    """Return one object; docs/explain.md has its keys."""
    return json.dumps(asdict(found), indent=2)


def as_text(found: WhatChanged) -> str:
    """Return what a terminal shows."""
    lines = [line for culprit in found.culprits for line in culprit_lines(culprit)]
    if not found.culprits:
        lines.append(NOTHING_FOUND)
    lines += [f"  - {said}" for said in found.ruled_out]
    return "\n".join(map(_shown, lines))


def _shown(line: str) -> str:
    """Return a line that a terminal can show, with its indentation; of a patch, all of its blanks."""
    text = line.lstrip(" ")
    indentation = line[: len(line) - len(text)]
    return indentation + (
        strip_hidden(text) if len(indentation) >= _PATCH_INDENTATION else printable(text)
    )


def culprit_lines(culprit: Culprit) -> tuple[str, ...]:
    """Return a culprit in a few lines: what it is, how that is known, what a proof lacks."""
    lines = [headline(culprit), f"  {evidence(culprit)}"]
    if culprit.lines:
        lines.append(f"  {undone(culprit.lines)}")
    if culprit.missing:
        lines.append(f"  {culprit.missing}")
    if culprit.bound is not None:
        lines.append(f"  {kept_out(culprit.bound.requirement, culprit.bound.runs.passed)}")
        indentation = " " * _PATCH_INDENTATION
        lines += [indentation + line for line in culprit.bound.patch.splitlines()]
    lines += [f"  explains {test}" for test in culprit.tests[:_NAMED]]
    if len(culprit.tests) > _NAMED:
        lines.append(f"  and {count(len(culprit.tests) - _NAMED, 'other test')}")
    return tuple(lines)


def headline(culprit: Culprit) -> str:
    """Return what a culprit is, in one line."""
    sure = "Caused by" if culprit.certainty is Certainty.PROVEN else "Likely caused by"
    event = culprit.event
    if event.kind is EventKind.COMMIT and event.title == WORK_TREE:
        return f"{sure} changes that are not committed"
    if event.kind is EventKind.COMMIT:
        by = f" by {event.author}" if event.author else ""
        when = f" on {event.date[:10]}" if event.date else ""
        return f"{sure} commit {event.name[:_SHORT]} ({event.title}){by}{when}"
    return f"{sure} {released(event.name, event.before, event.after, event.date[:10])}"


@example("urllib3", "1.26.20", "2.0.2", "2023-05-03")
@example("typing-extensions", "", "4.5.0", "2023-02-15")
@example("wheel", "0.45.1", "", "")
def released(package: str, before: str, after: str, day: str) -> str:
    """Return a release, or that a package is gone."""
    if not after:
        return f"{package} {before}, which is no longer installed"
    uploaded = f"{package} {after}" + (f", uploaded on {day}" if day else "")
    return f"{uploaded} (the version before it: {before})" if before else f"{uploaded} (new here)"


def evidence(culprit: Culprit) -> str:
    """Return how often the tests failed and passed with and without it."""
    return outcomes(
        culprit.with_it.failed,
        culprit.with_it.failed + culprit.with_it.passed,
        culprit.without_it.passed,
        culprit.without_it.failed + culprit.without_it.passed,
    )


@example((ChangedLines("shop/cart.py", 40, 43), ChangedLines("shop/tax.py", 7, 7)))
def undone(lines: Sequence[ChangedLines]) -> str:
    """Return which lines of a commit decide."""
    places = [
        f"{part.file}:{part.first}" + (f"-{part.last}" if part.last > part.first else "")
        for part in lines
    ]
    return f"with {series(places, most=_NAMED)} undone, the tests passed"


@example(2, 2, 2, 2)
@example(5, 5, 8, 9)
def outcomes(failed: int, runs_with: int, passed: int, runs_without: int) -> str:
    """Return how often the tests failed and passed with and without an event."""
    return (
        f"fails in {failed} of {count(runs_with, 'run')} with it, passes in {passed} of "
        f"{count(runs_without, 'run')} without it"
    )


@example("lxml<5.2", 2)
def kept_out(requirement: str, passed: int) -> str:
    """Return what a bound does until the code is adapted; its patch follows."""
    return (
        f"Until the code is adapted, {requirement} keeps it out: set up with this patch, the tests "
        f"passed in {passed} of {count(passed, 'run')}:"
    )
