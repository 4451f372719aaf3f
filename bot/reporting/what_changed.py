"""What changed, for a person and for a program."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, assert_never

from bot.model.culprit import (
    ApiChange,
    ApiChangeKind,
    Certainty,
    ChangedLines,
    ChangeEvent,
    Culprit,
    EventKind,
    TestedState,
    WhatChanged,
)
from bot.model.untrusted import strip_hidden
from bot.reporting.example import example
from bot.reporting.figures import count, duration
from bot.reporting.markdown import Section, bullets, code, details, escape, fence, table
from bot.reporting.plain import printable
from bot.reporting.prose import line
from bot.reporting.series import series

WORK_TREE = "Work tree as found"
"""The subject of the commit that stands for changes which nobody committed: `sandbox/git/freeze.py`."""

KNOWN = "It was tried first, because it broke another repository on this server."
NOTHING_FOUND = "No commit or release was found that explains the failure."
UNCOMMITTED = "changes that are not committed"
_SHORT = 12
_PATCH_INDENTATION = 4
_NAMED = 3
"""Tests that are listed, and events of a report."""
_TESTS = 10
_POINTS = 40
_SHA = re.compile(r"[0-9a-f]{40}")


def as_json(found: WhatChanged) -> str:
    """Return one object; docs/explain.md has its keys."""
    return json.dumps(json_value(found), indent=2)


def json_value(found: WhatChanged) -> dict[str, Any]:
    """Return the same as values."""
    return asdict(found)


def as_text(found: WhatChanged) -> str:
    """Return what a terminal shows."""
    lines = [text for culprit in found.culprits for text in culprit_lines(culprit)]
    if not found.culprits:
        lines.append(NOTHING_FOUND)
    lines += [f"  - {said}" for said in found.ruled_out]
    return "\n".join(map(_shown, lines))


def opening(found: WhatChanged) -> str:
    """Return the answer in a line."""
    if not found.culprits:
        return NOTHING_FOUND
    first, *others = found.culprits
    more = f", and {count(len(others), 'other event')}" if others else ""
    return f"{headline(first)}{more}."


def section(found: WhatChanged | None) -> Section:
    """Return the section of a report: a line for each event and one for its proof, the rest folded."""
    if found is None or not found.is_answer:
        return Section(("",))
    lead = "\n\n".join(map(_told, found.culprits[:_NAMED])) or NOTHING_FOUND
    short = f"**What changed:** {lead}"
    if not found.culprits:
        ruled_out = " ".join(found.ruled_out[:_NAMED])
        short = f"{short} {line(f'Ruled out: {ruled_out}', limit=600)}" if ruled_out else short
    folded = details("How that is known", "\n\n".join(filter(None, _known(found))))
    return Section((f"{short}\n\n{folded}", short), rank=8)


def cause(found: WhatChanged | None) -> str:
    """Return the first event that broke the tests, and its proof, as a line; "" where none was found."""
    return _told(found.culprits[0]) if found is not None and found.culprits else ""


def _told(culprit: Culprit) -> str:
    proof = both_sides(*_runs(culprit))
    said = f"{_name(culprit)}. **{culprit.certainty.value.capitalize()}:** {proof}"
    said += f" {KNOWN}" if culprit.is_known else ""
    return f"{said} {line(culprit.missing)}".rstrip()


def _name(culprit: Culprit) -> str:
    """Return what a culprit is as Markdown: the commit by its id alone, which GitHub links."""
    event = culprit.event
    if event.kind is not EventKind.COMMIT:
        return escape(release_of(culprit))
    if event.title == WORK_TREE:
        return UNCOMMITTED
    by = f" by {escape(event.author, starts_line=False)}" if event.author else ""
    when = f" on {event.date[:10]}" if event.date else ""
    return f"commit {event.name} ({escape(event.title, starts_line=False)}){by}{when}"


def _known(found: WhatChanged) -> Iterator[str]:
    for culprit in found.culprits:
        tests = series([code(test) for test in culprit.tests], most=_TESTS)
        said = [f"Since {code(_short(culprit.event))}: {tests}"] if culprit.tests else []
        said += [f"W{undone(culprit.lines)[1:]}"] if culprit.lines else []
        said += [escape(text, starts_line=False) for text in api_lines(culprit)]
        yield bullets(said)
        if culprit.bound is not None:
            yield line(kept_out(culprit.bound.requirement, culprit.bound.runs.passed))
            yield fence(culprit.bound.patch, "diff", limit=4_000)
    if found.culprits and found.ruled_out:
        yield f"Ruled out:\n\n{bullets(line(said, limit=600) for said in found.ruled_out)}"
    if found.points:
        rows = [_row(point) for point in _told_once(found.points)[-_POINTS:]]
        yield table(("State", "Tests"), rows)
    yield f"Looked for {duration(found.seconds)}."


def _told_once(points: Sequence[TestedState]) -> list[TestedState]:
    """Return states without earlier counts of the same one that was looked at again and again."""
    follows = [*(point.state for point in points[1:]), ""]
    return [point for point, after in zip(points, follows, strict=True) if point.state != after]


def _short(event: ChangeEvent) -> str:
    return event.name[:_SHORT] if event.kind is EventKind.COMMIT else f"{event.name} {event.after}"


def _row(point: TestedState) -> tuple[str, str]:
    runs = point.runs
    shown = code(point.state[:_SHORT] if _SHA.fullmatch(point.state) else point.state)
    return shown, line(point.skipped) if point.skipped else tested(runs.failed, runs.passed)


@example(2, 0)
@example(1, 8)
@example(0, 3)
def tested(failed: int, passed: int) -> str:
    """Return how often the tests ran in a state."""
    counts = [f"failed in {count(failed, 'run')}"] if failed else []
    counts += [f"passed in {count(passed, 'run')}"] if passed else []
    return " and ".join(counts) or "failed"


def _shown(said: str) -> str:
    """Return a line that a terminal can show, with its indentation; of a patch, all of its blanks."""
    text = said.lstrip(" ")
    indentation = said[: len(said) - len(text)]
    return indentation + (
        strip_hidden(text) if len(indentation) >= _PATCH_INDENTATION else printable(text)
    )


def culprit_lines(culprit: Culprit) -> tuple[str, ...]:
    """Return a culprit in a few lines: what it is, how that is known, what a proof lacks."""
    lines = [headline(culprit), f"  {evidence(culprit)}"]
    if culprit.lines:
        lines.append(f"  {undone(culprit.lines)}")
    lines += [f"  {said}" for said in (culprit.missing, KNOWN if culprit.is_known else "") if said]
    lines += [f"  {line}" for line in api_lines(culprit)]
    if culprit.bound is not None:
        lines.append(f"  {kept_out(culprit.bound.requirement, culprit.bound.runs.passed)}")
        indentation = " " * _PATCH_INDENTATION
        lines += [indentation + text for text in culprit.bound.patch.splitlines()]
    lines += [f"  explains {test}" for test in culprit.tests[:_NAMED]]
    if len(culprit.tests) > _NAMED:
        lines.append(f"  and {count(len(culprit.tests) - _NAMED, 'other test')}")
    return tuple(lines)


def headline(culprit: Culprit) -> str:
    """Return what a culprit is, in one line."""
    sure = "Caused by" if culprit.certainty is Certainty.PROVEN else "Likely caused by"
    event = culprit.event
    if event.kind is EventKind.COMMIT and event.title == WORK_TREE:
        return f"{sure} {UNCOMMITTED}"
    if event.kind is EventKind.COMMIT:
        by = f" by {event.author}" if event.author else ""
        when = f" on {event.date[:10]}" if event.date else ""
        return f"{sure} commit {event.name[:_SHORT]} ({event.title}){by}{when}"
    return f"{sure} {release_of(culprit)}"


def release_of(culprit: Culprit) -> str:
    """Return the release that a culprit is."""
    event = culprit.event
    release = released(event.name, event.before, event.after, event.date[:10])
    return in_update(release) if culprit.is_update else release


@example("werkzeug 2.1.0, uploaded on 2022-03-28 (the version before it: 2.0.3)")
def in_update(release: str) -> str:
    """The change that fails only updates packages, and brings the release."""
    return f"this update, which brings {release}"


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
    return outcomes(*_runs(culprit))


def _runs(culprit: Culprit) -> tuple[int, int, int, int]:
    return (
        culprit.with_it.failed,
        culprit.with_it.failed + culprit.with_it.passed,
        culprit.without_it.passed,
        culprit.without_it.failed + culprit.without_it.passed,
    )


@example(3, 3, 3, 3)
@example(5, 5, 8, 9)
def both_sides(failed: int, runs_with: int, passed: int, runs_without: int) -> str:
    """Return the same of the tests, as a sentence of a report."""
    return (
        f"the tests fail in {failed} of {count(runs_with, 'run')} with it and pass in {passed} of "
        f"{count(runs_without, 'run')} without it."
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


def api_lines(culprit: Culprit) -> tuple[str, ...]:
    """Return what a release changed that the failure goes through, and its changelog's word on it."""
    shown: dict[str, ApiChange] = {}
    for change in culprit.api:
        if change.is_shown:
            shown.setdefault(change.name, change)
    lines = [api_change(change) for change in list(shown.values())[:_NAMED]]
    if culprit.changelog:
        lines.append(f"its changelog: {culprit.changelog}")
    return tuple(lines)


