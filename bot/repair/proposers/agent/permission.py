"""Decide whether a tool may be used: what it can do, the repository's rules, a person where they say so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from bot.llm.base import ToolCall
from bot.model.steps import Steps
from bot.model.tool_rules import ToolAnswer, ToolPermission, ToolQuestion, ToolRisk
from bot.repair.guards import protected_paths
from bot.repair.proposers.agent.action_words import in_words, relative
from bot.repair.proposers.agent.actions import Action, Bash, Restart, RunTests
from bot.repair.proposers.agent.code_grep import SearchCode
from bot.repair.proposers.agent.edit_template import TryEdits
from bot.repair.proposers.agent.edit_tool import (
    Create,
    EditRejected,
    Insert,
    ReplaceLines,
    StrReplace,
    View,
)
from bot.repair.proposers.agent.working_notes import TakeNotes
from bot.repair.proposers.base import Task
from bot.reporting.reasons import agent


def risk_of(action: Action | EditRejected) -> ToolRisk:
    """Return the most that an act in the attempt's own sandbox can do.

    Commands write, whatever they say: they reach nothing but that sandbox, and what they leave is
    verified elsewhere.
    """
    match action:
        case View() | SearchCode() | Restart() | TakeNotes() | EditRejected():
            return ToolRisk.READ
        case Bash() | RunTests() | TryEdits() | Create() | StrReplace() | Insert() | ReplaceLines():
            return ToolRisk.WRITE
        case _:
            assert_never(action)


def is_protected(path: str, protected: Sequence[str], requested: Sequence[str] = ()) -> bool:
    """Whether no patch may touch a file, unless a person asked for it.

    Args:
        path: In the workspace, absolute.
        protected: Globs of what no patch may touch.
        requested: Globs of what the request asks for; the patch waits for an approval then.
    """
    return bool(protected_paths((relative(path),), protected, requested))


_SHARE_OF_TIME = 0.5
"""Of what is left of the run: so long it waits for an answer, and then goes on without the tool."""


class Permissions:
    """What this attempt's tools may do; a person's answer counts until the attempt ends.

    Attributes:
        decisions: What was allowed and refused, and by whom, for the report.
    """

    def __init__(self, task: Task, steps: Steps) -> None:
        self._task = task
        self._steps = steps
        self._answers: dict[str, ToolAnswer] = {}
        self.decisions: list[str] = []

    async def refusal(self, call: ToolCall, risk: ToolRisk, step: str, now: float) -> str:
        """Return why a tool may not be used, for the model, or "" when it may.

        Args:
            call: Of the tool.
            risk: Of the tool.
            step: Names the question, uniquely in its run.
            now: `time.time()` of the model's turn.
        """
        match self._task.tool_rules.permission(call.name, risk):
            case ToolPermission.ALLOW:
                return ""
            case ToolPermission.DENY:
                self._decided(agent.tool_denied(call.name))
                return (
                    f"This repository does not allow {call.name} (risk: {risk}): nothing was done. "
                    "Go on without it."
                )
            case ToolPermission.ASK:
                answer = await self._asked(call, risk, step, now)
                self._decided(_decision(call.name, answer))
                return _said(call.name, answer)
            case other:
                assert_never(other)

    def _decided(self, decision: str) -> None:
        if decision not in self.decisions:
            self.decisions.append(decision)

    async def _asked(
        self, call: ToolCall, risk: ToolRisk, step: str, now: float
    ) -> ToolAnswer | None:
        """Return the answer; None where nobody can be asked."""
        if self._task.ask is None:
            return None
        if call.name not in self._answers:
            until = now + _SHARE_OF_TIME * max(0.0, self._task.deadline - now)
            question = ToolQuestion(call.name, risk, in_words(call), until)
            self._answers[call.name] = await self._steps(f"{step}: ask", self._task.ask, question)
        return self._answers[call.name]


def _decision(tool: str, answer: ToolAnswer | None) -> str:
    """Return what became of the question, for the report."""
    if answer is None:
        return agent.tool_not_asked(tool)
    return agent.tool_approved(tool, answer.by) if answer.approved else agent.tool_expired(tool)


def _said(tool: str, answer: ToolAnswer | None) -> str:
    if answer is None:
        return (
            f"{tool} needs a person's approval, and nobody can be asked here: nothing was done. "
            "Go on without it."
        )
    if answer.approved:
        return ""
    return f"Nobody approved {tool} in time: nothing was done. Go on without it."
