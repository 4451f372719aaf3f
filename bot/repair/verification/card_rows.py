"""The rows of a proof card that any change gets, whoever wrote it, in their order and with their share of the time."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from bot.errors import BudgetExhausted
from bot.model.proof_card import Row, RowKind, RowState
from bot.repair.verification import capabilities, stability
from bot.repair.verification.base_and_head import Compared, Sides
from bot.repair.verification.behaviour import proof as behaviour
from bot.repair.verification.necessity import faults
from bot.repair.verification.necessity import proof as necessity


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
        began, seconds = time.monotonic(), max(0.0, left * self.share)
        try:
            row = await self.act(sides, compared, name=f"{name}-{self.kind.value}", seconds=seconds)
        except BudgetExhausted as end:
            row = Row(self.kind, RowState.UNDECIDED, str(end))
        return replace(row, seconds=time.monotonic() - began)


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
