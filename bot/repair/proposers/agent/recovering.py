"""Help a model that gets no further, within its attempt, and say what was done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import assert_never

from bot.llm.base import ToolResult
from bot.repair.proposers.agent import notices
from bot.repair.proposers.agent.budgeted import BudgetedModel
from bot.repair.proposers.agent.recovery import (
    Intervention,
    StuckReason,
    Taken,
    next_remedy,
    other_rung,
)
from bot.repair.proposers.agent.transcript import Transcript
from bot.repair.proposers.base import Task
from bot.reporting.reasons import agent


class Recovering:
    """The remedies of one attempt: each is used once, the mildest first."""

    def __init__(
        self,
        task: Task,
        model: BudgetedModel,
        transcript: Transcript,
        say: Callable[[str], None],
    ) -> None:
        """Say whom to help.

        Args:
            task: Of the attempt.
            model: Is asked as somebody else where that is the remedy.
            transcript: Of the conversation, which goes on, or starts afresh.
            say: Tells people what was done.
        """
        self._task = task
        self._model = model
        self._transcript = transcript
        self._say = say
        self._taken: list[Taken] = []

    def help(
        self, trouble: StuckReason, reason: str, results: Sequence[ToolResult], kept: str
    ) -> bool:
        """Do the next thing that may help; return whether there was one.

        Args:
            trouble: Of the model, after its turn.
            reason: The same as a sentence for people.
            results: Of the tools that it called in that turn.
            kept: Its plan and notes.
        """
        other = other_rung(self._task.rungs, self._model.strength)
        remedy = next_remedy(trouble, self._taken, other) if self._task.recovery else None
        if remedy is None:
            if self._taken:
                self._say(agent.person_needed([taken.remedy.value for taken in self._taken]))
            return False
        self._taken.append(Taken(trouble, remedy))
        if trouble is StuckReason.DECLINED:
            self._transcript.drop_turn()
        match remedy:
            case Intervention.TIGHTER:
                self._transcript.add_answer(results, notices.tighter(trouble.value))
            case Intervention.OTHER_MODEL:
                if other is not None:
                    self._model.ask_for(other.strength)
                self._transcript.forget_thoughts()
                self._transcript.add_answer(results, notices.taken_over(reason))
            case Intervention.FRESH_START:
                self._transcript.add_answer(results)
                self._transcript.start_afresh(kept, notices.fresh_start(reason))
            case _:
                assert_never(remedy)
        self._say(agent.taken(reason, remedy.value, other.model if other is not None else ""))
        return True