@example(
    ApiChange(
        ApiChangeKind.REMOVED,
        "werkzeug.security.safe_str_cmp",
        instead=("hmac.compare_digest",),
        uses=(("flask_httpauth.py", 17), ("flask_httpauth.py", 249)),
    )
)
@example(
    ApiChange(
        ApiChangeKind.PARAMETER_REMOVED,
        "typeguard.check_type",
        "(argname, value, expected_type, memo=None)",
        "(value, expected_type)",
        "argname",
        uses=(("marshmallow_dataclass/union_field.py", 43),),
    )
)
@example(ApiChange(ApiChangeKind.EXTRA, "lxml", parameter="html_clean"))
def api_change(change: ApiChange) -> str:
    """Return what became of a name, and where it is used."""
    last = change.name.rpartition(".")[2]
    match change.kind:
        case ApiChangeKind.REMOVED:
            said = f"{change.name} is gone"
            said += f"; {change.instead[0]} may take its place" if change.instead else ""
        case ApiChangeKind.BECAME_METHOD:
            said = f"{change.name} became a method"
        case ApiChangeKind.BECAME_ATTRIBUTE:
            said = f"{change.name} is no method any more"
        case ApiChangeKind.DEFAULT:
            said = f"{change.name}: the default of {change.parameter} was {change.before}, now {change.after or 'none'}"
        case ApiChangeKind.REQUIRED:
            said = f"{change.name}: {change.parameter} has no default any more (it was {change.before})"
        case ApiChangeKind.RETURNS:
            said = f"{change.name} returns {change.after}" + (
                f", not {change.before}" if change.before else ""
            )
        case ApiChangeKind.EXTRA:
            return f"a part of it is now installed by {change.name}[{change.parameter}] only"
        case (
            ApiChangeKind.PARAMETER_REMOVED
            | ApiChangeKind.PARAMETER_RENAMED
            | ApiChangeKind.KEYWORD_ONLY
        ):
            said = f"{change.name}{change.before} is now {last}{change.after}"
        case _:
            assert_never(change.kind)
    places = series([f"{file}:{line}" for file, line in change.uses], most=_NAMED)
    return f"{said} (used at {places})" if change.uses else said


@example("lxml<5.2", 2)
@example("lxml[html_clean]", 2)
def kept_out(requirement: str, passed: int) -> str:
    """Return what a requirement does; its patch follows."""
    does = "brings what is missing" if "[" in requirement else "keeps it out"
    front = "" if "[" in requirement else "Until the code is adapted, "
    return (
        f"{front}{requirement} {does}: set up with this patch, the tests "
        f"passed in {passed} of {count(passed, 'run')}:"
    )
