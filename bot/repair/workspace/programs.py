"""Have a command watched: which programs it starts, through however many others.

The watching itself runs in the sandbox, `inside/starts.py`. Configuration says which tools a command
may start, output which of them complained; this says which it did start, how and where.
"""

from __future__ import annotations

import json
import posixpath
import shlex
from importlib.resources import files

from bot.model import StartedProgram
from sandbox.base import SCRATCH, WORKSPACE

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
  "$fixpoint_python" -I {watcher} {record} bash -c {command}
else
{plain}
fi"""


def watcher() -> bytes:
    """Return the program that watches, for `watcher_path`."""
    return (files("bot.repair.workspace.inside") / "starts.py").read_bytes()


def watcher_path(folder: str = FOLDER) -> str:
    """Return where in the sandbox the watcher must be."""
    return f"{folder}/starts.py"


def record_path(folder: str = FOLDER) -> str:
    """Return where in the sandbox the watcher leaves its record."""
    return f"{folder}/starts.jsonl"


def watched(command: str, folder: str = FOLDER) -> str:
    """Return shell text that does the same with a watcher, as far as the sandbox has a Python."""
    return _WATCHED.format(
        record=shlex.quote(record_path(folder)),
        watcher=shlex.quote(watcher_path(folder)),
        command=shlex.quote(command),
        plain=command,
    )


def read_record(record: bytes, root: str = WORKSPACE) -> tuple[StartedProgram, ...]:
    """Return the programs of a record; a line that was cut off ends it.

    The command itself may have written there: what is not a record's line ends it too.
    """
    found: list[StartedProgram] = []
    if len(record) > RECORD_LIMIT:
        return ()
    for line in record.splitlines():
        try:
            found.append(_program(json.loads(line), root, len(found)))
        except (ValueError, TypeError, KeyError, RecursionError):
            break
    return tuple(found)


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
