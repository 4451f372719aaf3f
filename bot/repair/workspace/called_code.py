"""Have a command watched: which functions of the work tree do its tests run?

Two tests that run no code in common, and look up no name in common, can't fail of one fault of that
code. The watching itself runs in the sandbox, `inside/calls.py`; it sees Python alone.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files

from bot.code.files import is_test_file
from sandbox.base import SCRATCH, WORKSPACE, Sandbox

FOLDER = f"{SCRATCH}/fixpoint/calls"
"""In the sandbox: neither work tree nor environment."""

RECORD_LIMIT = 4 * 2**20
"""Bytes; a longer record is left unread."""


@dataclass(frozen=True, slots=True)
class CalledCode:
    """What a command's tests run of the project, tests aside.

    Attributes:
        functions: Each as its file and name.
        names: Of the globals and attributes that these look up.
    """

    functions: frozenset[tuple[str, str]] = frozenset()
    names: frozenset[str] = frozenset()

    def is_apart_from(self, other: CalledCode) -> bool:
        """Whether both ran code of the project, and neither any that the other ran or used."""
        both = bool(self.functions) and bool(other.functions)
        return both and not self.functions & other.functions and not self.names & other.names


async def prepare(sandbox: Sandbox) -> None:
    """Put what watches into a sandbox."""
    program = (files("bot.repair.workspace.inside") / "calls.py").read_bytes()
    await sandbox.write_file(f"{FOLDER}/sitecustomize.py", program)
    await sandbox.write_file(f"{FOLDER}/root", WORKSPACE.encode())


def watched(command: str) -> str:
    """Return shell text that does the same, watched."""
    return f'export PYTHONPATH="{FOLDER}${{PYTHONPATH:+:$PYTHONPATH}}"\n{command}'


async def called_in(sandbox: Sandbox) -> CalledCode:
    """Return what was seen in a sandbox; nothing where no Python ran."""
    try:
        return read_record(await sandbox.read_file(f"{FOLDER}/calls.jsonl"))
    except (FileNotFoundError, IsADirectoryError):
        return CalledCode()


def read_record(record: bytes) -> CalledCode:
    """Return what a record says; the command may have written there, so other lines mean nothing."""
    functions, names = set[tuple[str, str]](), set[str]()
    for line in record.splitlines() if len(record) <= RECORD_LIMIT else ():
        try:
            match json.loads(line):
                case [str() as path, str() as name, [*used]] if not is_test_file(path):
                    functions.add((path, name))
                    names |= {name, *(each for each in used if isinstance(each, str))}
                case _:
                    pass
        except (ValueError, RecursionError):
            continue
    return CalledCode(frozenset(functions), frozenset(names))
