"""A small read-only view of a work tree: all that detection looks at."""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

FILE_LIMIT = 2**20
"""Bytes; a bigger configuration file counts as missing."""

_DATA = frozenset(
    {"test", "tests", "testing", "testdata", "fixtures", "example", "examples", "doc", "docs"}
    | {"node_modules", "site-packages", "templates", "vendor", "third_party"}
)
"""Folders that a project may keep other projects in without being made of them."""


class Tree(Protocol):
    """Files of a work tree by path relative to its root, `/` between the parts."""

    def read(self, path: str) -> str | None:
        """Return a text file's content, or None when there is no such file."""
        ...

    def exists(self, path: str) -> bool:
        """Whether there is a file or folder of that path."""
        ...

    def glob(self, pattern: str) -> tuple[str, ...]:
        """Return the files that match (`requirements*.txt`, `tests/test_*.py`), sorted."""
        ...


class DirectoryTree:
    """A tree in a directory. Links that lead out of it count as missing."""

    def __init__(self, root: Path) -> None:
        self._root = root.resolve()
        self._folders: dict[str, Path | None] = {"": self._root}

    def read(self, path: str) -> str | None:
        """Return the content, undecodable bytes replaced."""
        file = self._inside(path)
        try:
            if file is None or not file.is_file() or file.stat().st_size > FILE_LIMIT:
                return None
            return file.read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None  # not readable for us: detection goes on without it

    def exists(self, path: str) -> bool:
        """Whether it is there, links followed inside the tree."""
        file = self._inside(path)
        return file is not None and file.exists()

    def glob(self, pattern: str) -> tuple[str, ...]:
        """Return matching files; `..` and absolute patterns match nothing."""
        if pattern.startswith("/") or ".." in pattern.split("/"):
            return ()
        found = (file.relative_to(self._root).as_posix() for file in self._root.glob(pattern))
        return tuple(sorted(path for path in found if self._is_file(path)))

    def _is_file(self, path: str) -> bool:
        file = self._inside(path)
        return file is not None and file.is_file()

    def _inside(self, path: str) -> Path | None:
        folder, name = posixpath.split(path)
        if name in {"", ".", ".."} or folder.startswith("/"):
            return self._resolved(path)
        if folder not in self._folders:  # of many files, one folder is looked at once
            self._folders[folder] = self._resolved(folder)
        parent = self._folders[folder]
        if parent is None:
            return None
        file = f"{parent}/{name}"
        try:
            is_link = stat.S_ISLNK(os.lstat(file).st_mode)
        except (OSError, ValueError):  # not there, or a NUL in the path
            return None
        return self._resolved(path) if is_link else Path(file)

    def _resolved(self, path: str) -> Path | None:
        try:
            file = (self._root / path).resolve()
        except (OSError, RuntimeError, ValueError):  # a loop of links, a NUL in the path
            return None
        return file if file.is_relative_to(self._root) else None


class FolderTree:
    """A folder of a tree, as a tree of its own."""

    def __init__(self, whole: Tree, folder: str) -> None:
        """Look at a folder.

        Args:
            whole: The repository's tree.
            folder: Relative to it, not "".
        """
        self.whole = whole
        self.folder = folder

    def read(self, path: str) -> str | None:
        """Return a file of the folder."""
        return self.whole.read(f"{self.folder}/{path}")

    def exists(self, path: str) -> bool:
        """Whether the folder has it."""
        return self.whole.exists(f"{self.folder}/{path}")

    def glob(self, pattern: str) -> tuple[str, ...]:
        """Return what matches in the folder, relative to it."""
        front = f"{self.folder}/"
        found = self.whole.glob(f"{front}{pattern}")
        return tuple(path.removeprefix(front) for path in found)


def tree_of(whole: Tree, folder: str) -> Tree:
    """Return a folder of a tree, or the tree itself for ""."""
    return FolderTree(whole, folder) if folder else whole


def repository_of(tree: Tree) -> tuple[Tree, str]:
    """Return the tree of the whole repository, and where in it a tree is: "" for its root."""
    return (tree.whole, tree.folder) if isinstance(tree, FolderTree) else (tree, "")


_WORKFLOWS = (".github/workflows/*.yml", ".github/workflows/*.yaml")


def workflow_texts(tree: Tree) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each."""
    for pattern in _WORKFLOWS:
        for path in tree.glob(pattern):
            yield path, tree.read(path) or ""


def is_source(folder: str) -> bool:
    """Whether a folder may hold a part of the project, and not data, documentation or others' code."""
    parts = folder.split("/")
    return not _DATA & {*parts} and not any(part.startswith(".") for part in parts)
