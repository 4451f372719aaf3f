"""Run one command in a bubblewrap jail and stay until nothing of it is left."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import signal
from asyncio.subprocess import Process
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from sandbox.base import SandboxError
from sandbox.bubblewrap.cgroups import REFUSED, ControlGroup
from sandbox.bubblewrap.memory_file import memory_file
from sandbox.bubblewrap.seccomp import seccomp_filter
from sandbox.spawn import spawn, through

_PIECE = 1 << 16
_LONGEST_STATUS = 4096
_REFUSED = f"{REFUSED}\n".encode()
_KILL_SECONDS = 10.0
_LAST_WORDS_SECONDS = 0.5
"""For what bubblewrap wrote before its end."""

_FILTER = seccomp_filter()
TIMED_OUT = 124
"""The exit code of `timeout` in GNU coreutils."""


@dataclass(frozen=True, slots=True)
class Jailed:
    """One command to run.

    Attributes:
        bwrap: Path of bubblewrap.
        arguments: Its arguments, the command included.
        environment: All variables of the command.
        rlimits: Hard limits by `resource.RLIMIT_*`, set before the command starts.
        group: The cgroup to run in, or None.
        without_group: Rlimits that stand in for the cgroup where it can't be used.
        stdin: A file descriptor, or `/dev/null`.
        descriptors: Others that the arguments name.
    """

    bwrap: str
    arguments: Sequence[str]
    environment: Mapping[str, str]
    rlimits: Mapping[int, int]
    group: ControlGroup | None = None
    without_group: Mapping[int, int] = field(default_factory=dict)
    stdin: int = asyncio.subprocess.DEVNULL
    descriptors: tuple[int, ...] = ()


class Jail:
    """A bubblewrap that waits, ready in every way, until its command is let go.

    The command is process 1 of its own pid namespace, so the kernel ends everything it started
    before its own end can be seen; that holds for a timeout and for cancellation too.
    """

    def __init__(self, jailed: Jailed) -> None:
        self._jailed = jailed
        self._held = contextlib.ExitStack()
        self._said = bytearray()
        self._process: Process | None = None
        self._pid: int | None = None
        self._handle: int | None = None

    @property
    def waits(self) -> bool:
        """Whether it was started, and nothing ended it."""
        return (
            self._pid is not None
            and self._process is not None
            and self._process.returncode is None
            and _is_running(self._process.pid)
        )

    async def start(self) -> None:
        """Start it and set its limits; what it fails by is told by `run`.

        A cancellation waits until its process 1 is known: bubblewrap alone, killed too early,
        would leave that one behind.
        """
        await through(asyncio.ensure_future(self._start()))

    async def _start(self) -> None:
        self._status, self._release = _Pipe(self._held), _Pipe(self._held)
        filters = [memory_file(_FILTER, self._held)] if _FILTER is not None else []
        argv = [
            self._jailed.bwrap,
            *("--json-status-fd", str(self._status.writer)),
            *("--block-fd", str(self._release.reader)),
            *(word for descriptor in filters for word in ("--seccomp", str(descriptor))),
            *self._jailed.arguments,
        ]
        group = self._jailed.group
        limited = group is not None and group.create()
        if group is not None and limited:
            argv = group.entering(argv, Path(f"/proc/self/fd/{self._status.writer}"))
        self._process = await spawn(
            *argv,
            stdin=self._jailed.stdin,
            stderr=asyncio.subprocess.STDOUT,
            env=self._jailed.environment,
            pass_fds=(
                *(self._status.writer, self._release.reader),
                *(*filters, *self._jailed.descriptors),
            ),
        )
        self._status.close_writer()
        await self._limit(in_group=limited)

    async def _limit(self, *, in_group: bool) -> None:
        """Set the limits of the waiting process 1."""
        line = await self._line()
        if line.startswith(_REFUSED):
            in_group = False
            line = line.removeprefix(_REFUSED) or await self._line()
        if not line.endswith(b"\n"):
            return  # it failed and is about to end
        self._pid = int(json.loads(line)["child-pid"])
        with contextlib.suppress(OSError):  # it ended meanwhile, or the kernel is an old one
            self._handle = os.pidfd_open(self._pid)
            self._held.callback(os.close, self._handle)
        rlimits = dict(self._jailed.rlimits)
        if not in_group:
            rlimits.update(self._jailed.without_group)
        with contextlib.suppress(ProcessLookupError):  # it failed meanwhile
            for kind, value in rlimits.items():
                _lower(self._pid, kind, value)

    async def _line(self) -> bytes:
        """Read a line of bubblewrap's status; less of it if bubblewrap ends.

        Its process 1 has the pipe as well, and outlives a bubblewrap that somebody kills.
        """
        reading = asyncio.ensure_future(self._status.line())
        ended = asyncio.ensure_future(cast("Process", self._process).wait())
        try:
            await asyncio.wait({reading, ended}, return_when=asyncio.FIRST_COMPLETED)
            if not reading.done():
                await asyncio.wait({reading}, timeout=_LAST_WORDS_SECONDS)
        finally:  # a loop that watches the pipe when it is closed is deaf to what gets its number
            for task in (reading, ended):
                task.cancel()
            await through(asyncio.ensure_future(asyncio.wait({reading, ended})))
        return b"" if reading.cancelled() else reading.result()

    async def run(
        self, *, timeout: float | None, on_output: Callable[[bytes], object]
    ) -> int | None:
        """Run to the end and return the exit status, or None when the time was up.

        Raises:
            SandboxError: Bubblewrap could not start the command.
        """
        with self._held:
            try:
                async with asyncio.timeout(timeout):
                    if self._process is None:
                        await self.start()
                    if self.waits:
                        os.write(self._release.writer, b"\n")
                    else:  # nothing of it may begin any more
                        await through(asyncio.ensure_future(self._kill()))
                    await self._finish(on_output)
            except TimeoutError:
                await through(asyncio.ensure_future(self._kill()))
                await self._finish_soon(on_output)
                return None
            except BaseException:  # cancelled, or the listener failed: nothing may stay behind
                await through(asyncio.ensure_future(self._kill()))
                raise
            return self._exit_code()

    async def end(self) -> None:
        """End a jail whose command is not wanted."""
        with self._held:
            await through(asyncio.ensure_future(self._kill()))
            await self._finish_soon(bytes)

    async def _finish_soon(self, on_output: Callable[[bytes], object]) -> None:
        """Pass on what is left of a killed command's output; what the kernel holds is left to it."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_KILL_SECONDS):
                await self._finish(on_output)

    async def _finish(self, on_output: Callable[[bytes], object]) -> None:
        """Pass the output on until everything is gone."""
        if self._process is None or self._process.stdout is None:
            return
        while piece := await self._process.stdout.read(_PIECE):
            if len(self._said) < _LONGEST_STATUS:
                self._said += piece
            on_output(piece)
        await self._process.wait()

    async def _kill(self) -> None:
        """End process 1, and with it the namespace; then bubblewrap ends by itself.

        Process 1 may be there although bubblewrap was killed: until its command begins, nothing
        ties it to that. What the kernel does not let end is not waited for.
        """
        process = self._process
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if self._handle is not None:
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
            elif self._pid is None:  # both are in a group of their own
                os.killpg(process.pid, signal.SIGKILL)
            elif process.returncode is None:
                os.kill(self._pid, signal.SIGKILL)
        if not await _ends(process):
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await _ends(process)

    def _exit_code(self) -> int:
        """Return the command's exit status, which bubblewrap reports only if it started it."""
        rest = b""
        with contextlib.suppress(BlockingIOError):
            rest = os.read(self._status.reader, _LONGEST_STATUS)
        if b'"exit-code"' not in rest:
            reason = self._said.decode(errors="replace").strip() or "it was killed"
            raise SandboxError(f"Bubblewrap could not start the command: {reason}")
        return int(json.loads(rest)["exit-code"])


