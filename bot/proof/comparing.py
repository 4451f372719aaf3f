"""Run the tests on both sides of a change: without it, with its tests alone, and with all of it."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass, replace

from bot.code.files import is_test_file
from bot.concurrency import both
from bot.ecosystems.detection import detect
from bot.ecosystems.selection import ids_of_files
from bot.ecosystems.tree import DirectoryTree
from bot.errors import UsageError
from bot.model import Failure, Observation
from bot.model.observation import names_test
from bot.model.progress import Phase, PhaseStarted
from bot.proof.setting_up import BothSides, sides_of
from bot.proof.suite_row import SuiteRuns
from bot.proof.tests_row import Shown, TestRuns, names_any, shown_by, was_seen_once
from bot.repair.preparation.setup_repair import healed
from bot.repair.run import Run
from bot.repair.verification.base_and_head import Compared, Side, Sides
from bot.repair.verification.candidate import without
from bot.repair.verification.comparison import new_failures, seen_again, steady
from bot.repair.workspace.patches import patch_between
from bot.repair.workspace.setup_inputs import is_setup_input

_LACKS_MODULE = re.compile(r"ModuleNotFoundError|[Cc]annot find (?:module|package)|LoadError")


@dataclass(frozen=True, slots=True)
class SuiteComparison:
    """What the tests showed.

    Attributes:
        sides: Where they ran.
        compared: Of the suite.
        shown: By the tests of the change.
        runs: Of each command on both sides, the suite's first.
    """

    sides: Sides
    compared: Compared
    shown: Shown
    runs: tuple[SuiteRuns, ...]


async def compare(
    run: Run, both_sides: BothSides, seconds: float
) -> tuple[BothSides, SuiteComparison]:
    """Run the suite on both sides, and the tests of the change without its code.

    Where the suite does not end in so many seconds, the tests of the change alone are compared.
    """
    both_sides, after = await _seen_healed(run, both_sides, seconds)
    sides, command = await sides_of(run, both_sides, seconds), both_sides.commands.failing
    tests = [change.path for change in sides.changes if is_test_file(change.path)]
    ids = ids_of_files(tests, command, both_sides.commands.folder)
    narrow = await sides.after.alone(command, ids)
    too_slow = after if after.timed_out else None
    if too_slow is not None and narrow:
        command, after = narrow, await _observe(run, "changed tests after", sides.after, narrow)
    before, laid = await both(
        _observe(run, "suite before", sides.before, command),
        _laid(run, both_sides, sides, narrow or command),
    )
    if laid is not None and narrow and not names_any(laid):  # its runner may refuse the narrow way
        laid = await _laid(run, both_sides, sides, command, "all tests without the code")
    runs_of_tests = TestRuns(before, laid, after)
    shown = shown_by(runs_of_tests, sides.changes)
    if was_seen_once(runs_of_tests, shown, sides.changes):
        again = await _observe(run, "suite before, proof again", sides.before, command)
        shown = shown_by(replace(runs_of_tests, again=again), sides.changes)
    broken = await _broken(run, sides, before, after)
    runs = [SuiteRuns(before, after, broken, too_slow=too_slow)]
    runs += await _whole(run, both_sides, sides, command)
    proving = tuple(sorted({item.test for item in shown.proving if names_test(item.test)}))
    alone_too = await sides.after.alone(command, proving)
    compared = Compared(
        command, before, after, laid, proving, (alone_too or command) if proving else ""
    )
    return both_sides, SuiteComparison(sides, compared, shown, tuple(runs))


async def _seen_healed(
    run: Run, both_sides: BothSides, seconds: float
) -> tuple[BothSides, Observation]:
    """Return what the tests show with the change, once nothing that a setup can add is missing."""
    while True:
        sides, command = await sides_of(run, both_sides, seconds), both_sides.commands.failing
        seen = await _observe(run, "suite after", sides.after, command)
        better = await healed(run, both_sides.head, seen, run.known.detected)
        if better is None:
            return both_sides, seen
        base = better if both_sides.shares else both_sides.base
        both_sides = replace(both_sides, head=better, base=base)


async def _laid(
    run: Run,
    both_sides: BothSides,
    sides: Sides,
    command: str,
    step: str = "tests without the code",
) -> Observation | None:
    """Return what the tests of the change show without its code; None where it has none of them.

    Where both sides were set up apart and the tests need what the base has not installed, they run
    with the dependencies of the head.
    """
    files = [change.path for change in sides.changes]
    code = [path for path in files if not is_test_file(path)]
    if not code or len(code) == len(files):
        return None
    store = sides.after.room.store
    if not both_sides.to_base:
        base = await store.tree_of(both_sides.base.source.head)
        patch = await without(store, base, both_sides.patch, code)
        seen = await _observe(run, step, replace(sides.before, patch=patch), command)
        kept = [path for path in code if not is_setup_input(path)]
        lacks = any(_LACKS_MODULE.search(failure.message) for failure in seen.failing)
        if both_sides.shares or not lacks or not kept:
            return seen
        code, step = kept, f"{step} in the head's setup"
    tree = await store.put_back(sides.after.tree, sides.before.tree, code)
    patch = await patch_between(store, both_sides.head.prepared.tree, tree)
    return await _observe(run, step, Side(sides.after.room, patch, tree), command)


async def _broken(
    run: Run, sides: Sides, before: Observation, after: Observation
) -> tuple[Failure, ...]:
    """Return what fails with the change alone, twice, and for the same reason."""
    fresh = new_failures(before, after)
    if not fresh:
        return ()
    again = await _observe(run, "suite after again", sides.after, after.command)
    fresh = seen_again(fresh, new_failures(before, again))
    if fresh:
        without_it = await _observe(run, "suite before again", sides.before, before.command)
        fresh = seen_again(fresh, new_failures(without_it, again))
        fresh = steady(fresh, before, without_it)
    return fresh


async def _whole(run: Run, both_sides: BothSides, sides: Sides, command: str) -> list[SuiteRuns]:
    """Return what all tests show that are there, where the command may run less."""
    for n, whole in enumerate(_wholes(run, both_sides, command), 1):
        before, after = await both(
            _observe(run, f"whole suite before {n}", sides.before, whole),
            _observe(run, f"whole suite after {n}", sides.after, whole),
        )
        if before.passed or before.ok:  # else its runner may be missing
            return [SuiteRuns(before, after, await _broken(run, sides, before, after))]
    return []


def _wholes(run: Run, both_sides: BothSides, command: str) -> list[str]:
    """Return the commands that may run more: the configured one, and what the files say."""
    commands, found = both_sides.commands, ""
    if run.job.test or run.job.failing:
        tree = DirectoryTree(both_sides.head.source.directory)
        with contextlib.suppress(UsageError):
            found = detect(tree, setup=(), test=None, failing=None, folder=commands.folder).test
    return [each for each in dict.fromkeys((commands.test, found)) if each and each != command]


async def _observe(run: Run, step: str, side: Side, command: str) -> Observation:
    run.listener(PhaseStarted(Phase.VERIFY, detail=f"{step}: {command}"))
    name = f"{run.job.run_id}-{re.sub(r'[^a-z0-9]+', '-', step)}"
    return await run.steps(step, side.room.observe, name, command, side.patch)
