"""Runs inside a sandbox: run a command and record every program that it starts.

Usage: `started_programs.py RECORD ROOT COMMAND...`. The command's exit status is ours. RECORD gets one JSON
object for each program: its file, arguments, folder, and the number of the program that started it.
Where ROOT is not empty, it also gets one for each file below that a program opens to read it, the
first time: its path and the number of the program; and one for each program that ends by itself: its
exit status and its number, and likewise for those that became it.

The kernel tells: a seccomp filter with a listener holds each `execve` (and `open`, and `exit_group`)
until it is read here, and then lets it go on unchanged (Documentation/userspace-api/seccomp_filter.rst, "Userspace
Notification"; Linux 5.5). So no program is too short to be seen, and none runs differently. That
takes no rights, only that nothing gains any (`no_new_privs`). Where it is not to be had, the command
just runs. Standard library alone, any Python from 3.8 on.
"""

from __future__ import annotations

import os
import sys

try:
    import array
    import contextlib
    import fcntl
    import json
    import platform
    import select
    import signal
    import socket
    import struct
    from typing import IO
except ImportError:  # a Python with little of its library: then nobody watches
    os.execvp(sys.argv[3], sys.argv[3:])  # noqa: S606 - becomes what it was told to run

CALLS = {"x86_64": (0xC000003E, 59, 322, 317), "aarch64": (0xC00000B7, 221, 281, 277)}
"""AUDIT_ARCH_*, and the numbers of execve, execveat and seccomp."""

OPENS = {"x86_64": (2, 257, 437), "aarch64": (-1, 56, 437)}
"""The numbers of open, openat and openat2; -1 for none."""

ENDS = {"x86_64": 231, "aarch64": 94}
"""The number of exit_group."""

_X32 = 0x40000000
_HERE = 1 << 31
"""A folder's descriptor is less; what stands for the current one is not."""

_ALLOW, _NOTIFY = 0x7FFF0000, 0x7FC00000
_NO_NEW_PRIVILEGES = 38
_SET_FILTER, _NEW_LISTENER = 1, 8
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_NOTICE_BYTES, _CONTINUE = 80, 1

MOST_STARTS = 2000
"""Programs that are recorded; those after them run unseen."""

MOST_READS = 5000
"""Files that are recorded."""

MOST_MEMORIES = 64
"""Of processes that are open at the same time."""

MOST_BYTES = 64 * 1024
"""Of one program's arguments."""


def main() -> None:
    """Run the command beside a listener, and end as it ended."""
    record, root, command = sys.argv[1], sys.argv[2], sys.argv[3:]
    ours, theirs = socket.socketpair()
    wake, waker = os.pipe()
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    child = os.fork()
    if not child:
        ours.close()
        _become(command, theirs, opens=bool(root))
    theirs.close()
    listener = _received(ours)
    with open(record, "w", encoding="ascii") as file:
        status = _Starts(listener, file, root).until_end(child, wake)
    sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))


def _become(command: list[str], parent: socket.socket, *, opens: bool) -> None:
    """Hand the listener to the parent, and become the command."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        listener = _listen(opens=opens)
        parent.sendmsg(
            [b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [listener]))]
        )
        os.close(listener)
    except (OSError, KeyError, ImportError):
        parent.sendall(b"-")
    parent.close()
    try:
        os.execvp(command[0], command)  # noqa: S606 - runs what it was told to
    finally:
        os._exit(127)


def _listen(*, opens: bool) -> int:
    """Filter this process and all that come of it; return what tells of them."""
    import ctypes  # some small Pythons are made without it

    architecture, execve, execveat, seccomp = CALLS[platform.machine()]
    told = [execve, execveat]
    if opens:
        told += [call for call in OPENS[platform.machine()] if call >= 0]
        told.append(ENDS[platform.machine()])

    def step(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
        return struct.pack("=HBBI", code, then, otherwise, value)

    load, equal, at_least, answer = 0x20, 0x15, 0x35, 0x06
    program = b"".join(
        (
            step(load, 4),
            step(equal, architecture, 0, len(told) + 2),
            step(load, 0),
            step(at_least, _X32, len(told), 0),
            *(step(equal, call, len(told) - n) for n, call in enumerate(told)),
            step(answer, _ALLOW),
            step(answer, _NOTIFY),
        )
    )
    code = ctypes.create_string_buffer(program, len(program))
    filtered = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    arguments = (ctypes.c_long(seccomp), ctypes.c_long(_SET_FILTER), ctypes.c_long(_NEW_LISTENER))
    listener = int(libc.syscall(*arguments, filtered))
    if listener < 0:
        raise OSError(ctypes.get_errno(), "no listener")
    return listener


def _received(parent: socket.socket) -> int | None:
    """Return the child's listener, None when it has none."""
    _, ancillary, _, _ = parent.recvmsg(1, socket.CMSG_LEN(struct.calcsize("i")))
    descriptors = array.array("i")
    for level, kind, data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            descriptors.frombytes(data[: descriptors.itemsize])
    return descriptors[0] if descriptors else None


