"""Have a command watched: which programs it starts, through however many others, what they read, how they end.

The watching itself runs in the sandbox, `inside/started_programs.py`. Configuration says which tools a command
may start, output which of them complained; this says which it did start, how and where.
"""

from __future__ import annotations

import json
import posixpath
import shlex
from dataclasses import dataclass
from importlib.resources import files

from bot.model import StartedProgram
from sandbox.base import SCRATCH, WORKSPACE, Sandbox

FOLDER = f"{SCRATCH}/fixpoint"
"""In the sandbox: neither work tree nor environment, so that no patch can contain it."""

RECORD_LIMIT = 16 * 2**20
"""Bytes; a longer record is left unread."""

# The system's Python rather than the project's, which may be a program under test. A job's step may
# use functions of the shell that it stands in.
_WATCHED = """\
rm -f {record}
for fixpoint_function in $(compgen -A function); do export -f "$fixpoint_function"; done
for fixpoint_python in /usr/bin/python3 /usr/local/bin/python3 "$(command -v python3)"; do
  [ ! -x "$fixpoint_python" ] || break
done
if [ -x "$fixpoint_python" ]; then
  "$fixpoint_python" -I {watcher} {record} {root} bash -c {command}
else
{plain}
fi"""


def watcher() -> bytes:
    """Return the program that watches, for `watcher_path`."""
    return (files("bot.repair.workspace.inside") / "started_programs.py").read_bytes()


def watcher_path(folder: str = FOLDER) -> str:
    """Return where in the sandbox the watcher must be."""
    return f"{folder}/started_programs.py"


def record_path(folder: str = FOLDER) -> str:
    """Return where in the sandbox the watcher leaves its record."""
    return f"{folder}/starts.jsonl"


def watched(command: str, folder: str = FOLDER, root: str = "") -> str:
    """Return shell text that does the same with a watcher, as far as the sandbox has a Python.

    Args:
        command: As a person would type it.
        folder: Where the watcher is.
        root: Of the work tree, if what programs read there is to be told as well.
    """
    return _WATCHED.format(
        record=shlex.quote(record_path(folder)),
        watcher=shlex.quote(watcher_path(folder)),
        root=shlex.quote(root),
        command=shlex.quote(command),
        plain=command,
    )


@dataclass(frozen=True, slots=True)
class FileRead:
    """The first time that a program opened a file of the work tree to read it.

    Attributes:
        path: In the work tree, where links lead to it.
        by: Index of the program, or None for what runs before the first.
        started: How many programs had been started.
    """

    path: str
    by: int | None
    started: int


@dataclass(frozen=True, slots=True)
class Trace:
    """What a command started and read, in order; empty when nobody could watch.

    Attributes:
        programs: That it started.
        reads: Files of the work tree.
        ends: Programs that ended by themselves, by index, each with its exit status: in the order
            in which they ended. One that a signal ended is not among them.
    """

    programs: tuple[StartedProgram, ...] = ()
    reads: tuple[FileRead, ...] = ()
    ends: tuple[tuple[int, int], ...] = ()


NOTHING_SEEN = Trace()


async def trace_in(sandbox: Sandbox) -> Trace:
    """Return what was seen in a sandbox; nothing where nobody could look."""
    try:
        return read_trace(await sandbox.read_file(record_path()))
    except (FileNotFoundError, IsADirectoryError):
        return NOTHING_SEEN


def read_record(record: bytes, root: str = WORKSPACE) -> tuple[StartedProgram, ...]:
    """Return the programs of a record, see `read_trace`."""
    return read_trace(record, root).programs


def read_trace(record: bytes, root: str = WORKSPACE) -> Trace:
    """Return what a record says; a line that was cut off ends it.

    The command itself may have written there: what is not a record's line ends it too.
    """
    found: list[StartedProgram] = []
    reads: list[FileRead] = []
    ends: list[tuple[int, int]] = []
    if len(record) > RECORD_LIMIT:
        return NOTHING_SEEN
    for line in record.splitlines():
        try:
            entry = json.loads(line)
            if "read" in entry:
                reads.append(_read(entry, len(found)))
            elif "exit" in entry:
                ends.append(_end(entry, len(found)))
            else:
                found.append(_program(entry, root, len(found)))
        except (ValueError, TypeError, KeyError, RecursionError):
            break
    return Trace(tuple(found), tuple(reads), tuple(ends))


def _read(entry: dict[str, object], started: int) -> FileRead:
    path, by = entry["read"], entry["by"]
    if not isinstance(path, str) or not (by is None or (isinstance(by, int) and 0 <= by < started)):
        raise TypeError("a read names a file and a program that was started")
    return FileRead(path, by, started)


def _end(entry: dict[str, object], started: int) -> tuple[int, int]:
    status, program = entry["exit"], entry["by"]
    if not (isinstance(status, int) and isinstance(program, int) and 0 <= program < started):
        raise TypeError("an end names a status and a program that was started")
    return program, status


def _program(entry: dict[str, object], root: str, number: int) -> StartedProgram:
    file, folder, arguments, by = (entry[key] for key in ("file", "folder", "arguments", "by"))
    if not (isinstance(file, str) and isinstance(folder, str) and isinstance(arguments, list)):
        raise TypeError("a record names a file, a folder and arguments")
    if by is not None and not (isinstance(by, int) and 0 <= by < number):
        raise ValueError("a program is started by an earlier one")
    words = tuple(word for word in arguments if isinstance(word, str))
    return StartedProgram(file, words, _within(folder, root), by, entry.get("on_path") is True)


def _within(folder: str, root: str) -> str:
    """Return a folder relative to the work tree, as it is when it lies elsewhere."""
    if folder != root and not folder.startswith(f"{root}/"):
        return folder
    relative = posixpath.relpath(folder, root)
    return "" if relative == "." else relative
