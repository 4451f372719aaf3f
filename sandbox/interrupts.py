"""Programs in sandboxes can be interrupted, however this process was started."""

from __future__ import annotations

import signal


def let_programs_be_interrupted() -> None:
    """Keep programs from inheriting that this process ignores interrupts, as a background job does.

    What a process ignores, the programs that it starts ignore too; what it handles, they don't. To
    be called in the main thread.
    """
    for number in (signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, _ignore)


def _ignore(_: int, __: object) -> None:
    """Do what ignoring the signal would do."""
