"""Say in a few words for a person what a tool call does."""

from __future__ import annotations

import json
import posixpath
from math import prod
from typing import assert_never

from bot.llm.base import ToolCall
from bot.model.plan import PlanStep, StepState
from bot.repair.proposers.agent.actions import (
    MCP_PREFIX,
    Action,
    Bash,
    Restart,
    RunTests,
    read_action,
)
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
from bot.reporting.reasons import agent
from sandbox.base import WORKSPACE

_FEW_WORDS = 80


def relative(path: str) -> str:
    """Return a path of the workspace without its head, as git writes it."""
    return posixpath.relpath(path, WORKSPACE)


def in_words(call: ToolCall) -> str:
    """Return a tool call as a few words for a person: `edit src/a.py`, `$ pytest -q`."""
    if call.name.startswith(MCP_PREFIX):
        words = f"{call.name} {json.dumps(dict(call.input), ensure_ascii=False, default=str)}"
    else:
        words = _in_words(read_action(call), call.name)
    line = " ".join(words.split())
    return line if len(line) <= _FEW_WORDS else f"{line[: _FEW_WORDS - 1]}…"


def file_of(call: ToolCall) -> tuple[str, str]:
    """Return the path of the file that a call is about, and `read`, `create` or `edit`; else ""."""
    match read_action(call):
        case View(path):
            return relative(path), "read"
        case Create(path):
            return relative(path), "create"
        case StrReplace(path) | Insert(path) | ReplaceLines(path):
            return relative(path), "edit"
        case _:
            return "", ""


def _in_words(action: Action | EditRejected, tool: str) -> str:
    match action:
        case Bash(command):
            words = agent.ran(command)
        case Restart():
            words = agent.RESTARTED
        case RunTests(command):
            words = agent.ran_tests(command)
        case View(path):
            words = agent.read(relative(path))
        case Create(path) | StrReplace(path) | Insert(path) | ReplaceLines(path):
            words = agent.edited(relative(path))
        case SearchCode(query):
            words = agent.searched(query) if query else agent.read(relative(action.path))
        case TryEdits(path, holes=holes):
            words = agent.tried_edits(relative(path), prod(len(values) for _, values in holes))
        case TakeNotes(plan, note):
            words = _planned(plan, note)
        case EditRejected():
            words = agent.not_understood(tool)
        case _:
            assert_never(action)
    return words


def _planned(plan: tuple[PlanStep, ...] | None, note: str) -> str:
    if plan is None:
        return agent.noted(note)
    done = sum(step.state is StepState.DONE for step in plan)
    next_step = next((step.text for step in plan if step.state is not StepState.DONE), "")
    return agent.planned(done, len(plan), next_step)
