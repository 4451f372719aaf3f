"""A program with a fault, and how a repair of it turned out."""

from __future__ import annotations

import posixpath
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
HELD_OUT = HERE / "held_out"
FRESH = HERE / "fresh"
DRAWN = HERE / "drawn"
ROOT = HERE.parents[1]
_LAYOUTS = (("", ""), ("", "tests"), ("src", "tests"))
_SOURCES = '[tool.pytest.ini_options]\npythonpath = ["src"]\n'
COMPARING = 20.0
"""Seconds after which a repaired program that still runs counts as another one."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One change that makes a program wrong.

    Attributes:
        programs: Folder of the right programs and their tests.
        layout: Folders of the program and of its tests in the project that is made of them.
        number: From 0, in the order of the file.
        group: The program's name.
        right: Text of the right program.
        wrong: What stands in its place.
    """

    programs: Path
    layout: tuple[str, str]
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
        return posixpath.join(self.layout[0], f"{self.group}.py")

    @property
    def tests(self) -> str:
        """The file of its tests."""
        return posixpath.join(self.layout[1], f"test_{self.group}.py")

    def plant(self, folder: Path) -> None:
        """Write the faulty program and its tests to a folder."""
        text = (self.programs / f"{self.group}.py").read_text("utf-8")
        if text.count(self.right) < 1:
            raise ValueError(f"{self.id}: the program does not have {self.right!r}")
        tests = (self.programs / f"test_{self.group}.py").read_text("utf-8")
        for file, content in (
            (self.source, text.replace(self.right, self.wrong, 1)),
            (self.tests, tests),
            *([("pyproject.toml", _SOURCES)] if self.layout[0] else []),
        ):
            (folder / file).parent.mkdir(exist_ok=True)
            (folder / file).write_text(content, "utf-8")

    def behaves(self, folder: Path) -> bool:
        """Whether the program answers like the right one to inputs that no test has."""
        argv = (
            sys.executable,
            "-m",
            "bench.search.behaviour",
            self.group,
            str(self.programs),
            str((folder / self.source).parent),
        )
        try:
            done = subprocess.run(
                argv, cwd=ROOT, timeout=COMPARING, capture_output=True, check=False
            )
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0


def load_faults(programs: Path = PROGRAMS) -> list[Fault]:
    """Return the faults of a folder; those of the other sets are in projects of various layouts."""
    listed = tomllib.loads((programs / "faults.toml").read_text("utf-8"))["fault"]
    names = sorted({item["program"] for item in listed})
    layouts = _LAYOUTS if programs in {HELD_OUT, FRESH, DRAWN} else _LAYOUTS[:1]
    return [
        Fault(
            programs,
            layouts[names.index(item["program"]) % len(layouts)],
            n,
            item["program"],
            item["right"],
            item["wrong"],
        )
        for n, item in enumerate(listed)
    ]
