"""Let a model repair with tools: ask it, do what it asks for, tell it the result, ask again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import prompts
from bot.errors import BudgetExhausted, ProviderError
from bot.llm.base import Model, StopReason, ToolCall, ToolResult, Turn
from bot.model import Patch, Proposal, Usage
from bot.model.plan import PlanStep
from bot.model.progress import Listener, Noticed, Planned
from bot.model.proposers import PROPOSERS
from bot.model.steps import Steps
from bot.model.untrusted import clip, reveal_hidden
from bot.repair.proposers.agent import notices
from bot.repair.proposers.agent.attempt_usage import WorkDone
from bot.repair.proposers.agent.budgeted_model import BudgetedModel, ModelTurn
from bot.repair.proposers.agent.model_turn import AttemptQuestions
from bot.repair.proposers.agent.prompt import opening, system_prompt
from bot.repair.proposers.agent.repeats import Repeats
from bot.repair.proposers.agent.stuck_model import (
    SAME_OUTCOMES,
    Recovering,
    Repetition,
    Standstill,
    StuckReason,
)
from bot.repair.proposers.agent.tool_schemas import TOOLS
from bot.repair.proposers.agent.tools import Toolbox
from bot.repair.proposers.agent.transcript import Transcript
from bot.repair.proposers.agent.turn_events import tool_used, turn_finished
from bot.repair.proposers.base import (
    AttemptCutShort,
    Task,
)
from bot.repair.workspace.base import Workbench
from bot.repair.workspace.redaction import Scrub
from bot.reporting.reasons import agent

_TOLD_AFTER = 3
_ENDED_AFTER = 5
"""Equal actions with equal results, before the model is told and before more is done about it."""
_CUT_ANSWERS = 2
"""How many answers in a row may be cut off before they did anything."""
_EMPTY_ANSWERS = 2
"""How many empty answers of an attempt are asked for again."""
_SUMMARY_CHARACTERS = 4_000
_STEP_CHARACTERS = 300
_WORTH_REPORTING = 4_000
"""Characters that the model was spared of results which it had in sight."""


class AgentProposer:
    """A `Proposer` with a model and tools. The loop runs here, the tools in the sandbox."""

    traits = PROPOSERS["agent"]

    def __init__(
        self, model: Model, *, clock: Callable[[], float] = time.time, scrub: Scrub = str
    ) -> None:
        """Say whom to ask; `scrub` takes secrets out of everything that the model is told."""
        self._model = model
        self._scrub = scrub
        self._clock = clock

    async def warm(self) -> None:
        """Import what takes long: a model's SDK about as long as it takes to prepare a tree."""
        await self._model.warm()
        await asyncio.to_thread(prompts.prepare)

    async def propose(
        self,
        task: Task,
        workbench: Workbench,
        steps: Steps,
        listener: Listener,
        spend: Callable[[Usage], None],
    ) -> Proposal:
        """Change the work tree and return the patch; see `Proposer`.

        A provider that fails in the middle of an attempt ends it with the patch that there is.
        """
        model = BudgetedModel(self._model, self._clock, task)
        return await _Work(model, task, workbench, steps, listener, spend, self._scrub).done()


