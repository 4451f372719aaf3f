"""Faults in popular projects: clones with one change each, repaired with the projects' own tests."""

from __future__ import annotations

import ast
import os
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path

from bench.search.fault import HERE


@dataclass(frozen=True, slots=True)
class ProjectFault:
    """One change of a project.

    Attributes:
        number: From 0, in the order of the file.
        clone: Of the project, bare or not.
        group: The project's name.
        source: The changed file.
        test: Command that fails with the change.
        right: Text of the project.
        wrong: What stands in its place.
    """

    number: int
    clone: Path
    group: str
    source: str
    test: str
    right: str
    wrong: str
    setup: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Its name in tables."""
        return f"{self.group}-{self.number}"

    @property
    def tests(self) -> str:
        """Where the tests are, as the command names it."""
        return self.test.rpartition(" ")[2]

    def plant(self, folder: Path) -> None:
        """Write the project with the fault to a folder: one commit, which says nothing of it."""
        archive = subprocess.run(
            ("git", "-C", str(self.clone), "archive", "HEAD"), capture_output=True, check=True
        )
        subprocess.run(("tar", "-x"), input=archive.stdout, cwd=folder, check=True)
        text = self._read(folder)
        if text.count(self.right) < 1:
            raise ValueError(f"{self.id}: the project does not have {self.right!r}")
        faulty = text.replace(self.right, self.wrong, 1)
        (folder / self.source).write_text(faulty, encoding="utf-8")

    def behaves(self, folder: Path) -> bool:
        """Whether the file is what it was, formatting aside: the only sure sign in a project."""
        right = subprocess.run(
            ("git", "-C", str(self.clone), "show", f"HEAD:{self.source}"),
            capture_output=True,
            check=True,
        )
        return ast.dump(ast.parse(right.stdout)) == ast.dump(ast.parse(self._read(folder)))

    def _read(self, folder: Path) -> str:
        return (folder / self.source).read_text(encoding="utf-8")


def load_projects(clones: Path) -> list[ProjectFault]:
    """Return the faults of `projects.toml` whose project has a clone, `OWNER+NAME`, in a folder."""
    listed = tomllib.loads((HERE / "projects.toml").read_text("utf-8"))["fault"]
    found = []
    for n, item in enumerate(listed):
        clone = _clone(clones / item["repository"].replace("/", "+"))
        if clone is not None:
            group = item["repository"].partition("/")[2]
            file, test = item["file"], item["test"]
            found.append(ProjectFault(n, clone, group, file, test, item["right"], item["wrong"]))
    return found


def _clone(folder: Path) -> Path | None:
    """Return the repository in a folder, or in the folder below it."""
    places = (
        [folder, *(Path(entry.path) for entry in os.scandir(folder))] if folder.is_dir() else []
    )
    return next(
        (place for place in places if (place / "HEAD").exists() or (place / ".git").exists()), None
    )
