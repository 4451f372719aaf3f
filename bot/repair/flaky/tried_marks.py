"""Try in a sandbox the marks with which flaky tests could be quarantined, where nobody repaired them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from bot.errors import BudgetExhausted, RunStopped
from bot.limited_process import TooMuch, run_limited
from bot.model import Observation, Patch, Verdict
from bot.model.culprit import RunCounts
from bot.model.flaky import FlakyTest
from bot.model.observation import names_test
from bot.model.progress import Phase, PhaseStarted
from bot.model.quarantine import QuarantineMark, same_id
from bot.repair.conclude import End
from bot.repair.flaky.mark_edits import MarkedTest, NoMark
from bot.repair.flaky.test_marks import marked, path_of, reason_of
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run
from bot.repair.workspace.patches import patch_between
from bot.reporting.reasons import quarantine as reasons
from sandbox.base import SandboxError

_MOST = 3
"""Tests of a run."""

_OF_MIXED = 4
"""Runs of the failing command with the mark, where nothing is known that decides."""

_SUITES = 3
"""Times at most that the suite is run on each side: other tests may be flaky, too."""

_TRIED = reason_of(0, datetime(1970, 1, 1, tzinfo=UTC))
"""In place of the reason that a mark gets once there is an issue."""


async def note_quarantine(run: Run, end: End) -> None:
    """Keep how the flaky tests of a run can be marked, unless a repair was verified.

    Args:
        run: Of it.
        end: How it ends.
    """
    if not run.job.quarantines or end.verdict is Verdict.FIXED or end.context is None:
        return
    tests = measured(run)[:_MOST]
    marks: list[QuarantineMark] = []
    for n, test in enumerate(tests):
        try:
            run.run_limits.check()
            run.listener(PhaseStarted(Phase.VERIFY, detail=reasons.tries(test.test)))
            marks.append(await _tried(run, end.context, test, n, tests))
        except (BudgetExhausted, RunStopped, SandboxError) as error:
            marks.append(QuarantineMark(test, why_not=reasons.not_tried(str(error))))
    run.known.quarantine = tuple(marks)


def measured(run: Run) -> tuple[FlakyTest, ...]:
    """Return the tests that were seen failing and passing here on the same tree."""
    known = run.known
    if known.flaky is not None:
        return tuple(test for test in known.flaky.tests if test.is_flaky)
    reproduction = known.reproduction
    seen = reproduction.observation if reproduction is not None else None
    if reproduction is None or seen is None or 0 not in reproduction.runs:
        return ()
    failing = [failure for failure in seen.named if names_test(failure.test)]
    if len(failing) != 1:
        return ()  # which of them failed in which run is not known
    passed = reproduction.runs.count(0)
    return (FlakyTest(failing[0].test, RunCounts(len(reproduction.runs) - passed, passed)),)


async def _tried(
    run: Run, context: RepairContext, test: FlakyTest, n: int, flaky: tuple[FlakyTest, ...]
) -> QuarantineMark:
    """Return a test with a mark with which it fails no more and all others end as before."""
    store, tree = context.source.store, context.source.head
    seen = run.known.reproduction.observation if run.known.reproduction is not None else None
    failures = seen.named if seen is not None else ()
    file = next((each.file for each in failures if each.test == test.test), None)
    path = path_of(test.test, file, frozenset(await store.paths(tree)))
    data = await store.show(tree, path) if path else None
    if data is None:
        return QuarantineMark(test, why_not=reasons.NO_FILE)
    try:
        found: MarkedTest = await run_limited(partial(marked, path, data, test.test, _TRIED))
    except NoMark as error:
        return QuarantineMark(test, path, why_not=str(error))
    except TooMuch as error:
        return QuarantineMark(test, path, why_not=reasons.not_tried(str(error)))
    mark = QuarantineMark(
        test,
        path,
        found.kind,
        hashlib.sha256(data).hexdigest(),
        found.first,
        found.last,
        found.whole,
    )
    after = await store.overlaid(context.prepared.tree, {path: found.data})
    patch = await patch_between(store, context.prepared.tree, after)
    return await _checked(run, context, mark, patch, n, {same_id(each.test) for each in flaky})


async def _checked(
    run: Run, context: RepairContext, mark: QuarantineMark, patch: Patch, n: int, flaky: set[str]
) -> QuarantineMark:
    """Return a mark with what was seen of it; without its kind where it does not do what it is for."""
    room, commands = context.clean_room(run), context.commands
    suite = commands.test or commands.failing
    shown = next((cause.command for cause in mark.test.causes if cause.is_shown), "")
    ends: list[Observation] = []
    for k in range(1 if shown else _OF_MIXED):
        name = f"{run.job.run_id}-mark-{n}-{k}"
        command = shown or commands.failing
        ends.append(await run.steps(f"quarantine {n}: run {k}", room.observe, name, command, patch))
    failed = sum(_fails(each, mark, alone=bool(shown)) for each in ends)
    mark = replace(mark, runs=RunCounts(failed, len(ends) - failed), suite=suite)
    if failed:
        return replace(mark, kind=None, why_not=reasons.STILL_FAILS)
    sides: tuple[list[Observation], list[Observation]] = ([], [])
    for k in range(_SUITES):
        for side, (with_mark, told) in enumerate(((Patch(), "before"), (patch, "after"))):
            name = f"{run.job.run_id}-mark-{n}-{told}-{k}"
            step = f"quarantine {n}: suite {told} {k}"
            sides[side].append(await run.steps(step, room.observe, name, suite, with_mark))
        before, after = map(_outcomes, sides)
        if not differing(before, after, mark.test.test, flaky):
            return mark
    return replace(mark, kind=None, why_not=reasons.OTHERS_CHANGE)


def _fails(seen: Observation, mark: QuarantineMark, *, alone: bool) -> bool:
    """Whether a marked test failed: by itself with a command that shows nothing else."""
    if alone:
        return not seen.ok
    return same_id(mark.test.test) in map(same_id, seen.failing_ids)


Outcomes = Mapping[str, frozenset[str]]
"""By a test's id, how it ended in several runs of a suite."""


def _outcomes(runs: list[Observation]) -> Outcomes:
    found: dict[str, set[str]] = {}
    for seen in runs:
        for how, tests in (
            ("failed", seen.failing_ids), ("passed", seen.passed), ("skipped", seen.skipped)
        ):  # fmt: skip
            for test in tests:
                found.setdefault(same_id(test), set()).add(how)
    return {test: frozenset(ends) for test, ends in found.items()}


def differing(before: Outcomes, after: Outcomes, test: str, flaky: set[str]) -> frozenset[str]:
    """Return the tests, other than a marked one, that ended in no run as they did without the mark.

    Args:
        before: How tests ended without the mark.
        after: How they ended with it.
        test: Id of the marked one; of one with parameters, the others may be marked with it.
        flaky: What comes and goes anyway, as `same_id` has it.
    """
    own, _, parameter = same_id(test).partition("[")
    left = before.keys() | after.keys()
    return frozenset(
        each for each in left
        if each not in flaky and each != own and not (parameter and each.startswith(f"{own}["))
        and not before.get(each, frozenset()) & after.get(each, frozenset())
    )  # fmt: skip
