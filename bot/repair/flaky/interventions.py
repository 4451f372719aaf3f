"""What is changed of a process in which tests run, one thing at a time. Pure."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from bot.model.flaky import FlakyClass
from bot.repair.harness.client import STEADY
from bot.reporting.reasons import flaky_changes as reasons

_ZONES = "/usr/share/zoneinfo"
_PROGRAMS = "bot.repair.flaky.changed_process"


@dataclass(frozen=True, slots=True)
class Intervention:
    """One thing that is different for a process, and nothing else.

    Attributes:
        flaky_class: What a test is whose outcome it decides.
        front: Stands before the command, in a shell.
        call: Of a function of `changed_process`, before the tests are collected.
        says: What is different, in words; empty: as the shell has it.
        needs: A shell command that succeeds where it can be tried; empty: everywhere.
        package: What brings that, as Debian calls it.
        alone: Whether it is tried with one test at a time only.
    """

    flaky_class: FlakyClass
    front: str = ""
    call: str = ""
    says: str = ""
    needs: str = ""
    package: str = ""
    alone: bool = False

    @property
    def contrast(self) -> Intervention | None:
        """What it is held against; None: the process as it is."""
        is_hashes = self.front.startswith(STEADY.partition("=")[0])
        return STEADY_HASHES if is_hashes else None

    @property
    def name(self) -> str:
        """What is different."""
        return self.says or self.front

    def program(self, harness: str) -> str:
        """Return what the process does first, as Python; empty: nothing.

        Args:
            harness: `pytest` or `unittest`.
        """
        if not self.call:
            return ""
        call = self.call.format(harness=harness)
        return f"{_text_of(call.partition('(')[0])}\n{call}\n"


@cache
def _text_of(name: str) -> str:
    """Return a module of `changed_process` without what is for its readers only."""
    tree = _Plain().visit(ast.parse((files(_PROGRAMS) / f"{name}.py").read_text("utf-8")))
    return ast.unparse(ast.fix_missing_locations(tree))


class _Plain(ast.NodeTransformer):
    """Takes docstrings and types away: a person has to read the rest in a command."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_text else node

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.ImportFrom | None:
        return None if node.module in {"__future__", "typing"} else node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        return ast.Assign([node.target], node.value) if node.value else node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node


def _clock(moment: str, zone: str = "") -> Intervention:
    front = f"faketime '{moment}'"
    if zone:
        front = f"TZ={zone} {front}"
    return Intervention(FlakyClass.TIME, front, needs="command -v faketime", package="faketime")


def _zone(name: str) -> Intervention:
    needs = f"test -e {_ZONES}/{name}"
    return Intervention(FlakyClass.TIME, f"TZ={name}", needs=needs, package="tzdata")


def _temporary(folder: str) -> Intervention:
    """Return another place of temporary files: `/tmp` is where no file of the project lies."""
    return Intervention(
        FlakyClass.ENVIRONMENT, f"mkdir -p '/tmp/{folder}' && TMPDIR='/tmp/{folder}'"
    )


_LONG_FOLDER = "/".join(["folder-with-a-long-name"] * 6)
"""With a file, longer than the 108 bytes that the address of a socket may have: unix(7)."""

INTERVENTIONS: tuple[Intervention, ...] = (
    Intervention(FlakyClass.SEED, "PYTHONHASHSEED=1"),
    Intervention(FlakyClass.SEED, "PYTHONHASHSEED=271828"),
    Intervention(FlakyClass.SEED, "PYTHONHASHSEED=3141592653"),
    Intervention(
        FlakyClass.ENVIRONMENT, call="folder_order(reverse=False)", says=reasons.SORTED_FOLDERS
    ),
    Intervention(
        FlakyClass.ENVIRONMENT, call="folder_order(reverse=True)", says=reasons.REVERSED_FOLDERS
    ),
    Intervention(
        FlakyClass.CONCURRENCY, call="interleaved_threads(2000)", says=reasons.INTERLEAVED_THREADS
    ),
    Intervention(FlakyClass.CONCURRENCY, call="late_threads(0.5)", says=reasons.LATE_THREADS),
    Intervention(FlakyClass.CONCURRENCY, call="quick_threads(0.5)", says=reasons.QUICK_THREADS),
    _zone("Asia/Kolkata"),
    _zone("America/New_York"),
    _zone("Pacific/Kiritimati"),
    _clock("2037-06-17 12:00:00"),  # ten years ahead
    _clock("2018-06-13 12:00:00"),
    _clock("2028-02-29 12:00:00"),  # a leap day
    _clock("2027-01-31 12:00:00"),  # the end of a month
    _clock("2027-12-31 23:58:00"),  # shortly before another day, month and year
    _clock("2027-03-28 01:30:00", "Europe/Berlin"),  # before an hour that is left out
    _clock("2027-10-31 01:30:00", "Europe/Berlin"),  # before an hour that comes twice
    Intervention(FlakyClass.ENVIRONMENT, "LC_ALL=C PYTHONCOERCECLOCALE=0 PYTHONUTF8=0"),
    Intervention(FlakyClass.ENVIRONMENT, "LC_ALL=C.UTF-8 PYTHONUTF8=1"),
    Intervention(FlakyClass.ENVIRONMENT, "umask 077 &&"),
    Intervention(FlakyClass.ENVIRONMENT, "umask 000 &&"),
    _temporary(_LONG_FOLDER),
    _temporary("folder with spaces"),
    Intervention(FlakyClass.NETWORK, call="no_network()", says=reasons.NO_NETWORK),
    Intervention(FlakyClass.NETWORK, call="slow_network(1.0)", says=reasons.SLOW_NETWORK),
    Intervention(
        FlakyClass.RESOURCE, "taskset -c 0", needs="command -v taskset", package="util-linux"
    ),
    Intervention(FlakyClass.RESOURCE, "ulimit -n 256 &&"),
    Intervention(FlakyClass.RESOURCE, call="slow_process(0.1)", says=reasons.SLOW_PROCESS),
    Intervention(FlakyClass.CONCURRENCY, call="taken_ports()", says=reasons.TAKEN_PORTS),
    Intervention(
        FlakyClass.CONCURRENCY,
        call='beside_itself(3, "{harness}")',
        says=reasons.BESIDE_ITSELF,
        alone=True,
    ),
)
"""Cheapest and likeliest first; the orders of tests go before all of them, as they need one process."""

STEADY_HASHES = Intervention(FlakyClass.SEED, STEADY)
"""As the driver runs tests wherever nothing else is said."""


def at_commit(date: str) -> Intervention:
    """Return the clock of the day on which a commit was made: a test may have expired since.

    Args:
        date: Of the commit, as `2024-03-31`.
    """
    return _clock(f"{date} 12:00:00")


def in_front(intervention: Intervention) -> str:
    """Return what stands before the driver's Python: its hashes are steady unless they are changed."""
    steady = "" if intervention.contrast is not None else STEADY
    if "faketime" in intervention.front or "taskset" in intervention.front:
        return f"{intervention.front} env {steady}".strip()
    return f"{intervention.front} {steady}".strip()
