"""Run work in forked children: limited, watched, and gone when they should be."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import select
import signal
import socket
import sys
import time
from typing import Any, Callable, Sequence

from .protocol import PATIENCE

Send = Callable[[Any], None]
Work = Callable[[Send], None]

_USUAL = 3.0
"""The same where nobody else wants its processors."""

_LONGER = 5
"""How many times as long a child may be silent on an overloaded machine: it may be waiting itself."""

MEMORY = 2 * 2**30
"""Bytes of address space that a child may add to what its parent has."""


class CpuBudget:
    """Processor time that this process and its children may still spend: other load does not matter."""

    def __init__(self, seconds: float) -> None:
        """Begin to count; in wall time several times as much may pass."""
        self._seconds = seconds
        self._processor = _spent()
        self._wall = time.monotonic()
        self._patience = patience()

    @property
    def left(self) -> float:
        """Seconds of processor time."""
        waited = (time.monotonic() - self._wall) / self._patience
        return self._seconds - max(_spent() - self._processor, waited)

    @property
    def over(self) -> bool:
        """Whether nothing is left."""
        return self.left <= 0

    @property
    def wall(self) -> float:
        """Seconds of wall time that may pass."""
        return max(0.0, self.left) * self._patience


def patience() -> float:
    """Return how many seconds of wall time may pass now for one of processor time."""
    try:
        busy = os.getloadavg()[0] / (os.cpu_count() or 1)
    except OSError:
        busy = 1.0
    return min(PATIENCE, _USUAL * max(1.0, busy))


def silence(processor: float, least: float) -> float:
    """Return how long a child may say nothing that may take so much processor time.

    Args:
        processor: Seconds of processor time.
        least: Seconds of wall time, on a machine where nobody else wants its processors.
    """
    return max(least, min(processor * patience(), _LONGER * least))


def _spent() -> float:
    now = os.times()
    return now.user + now.system + now.children_user + now.children_system


class Forked:
    """A forked process that sends values to its parent, one JSON line each.

    Attributes:
        values: What it has sent so far.
        done: It has ended, and everything that it sent is in `values`.
        killed: It was ended because its time was up.
    """

    def __init__(self, pid: int, pipe: int, seconds: float) -> None:
        """Take its id, what it sends through, and the time between two values, or until the end."""
        self.values: list[Any] = []
        self.done = False
        self.killed = False
        self._seconds = seconds
        self._rest = b""
        self._reaped = False
        self._pid = pid
        self._pipe = pipe
        self._heard, self._stalled = time.monotonic(), stalled(pid)

    def fileno(self) -> int:
        """Return what `select` waits for."""
        return self._pipe

    @property
    def overdue(self) -> bool:
        """Whether it has been silent for too long, but for the time in which it had no processor."""
        silent = time.monotonic() - self._heard
        return (
            silent > self._seconds and silent - stalled(self._pid) + self._stalled > self._seconds
        )

    def read(self) -> None:
        """Take what it has sent; call this when `select` says that there is something."""
        piece = os.read(self._pipe, 2**20)
        if not piece:
            self._end()
            return
        self._heard, self._stalled = time.monotonic(), stalled(self._pid)
        *lines, self._rest = (self._rest + piece).split(b"\n")
        self.values += [json.loads(line) for line in lines]

    def kill(self) -> None:
        """End it and everything that it started."""
        self.killed = True
        self._end()

    def _end(self) -> None:
        if self.done:
            return
        self.done = True
        os.close(self._pipe)
        if not self.killed:
            self._let_end()
        with contextlib.suppress(OSError):  # it is gone already, or has no group yet
            os.killpg(self._pid, signal.SIGKILL)
        with contextlib.suppress(OSError):
            os.kill(self._pid, signal.SIGKILL)
        if not self._reaped:
            os.waitpid(self._pid, 0)

    def _let_end(self) -> None:
        """Give it a moment to end by itself: how it ended says whether its time was up."""
        for _ in range(100):
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            if pid:
                self._reaped = True
                self.killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF
                return
            time.sleep(0.001)

    def wait(self, deadline: float) -> list[Any]:
        """Return what it sent, once it has ended; at the deadline it is killed."""
        while not self.done:
            watch([self], 0.05)
            if time.monotonic() > deadline and not self.done:
                self.kill()
        return self.values


def stalled(pid: int) -> float:
    """Return the seconds that a process was ready to run while others had the processors.

    Source: https://docs.kernel.org/scheduler/sched-stats.html, `/proc/<pid>/schedstat`.
    """
    try:
        with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0  # no Linux, or it is not told here


def _fork() -> int:
    """Fork; the new process would copy all that its collector of garbage only looks at."""
    gc.freeze()
    return os.fork()


class Child(Forked):
    """A process of its own for some work, with all that it starts."""

    def __init__(self, work: Work, seconds: float) -> None:
        """Fork; `seconds` may pass between two values, or until the end."""
        pipe, theirs = os.pipe()
        pid = _fork()
        if pid == 0:
            os.close(pipe)
            _live(work, theirs)
        os.close(theirs)
        super().__init__(pid, pipe, seconds)


def branch(seconds: float) -> tuple[Forked | None, Send]:
    """Fork where the program stands; return the new process, and in that itself None and how it sends.

    It stays in the group of the process that it comes from, and must end by `os._exit`.
    """
    pipe, theirs = os.pipe()
    pid = _fork()
    if pid:
        os.close(theirs)
        return Forked(pid, pipe, seconds), _sender(-1)
    os.close(pipe)
    return None, _sender(theirs)


def watch(children: Sequence[Forked], seconds: float) -> None:
    """Wait until one of them says something, but not longer; kill those that are overdue."""
    if children:
        ready, _, _ = select.select(children, [], [], seconds)
        for child in ready:
            child.read()
    for child in children:
        if not child.done and child.overdue:
            child.kill()


class Pool:
    """Keeps a number of children busy."""

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._busy: dict[Child, Any] = {}

    @property
    def full(self) -> bool:
        """Whether another child has to wait."""
        return len(self._busy) >= self._workers

    def start(self, key: Any, work: Work, seconds: float) -> None:
        """Start a child that is known by `key`."""
        self._busy[Child(work, seconds)] = key

    def ended(self) -> list[tuple[Any, Child]]:
        """Return those that have ended since the last time, waiting for a moment if none has."""
        watch(list(self._busy), 0.05)
        over = [child for child in self._busy if child.done]
        return [(self._busy.pop(child), child) for child in over]

    def __bool__(self) -> bool:
        """Whether any child is at work."""
        return bool(self._busy)

    def kill(self) -> list[Any]:
        """End all of them, and return what they were known by."""
        keys = list(self._busy.values())
        for child in self._busy:
            child.kill()
        self._busy.clear()
        return keys


class TreeLink:
    """A line to the process with the other tree."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._rest = b""

    def say(self, value: Any) -> None:
        """Send a value; nobody may listen any more."""
        with contextlib.suppress(OSError):
            self._end.sendall(json.dumps(value).encode() + b"\n")

    def heard(self, seconds: float) -> Any:
        """Return the next value, None where none comes in time."""
        until = time.monotonic() + seconds
        while b"\n" not in self._rest:
            ready, _, _ = select.select([self._end], [], [], max(0.0, until - time.monotonic()))
            piece = self._end.recv(2**20) if ready else b""
            if not piece:
                return None
            self._rest += piece
        value, _, self._rest = self._rest.partition(b"\n")
        return json.loads(value)


def limit_processor(seconds: float | None) -> None:
    """Let the kernel end this process after so many seconds of processor time, None: never.

    Unlike wall time it does not depend on what else the machine does, and code under test that
    swallows every exception can't avoid it.
    """
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds or 0)


def _live(work: Work, pipe: int) -> None:
    """Be the child, to its end."""
    code = 1
    try:
        os.setpgid(0, 0)
        _limit_memory()
        nothing = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(nothing, number)

        work(_sender(pipe))
        code = 0
    except BaseException:  # noqa: BLE001 - the child must not go on as a second parent
        code = 1
    finally:
        os._exit(code)


def _sender(pipe: int) -> Send:
    def send(value: Any) -> None:
        data = json.dumps(value).encode() + b"\n"
        while data:
            data = data[os.write(pipe, data) :]

    return send


def _limit_memory() -> None:
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, hard))
    except (OSError, ValueError):
        pass  # no Linux, or a stricter limit is set already
    sys.setrecursionlimit(min(sys.getrecursionlimit(), 10_000))
