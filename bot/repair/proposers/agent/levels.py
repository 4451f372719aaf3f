"""Say how much an act of the built-in tools can do, and whether it touches what is protected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from bot.model.tool_rules import ToolRisk
from bot.repair.guards import protected_paths
from bot.repair.proposers.agent.action_words import relative
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
