"""Start a program of the host so that a cancellation at any moment leaves nothing behind."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self, TypeVar, TypeVarTuple, cast

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_NOTHING = asyncio.subprocess.DEVNULL
_PIPE = asyncio.subprocess.PIPE
_PIECE = 2**16
_KILL_SECONDS = 10.0


if sys.version_info < (3, 12):

    class _ProcessDescriptors(asyncio.AbstractChildWatcher):
        """Waits in the event loop that starts a program, as later versions of Python do."""

        def add_child_handler(
            self, pid: int, callback: Callable[[int, int, *Ts], object], *args: *Ts
        ) -> None:
            """Call back once the program has ended."""
            loop, descriptor = asyncio.get_running_loop(), os.pidfd_open(pid)
            loop.add_reader(descriptor, self._reap, loop, descriptor, pid, callback, *args)

        @staticmethod
        def _reap(
            loop: asyncio.AbstractEventLoop,
            descriptor: int,
            pid: int,
            callback: Callable[[int, int, *Ts], object],
            *args: *Ts,
        ) -> None:
            loop.remove_reader(descriptor)
            os.close(descriptor)
            try:
                code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            except ChildProcessError:  # somebody else asked: nobody can tell any more
                code = 255
            callback(pid, code, *args)

        def remove_child_handler(self, pid: int) -> bool:  # noqa: ARG002 - asyncio's signature
            """Say that nothing waits for it: asyncio never asks."""
            return False

        def attach_loop(self, loop: asyncio.AbstractEventLoop | None) -> None:
            """Serve every loop."""

        def is_active(self) -> bool:
            """Say that programs may be started."""
            return True

        def close(self) -> None:
            """Leave each loop to its own programs."""

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            """Stay as it is."""


def wait_without_threads() -> None:
    """Let asyncio wait for programs through the kernel's process descriptors, in every event loop.

    Python 3.11 starts a thread for each program instead, and beside a busy thread each of those
    starts takes milliseconds; its own watcher of descriptors knows one loop only. Later versions
    need no telling.
    """
    if sys.version_info < (3, 12):
        try:
            os.close(os.pidfd_open(os.getpid()))
        except OSError:  # an older kernel, or one that forbids it
            return
        asyncio.set_child_watcher(_ProcessDescriptors())


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
