"""The programs of QuixBugs, from a clone of https://github.com/jkoppel/QuixBugs.

No edit was written for one of them, but limits and the order of tests were chosen with an eye on
some: no held-out proof.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bench.search.fault import COMPARING, ROOT
from bench.search.quixbugs_inputs import FRESH

_COMMON = ("conftest.py", "python_testcases/load_testdata.py", "python_testcases/node.py")


@dataclass(frozen=True, slots=True)
class QuixBug:
    """One program.

    Attributes:
        clone: Of the whole collection.
        group: The program's name.
    """

    clone: Path
    group: str
    setup: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Its name in tables."""
        return self.group

    @property
    def source(self) -> str:
        """The faulty program."""
        return f"python_programs/{self.group}.py"

    @property
    def tests(self) -> str:
        """The collection's own tests of it."""
        return f"python_testcases/test_{self.group}.py"

    @property
    def test(self) -> str:
        """Run them."""
        return f"python -m pytest -q {self.tests}"

    def plant(self, folder: Path) -> None:
        """Copy the faulty program and its tests, without what is right."""
        data = f"json_testcases/{self.group}.json"
        for file in (self.source, self.tests, *_COMMON, data):
            if (self.clone / file).exists():
                (folder / file).parent.mkdir(exist_ok=True)
                shutil.copyfile(self.clone / file, folder / file)

    def behaves(self, folder: Path) -> bool:
        """Compare on fresh inputs with the collection's right program."""
        right = self.clone / f"correct_python_programs/{self.group}.py"
        files = (str(right), str(folder / self.source), str(self.clone / _COMMON[2]))
        argv = (sys.executable, "-m", "bench.search.quixbugs_behaviour", self.group, *files)
        try:
            done = subprocess.run(
                argv, cwd=ROOT, timeout=COMPARING, capture_output=True, check=False
            )
        except subprocess.TimeoutExpired:
            return False
        return done.returncode == 0


def load_quixbugs(clone: Path) -> list[QuixBug]:
    """Return all programs of a clone."""
    return [QuixBug(clone.resolve(), name) for name in sorted(FRESH)]
