"""Is a flaky test mended? Its command passes as often as it failed, in both orders, and faults still show."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial

from bot.code.files import is_test_file
from bot.limited_process import TooMuch, run_limited
from bot.model import Patch
from bot.model.culprit import RunCounts
from bot.model.flaky import FlakyCause, FlakyGoal
from bot.model.guard_rules import PatchRules, configured, found
from bot.model.proof_card import Fact, FactKind, Row, RowKind, RowState
from bot.repair.harness.client import GRACE, driver_shell, question
from bot.repair.harness.driver.protocol import Depend
from bot.repair.harness.suite_command import suite_command
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.criteria import PatchEvidence, Proved
from bot.repair.verification.mutation.live_mutants import LiveEdit, LiveMutants
from bot.repair.verification.mutation.mutants.spread import mutants_of
from bot.repair.verification.tree_files import decided
from bot.reporting.reasons import flaky_proof as reasons

_SECONDS = 120.0
"""For the whole suite in both orders."""

_MOST_FILES = 60
_MOST_OF_FILE = 4
_MOST = 12
"""Mutants."""

Ends = Mapping[str, Mapping[str, str]]
"""How tests end, by id and by the name of the order."""


async def mended(room: CleanRoom, rules: PatchRules, evidence: PatchEvidence) -> Proved:
    """Return what three experiments show of a flaky test's repair.

    1. The command that failed every time passes as often, each time in a clean sandbox.
    2. No test fails in the suite's own order or its reverse that passed there without the patch.
    3. Of faults in the program, the test notices those that it noticed without the patch.
    """
    goal = evidence.question.flaky
    if goal is None:
        return Proved()
    counts = await _counts(room, evidence, goal.cause, 0)
    if counts.failed:
        said = reasons.fails_still(counts.passed, counts.failed + counts.passed)
        return Proved(configured([found("flaky-pass", said)], rules.guards))
    broken, tests = await _broken(room, evidence, goal)
    if broken:
        said = reasons.fails_in_order(broken)
        return Proved(configured([found("order-fails", said)], rules.guards))
    lost, noticed = await _unnoticed(room, evidence, goal)
    if lost:
        said = reasons.notices_less(goal.test, lost, noticed)
        return Proved(configured([found("fault-unnoticed", said)], rules.guards))
    facts = [
        Fact(FactKind.PROVEN, reasons.orders_alike(tests), goal.test)
        if tests
        else Fact(FactKind.NOT_COVERED, reasons.ORDERS_NOT_COMPARED, goal.test),
        Fact(FactKind.PROVEN, reasons.notices_as_much(goal.test, noticed), goal.test)
        if noticed
        else Fact(FactKind.NOT_COVERED, reasons.no_fault_noticed(goal.test), goal.test),
    ]
    passing = [goal.cause.command]
    for n, cause in enumerate(goal.more, 1):
        also = await _counts(room, evidence, cause, n)
        if also.failed:
            said = reasons.other_cause_left(cause.command)
            facts.append(Fact(FactKind.NOT_COVERED, said, goal.test))
        else:
            passing.append(cause.command)
            facts.append(Fact(FactKind.PROVEN, reasons.steady(cause.red, also), goal.test))
    summary = reasons.steady(goal.cause.red, counts)
    shown = Row(RowKind.STABILITY, RowState.SHOWN, summary, tuple(facts), tuple(passing))
    return Proved(rows=(shown,))


async def _counts(
    room: CleanRoom, evidence: PatchEvidence, cause: FlakyCause, number: int
) -> RunCounts:
    """Return how often a cause's command failed and passed with the patch, until it fails once."""
    for n in range(cause.red.failed):
        name = f"{evidence.name}-steady-{number}-{n}"
        seen = await room.observe(name, cause.command, evidence.patch)
        if not seen.ok:
            return RunCounts(1, n)
    return RunCounts(0, cause.red.failed)


async def _broken(
    room: CleanRoom, evidence: PatchEvidence, goal: FlakyGoal
) -> tuple[tuple[str, ...], int]:
    """Return the tests that fail in an order with the patch alone, twice; and how many were compared."""
    for again in ("", "-again"):
        before = await _ends(room, f"{evidence.name}-before{again}", Patch(), goal)
        after = await _ends(room, f"{evidence.name}-after{again}", evidence.patch, goal)
        broken = tuple(
            test
            for test, orders in after.items()
            if any(
                how in {"failed", "died"} and before.get(test, {}).get(name) == "passed"
                for name, how in orders.items()
            )
        )
        if not broken:
            return (), len({*before} & {*after})
    return broken, len(after)


async def _ends(room: CleanRoom, name: str, patch: Patch, goal: FlakyGoal) -> Ends:
    """Return how all tests end in their own order and reversed; nothing where that can't be known."""
    suite = await decided(partial(suite_command, goal.suite), room.store, room.base_tree)
    if suite is None:
        return {}
    files = question(suite, Depend(tests=[], runs=0, orders=2, seconds=_SECONDS))
    data = await room.answer(name, patch, files, driver_shell(suite), _SECONDS + GRACE)
    try:
        return await run_limited(partial(_read_ends, data or b"{}"))
    except TooMuch:
        return {}


def _read_ends(data: bytes) -> Ends:
    """Return what an answer says, which was written where the project's own code runs."""
    try:
        return {
            str(test["id"]): {str(order): str(how) for order, how in test["orders"].items()}
            for test in json.loads(data)["tests"]
        }
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}


async def _unnoticed(room: CleanRoom, evidence: PatchEvidence, goal: FlakyGoal) -> tuple[int, int]:
    """Return how many faults the test does not notice any more, and how many it noticed."""
    paths = [
        path
        for path in await room.store.paths(room.base_tree)
        if path.endswith(".py") and not is_test_file(path) and path not in evidence.patch.files
    ]
    files = await room.store.files(room.base_tree, sorted(paths)[:_MOST_FILES])
    lines = {path: range(1, data.count(b"\n") + 2) for path, data in files.items()}
    live, name, command = LiveMutants(room), evidence.name, goal.cause.contrast
    first = frozenset({goal.test})
    looked = await live.told(f"{name}-ran", Patch(), (), command, first, lines=lines)
    edits = await run_limited(partial(edits_of, files, looked.ran or frozenset()))
    if not edits:
        return 0, 0
    before = await live.told(f"{name}-b", Patch(), edits, command, first)
    after = await live.told(f"{name}-a", evidence.patch, edits, command, first)
    noticed = {number for number, seen in before.noticed.items() if seen}
    lost = {number for number in noticed if after.noticed.get(number) is False}
    return len(lost), len(noticed)


def edits_of(files: Mapping[str, bytes], ran: frozenset[tuple[str, int]]) -> tuple[LiveEdit, ...]:
    """Return faults in lines that a test runs, a few of each file."""
    edits: list[LiveEdit] = []
    for path, data in files.items():
        lines = [line for file, line in ran if file == path]
        for mutant in mutants_of(path, data, lines, most=_MOST_OF_FILE) if lines else ():
            if len(edits) < _MOST:
                edits.append(LiveEdit(len(edits), path, mutant.start, mutant.end, mutant.text))
    return tuple(edits)
