"""Find the package that files or a text are about, in a repository of several. Reads, runs nothing.

A package is what has tests of its own: one of Python, or one of JavaScript with a script for them.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from bot.ecosystems.base import Package
from bot.ecosystems.registry import ECOSYSTEMS
from bot.ecosystems.tree import Tree, is_source, tree_of

_CODE: tuple[str, ...] = (".py", ".pyi", ".pyx", ".pxd", ".c", ".cc", ".cpp", ".h", ".rs")
_CODE += (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte")
"""A changelog or a page of documentation says little about where the change is."""


def has_packages(tree: Tree) -> bool:
    """Whether packages below the root have tests of their own."""
    return next(_packages(tree), None) is not None


def package_of(tree: Tree, paths: Iterable[str]) -> str:
    """Return the folder of the package that most of these files belong to.

    Args:
        tree: Of the repository.
        paths: Of files, relative to its root.

    Returns:
        "" where that is the repository itself, or no file is a program.
    """
    folders = Counter(posixpath.dirname(path) for path in paths if path.endswith(_CODE))
    votes: Counter[str] = Counter()
    for folder, files in folders.items():
        votes[_nearest(tree, folder)] += files
    return votes.most_common(1)[0][0] if votes else ""


def mentioned(tree: Tree, text: str) -> str:
    """Return the folder of the one package with tests that a text names, "" for none or several."""
    words = {word.strip("./-").lower() for word in re.split(r"[^\w./-]+", text)}
    words |= {re.sub(r"[-_.]+", "-", word) for word in words}
    found = [
        package.folder
        for package in _packages(tree)
        if {package.name.removeprefix("@").lower(), package.folder.lower()} & words
    ]
    return found[0] if len(found) == 1 else ""


def _packages(tree: Tree) -> Iterator[Package]:
    return (
        package for eco in ECOSYSTEMS if eco.packages is not None for package in eco.packages(tree)
    )


def _nearest(tree: Tree, folder: str) -> str:
    """Return the innermost package with tests of its own around a folder, "" for the repository."""
    while folder:
        inside = tree_of(tree, folder)
        known = (eco.is_package(inside) for eco in ECOSYSTEMS if eco.is_package is not None)
        if is_source(folder) and any(known):
            return folder
        folder = posixpath.dirname(folder)
    return ""