def _is_running(pid: int) -> bool:
    """Whether a child of ours has not ended; the event loop may learn that later."""
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    except ChildProcessError:  # somebody learnt it already
        return False


async def _ends(process: Process) -> bool:
    """Wait for the end of a killed process, as long as that can take."""
    try:
        async with asyncio.timeout(_KILL_SECONDS):
            await process.wait()
    except TimeoutError:
        return False
    return True


class _Pipe:
    """A pipe whose ends are closed with the stack."""

    def __init__(self, stack: contextlib.ExitStack) -> None:
        self.reader, self.writer = os.pipe()
        self._writer_open = True
        stack.callback(os.close, self.reader)
        stack.callback(self.close_writer)

    def close_writer(self) -> None:
        if self._writer_open:
            self._writer_open = False
            os.close(self.writer)

    async def line(self) -> bytes:
        """Read up to and with a newline; less than a line when the other side is closed."""
        os.set_blocking(self.reader, False)
        loop = asyncio.get_running_loop()
        data = b""
        while not data.endswith(b"\n"):
            ready = loop.create_future()
            loop.add_reader(self.reader, _set_ready, ready)
            try:
                await ready
            finally:
                loop.remove_reader(self.reader)
            piece = os.read(self.reader, _LONGEST_STATUS)
            if not piece:
                break
            data += piece
        return data


def _set_ready(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)


def _lower(pid: int, kind: int, value: int) -> None:
    """Set a hard limit, unless the one in force is lower already."""
    _, hard = resource.prlimit(pid, kind)
    limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.prlimit(pid, kind, (limit, limit))
