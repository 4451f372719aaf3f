"""The rows of a proof card that any change gets, whoever wrote it, in their order and with their share of the time.

A patch of ours has been set up and run when it is accepted; its rows start from that.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from bot.errors import BudgetExhausted
from bot.model import Patch, Severity
from bot.model.guard_rules import PatchRules
from bot.model.observation import names_test
from bot.model.proof_card import Row, RowKind, RowState
from bot.repair.verification import capabilities, stability
from bot.repair.verification.base_and_head import Compared, Side, Sides
from bot.repair.verification.behaviour import proof as behaviour
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.criteria import PatchEvidence, Proved
from bot.repair.verification.necessity import faults
from bot.repair.verification.necessity import proof as necessity
from bot.repair.verification.repetition import not_repeated


@dataclass(frozen=True, slots=True)
class RowProof:
    """How a row is proved.

    Attributes:
        kind: Of the row.
        act: Proves it.
        share: Of the time that is left when it begins, at most.
    """

    kind: RowKind
    act: Callable[..., Awaitable[Row]]
    share: float

    async def row(self, sides: Sides, compared: Compared, name: str, left: float) -> Row:
        """Return the row; one whose time is up is undecided.

        Args:
            sides: Of the change.
            compared: What its tests showed.
            name: Front of the sandboxes' names.
            left: Seconds that are left for this row and those behind it.
        """
        seconds = max(0.0, left * self.share)
        name = f"{name}-{self.kind.value}"
        try:
            return await _timed(self.act(sides, compared, name=name, seconds=seconds))
        except BudgetExhausted as end:
            return Row(self.kind, RowState.UNDECIDED, str(end))


async def _timed(proved: Awaitable[Row]) -> Row:
    began = time.monotonic()
    return replace(await proved, seconds=time.monotonic() - began)


BY_PARTS: tuple[RowProof, ...] = (
    RowProof(RowKind.MUTANTS, faults.prove, 0.4),
    RowProof(RowKind.NECESSITY, necessity.prove, 0.8),
)
"""In their order: what one process tells of both is asked once."""

AS_A_WHOLE: tuple[RowProof, ...] = (
    RowProof(RowKind.BEHAVIOUR, behaviour.prove, 0.5),
    RowProof(RowKind.CAPABILITIES, capabilities.prove, 0.2),
    RowProof(RowKind.STABILITY, stability.prove, 0.8),
)
"""Beside these, in their order."""


_FAULTS_SECONDS, _PARTS_SECONDS, _BEHAVIOUR_SECONDS = 8.0, 15.0, 15.0
"""Wall time after which no other run is begun for a row of an accepted patch."""


async def parts_of_patch(room: CleanRoom, _: PatchRules, evidence: PatchEvidence) -> Proved:
    """Return the rows *mutants* and *necessity* of an accepted patch."""
    if why_not := not_repeated(evidence.green):
        return Proved(rows=(Row(RowKind.NECESSITY, RowState.UNDECIDED, why_not),))
    sides, compared = await _sides(room, evidence), _compared(evidence)
    name, rows, results = f"{evidence.name}-parts", [], None
    if evidence.mutants is None:
        planted = await faults.planted(sides, compared, name=name, seconds=_FAULTS_SECONDS)
        rows, results = [planted.row], planted.results
    needed = await _timed(necessity.prove(sides, compared, name=name, seconds=_PARTS_SECONDS))
    return Proved(mutants=results, rows=(*rows, needed))


async def effects_of_patch(room: CleanRoom, rules: PatchRules, evidence: PatchEvidence) -> Proved:
    """Return the rows *behaviour* and *capabilities* of an accepted patch.

    What the repository calls a note is for nobody to judge.
    """
    sides, compared = await _sides(room, evidence), _compared(evidence)
    name, severities = f"{evidence.name}-behaviour", dict(rules.guards)
    answers = await _timed(behaviour.prove(sides, compared, name=name, seconds=_BEHAVIOUR_SECONDS))
    brings = await capabilities.prove(sides, compared, name=name, seconds=0)
    kept = tuple(fact for fact in brings.facts if severities.get(fact.subject) is not Severity.NOTE)
    if len(kept) < len(brings.facts):
        state = brings.state if kept else RowState.SHOWN
        brings = replace(brings, state=state, facts=kept)
    return Proved(rows=(answers, brings))


async def _sides(room: CleanRoom, evidence: PatchEvidence) -> Sides:
    tree = await room.store.apply(room.base_tree, evidence.patch.data)
    before, after = Side(room, Patch(), room.base_tree), Side(room, evidence.patch, tree)
    return Sides(before, after, evidence.changes)


def _compared(evidence: PatchEvidence) -> Compared:
    """Return what the runs of an accepted patch showed."""
    green, widest = evidence.green, evidence.runs[-1]
    red = evidence.red.failing_ids - green.failing_ids if evidence.red is not None else ()
    proving = tuple(sorted(filter(names_test, red)))
    before = evidence.red or green
    return Compared(widest.command, before, widest, None, proving, green.command)
