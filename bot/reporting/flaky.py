"""Flaky tests and what decides how they end, for a person and for a program."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict

from bot.model.culprit import RunCounts
from bot.model.flaky import (
    FlakyCause,
    FlakyClass,
    FlakyFindings,
    FlakyTest,
    LeftState,
    LineOrigin,
    interval,
)
from bot.reporting.example import example
from bot.reporting.figures import count, duration
from bot.reporting.markdown import Section, bullets, code, details, escape, fence
from bot.reporting.plain import printable
from bot.reporting.prose import line
from bot.reporting.series import series

_NAMED = 3
_LONG = 160
_COMMAND = 4000

_VICTIM = FlakyCause(
    FlakyClass.VICTIM,
    ("tests/test_config.py::test_debug",),
    state=(
        LeftState("environment variable", "DEBUG", "", "1", "tests/test_config.py", 12),
    ),
)  # fmt: skip


def as_json(found: FlakyFindings) -> str:
    """Return one object; docs/flaky.md has its keys."""
    return json.dumps(asdict(found), indent=2)


def as_text(found: FlakyFindings) -> str:
    """Return what a terminal shows."""
    lines = [opening(found)]
    for test in found.tests:
        lines += ["", *test_lines(test)]
    for test in found.unconfirmed:
        lines += ["", *test_lines(test)]
    if found.steady_red:
        lines += [
            "",
            f"Not flaky: {series(list(found.steady_red), most=_NAMED)} failed in every run.",
        ]
    if found.ruled_out:
        lines += ["", "No difference was made by", *(f"  {said}" for said in found.ruled_out)]
    if found.untried:
        lines += ["", "Not tried:", *(f"  {said}" for said in found.untried)]
    ran = f"{count(found.executions, 'test execution')} in {duration(found.seconds)}."
    return "\n".join([*lines, "", ran])


@example(FlakyFindings(looked_at=12))
@example(FlakyFindings((FlakyTest("tests/test_app.py::test_index", RunCounts(0, 5)),), looked_at=1))
def opening(found: FlakyFindings) -> str:
    """Return the answer in a line."""
    looked = count(found.looked_at, "test")
    if not found.tests:
        return f"No flaky test was found among {looked}."
    are = "is" if len(found.tests) == 1 else "are"
    return f"{len(found.tests)} of {looked} {are} flaky."


def section(found: FlakyFindings | None) -> Section:
    """Return the section of a report: each flaky test with what decides, the rest folded."""
    if found is None:
        return Section(("",))
    parts = [told(test) for test in (*found.tests, *found.unconfirmed)]
    lead = "\n\n".join(parts) or escape(opening(found))
    ruled_out = [f"No difference: {line(said)}" for said in found.ruled_out]
    tried = [*ruled_out, *(f"Not tried: {line(said)}" for said in found.untried)]
    ran = f"{count(found.executions, 'test execution')} in {duration(found.seconds)}."
    folded = details("How that is known", "\n\n".join(filter(None, [bullets(tried), ran])))
    return Section(
        (f"### What decides\n\n{lead}\n\n{folded}", f"### What decides\n\n{lead}"), rank=9
    )


def told(test: FlakyTest) -> str:
    """Return what is known of a test, in Markdown."""
    if not test.causes:
        failed, runs = test.alone.failed, test.alone.failed + test.alone.passed
        said = [undecided(failed, runs)] if test.is_flaky else []
        said += [unproven(cause) for cause in test.unproven[:1]]
        return f"{code(test.test)}: {line(' '.join(said), limit=900)}"
    parts = []
    for cause in test.causes:
        kept = [line(said, limit=600) for said in state_lines(cause)]
        parts.append(
            f"{code(test.test)}: {line(headline(cause))}.\n\n{bullets(kept)}\n\n"
            f"{fence(cause.command, 'sh')}\n\n{line(rates(cause))}"
        )
    return "\n\n".join(parts)


def test_lines(test: FlakyTest) -> Iterator[str]:
    """Yield what is known of a test."""
    yield printable(test.test)
    for cause in test.causes:
        yield f"  {headline(cause)}"
        yield from (f"    {said}" for said in state_lines(cause))
        if cause.message:
            place = f" ({cause.file}:{cause.line})" if cause.file else ""
            yield f"    Fails with: {printable(cause.message, _LONG)}{place}"
        yield f"    {rates(cause)}"
        yield f"    Shows it: {printable(cause.command, _COMMAND)}"
    for cause in test.unproven:
        yield f"  {unproven(cause)}"
    if not test.causes and test.is_flaky:
        yield f"  {undecided(test.alone.failed, test.alone.failed + test.alone.passed)}"


@example(_VICTIM)
@example(FlakyCause(FlakyClass.BRITTLE, ("tests/test_db.py::test_create",)))
@example(FlakyCause(FlakyClass.NON_IDEMPOTENT))
@example(FlakyCause(FlakyClass.SEED, changed="PYTHONHASHSEED=1"))
@example(FlakyCause(FlakyClass.TIME, changed="TZ=Asia/Kolkata"))
@example(FlakyCause(FlakyClass.SEED))
def headline(cause: FlakyCause) -> str:
    """Return what a cause is, in one line."""
    others = (
        series([printable(other) for other in cause.others], most=_NAMED) if cause.others else ""
    )
    name = cause.flaky_class.value.capitalize()
    if cause.changed:
        return f"{name}: decided by {cause.changed.removesuffix(' &&')}"
    match cause.flaky_class:
        case FlakyClass.VICTIM:
            return f"{name}: fails after {others}"
        case FlakyClass.BRITTLE:
            return f"{name}: passes only after {others}"
        case FlakyClass.NON_IDEMPOTENT:
            return f"{name}: fails when it runs again in the same process"
        case _:
            return f"{name}: decided by the seed of the random numbers"


def state_lines(cause: FlakyCause) -> Iterator[str]:
    """Yield what stays behind, first what decides, else what was seen; since when; and who does the same."""
    for state in cause.state:
        yield f"Left behind: {left(state)}"
    for state in cause.seen:
        yield f"Also changed: {left(state)}"
    if cause.origin is not None:
        yield last_changed(cause.origin)
    if cause.also:
        yield f"The same after {series([printable(test) for test in cause.also], most=_NAMED)}"


@example(LineOrigin("app.py", 8, "4f1c0a9d2b7e55aa", "Ada Lovelace", "2026-03-01"))
def last_changed(origin: LineOrigin) -> str:
    """Return since which commit a line stands there as it does."""
    place = printable(f"{origin.file}:{origin.line}", _LONG)
    author = printable(origin.author, _LONG)
    return f"{place} was last changed in {origin.commit[:12]} by {author} on {origin.date}"


@example(_VICTIM.state[0])
@example(LeftState("default argument", "app.Client.get(headers)", "{}", "{'a': 1}", "app.py", 8))
@example(LeftState("files", "out.txt", "", "changed", "tests/test_out.py", 9))
@example(LeftState("fixtures", "database"))
@example(LeftState("working directory", "", "/work/tree", "a folder that is gone"))
def left(state: LeftState) -> str:
    """Return a state and where it is changed."""
    place = f", at {state.file}:{state.line}" if state.file else ""
    if state.kind == "fixtures":
        named = f" {state.name}" if state.name else ""
        return f"what the fixtures{named} keep between tests{place}"
    if state.kind == "files":
        return f"files in the work tree: {printable(state.name, _LONG)}{place}"
    what = printable(f"{state.kind} {state.name}".strip(), _LONG)
    if state.before and not state.after:
        return f"{what} is gone{place}"
    before = f" (before: {printable(state.before, _LONG)})" if state.before else ""
    return f"{what}: {printable(state.after, _LONG)}{before}{place}"


def rates(cause: FlakyCause) -> str:
    """Return how often the test failed with it and without it, and what that says."""
    red, green = cause.red, cause.green
    return (
        f"With it: {rate(red.failed, red.failed + red.passed)}. "
        f"Without it: {rate(green.failed, green.failed + green.passed)}."
    )


@example(20, 20)
@example(0, 5)
def rate(failed: int, runs: int) -> str:
    """Return a rate with its interval."""
    low, high = interval(failed, runs)
    return f"failed in {failed} of {count(runs, 'run')} (95 % interval: {low:.0%} to {high:.0%})"


@example(
    FlakyCause(FlakyClass.VICTIM, ("t.py::test_a",), command="pytest t.py::test_a t.py::test_b")
)
def unproven(cause: FlakyCause) -> str:
    """Return a cause whose command does not show the failure every time."""
    runs, passed = cause.red.failed + cause.red.passed, cause.red.passed
    if cause.contrast:
        return f"Not shown: {headline(cause)}; without that, the test does not pass every time."
    return (
        f"Not shown: {headline(cause)}; the command passed in {passed} of {count(runs, 'run')}: "
        f"{printable(cause.command, _COMMAND)}"
    )


@example(3, 20)
def undecided(failed: int, runs: int) -> str:
    """Return what is known of a test that fails now and then, where nothing decides."""
    return f"Unknown: {rate(failed, runs)}, alone. Nothing that was changed decides."
