"""Count what a model uses in one attempt, for its report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from bot.llm.base import ToolCall, Turn
from bot.model import Usage
from bot.model.plan import StepState
from bot.repair.proposers.agent.working_notes import WorkingNotes
from bot.reporting.reasons import agent as said


class WorkDone:
    """What an attempt used so far."""

    def __init__(self, repository_map: str) -> None:
        """Say what the first prompt shows of the repository."""
        self._files = sum(not line.startswith(" ") for line in repository_map.splitlines())
        self._calls: Counter[str] = Counter()
        self._cleared = 0

    def count_turn(self, turn: Turn) -> None:
        """Take down what a turn says of the conversation."""
        self._cleared = max(self._cleared, turn.cleared)

    def count_call(self, call: ToolCall) -> None:
        """Take down a tool that was called."""
        self._calls[call.name] += 1

    def told(
        self,
        notes: WorkingNotes,
        usage: Usage,
        *,
        together: tuple[int, int],
        pruned: tuple[int, int],
    ) -> Iterator[str]:
        """Yield the parts of the sentence about it.

        Args:
            notes: That the model keeps.
            usage: Of all its turns.
            together: Calls that were made at the same time, and in how many turns.
            pruned: How often the conversation was shortened, and by how many characters.
        """
        if self._calls:
            yield said.tool_calls(self._calls)
        if together[0]:
            yield said.read_together(*together)
        if notes.plan:
            done = sum(step.state is StepState.DONE for step in notes.plan)
            yield said.plan(done, len(notes.plan))
        if notes.notes:
            yield said.notes(len(notes.notes))
        if self._files:
            yield said.repository_map(self._files)
        if pruned[0]:
            yield said.pruned(*pruned)
        if self._cleared:
            yield said.cleared(self._cleared)
        if usage.cache_read:
            yield said.cached(usage.cache_read / (usage.tokens - usage.output))
