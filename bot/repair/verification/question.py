"""The criteria by which a patch is verified."""

from __future__ import annotations

from dataclasses import dataclass

from bot.model import Observation
from bot.repair.changed_texts import ChangedText
from bot.repair.verification.candidate import TestEdits


@dataclass(frozen=True, slots=True)
class Question:
    """The criteria by which a patch is verified.

    Attributes:
        failing: The failing command.
        red: What it did without the patch, or None.
        edits: What becomes of changes to tests and protected configuration.
        texts: Those of programs that the commit changed: tests may follow them.
    """

    failing: str
    red: Observation | None = None
    edits: TestEdits = TestEdits.LEFT_OUT
    texts: tuple[ChangedText, ...] = ()
