"""Find out why tests are flaky: the orders of tests first, then one change of their process after another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from bot.errors import UsageError
from bot.model.culprit import RunCounts
from bot.model.flaky import (
    FlakyCause,
    FlakyClass,
    FlakyFindings,
    FlakyQuestion,
    FlakyTest,
    LineOrigin,
)
from bot.model.progress import Phase, PhaseStarted
from bot.model.steps import now
from bot.repair.flaky.interventions import INTERVENTIONS, Intervention, at_commit, in_front
from bot.repair.flaky.order_answer import OrderAnswer, OrderedTest, read_answer
from bot.repair.flaky.showing_commands import ShowingCommands
from bot.repair.flaky.shown_cause import CauseShowing
from bot.repair.harness.client import STEADY, Laboratory, NoAnswer
from bot.repair.harness.suite_command import suite_command
from bot.repair.proposers.mechanical.configuration import decide
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run
from bot.reporting.reasons import flaky as reasons
from sandbox.base import HOME, SCRATCH
from sandbox.git import GitError

FEW = 3
"""Tests that run alone under each change; of more, the whole suite runs once."""

_ORDERS = 4
_ALONE = 5
_ALONE_OF_MANY = 2
_AGAIN = 3
_OF_MIXED = 6
"""Runs under a change of a test that both fails and passes without it."""

_OUTSIDE = (SCRATCH, HOME)
"""Where tests write outside of the work tree; a sandbox has both to itself."""

_MOST_REDS = 3
"""Changes with which such a test seemed to fail always, and of which it is tried to show it."""

_SECONDS_OF_ONE = 120.0
"""For the suite or a few tests in a changed process."""


async def find_flaky(run: Run, context: RepairContext, question: FlakyQuestion) -> FlakyFindings:
    """Return the tests that both fail and pass, and what decides.

    Args:
        run: Of it.
        context: The prepared tree.
        question: Which tests are asked about.

    Raises:
        RunStopped: When somebody stops it.
        UsageError: When the tests are not pytest's or unittest's, or can't be collected.
    """
    started = await run.steps("flaky: start", now)
    workbench = context.workbench(run, "flaky")
    command = context.commands.failing if run.job.failing else context.commands.test
    suite = await decide(partial(suite_command, command), workbench, run.steps, name="flaky")
    if suite is None:
        raise UsageError(reasons.no_known_runner(command))
    steps = workbench.remembering(run.steps)
    laboratory = Laboratory(workbench, steps, "flaky", suite)
    try:
        await laboratory.open()
        found = await FlakySearch(run, context, question, laboratory).found()
    finally:
        await workbench.close()
    return replace(found, seconds=await run.steps("flaky: end", now) - started)


class FlakySearch:
    """One search under way."""

    def __init__(
        self, run: Run, context: RepairContext, question: FlakyQuestion, laboratory: Laboratory
    ) -> None:
        self._run = run
        self._context = context
        self._question = question
        self._laboratory = laboratory
        self._showing = CauseShowing(run, context, question.shown)
        self._executions = 0
        self._asked = 0
        self._ruled_out: list[str] = []
        self._steadied: dict[str, dict[Intervention, bool]] = {}
        self._failed: dict[str, FlakyCause] = {}
        self._untried: list[str] = []

    async def found(self) -> FlakyFindings:
        """Look, and show what was found.

        Raises:
            UsageError: When the tests can't be collected, or there is none of that name.
        """
        tests = list(self._question.tests)
        few = 0 < len(tests) <= FEW
        self._tell(reasons.LOOKS_AT_ORDERS)
        try:
            first = await self._ask(tests, _ALONE if few else _ALONE_OF_MANY, orders=_ORDERS)
        except NoAnswer as error:
            raise UsageError(reasons.not_collected(str(error))) from error
        if not first.tests:
            raise UsageError(reasons.no_such_test(tests, first.errors))
        if first.cut:
            self._untried.append(reasons.TIME_IS_UP)
        paths = frozenset(await self._context.source.store.paths(self._context.prepared.tree))
        commands = ShowingCommands(self._laboratory.command, first.options, paths)
        told = [await self._of_orders(test, commands) for test in first.tests]
        if not any(cause for each in told for cause in each.causes):
            self._ruled_out.append(reasons.orders(_ORDERS))
        told = await self._of_changes(first, told, commands, few=few)
        told = [await self._of_mixed(each, commands) for each in told]
        told = [await self._with_origins(each) for each in told]
        red = {each.node for each in first.tests if each.outcomes == {True}}
        return FlakyFindings(
            tests=tuple(each for each in told if each.is_flaky),
            unconfirmed=tuple(each for each in told if each.unproven and not each.is_flaky),
            looked_at=len(first.tests),
            suite=first.suite,
            steady_red=tuple(each.test for each in told if each.test in red and not each.causes),
            ruled_out=tuple(self._ruled_out),
            untried=tuple(self._untried),
            executions=self._executions + self._showing.executions,
        )

    async def _of_orders(self, test: OrderedTest, commands: ShowingCommands) -> FlakyTest:
        """Return a test with what it depends on in its process."""
        shown = []
        for cause in test.found:
            self._tell(reasons.shows(test.node))
            contrast = commands.in_order([test.node])
            match cause.flaky_class:
                case FlakyClass.NON_IDEMPOTENT:
                    twice = commands.twice(test.node)
                    red = (commands.again(test.node),) if cause.changed else twice
                case FlakyClass.SEED:
                    bad, good = test.seeds or (0, 1)
                    red = (commands.seeded(test.node, bad),)
                    contrast = commands.seeded(test.node, good)
                case FlakyClass.BRITTLE:
                    red, contrast = (contrast,), commands.in_order([*cause.others, test.node])
                case _:
                    red = (commands.in_order([*cause.others, test.node]),)
            shown.append(await self._showing.shown(cause, test.node, red, contrast))
        return _with(FlakyTest(test.node, test.alone), shown)

    async def _of_changes(
        self,
        first: OrderAnswer,
        told: list[FlakyTest],
        commands: ShowingCommands,
        *,
        few: bool,
    ) -> list[FlakyTest]:
        """Return the tests with what changes of their process decide."""
        before = {test.node: _outcome(test, few=few) for test in first.tests}
        mixed = [each.test for each in told if not each.causes and each.is_flaky][:FEW]
        for change in [*INTERVENTIONS, *await self._clock_of_commit()]:
            waiting = [
                each.test for each in told if not each.causes and before[each.test] is not None
            ]
            if change.alone and not few:
                waiting = []
            if not (waiting or mixed) or not await self._can(change):
                continue
            self._tell(change.name)
            await self._note_mixed(change, mixed)
            differing = await self._differing(change, waiting, before, few=few) if waiting else []
            for node in differing:
                n = next(n for n, each in enumerate(told) if each.test == node)
                cause = await self._cause(change, node, commands, failing=before[node] == "failed")
                told[n] = _with(told[n], [cause])
            if not (differing or any(change in tried for tried in self._steadied.values())):
                self._ruled_out.append(reasons.changed(change.front, change.says))
        return told

    async def _note_mixed(self, change: Intervention, mixed: Sequence[str]) -> None:
        """Note the tests that both fail and pass without a change, and do one of it with it."""
        if not mixed:
            return
        try:
            seen = await self._ask(mixed, _OF_MIXED, orders=0, change=change)
        except NoAnswer:
            return  # it is told where a test is asked about that always ends the same way
        for test in seen.tests:
            counts = test.alone
            if (counts.failed == 0) != (counts.passed == 0):
                self._steadied.setdefault(test.node, {})[change] = counts.failed > 0

    async def _of_mixed(self, test: FlakyTest, commands: ShowingCommands) -> FlakyTest:
        """Return a test that both fails and passes with the change that makes it always fail."""
        tried, likely = self._steadied.get(test.test, {}), None
        green = [change for change, fails in tried.items() if not fails]
        for red in [change for change, fails in tried.items() if fails][:_MOST_REDS]:
            other = sorted(green, key=lambda each: each.flaky_class is not red.flaky_class)[:1]
            for contrast in [*other, None]:
                self._tell(reasons.shows(test.test))
                seen = self._failed.get(test.test, FlakyCause(red.flaky_class))
                cause = await self._showing.shown(
                    replace(seen, flaky_class=red.flaky_class, changed=red.name),
                    test.test,
                    (commands.in_order([test.test], red),),
                    commands.in_order([test.test], contrast),
                )
                if cause.is_shown:
                    return _with(test, [cause])
                likely = likely or (cause if cause.contrast else None)
        return _with(test, [likely] if likely else [])

    async def _with_origins(self, test: FlakyTest) -> FlakyTest:
        """Return a test whose causes say since which commit the line behind them stands there."""
        return replace(test, causes=tuple([await self._with_origin(each) for each in test.causes]))

    async def _with_origin(self, cause: FlakyCause) -> FlakyCause:
        source, (file, line) = self._context.source, cause.place
        if not line:
            return cause
        committed = await source.store.show(source.head, file)
        if committed is None or committed != await source.store.show(
            self._context.prepared.tree, file
        ):
            return cause  # changed since: its lines have other numbers
        try:
            origin = await source.store.origin(source.head, file, line)
        except GitError:
            return cause  # a line behind the last
        if origin is None:
            return cause
        commit, author, date = origin
        return replace(cause, origin=LineOrigin(file, line, commit, author, date[:10]))

    async def _differing(
        self,
        change: Intervention,
        waiting: Sequence[str],
        before: dict[str, str | None],
        *,
        few: bool,
    ) -> list[str]:
        """Return the tests that end otherwise with a change, each time."""
        try:
            seen = await self._ask(
                waiting if few else (), 1 if few else 0, orders=0 if few else 1, change=change
            )
            ends = {test.node: _outcome(test, few=few) for test in seen.tests}
            other = [node for node in waiting if ends.get(node) not in {None, before[node]}]
            if not other:
                return []
            again = await self._ask(other, _AGAIN, orders=0, change=change)
            plain = await self._ask(other, _AGAIN, orders=0)
        except NoAnswer:
            self._untried.append(reasons.could_not_run(change.front, change.says))
            return []
        with_it = {test.node: test.alone for test in again.tests}
        without = {test.node: test.alone for test in plain.tests}
        return [node for node in other if _contrary(with_it.get(node), without.get(node))]

    async def _cause(
        self, change: Intervention, node: str, commands: ShowingCommands, *, failing: bool
    ) -> FlakyCause:
        """Return a change that decides, with the commands that show it.

        Args:
            change: It.
            node: Id of the test.
            commands: Of the suite.
            failing: Whether the test fails without the change.
        """
        changed = commands.in_order([node], change)
        plain = commands.in_order([node], change.contrast)
        red, green = (plain, changed) if failing else (changed, plain)
        cause = self._failed.get(node, FlakyCause(change.flaky_class))
        cause = replace(cause, flaky_class=change.flaky_class, changed=change.name)
        return await self._showing.shown(cause, node, (red,), green)

    async def _ask(
        self, tests: Sequence[str], runs: int, *, orders: int, change: Intervention | None = None
    ) -> OrderAnswer:
        """Return what the driver says.

        Raises:
            NoAnswer: When it can't, or says something else.
        """
        self._asked += 1
        seconds = self._question.seconds if orders > 1 else _SECONDS_OF_ONE
        answer = await self._laboratory.ask(
            f"look {self._asked}", "depend", seconds,
            front=in_front(change) if change else STEADY,
            tests=list(tests), runs=runs, orders=orders,
            first=change.program(self._laboratory.command.harness) if change else "",
            outside=_OUTSIDE,
        )  # fmt: skip
        try:
            read = read_answer(answer)
        except (KeyError, TypeError, ValueError) as error:
            raise NoAnswer(f"the driver's answer can't be read: {error!r}") from error
        self._executions += read.executions
        for test in read.tests:
            if test.alone.failed:
                self._failed[test.node] = FlakyCause(
                    FlakyClass.UNKNOWN, message=test.message, file=test.file, line=test.line
                )
        return read

    async def _can(self, change: Intervention) -> bool:
        """Whether a change can be tried here; what is missing is told once."""
        if not change.needs:
            return True
        said = reasons.lacks(change.front.partition(" '")[0], change.package)
        if said in self._untried:
            return False
        name, laboratory = f"flaky: can {change.front}", self._laboratory
        result = await laboratory.steps(name, laboratory.workbench.run, change.needs, 60.0)
        if result.exit_code:
            self._untried.append(said)
        return not result.exit_code

    async def _clock_of_commit(self) -> Iterator[Intervention]:
        source = self._context.source
        _, _, date = await source.store.described(source.head)
        return iter([at_commit(date[:10])] if date else [])

    def _tell(self, detail: str) -> None:
        self._run.run_limits.check()
        self._run.listener(PhaseStarted(Phase.REPRODUCE, detail=detail))


def _outcome(test: OrderedTest, *, few: bool) -> str | None:
    """Return how a test ends as far as it always ends the same way: alone, or in the suite's order."""
    if not few:
        how = test.orders.get("whole")
        return how if how in {"passed", "failed"} else None
    if test.alone.failed and test.alone.passed:
        return None
    return "failed" if test.alone.failed else "passed" if test.alone.passed else None


def _contrary(one: RunCounts | None, other: RunCounts | None) -> bool:
    """Whether all runs of one side failed and all of the other passed."""
    if one is None or other is None:
        return False
    return (not one.passed and not other.failed and one.failed > 0 < other.passed) or (
        not one.failed and not other.passed and one.passed > 0 < other.failed
    )


def _with(test: FlakyTest, causes: Sequence[FlakyCause]) -> FlakyTest:
    return replace(
        test,
        causes=(*test.causes, *(cause for cause in causes if cause.is_shown)),
        unproven=(*test.unproven, *(cause for cause in causes if not cause.is_shown)),
    )
