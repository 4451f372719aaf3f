"""Help a model that gets no further, within its attempt, and say what was done."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from bot.llm.base import ToolCall, ToolResult
from bot.model.route import ModelStrength, Rung
from bot.repair.proposers.agent import notices
from bot.repair.proposers.agent.actions import BASH, RUN_TESTS
from bot.repair.proposers.agent.budgeted_model import BudgetedModel
from bot.repair.proposers.agent.transcript import Transcript
from bot.repair.proposers.base import Task
from bot.reporting.reasons import agent

_REPETITION_VOLATILE = re.compile(r"0x[0-9a-fA-F]+|\b\d+(?:\.\d+)?\s?(?:ms|s|sec|seconds)\b")
"""Addresses and durations: they differ from run to run and mean nothing."""


class Repetition:
    """Counts equal actions with equal results since the last action that was new.

    An edit and the tests behind it are not repetition, however often: each edit is new. Going
    round in circles is, whether the circle has one action or several.
    """

    def __init__(self) -> None:
        self._seen: dict[tuple[str, str, str], int] = {}

    def count(self, call: ToolCall, result: ToolResult) -> int:
        """Note the action and return how often it was done since anything new happened."""
        key = (
            call.name,
            json.dumps(call.input, sort_keys=True, default=str),
            _REPETITION_VOLATILE.sub("", result.text),
        )
        if key not in self._seen:
            self._seen = dict.fromkeys(self._seen, 0)
        self._seen[key] = self._seen.get(key, 0) + 1
        return self._seen[key]


SAME_OUTCOMES = 6
"""Commands that fail in the same way, whatever was edited in between, before help comes."""

_VOLATILE = re.compile(
    r"\b\d+(?:\.\d+)?\s?(?:ms|s|sec|seconds)\b|0x[0-9a-fA-F]+"
    r"|\bline \d+|(?<=\.\w{2}):\d+|(?<=\.\w):\d+|(?<=\.\w{3}):\d+|\bpytest-\d+"
)
"""What an edit above a failure moves, and what differs from run to run. Counts are left."""

_FAILS = re.compile(
    r"\b(?:fail(?:s|ed|ure|ures|ing)?|errors?|traceback|not ok|panicked)\b", re.IGNORECASE
)
_HEADLINE = re.compile(r"\A`.*?` (?=passed|failed|timed out)", re.DOTALL)
_NOTHING = "(no output)"
_PASSED = "(exit code 0)"


class Standstill:
    """Counts equal outcomes of commands until one of these commands ends in a new way.

    What passes counts where tests are run, and where its output says that something failed: a pipe
    or an `echo` behind a command hides its exit code. What prints nothing shows nothing.
    """

    def __init__(self) -> None:
        self._times: dict[str, int] = {}
        self._last: dict[str, str] = {}

    def count(self, call: ToolCall, result: ToolResult) -> int:
        """Note what a tool gave back; return how often commands have ended like this since progress."""
        if call.name not in {BASH, RUN_TESTS} or result.is_error:
            return 0
        command = " ".join(str(call.input.get("command") or "").split())
        outcome = _outcome(call.name, command, _VOLATILE.sub("", result.text))
        before = self._last.get(command)
        self._last[command] = outcome
        if before is not None and outcome != before and outcome not in self._times:
            self._times = dict.fromkeys(self._times, 0)
        if not outcome:
            return 0
        self._times[outcome] = self._times.get(outcome, 0) + 1
        return self._times[outcome]


def _outcome(tool: str, command: str, text: str) -> str:
    """Return how a command ended, the same for the same failure; "" where nothing failed."""
    if tool == RUN_TESTS:
        return _HEADLINE.sub("", text, count=1)
    output, _, ending = text.rpartition("\n")
    if output == _NOTHING:
        return ""
    if ending != _PASSED:
        return text
    return f"{command}\n{text}" if _FAILS.search(output) else ""


class StuckReason(StrEnum):
    """Why a model gets no further."""

    DECLINED = "declined"
    REPEATED = "repeated"
    STALLED = "stalled"
    CUT_OFF = "cut off"


class StuckHelp(StrEnum):
    """What is done about it, mildest first."""

    TIGHTER = "tighter"
    OTHER_MODEL = "other model"
    FRESH_START = "fresh start"


@dataclass(frozen=True, slots=True)
class Taken:
    """A remedy that was used, and against what."""

    trouble: StuckReason
    remedy: StuckHelp


def next_remedy(
    trouble: StuckReason, taken: Sequence[Taken], other: Rung | None
) -> StuckHelp | None:
    """Return the mildest remedy that was not used in this attempt; None: only a person can help.

    Args:
        trouble: Of the model now. One that repeats itself or whose answers are cut off was told so
            by then, so that a tighter prompt would say it once more.
        taken: Remedies of this attempt, in order.
        other: Another model that could be asked, or None.
    """
    used = {item.remedy for item in taken}
    told = trouble in {StuckReason.REPEATED, StuckReason.CUT_OFF}
    unusable = {StuckHelp.TIGHTER: told, StuckHelp.OTHER_MODEL: other is None}
    return next(
        (remedy for remedy in StuckHelp if remedy not in used and not unusable.get(remedy)), None
    )


def other_rung(rungs: Sequence[Rung], asked: ModelStrength) -> Rung | None:
    """Return the model to ask instead: the next larger one, else the next smaller one, if any."""
    place = next((n for n, rung in enumerate(rungs) if rung.strength is asked), None)
    if place is None or len(rungs) <= 1:
        return None
    return rungs[place + 1] if place + 1 < len(rungs) else rungs[place - 1]


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
            case StuckHelp.TIGHTER:
                self._transcript.add_answer(results, notices.tighter(trouble.value))
            case StuckHelp.OTHER_MODEL:
                if other is not None:
                    self._model.ask_for(other.strength)
                self._transcript.forget_thoughts()
                self._transcript.add_answer(results, notices.taken_over(reason))
            case StuckHelp.FRESH_START:
                self._transcript.add_answer(results)
                self._transcript.start_afresh(kept, notices.fresh_start(reason))
            case _:
                assert_never(remedy)
        self._say(agent.taken(reason, remedy.value, other.model if other is not None else ""))
        return True
