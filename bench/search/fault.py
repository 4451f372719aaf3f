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
_COMPARING = 60.0


@dataclass(frozen=True, slots=True)
class Fault:
    """One change that makes a program wrong.

    Attributes:
        number: From 0, in the order of the file.
        program: Its name.
        right: Text of the right program.
        wrong: What stands in its place.
    """

    number: int
    program: str
    right: str
    wrong: str

    @property
    def id(self) -> str:
        """Its name in tables."""
        return f"{self.program}-{self.number}"

    def plant(self, folder: Path) -> None:
        """Write the faulty program and its tests to a folder."""
        text = (PROGRAMS / f"{self.program}.py").read_text("utf-8")
        if text.count(self.right) < 1:
            raise ValueError(f"{self.id}: the program does not have {self.right!r}")
        faulty = text.replace(self.right, self.wrong, 1)
        (folder / f"{self.program}.py").write_text(faulty, "utf-8")
        test = f"test_{self.program}.py"
        (folder / test).write_text((PROGRAMS / test).read_text("utf-8"), "utf-8")


def load_faults() -> list[Fault]:
    """Return the faults of `faults.toml`."""
    listed = tomllib.loads((HERE / "faults.toml").read_text("utf-8"))["fault"]
    return [Fault(n, one["program"], one["right"], one["wrong"]) for n, one in enumerate(listed)]


def behaves(program: str, folder: Path) -> bool:
    """Whether the program in a folder answers like the right one to inputs that no test has."""
    argv = (sys.executable, "-m", "bench.search.behaviour", program, str(PROGRAMS), str(folder))
    try:
        done = subprocess.run(argv, cwd=ROOT, timeout=_COMPARING, capture_output=True, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0
