"""The question at the terminal whether a specification is right."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import pytest

from bot.commands.approver import TerminalApprover
from bot.errors import RunStopped, UsageError
from bot.model import Point, Specification
from bot.model.deadline import StopSign
from bot.reporting.reasons import test_first as reasons

SPECIFICATION = Specification("T", (Point("a"),))


@contextmanager
def approver(stopped: StopSign) -> Iterator[tuple[TerminalApprover, int]]:
    """Yield who asks on a terminal, and the terminal's other end."""
    ours, theirs = os.openpty()
    name = Path(os.ttyname(theirs))
    with name.open() as given, name.open("w") as shown:
        yield TerminalApprover(nullcontext, stopped, given=given, shown=shown), ours
    os.close(theirs)
    os.close(ours)


@pytest.mark.parametrize(
    ("typed", "agreed"), [("y", True), ("Yes ", True), ("", False), ("no", False), ("yy", False)]
)
async def test_only_yes_is_a_yes(typed: str, *, agreed: bool) -> None:
    """Whoever presses Enter has agreed to nothing."""
    with approver(StopSign()) as (asks, ours):
        os.write(ours, f"{typed}\n".encode())
        assert await asks.approves(SPECIFICATION) is agreed


async def test_a_stop_ends_the_waiting() -> None:
    """Nobody has to answer first."""
    stopped = StopSign()
    stopped.stop("Enough.")
    with approver(stopped) as (asks, _), pytest.raises(RunStopped, match="Enough"):
        await asks.approves(SPECIFICATION)


async def test_without_a_terminal_it_says_what_to_do() -> None:
    """A pipe is nobody."""
    asks = TerminalApprover(nullcontext, StopSign(), given=io.StringIO("y\n"), shown=io.StringIO())
    with pytest.raises(UsageError) as raised:
        await asks.approves(SPECIFICATION)
    assert str(raised.value) == reasons.NO_TERMINAL
