"""A tree of which only the paths are known, and those files that were asked for before."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import PurePosixPath

from bot.ecosystems.detection import Reasons, explained
from bot.errors import UsageError
from bot.model import Commands


class ListedTree:
    """Files of a commit that isn't on this machine. Reading one that was not fetched notes it.

    Attributes:
        wanted: Files that were asked for and are not there yet.
    """

    def __init__(self, paths: Collection[str], contents: Mapping[str, str]) -> None:
        """Describe a tree.

        Args:
            paths: Of all files, relative to the root.
            contents: By path, of those that were fetched.
        """
        self._paths = tuple(sorted(paths))
        self._files = frozenset(self._paths)
        self._folders = frozenset(
            str(folder) for path in self._paths for folder in PurePosixPath(path).parents
        )
        self._contents = contents
        self.wanted: set[str] = set()

    def read(self, path: str) -> str | None:
        """Return a file's content; None where there is none, or it has to be fetched first."""
        if path in self._files and path not in self._contents:
            self.wanted.add(path)
        return self._contents.get(path)

    def exists(self, path: str) -> bool:
        """Whether there is a file or folder of that path."""
        return path in self._files or str(PurePosixPath(path)) in self._folders

    def glob(self, pattern: str) -> tuple[str, ...]:
        """Return the files that match, sorted."""
        matches = _pattern(pattern)
        return tuple(path for path in self._paths if matches.fullmatch(path))


@dataclass(frozen=True, slots=True)
class ReadFiles:
    """What files tell so far.

    Attributes:
        commands: How the repository is set up and tested; None where no tests were found.
        reasons: Why.
        wanted: Files that have to be read before that is sure.
    """

    commands: Commands | None
    reasons: Reasons | None
    wanted: frozenset[str]


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    """Return a glob as `pathlib` reads it: `*` stays in a folder, `**` is any number of them."""
    text = re.escape(pattern).replace(r"\*\*/", "(?:[^/]+/)*").replace(r"\*", "[^/]*")
    return re.compile(text.replace(r"\?", "[^/]").replace(r"\[", "[").replace(r"\]", "]"))


def look(paths: tuple[str, ...], contents: Mapping[str, str]) -> ReadFiles:
    """Return what some files of a repository tell, and which others it takes."""
    tree = ListedTree(paths, contents)
    try:
        commands, reasons = explained(tree, setup=None, test=None, failing=None)
    except UsageError:
        return ReadFiles(None, None, frozenset(tree.wanted))
    return ReadFiles(commands, reasons, frozenset(tree.wanted))
