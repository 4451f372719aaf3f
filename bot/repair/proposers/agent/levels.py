"""Decide how much harm a tool's act could do; one that could do much is not done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from bot.model.risk import Level
from bot.repair.guards import protected_paths
from bot.repair.proposers.agent.actions import Action, Bash, Restart, RunTests, relative
from bot.repair.proposers.agent.code_search import SearchCode
from bot.repair.proposers.agent.edit_tool import Create, Insert, StrReplace, View
from bot.repair.proposers.agent.working_notes import TakeNotes


def level_of(
    action: Action,
    protected: Sequence[str],
    requested: Sequence[str] = (),
) -> Level:
    """Return the level of an act in the attempt's own sandbox.

    Commands are of medium level whatever they say: they reach nothing but that sandbox, and what
    they leave is verified elsewhere.

    Args:
        action: What the model asks for.
        protected: Globs that no patch may touch,
        requested: unless a person asked for it: then the patch waits for an approval.
    """
    match action:
        case View() | SearchCode() | Restart() | TakeNotes():
            return Level.LOW
        case Bash() | RunTests():
            return Level.MEDIUM
        case Create(path=path) | StrReplace(path=path) | Insert(path=path):
            refused = protected_paths((relative(path),), protected, requested)
            return Level.HIGH if refused else Level.MEDIUM
        case _:
            assert_never(action)
