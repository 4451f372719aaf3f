"""Run a command's coroutine in the event loop of the process, the only loop that it has.

The server is not run by it: its durable engine has a loop of its own.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from bot.model.deadline import BY_A_PERSON, StopSign
from sandbox.spawn import wait_without_threads

T = TypeVar("T")

_TERMINATED = "The process received SIGTERM."


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run it to its end; programs that it starts need no threads.

    Raises:
        KeyboardInterrupt: When a person did not want to wait for what an interrupted command tells.
    """
    wait_without_threads()
    try:
        return asyncio.run(main)
    except asyncio.CancelledError as end:
        raise KeyboardInterrupt from end


@contextmanager
def stop_on_signal(stopped: StopSign) -> Iterator[None]:
    """Let the first Ctrl-C or SIGTERM end the run with a report, and the second one at once.

    The second one counts although what it cancels was just ending, and took no notice.
    """
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    at_once = False

    def interrupt(reason: str) -> None:
        nonlocal at_once
        at_once = stopped.is_set()
        if at_once and task is not None:
            task.cancel()
        stopped.stop(reason)

    loop.add_signal_handler(signal.SIGINT, interrupt, BY_A_PERSON)
    loop.add_signal_handler(signal.SIGTERM, interrupt, _TERMINATED)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
    if at_once:
        raise asyncio.CancelledError
