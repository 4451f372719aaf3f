"""JUnit reports that a command itself writes into the work tree, as data.

Nothing is asked of the command: what it writes by default (Surefire, Gradle) or because the project
has it configured (jest-junit, gotestsum, `pytest --junitxml`) is collected when it has ended, by
`find` and the shell inside the sandbox. Code under test can write such a file as it can print such text,
so that it is believed no more than text (see `bot.ci.failures.read`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sandbox.base import SCRATCH, WORKSPACE

STARTED = f"{SCRATCH}/fixpoint/started"
"""In the sandbox: its time stamp is when the command began. An older report is not the command's.

The kernel's clock for files ticks every few milliseconds: no tool that writes a report is so quick.
"""

PACKED = f"{SCRATCH}/fixpoint/written"
"""In the sandbox: what `pack` found."""

MOST_FILES = 2_000
LARGEST = 4 * 2**20
"""Bytes of one file. One class, or one of jest's suites, has some KiB."""

LARGEST_PACK = 32 * 2**20
"""Bytes of all; what is behind them is left unread."""

_JUNIT = re.compile(rb"<testsuites?\b")
_HEAD = 4096
"""Bytes within which a report's first element begins."""


@dataclass(frozen=True, slots=True)
class _Names:
    """Reports in which tests have the ids that are read from their runner's console.

    Attributes:
        runner: Who writes them.
        file: What the whole name of the file is.
        head: What the file's beginning has.
    """

    runner: str
    file: re.Pattern[str]
    head: re.Pattern[bytes]


_AS_PRINTED = (
    _Names("Surefire, Failsafe, Gradle, Ant", re.compile(r"TEST-[^\n]+"), _JUNIT),
    _Names("pytest", re.compile(r"[^\n]+"), re.compile(rb'<testsuite name="pytest"')),
)


@dataclass(frozen=True, slots=True)
class WrittenReports:
    """Reports that a command wrote.

    Attributes:
        as_printed: Those whose ids are the ones that the console is read to have.
        others: Those that name tests in another way than the console, or that may.
    """

    as_printed: tuple[bytes, ...] = ()
    others: tuple[bytes, ...] = ()


def pack(mark: str) -> str:
    """Return the script that packs the XML files written since `STARTED`; links lead nowhere.

    It fails where there is no pack.

    Args:
        mark: What stands before each file: a word that no file can have.
    """
    return f"""\
rm -rf {PACKED} && [ -f {STARTED} ] && cd {WORKSPACE} || exit
find . \\( -name .git -o -name node_modules \\) -prune -o -type f -name '*.xml' \
-newer {STARTED} -size -{LARGEST // 1024}k -print0 2>/dev/null | {{
  n=0
  while [ $((n += 1)) -le {MOST_FILES} ] && IFS= read -r -d '' path; do
    printf '{mark}%s\\0' "$path"; head -c {LARGEST} -- "$path"
  done 2>/dev/null
}} | head -c {LARGEST_PACK} >{PACKED}
[ -s {PACKED} ]
"""


def unpack(packed: bytes, mark: str) -> WrittenReports:
    """Return the JUnit reports of a pack; what is none is left out."""
    as_printed: list[bytes] = []
    others: list[bytes] = []
    for part in packed.split(mark.encode())[1:]:
        path, _, data = part.partition(b"\0")
        if _JUNIT.search(data[:_HEAD]):
            (
                as_printed if _is_as_printed(path.decode("utf-8", "replace"), data) else others
            ).append(data)
    return WrittenReports(tuple(as_printed), tuple(others))


def _is_as_printed(path: str, data: bytes) -> bool:
    name = path.rpartition("/")[2]
    return any(each.file.fullmatch(name) and each.head.search(data[:_HEAD]) for each in _AS_PRINTED)
