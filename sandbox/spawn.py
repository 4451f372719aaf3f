"""Start a program of the host so that a cancellation at any moment leaves nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar, cast

T = TypeVar("T")

_NOTHING = asyncio.subprocess.DEVNULL
_PIPE = asyncio.subprocess.PIPE
_PIECE = 2**16
_KILL_SECONDS = 10.0


def wait_without_threads() -> None:
    """Let asyncio wait for programs through the kernel's process descriptors.

    Python 3.11 starts a thread for each program instead, and beside a busy thread each of those
    starts takes milliseconds. Later versions need no telling. To be called before the event loop
    of the main thread is made, the only one that may start programs then.
    """
    if sys.version_info < (3, 12):
        try:
            os.close(os.pidfd_open(os.getpid()))
        except OSError:  # an older kernel, or one that forbids it
            return
        asyncio.set_child_watcher(asyncio.PidfdChildWatcher())


async def through(act: asyncio.Future[T]) -> T:
    """Await something that must come to its end; only then be cancelled, however often asked."""
    cancelled: asyncio.CancelledError | None = None
    while not act.done():
        try:
            await asyncio.wait({act})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
    return act.result()


async def spawn(
    *argv: str,
    env: Mapping[str, str],
    cwd: Path | None = None,
    stdin: int = _NOTHING,
    stdout: int = _PIPE,
    stderr: int = _PIPE,
    pass_fds: tuple[int, ...] = (),
) -> asyncio.subprocess.Process:
    """Do as `asyncio.create_subprocess_exec` does, also when cancelled meanwhile.

    The program leads a process group of its own: a signal to ours does not reach it, and what it
    starts can be ended with it.

    In Python 3.11 the original, cancelled before its pipes are connected, never comes back.
    """
    starting = asyncio.ensure_future(
        asyncio.create_subprocess_exec(
            *argv,
            env=env,
            cwd=cwd,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            pass_fds=pass_fds,
            process_group=0,
        )
    )
    try:
        return await through(starting)
    except asyncio.CancelledError:
        if starting.exception() is None:
            await through(asyncio.ensure_future(_end(starting.result())))
        raise


async def finished(
    *argv: str,
    env: Mapping[str, str],
    cwd: Path | None = None,
    given: bytes | None = None,
    stdout: int = _PIPE,
    stderr: int = _PIPE,
) -> tuple[int, bytes, bytes]:
    """Run a program to its end; return its exit status, stdout and stderr.

    Args:
        argv: Program and arguments.
        env: All of its variables.
        cwd: Where it runs.
        given: Its stdin.
        stdout: Where its stdout goes.
        stderr: Where its stderr goes.
    """
    stdin = _NOTHING if given is None else _PIPE
    process = await spawn(*argv, env=env, cwd=cwd, stdin=stdin, stdout=stdout, stderr=stderr)
    try:
        out, err = await process.communicate(given)
    except asyncio.CancelledError:
        await through(asyncio.ensure_future(_end(process)))
        raise
    return await process.wait(), out, err


async def finished_early(
    *argv: str,
    env: Mapping[str, str],
    cwd: Path | None = None,
    is_enough: Callable[[bytes], bool],
) -> tuple[int, bytes]:
    """Run a program to its end, or until enough of its stdout was seen; return status and stderr.

    Args:
        argv: Program and arguments; it must not say much on stderr.
        env: All of its variables.
        cwd: Where it runs.
        is_enough: Is given what comes, piece by piece; the program is killed when it says so.
    """
    process = await spawn(*argv, env=env, cwd=cwd)
    try:
        while piece := await cast("asyncio.StreamReader", process.stdout).read(_PIECE):
            if is_enough(piece):
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                break
        _, err = await process.communicate()
    except asyncio.CancelledError:
        await through(asyncio.ensure_future(_end(process)))
        raise
    return await process.wait(), err


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill a program with what it started; nobody waits for what the kernel does not let end."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_KILL_SECONDS):
            await process.communicate()
