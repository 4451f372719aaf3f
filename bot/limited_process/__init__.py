"""Do work on other people's data in a process apart, which ends when it takes too much.

A thread would not do: a regular expression keeps all threads of Python waiting, and nobody can end
a thread. One process, `fork_server`, imports what the work needs and forks for each piece of it,
which takes milliseconds.
"""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable
from functools import partial
from typing import TypeVar, TypeVarTuple

from bot.limited_process.fork_server_client import FORK_SERVER
from bot.limited_process.task import Allowance, LimitedTask, TaskResult, TooMuch

__all__ = ["Allowance", "TooMuch", "prepare", "run_limited"]

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_WALL_SECONDS = 600.0
"""For a machine that has no processor to spare; what counts is `Allowance.seconds`."""

_USUAL = Allowance()


async def run_limited(
    work: Callable[[*Ts], T], *args: *Ts, allowance: Allowance = _USUAL, imports: str = ""
) -> T:
    """Return what a module's function returns for these arguments, called in a process apart.

    Function, arguments and result are pickled. The process has neither environment nor secrets.

    Args:
        work: The function.
        args: Its arguments.
        allowance: What it may use.
        imports: A module that it imports when it is called, and that is kept imported there as
            its own is; "" for none.

    Raises:
        TooMuch: It takes more than its allowance, or its data is nested too deeply.
        FixpointError: The function raised it.
    """
    task = pickle.dumps(LimitedTask(work, args, allowance))
    reader, writer = await asyncio.open_connection(
        sock=FORK_SERVER.ask_for(_module(work), *filter(None, (imports,)))
    )
    try:
        async with asyncio.timeout(_WALL_SECONDS):
            writer.write(task)
            answer = await reader.read()
    except (TimeoutError, ConnectionError):
        answer = b""
    finally:
        writer.transport.abort()
    if not answer:  # the kernel ended it
        raise TooMuch(allowance)
    found: TaskResult[T] = pickle.loads(answer)  # noqa: S301 - our own code wrote it
    return found.result()


async def prepare(*modules: str) -> None:
    """Have modules imported where work is done, before somebody waits for it."""
    await asyncio.to_thread(lambda: FORK_SERVER.ask_for(*modules).close())


def _module(work: Callable[..., object]) -> str:
    return str((work.func if isinstance(work, partial) else work).__module__)
