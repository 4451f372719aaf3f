"""Run one command in a bubblewrap jail and stay until nothing of it is left."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.base import SandboxError
from sandbox.bubblewrap.cgroups import REFUSED, ControlGroup
from sandbox.bubblewrap.memory_file import memory_file
from sandbox.bubblewrap.seccomp import seccomp_filter

_PIECE = 1 << 16
_LONGEST_STATUS = 4096
_REFUSED = f"{REFUSED}\n".encode()
_KILL_SECONDS = 10.0
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


async def run_jailed(
    jailed: Jailed, *, timeout: float | None, on_output: Callable[[bytes], object]
) -> int | None:
    """Run to the end and return the exit status, or None when the time was up.

    The command is process 1 of its own pid namespace, so the kernel ends everything it started
    before its own end can be seen; that holds for a timeout and for cancellation too.

    Raises:
        SandboxError: Bubblewrap could not start the command.
    """
    with contextlib.ExitStack() as stack:
        status, release = _Pipe(stack), _Pipe(stack)
        filters = [memory_file(_FILTER, stack)] if _FILTER is not None else []
        argv = [
            jailed.bwrap,
            *("--json-status-fd", str(status.writer), "--block-fd", str(release.reader)),
            *(word for descriptor in filters for word in ("--seccomp", str(descriptor))),
            *jailed.arguments,
        ]
        group = jailed.group if jailed.group is not None and jailed.group.create() else None
        if group is not None:
            argv = group.entering(argv, Path(f"/proc/self/fd/{status.writer}"))
        process = await asyncio.create_subprocess_exec(
            *argv,
            stdin=jailed.stdin,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env=jailed.environment,
            pass_fds=(status.writer, release.reader, *filters, *jailed.descriptors),
        )
        jail = _Jail(process, status, on_output, limited=group is not None)
        status.close_writer()
        try:
            async with asyncio.timeout(timeout):
                await jail.release(jailed, release)
                await jail.finish()
        except TimeoutError:
            await jail.kill()
            await jail.finish()
            return None
        except BaseException:  # cancelled, or the listener failed: nothing may stay behind
            await asyncio.shield(jail.kill())
            raise
        return jail.exit_code()


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


class _Jail:
    """A running bubblewrap, seen from outside."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        status: _Pipe,
        on_output: Callable[[bytes], object],
        *,
        limited: bool,
    ) -> None:
        self._process = process
        self._limited = limited
        self._status = status
        self._on_output = on_output
        self._said = bytearray()
        self._pid: int | None = None

    async def release(self, jailed: Jailed, release: _Pipe) -> None:
        """Set the limits on the waiting process 1, then let it go."""
        line = await self._status.line()
        if line.startswith(_REFUSED):
            self._limited = False
            line = line.removeprefix(_REFUSED) or await self._status.line()
        if not line.endswith(b"\n"):
            return  # it failed and is about to end
        self._pid = int(json.loads(line)["child-pid"])
        rlimits = dict(jailed.rlimits)
        if not self._limited:
            rlimits.update(jailed.without_group)
        with contextlib.suppress(ProcessLookupError):  # it failed meanwhile
            for kind, value in rlimits.items():
                _lower(self._pid, kind, value)
        os.write(release.writer, b"\n")

    async def finish(self) -> None:
        """Pass the output on until everything is gone."""
        output = self._process.stdout
        while output is not None and (piece := await output.read(_PIECE)):
            if len(self._said) < _LONGEST_STATUS:
                self._said += piece
            self._on_output(piece)
        await self._process.wait()

    async def kill(self) -> None:
        """End process 1, and with it the namespace; then bubblewrap ends by itself."""
        if self._process.returncode is not None:
            return
        if self._pid is None:
            self._process.kill()
        else:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
        try:
            async with asyncio.timeout(_KILL_SECONDS):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()

    def exit_code(self) -> int:
        """Return the command's exit status, which bubblewrap reports only if it started it."""
        rest = b""
        with contextlib.suppress(BlockingIOError):
            rest = os.read(self._status.reader, _LONGEST_STATUS)
        if b'"exit-code"' not in rest:
            reason = self._said.decode(errors="replace").strip() or "it was killed"
            raise SandboxError(f"Bubblewrap could not start the command: {reason}")
        return int(json.loads(rest)["exit-code"])


def _lower(pid: int, kind: int, value: int) -> None:
    """Set a hard limit, unless the one in force is lower already."""
    _, hard = resource.prlimit(pid, kind)
    limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.prlimit(pid, kind, (limit, limit))
