"""Prove a change: set both sides up, compare their tests, then add row after row."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace

from bot.concurrency import both
from bot.errors import BudgetExhausted
from bot.limited_process import TooMuch, run_limited
from bot.model.deadline import RunLimits, StopSign
from bot.model.progress import Listener, Phase, PhaseStarted
from bot.model.proof_card import Fact, FactKind, ProofCard, Row, RowKind, RowState
from bot.model.steps import Steps, now
from bot.proof.comparing import SuiteComparison, compare
from bot.proof.forging import forgery_facts
from bot.proof.reproducing import reproduction_row
from bot.proof.setting_up import ProvenChange, other_side, set_up
from bot.proof.suite_row import row_of_suite
from bot.proof.tests_row import row_of_tests
from bot.repair.job import Commits
from bot.repair.run import Concluded, Run, RunState
from bot.repair.sandbox_faults import StepsBeyondFaults
from bot.repair.tools import Tools
from bot.repair.verification.card_rows import AS_A_WHOLE, BY_PARTS, RowProof
from bot.repair.verification.tests_changed import tests_changed
from bot.repair.workspace.sandbox_cleanup import clean_up
from bot.reporting.reasons import proof_rows
from sandbox.base import SandboxError
from sandbox.git import GitError, PatchDoesNotApply

OnCard = Callable[[ProofCard], Awaitable[None]]
"""Is told of the card each time that a row is added."""

_SHARE = 5
"""Part of the time that one run of the suite may take: it runs at least three times."""


async def nobody(_: ProofCard) -> None:
    """Tell nobody."""


async def prove(
    change: ProvenChange,
    tools: Tools,
    commits: Commits,
    steps: Steps,
    listener: Listener,
    stopped: StopSign,
    on_card: OnCard = nobody,
) -> ProofCard:
    """Return what is shown of a change; what prevents it is on the card as well.

    Raises:
        RunStopped: When somebody stops it.
        UsageError: When there is no such commit, or nothing says how it is tested.
    """
    steps = StepsBeyondFaults(steps)
    started = await steps("start", now)
    limits = RunLimits(started + change.seconds, stopped)
    job = replace(change.job, proposers=())
    run = Run(job, tools, steps, listener, limits, RunState())
    proving = _Proving(run, change, ProofCard(change.base, change.head), on_card)
    try:
        await proving.fill(commits)
    except Concluded as end:
        known = run.known.reproduction
        printed = known.setup_output if known is not None else ""
        proving.card = replace(proving.card, problem=end.reason, setup_output=printed)
    except BudgetExhausted as end:
        proving.card = undecided(proving.card, str(end))
    except PatchDoesNotApply as error:
        proving.card = replace(proving.card, problem=proof_rows.does_not_fit(str(error)))
    except (SandboxError, GitError) as error:
        proving.card = replace(proving.card, problem=str(error), outside=True)
    for name in (job.run_id, other_side(job.run_id)):
        await clean_up(tools.sandboxes, name)
    ended = await steps("end", now)
    return replace(proving.card, notes=tuple(run.known.notes), seconds=ended - started)


def undecided(card: ProofCard, why: str) -> ProofCard:
    """Return a card that grows no more: of each row that it lacks it says why that is undecided."""
    known = {row.kind for row in card.rows}
    missing = (kind for kind in RowKind if kind not in known)
    return _with_rows(card, *(Row(kind, RowState.UNDECIDED, why) for kind in missing))


def _with_rows(card: ProofCard, *more: Row) -> ProofCard:
    order = list(RowKind)
    rows = sorted((*card.rows, *more), key=lambda row: order.index(row.kind))
    return replace(card, rows=tuple(rows))


class _Proving:
    """A card that grows."""

    def __init__(self, run: Run, change: ProvenChange, card: ProofCard, on_card: OnCard) -> None:
        self._run = run
        self._change = change
        self._on_card = on_card
        self._telling = asyncio.Lock()
        self.card = card

    async def fill(self, commits: Commits) -> None:
        """Add all rows."""
        run = self._run
        longest = min(run.job.limits.observation_seconds, self._change.seconds / _SHARE)
        prepared = await set_up(run, commits, self._change)
        both_sides, found = await compare(run, prepared, longest)
        commands = both_sides.commands
        self.card = replace(self.card, setup=commands.setup, test=commands.test)
        await self._add(await self._tests(found))
        await self._add(await _suite(found))
        if run.steps.lasting:  # these are known again by their order
            await self._by_parts(found)
            await self._as_a_whole(found)
        else:
            await both(self._by_parts(found), self._as_a_whole(found))

    async def _by_parts(self, found: SuiteComparison) -> None:
        for proof in BY_PARTS:
            await self._add(await self._row(proof, found))

    async def _as_a_whole(self, found: SuiteComparison) -> None:
        for proof in AS_A_WHOLE:
            await self._add(await self._row(proof, found))
        await self._add(await reproduction_row(self._run, found.sides))

    async def _add(self, row: Row) -> None:
        async with self._telling:  # else an older card may be told last
            self.card = _with_rows(self.card, row)
            await self._on_card(self.card)

    async def _tests(self, found: SuiteComparison) -> Row:
        compared = found.compared
        ran = tuple(
            observation.command
            for observation in (compared.laid or compared.before, compared.after)
        )
        row = row_of_tests(found.shown, found.sides.changes, ran=tuple(dict.fromkeys(ran)))
        forged = await forgery_facts(self._run, found)
        if not forged:
            return row
        said = proof_rows.results_doubted(len(forged))
        return replace(row, state=RowState.REFUTED, summary=said, facts=(*forged, *row.facts))

    async def _row(self, proof: RowProof, found: SuiteComparison) -> Row:
        run = self._run
        run.listener(PhaseStarted(Phase.VERIFY, detail=proof.kind.value))
        left = run.run_limits.deadline - time.time()
        step = f"row {proof.kind.value}"
        try:
            return await run.steps(
                step, proof.row, found.sides, found.compared, run.job.run_id, left
            )
        except BudgetExhausted as end:
            return Row(proof.kind, RowState.UNDECIDED, str(end))


async def _suite(found: SuiteComparison) -> Row:
    changes, compared = found.sides.changes, found.compared
    try:  # a program can be written so that reading it takes long
        changed = await run_limited(tests_changed, changes, compared.before, compared.after)
    except TooMuch as error:
        changed = (Fact(FactKind.NOT_COVERED, str(error)),)
    return row_of_suite(found.runs, changes, changed)
