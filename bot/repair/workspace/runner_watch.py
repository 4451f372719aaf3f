"""Have a command's Python processes watched: which functions of the test runner do they change, and what do they read?

The watching itself runs in the sandbox, `inside/runner_watch.py`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files

from sandbox.base import SCRATCH, Sandbox

FOLDER = f"{SCRATCH}/fixpoint/runner"
"""In the sandbox: neither work tree nor environment, so that no patch can contain it."""

RECORD = f"{FOLDER}/record.jsonl"
"""In the sandbox: what was seen, written when the command has ended."""

RECORD_LIMIT = 2**20
"""Bytes; a longer record is read up to here."""

# What comes out of the pipe stays in the memory of a shell until the end.
_WATCHED = """\
rm -f {folder}/pipe {record}; mkfifo {folder}/pipe
( fixpoint_said=$(cat {folder}/pipe); printf '%s\\n' "$fixpoint_said" > {record} ) &
fixpoint_reader=$!
exec 9> {folder}/pipe
(
exec 9>&-
export PYTHONPATH="{folder}${{PYTHONPATH:+:$PYTHONPATH}}"
{command}
)
fixpoint_status=$?
exec 9>&-
wait "$fixpoint_reader"
(exit "$fixpoint_status")"""


@dataclass(frozen=True, slots=True)
class RunnerRecord:
    """What a command did to the test runner.

    Attributes:
        changed: Functions that are others at the end, as `module:name`.
        meanwhile: Functions of the runner that were others at some moment.
        began: Python processes that were watched from their start.
        ended: Those of them that were watched to their end.
        reads: Files of the work tree, each with another one that its code opened to read.
    """

    changed: frozenset[str] = frozenset()
    meanwhile: frozenset[str] = frozenset()
    began: int = 0
    ended: int = 0
    reads: frozenset[tuple[str, str]] = frozenset()


def watcher() -> bytes:
    """Return the program that watches, for `watcher_path`."""
    return (files("bot.repair.workspace.inside") / "runner_watch.py").read_bytes()


def watcher_path() -> str:
    """Return where in the sandbox the watcher must be."""
    return f"{FOLDER}/sitecustomize.py"


def watched(command: str, folder: str = FOLDER, record: str = RECORD) -> str:
    """Return shell text that does the same with the watcher, and ends with the same status."""
    return _WATCHED.format(folder=folder, record=record, command=command)


async def record_in(sandbox: Sandbox) -> RunnerRecord:
    """Return what was seen in a sandbox; nothing where no Python ran, or nobody could look."""
    try:
        return read_record(await sandbox.read_file(RECORD))
    except (FileNotFoundError, IsADirectoryError):
        return RunnerRecord()


def read_record(record: bytes) -> RunnerRecord:
    """Return what a record says; the command may have written there, so other lines mean nothing."""
    names: dict[str, set[str]] = {"changed": set(), "meanwhile": set()}
    processes: dict[str, set[int]] = {"began": set(), "ended": set()}
    reads: set[tuple[str, str]] = set()
    for line in record[:RECORD_LIMIT].splitlines():
        try:
            match json.loads(line):
                case [int(), "changed" | "meanwhile" as said, *found]:
                    names[said] |= {name for name in found if isinstance(name, str)}
                case [int() as process, "began" | "ended" as said]:
                    processes[said].add(process)
                case [int(), "read", str() as reader, str() as path]:
                    reads.add((reader, path))
                case _:
                    pass
        except (ValueError, RecursionError):
            continue
    began, ended = processes["began"], processes["began"] & processes["ended"]
    changed, meanwhile = frozenset(names["changed"]), frozenset(names["meanwhile"])
    return RunnerRecord(changed, meanwhile, len(began), len(ended), frozenset(reads))