class _Work:
    """One attempt in progress. Between steps everything is decided from what the steps returned."""

    def __init__(
        self,
        model: BudgetedModel,
        task: Task,
        workbench: Workbench,
        steps: Steps,
        listener: Listener,
        spend: Callable[[Usage], None],
        scrub: Scrub,
    ) -> None:
        self._task = task
        self._workbench = workbench
        self._steps = steps
        self._listener = listener
        self._scrub = scrub
        self._name = f"{'test' if task.write_test else 'attempt'} {task.n}"
        self._tools = Toolbox(task, workbench, steps)
        rules = task.tool_rules
        self._transcript = Transcript(
            system_prompt(task),
            tuple(map(scrub, opening(task))),
            TOOLS,
            prunes=rules.pruning,
            cached=rules.caching,
        )
        self._work = WorkDone(task.repository_map)
        self._recovering = Recovering(task, model, self._transcript, self._notice)
        self._repetition, self._standstill = Repetition(), Standstill()
        self._repeats = Repeats()
        self._asking = AttemptQuestions(model, self._transcript, steps, task.spent, spend)
        self._last: Turn | None = None
        self._notes: list[str] = []
        self._cut_answers = self._empty_answers = 0
        self._planned: tuple[PlanStep, ...] = ()
        self._warned = False

    async def done(self) -> Proposal:
        """Work until there is nothing more to do, and return the result."""
        tools, notes = await self._tools.connect(self._name)
        for note in notes:
            self._notice(note)
        self._transcript.offer(tools)
        try:
            ended = await self._take_turns()
        except BudgetExhausted as end:
            proposal = self._proposal(await self._patch(), str(end))
            raise AttemptCutShort(str(end), proposal) from end
        except ProviderError as error:
            patch = await self._patch()
            if not patch:
                raise
            return self._proposal(patch, ended=str(error))
        return self._proposal(await self._patch(), ended)

    async def _take_turns(self) -> str:
        """Take turns until the model is done, and return why it ended early, or empty."""
        most = self._task.limits.turns
        for number in range(1, most + 1):
            answer = await self._next_answer(number)
            ended = await self._act_on(answer, number, turns_left=most - number)
            if ended is not None:
                return ended
        return agent.turns_used(most)

    async def _next_answer(self, number: int) -> ModelTurn:
        step = f"{self._name}: turn {number}"
        kept = reveal_hidden(self._tools.notes.text)
        began = time.monotonic()
        answer = await self._asking.answer(step, kept)
        self._take_note(answer.turn, number, time.monotonic() - began)
        return answer

    def _take_note(self, turn: Turn, number: int, seconds: float) -> None:
        self._last = turn
        self._transcript.add_turn(turn)
        self._work.count_turn(turn)
        for note in turn.notes:
            self._notice(note)
        self._listener(
            turn_finished(
                turn, attempt=self._task.n, number=number, usage=self._asking.usage, seconds=seconds
            )
        )

    def _notice(self, note: str) -> None:
        """Keep for the report what a person should know, and tell those who watch, once."""
        if note not in self._notes:
            self._notes.append(note)
            self._listener(Noticed(note))

    async def _act_on(self, answer: ModelTurn, number: int, *, turns_left: int) -> str | None:
        """Do what the turn asks for; return why the attempt ends (empty: done), None to go on."""
        turn = answer.turn
        if turn.stop is StopReason.REFUSAL:
            return self._recover(StuckReason.DECLINED, agent.DECLINED)
        if turn.tool_calls:
            return await self._use_tools(answer, number, turns_left)
        if turn.stop is StopReason.MAX_TOKENS:
            return self._go_on_after_cut(answer)
        return self._go_on_after_nothing() if not turn.text.strip() else ""

    async def _use_tools(self, answer: ModelTurn, number: int, turns_left: int) -> str | None:
        """Do what the turn asks for, in order, and tell the model the results."""
        self._cut_answers = 0
        results: list[ToolResult] = []
        most_repeated = same_outcomes = 0
        step = f"{self._name}: turn {number}"
        async for used in self._tools.use(answer.turn.tool_calls, step, answer.asked_at):
            call, seconds = used.call, used.seconds
            self._work.count_call(call)
            result = replace(used.result, text=self._scrub(used.result.text))
            results.append(await self._told(call, result, number))
            told = tool_used(call, result, attempt=self._task.n, turn=number, seconds=seconds)
            self._listener(told)
            self._tell_plan()
            most_repeated = max(most_repeated, self._repetition.count(call, result))
            same_outcomes = max(same_outcomes, self._standstill.count(call, result))
        if most_repeated >= _ENDED_AFTER:
            return self._recover(StuckReason.REPEATED, agent.repeated(most_repeated), results)
        if same_outcomes >= SAME_OUTCOMES and self._task.recovery:
            return self._recover(StuckReason.STALLED, agent.stalled(same_outcomes), results)
        self._transcript.add_answer(results, self._note(answer, turns_left, most_repeated))
        return None

    def _tell_plan(self) -> None:
        """Tell those who watch where the plan has changed."""
        if self._tools.notes.plan != self._planned:
            self._planned = self._tools.notes.plan
            self._listener(Planned(self._task.n, tuple(map(_shown, self._planned))))

    async def _told(self, call: ToolCall, result: ToolResult, number: int) -> ToolResult:
        """Return a result as the model reads it: shorter where it has most of it in sight."""
        if not self._task.tool_rules.refer_back:
            return result
        return await self._repeats.told(call, result, number, self._transcript.shows)

    def _go_on_after_cut(self, answer: ModelTurn) -> str | None:
        self._cut_answers += 1
        if self._cut_answers > _CUT_ANSWERS:
            return self._recover(StuckReason.CUT_OFF, agent.cut_off(self._cut_answers))
        self._transcript.add_answer((), notices.cut_off(answer.max_tokens))
        return None

    def _go_on_after_nothing(self) -> str | None:
        """Ask again for an answer that says and does nothing; some servers lose one."""
        self._empty_answers += 1
        if self._empty_answers > _EMPTY_ANSWERS:
            return ""
        self._transcript.drop_turn()
        self._transcript.add_answer((), notices.empty())
        return None

    def _recover(
        self, trouble: StuckReason, reason: str, results: Sequence[ToolResult] = ()
    ) -> str | None:
        """Help a model that gets no further; return why the attempt ends when nothing is left."""
        kept = reveal_hidden(self._tools.notes.text)
        if not self._recovering.help(trouble, reason, results, kept):
            return reason
        self._repetition, self._standstill = Repetition(), Standstill()
        self._cut_answers = 0
        return None

    def _note(self, answer: ModelTurn, turns_left: int, most_repeated: int) -> str:
        """Return what the model should know besides the results, or empty."""
        said = [notices.repeated(most_repeated)] if most_repeated >= _TOLD_AFTER else []
        if answer.turn.stop is StopReason.MAX_TOKENS:
            said.append(notices.cut_off(answer.max_tokens))
        warning = notices.running_out(
            self._task.limits,
            self._task.spent + self._asking.usage,
            turns_left=turns_left,
            now=answer.asked_at,
            deadline=self._task.deadline,
        )
        if warning and not self._warned:
            self._warned = True
            said.append(warning)
        return "\n\n".join(said)

    async def _patch(self) -> Patch:
        return await self._steps(f"{self._name}: patch", self._workbench.patch)

    def _proposal(self, patch: Patch, ended: str) -> Proposal:
        if self._repeats.saved >= _WORTH_REPORTING:
            self._notice(agent.told_shorter(self._repeats.count, self._repeats.saved))
        if self._transcript.cut:
            self._notice(agent.task_cut(self._transcript.cut))
        for decision in self._tools.decisions:
            self._notice(decision)
        pruned = self._transcript.pruned, self._transcript.left_out
        used = self._work.told(
            self._tools.notes, self._asking.usage, together=self._tools.together, pruned=pruned
        )
        return Proposal(
            patch=patch,
            summary=_summary(self._last, patch, ended),
            model=self._last.model if self._last else None,
            usage=self._asking.usage,
            ended=ended,
            notes=tuple(self._notes),
            findings=self._tools.notes.findings,
            used=tuple(used),
            plan=tuple(map(_shown, self._tools.notes.plan)),
        )


def _shown(step: PlanStep) -> PlanStep:
    """Return a step as people and files get it: with what is hidden in it, and short."""
    text, check = (clip(reveal_hidden(item), _STEP_CHARACTERS) for item in (step.text, step.check))
    return replace(step, text=text, check=check)


def _summary(last: Turn | None, patch: Patch, ended: str) -> str:
    """Return the model's last message; where it did not finish, say what it changed."""
    words = clip(last.text.strip(), _SUMMARY_CHARACTERS) if last else ""
    if words and not ended:
        return words
    changed = patch.files if patch else ()
    return agent.unfinished(changed, words) if ended else agent.no_summary(changed)