class _Starts:
    """Answers the kernel, and writes what it tells."""

    def __init__(self, listener: int | None, record: IO[str], root: str) -> None:
        self._listener = listener
        self._record = record
        self._root = os.path.realpath(root) if root else ""
        self._read: set[tuple[int | None, str]] = set()
        self._asked: set[tuple[int, str]] = set()
        self._memories: dict[int, int] = {}
        self._lines: dict[int, int] = {}
        self._earlier: dict[int, int] = {}
        self._count = 0
        self._last: tuple[object, ...] = ()

    def until_end(self, child: int, wake: int) -> int:
        """Let programs go on until the child has ended; return its status as `waitpid` has it."""
        watched = select.poll()
        watched.register(wake, select.POLLIN)
        if self._listener is not None:
            watched.register(self._listener, select.POLLIN)
        while True:
            for descriptor, event in watched.poll():
                if descriptor == wake:
                    os.read(wake, 512)
                elif event & select.POLLIN:
                    self._answer(descriptor)
                else:  # nothing that is filtered is left
                    watched.unregister(descriptor)
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return status

    def _answer(self, listener: int) -> None:
        """Note one program, and let it start."""
        notice = bytearray(_NOTICE_BYTES)
        with contextlib.suppress(OSError):  # it was killed, or a signal came first: then again
            fcntl.ioctl(listener, _RECEIVE, notice)
            number, process = struct.unpack_from("=QI", notice)
            with contextlib.suppress(OSError, ValueError):  # it is gone, or shows itself to nobody
                process = self._leader(process)
                (call,) = struct.unpack_from("=i", notice, 16)
                if call in CALLS[platform.machine()][1:3]:
                    self._note(process, notice)
                elif call == ENDS[platform.machine()]:
                    self._note_end(process, notice)
                else:
                    self._note_read(process, notice)
            fcntl.ioctl(listener, _SEND, struct.pack("=QqiI", number, 0, 0, _CONTINUE))

    def _note(self, process: int, notice: bytearray) -> None:
        self._forget(process)
        if self._count >= MOST_STARTS:
            return
        folder = os.readlink(f"/proc/{process}/cwd")
        path, arguments = _asked(process, notice, folder)
        if not (os.path.isfile(path) and os.access(path, os.X_OK)):
            return  # one of the folders of the PATH that do not have it
        if (process, path, arguments) == self._last:
            return  # a signal made it ask twice
        self._last = (process, path, arguments)
        started = {
            "file": path,
            "arguments": arguments,
            "folder": folder,
            "by": self._by(process),
            "on_path": path == _on_path(os.path.basename(path)),
        }
        self._record.write(json.dumps(started) + "\n")
        self._record.flush()
        if process in self._lines:
            self._earlier[self._count] = self._lines[process]
        self._lines[process] = self._count
        self._count += 1

    def _note_end(self, process: int, notice: bytearray) -> None:
        """Note how a program ends; a process that became none is a part of another."""
        (status,) = struct.unpack_from("=Q", notice, 32)
        line = self._lines.pop(process, None)
        while line is not None:
            self._record.write(json.dumps({"exit": status & 0xFF, "by": line}) + "\n")
            line = self._earlier.pop(line, None)
        self._record.flush()

    def _leader(self, thread: int) -> int:
        """Return the process of a thread: the kernel names the thread that asks."""
        if thread in self._lines:
            return thread
        with open(f"/proc/{thread}/status", encoding="ascii", errors="replace") as file:
            return next(int(line.split()[1]) for line in file if line.startswith("Tgid:"))

    def _note_read(self, process: int, notice: bytearray) -> None:
        at, name = self._opened(process, notice)
        if (process, name) in self._asked or len(self._asked) >= MOST_READS:
            return
        if not os.path.isabs(name):
            place = "cwd" if at >= _HERE else f"fd/{at}"
            name = os.path.join(os.readlink(f"/proc/{process}/{place}"), name)
        elif not name.startswith(f"{self._root}/"):
            return
        self._asked.add((process, name))
        path, by = os.path.realpath(name), self._by(process)
        if (by, path) in self._read or not os.path.isfile(path):
            return
        if path.startswith(f"{self._root}/"):
            self._read.add((by, path))
            told = {"read": os.path.relpath(path, self._root), "by": by}
            self._record.write(json.dumps(told) + "\n")
            self._record.flush()

    def _opened(self, process: int, notice: bytearray) -> tuple[int, str]:
        """Return the folder's descriptor and the path of a file that is opened; nothing to write.

        Many are: a process's memory stays open until it becomes another program.
        """
        call, _, _, *given = struct.unpack_from("=iIQ6Q", notice, 16)
        plain, at_folder, _ = OPENS[platform.machine()]
        at = _HERE
        if call != plain:
            at, *given = given
        if call in (plain, at_folder) and given[1] & os.O_ACCMODE == os.O_WRONLY:
            return at, ""
        if process not in self._memories or not os.pread(self._memories[process], 1, given[0]):
            self._forget(process)
            self._memories[process] = os.open(f"/proc/{process}/mem", os.O_RDONLY)
        return at, _text(self._memories[process], given[0])

    def _forget(self, process: int) -> None:
        """Close the memory of a process that is another one now, or of all when there are many."""
        many = len(self._memories) >= MOST_MEMORIES
        for memory in [*self._memories] if many else {process} & {*self._memories}:
            os.close(self._memories.pop(memory))

    def _by(self, process: int) -> int | None:
        """Return the line of the nearest program above a process, itself included."""
        while process > 1:
            if process in self._lines:
                return self._lines[process]
            with open(f"/proc/{process}/stat", encoding="ascii", errors="replace") as file:
                process = int(file.read().rpartition(")")[2].split()[1])
        return None


