"""Real bug fixes of public projects that change one file: does the search find what people found?"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

from bench.case import Case, check_out, fixed_text, load_cases, run_git

_BRANCH = "faulty"
_DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class HistoricalFault:
    """The commit before a repair, with the tests that the repair brought.

    Attributes:
        case: The repair.
        mirrors: Where the clones are.
    """

    case: Case
    mirrors: Path

    @property
    def id(self) -> str:
        """Its name in tables."""
        return self.case.id

    @property
    def group(self) -> str:
        """The project."""
        return self.case.repo.partition("/")[2]

    @property
    def test(self) -> str:
        """The command that fails."""
        return self.case.test_command

    @property
    def setup(self) -> tuple[str, ...]:
        """What installs the project and what its tests need."""
        return self.case.setup

    @property
    def source(self) -> str:
        """The file that the repair changes."""
        return self.case.source_files[0]

    @property
    def tests(self) -> str:
        """The first file of tests that the repair brought."""
        return self.case.test_files[0]

    def plant(self, folder: Path) -> None:
        """Make the empty folder a work tree with the bug and the tests that show it."""
        folder.rmdir()
        check_out(self.case, self.mirrors, folder)
        run_git(folder, "checkout", "--quiet", "-b", _BRANCH)
        who = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
        run_git(folder, *who, "commit", "--quiet", "--all", "--message=the tests of the repair")

    def behaves(self, folder: Path) -> bool:
        """Whether the file is what the project's own repair made of it.

        Formatting, comments and docstrings aside: a repair may explain itself, a search does not.
        """
        mine = (folder / self.source).read_text(encoding="utf-8")
        theirs = fixed_text(self.case, folder, self.source)
        return code_alone(mine) == code_alone(theirs)


def code_alone(text: str) -> str:
    """Return the syntax tree of a module as text, without docstrings."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
    return ast.dump(tree)


def load_historical(file: Path, mirrors: Path) -> list[HistoricalFault]:
    """Return the cases of a file whose repair changes one file, and whose clone is there."""
    return [
        HistoricalFault(case, mirrors)
        for case in load_cases(file)
        if len(case.source_files) == 1 and case.mirror(mirrors).is_dir()
    ]
