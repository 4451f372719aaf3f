"""Part a step into what runs beforehand, with network, and the check, which runs without."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.ci.workflow.actions.preparing import divide
from bot.ci.workflow.compile.prefetch import Fetch, prefetch
from bot.ci.workflow.runner.command import Command
from bot.ecosystems.tree import Tree


@dataclass(frozen=True, slots=True)
class OfflineCheck:
    """A step that can run without network, once it was prepared.

    Attributes:
        command: What is left of it to check.
        installs: Its own lines that install; they must succeed.
        fetch: What `command` needs done beforehand.
    """

    command: Command
    installs: Command | None = None
    fetch: Fetch | None = None


def without_network(command: Command, tree: Tree) -> OfflineCheck:
    """Return a step in parts. Where its script can't be divided, all of it is the check."""
    check, preparing = _divided(command)
    return OfflineCheck(check, preparing, prefetch(check, tree))


def without_installs(command: Command) -> Command:
    """Return what is left of a step to check when its own installs were done."""
    return _divided(command)[0]


def _divided(command: Command) -> tuple[Command, Command | None]:
    if command.shell not in {"", "bash"}:
        return command, None
    parts = divide(command.script)
    if not parts.preparing:
        return command, None
    preparing = replace(command, key=f"{command.key}-prepare", script=parts.preparing)
    return replace(command, script=parts.checking), preparing