def _asked(process: int, notice: bytearray, folder: str) -> tuple[str, list[str]]:
    """Return the file and the arguments that a process asks to become."""
    call, _, _, *given = struct.unpack_from("=iIQ6Q", notice, 16)
    inside = folder
    if call == CALLS[platform.machine()][2]:  # execveat: a folder's descriptor goes before them
        at, *given = given
        inside = folder if at >= _HERE else os.readlink(f"/proc/{process}/fd/{at}")
    memory = os.open(f"/proc/{process}/mem", os.O_RDONLY)
    try:
        name = _text(memory, given[0])
        return os.path.normpath(os.path.join(inside, name)), _texts(memory, given[1])
    finally:
        os.close(memory)


def _on_path(name: str) -> str | None:
    """Return what the `PATH` has by this name: what the command's own shell would start."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    places = (os.path.join(folder, name) for folder in folders)
    return next((place for place in places if os.access(place, os.X_OK)), None)


def _text(memory: int, address: int) -> str:
    """Return the text at an address of a process: page by page, for the next may not be there."""
    found = b""
    while b"\0" not in found and len(found) < MOST_BYTES:
        length = 4096 - address % 4096
        found += os.pread(memory, length, address)
        address += length
    return found.partition(b"\0")[0].decode("utf-8", "replace")


def _texts(memory: int, address: int) -> list[str]:
    """Return a list of texts that ends with a null pointer."""
    found: list[str] = []
    size = 0
    while address and size < MOST_BYTES:
        (pointer,) = struct.unpack("=Q", os.pread(memory, 8, address))
        if not pointer:
            break
        found.append(_text(memory, pointer))
        size += len(found[-1]) + 8
        address += 8
    return found


if __name__ == "__main__":
    main()
