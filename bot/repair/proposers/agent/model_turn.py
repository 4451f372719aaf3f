"""Ask a model for its next turn: short enough for its window, paid for, its calls read as ours."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from bot.errors import ProviderError, RequestTooLong
from bot.llm.base import Block, ToolCall, Turn
from bot.model import Usage
from bot.model.steps import Steps
from bot.repair.proposers.agent.actions import EDIT, OWN
from bot.repair.proposers.agent.budgeted_model import BudgetedModel, ModelTurn
from bot.repair.proposers.agent.foreign_arguments import Given, Open, each, readable
from bot.repair.proposers.agent.foreign_call_kinds import meant_by
from bot.repair.proposers.agent.single_question import too_long
from bot.repair.proposers.agent.transcript import Transcript


def read_as_ours(call: ToolCall, opened: Open) -> tuple[list[ToolCall], Open]:
    """Return the calls of ours that are meant, the call itself where none is, and what is open then.

    A call means several where it is about several files: the first keeps its id, the others get it
    with a number.
    """
    name = call.name.rsplit(".", 1)[-1].lower() if call.name not in OWN else call.name
    arguments, before = readable(call), opened
    calls: list[ToolCall] = []
    for entry in each(arguments):
        given = Given(entry, opened)
        ours = meant_by(name, given)
        if not ours:
            return [replace(call, input=arguments)], before
        for tool, values in ours:
            identity = f"{call.id}_{len(calls) + 1}" if calls else call.id
            calls.append(replace(call, id=identity, name=tool, input=values))
            opened = _opened(calls[-1], opened)
        first, last = given.number("start_line"), given.number("end_line")
        if name == "set_cursors" and first and last:
            opened = replace(opened, lines=(first, last))
    return calls, opened


def _opened(call: ToolCall, before: Open) -> Open:
    if call.input.get("command") == "create":
        before = Open()
    path, lines = call.input.get("path"), call.input.get("view_range")
    if call.name != EDIT or not isinstance(path, str):
        return before
    match lines:
        case [int(first), _]:
            return replace(before, path=path, first=first)
        case _:
            return replace(before, path=path)


class CallIds:
    """The ids of an attempt's calls. Anthropic's API refuses a conversation that has one twice."""

    def __init__(self) -> None:
        """Begin with none."""
        self._given: set[str] = set()

    def own(self, call: ToolCall) -> ToolCall:
        """Return the call with its id, or with a number behind it where another call has that."""
        identity, number = call.id, 1
        while identity in self._given:
            number += 1
            identity = f"{call.id}_{number}"
        self._given.add(identity)
        return call if identity == call.id else replace(call, id=identity)


class AttemptQuestions:
    """The questions of one attempt.

    Attributes:
        usage: Of all answers so far, and of what failed on the way to them.
    """

    def __init__(
        self,
        model: BudgetedModel,
        transcript: Transcript,
        steps: Steps,
        before: Usage,
        spend: Callable[[Usage], None],
    ) -> None:
        """Say whom to ask, and who pays.

        Args:
            model: To ask.
            transcript: Of the conversation; it is shortened here, and grows elsewhere.
            steps: Each question is one.
            before: What the run spent before the attempt.
            spend: Is told what each question cost.
        """
        self.usage = Usage()
        self._model = model
        self._transcript = transcript
        self._steps = steps
        self._before = before
        self._spend = spend
        self._open, self._ids = Open(), CallIds()

    async def answer(self, step: str, kept: str) -> ModelTurn:
        """Return the model's next turn.

        Args:
            step: Names it, uniquely in its run.
            kept: The agent's plan and notes.

        Raises:
            BudgetExhausted: When the next call can't be paid.
            ProviderError: When no model answers.
        """
        self._transcript.shorten_when_long(kept)
        answer = await self._in_window(step, kept)
        self._pay(answer.turn.usage)
        return replace(answer, turn=self._as_meant(answer.turn))

    async def _in_window(self, step: str, kept: str) -> ModelTurn:
        """Ask; shorten what is too long for the model until it fits, or nothing can be left out."""
        name, times = step, 0
        while True:
            try:
                return await self._ask(name)
            except RequestTooLong as error:
                if not self._transcript.shorten(kept, error.fits):
                    raise too_long(error) from error
            times += 1
            name = f"{step}, shortened" if times == 1 else f"{step}, shortened {times} times"

    async def _ask(self, step: str) -> ModelTurn:
        spent = self._before + self.usage
        try:
            return await self._steps.light(
                step, self._model.answer, step, self._transcript.conversation, spent
            )
        except ProviderError as error:
            if error.spent is not None:
                self._pay(error.spent)
            raise

    def _pay(self, usage: Usage) -> None:
        self.usage += usage
        self._spend(usage)

    def _as_meant(self, turn: Turn) -> Turn:
        """Return the turn with calls of tools that models know from elsewhere as calls of ours."""
        blocks: list[Block] = []
        for block in turn.blocks:
            if isinstance(block, ToolCall):
                calls, self._open = read_as_ours(block, self._open)
                blocks += map(self._ids.own, calls)
            else:
                blocks.append(block)
        return replace(turn, blocks=tuple(blocks))
