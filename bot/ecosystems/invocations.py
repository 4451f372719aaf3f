"""Find the tools behind a command, whatever ecosystem they are of."""

from __future__ import annotations

from bot.ecosystems.commands import invocations as reading
from bot.ecosystems.commands.invocations import Invocation
from bot.ecosystems.commands.shell import SimpleCommand
from bot.ecosystems.commands.task_runners import Read
from bot.ecosystems.registry import PROGRAMS

__all__ = ["Invocation", "invocations", "unwrapped", "with_runners"]


def invocations(command: str, read: Read) -> tuple[Invocation, ...]:
    """Return the tools that a command runs, in order: through make, npm scripts, tox and the like.

    Args:
        command: A shell command.
        read: Returns a configuration file's text by its path, or None.
    """
    found = reading.expanded(command, read, PROGRAMS)
    return tuple(invocation for invocation, is_last in found if is_last)


def with_runners(command: str, read: Read) -> tuple[Invocation, ...]:
    """Return the same with the task runners and scripts on the way: make, tox, `script/test`."""
    return tuple(invocation for invocation, _ in reading.expanded(command, read, PROGRAMS))


def unwrapped(simple: SimpleCommand, folder: str = "") -> Invocation:
    """Return a command as the tool that it runs: runners and `python -m` taken off its front."""
    return reading.unwrapped(simple, PROGRAMS, folder)
