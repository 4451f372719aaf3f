"""A program with a fault, and how a repair of it turned out."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
ROOT = HERE.parents[1]
COMPARING = 20.0
"""Seconds after which a repaired program that still runs counts as another one."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One change that makes a program wrong.

    Attributes:
        number: From 0, in the order of the file.
        group: The program's name.
        right: Text of the right program.
        wrong: What stands in its place.
    """

    number: int
    group: str
    right: str
    wrong: str
    setup: tuple[str, ...] = ()
    test: str = "python -m pytest -q"

    @property
    def id(self) -> str:
        """Its name in tables."""
        return f"{self.group}-{self.number}"

    @property
    def source(self) -> str:
        """The program's file."""
        return f"{self.group}.py"

    @property
    def tests(self) -> str:
        """The file of its tests."""
        return f"test_{self.group}.py"

    def plant(self, folder: Path) -> None:
        """Write the faulty program and its tests to a folder."""
        text = (PROGRAMS / f"{self.group}.py").read_text("utf-8")
        if text.count(self.right) < 1:
            raise ValueError(f"{self.id}: the program does not have {self.right!r}")
        faulty = text.replace(self.right, self.wrong, 1)
        (folder / f"{self.group}.py").write_text(faulty, "utf-8")
        test = f"test_{self.group}.py"
        (folder / test).write_text((PROGRAMS / test).read_text("utf-8"), "utf-8")

    def behaves(self, folder: Path) -> bool:
        """Whether the program answers like the right one to inputs that no test has."""
        argv = (
            sys.executable,
            "-m",
            "bench.search.behaviour",
            self.group,
            str(PROGRAMS),
            str(folder),
        )
        try:
            done = subprocess.run(
                argv, cwd=ROOT, timeout=COMPARING, capture_output=True, check=False
            )
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0


def load_faults() -> list[Fault]:
    """Return the faults of `faults.toml`."""
    listed = tomllib.loads((HERE / "faults.toml").read_text("utf-8"))["fault"]
    return [Fault(n, one["program"], one["right"], one["wrong"]) for n, one in enumerate(listed)]
