"""The GitHub Actions workflows of a work tree, for what they tell of its setup."""

from __future__ import annotations

from collections.abc import Iterator

from bot.detect.tree import Tree

_WORKFLOWS = (".github/workflows/*.yml", ".github/workflows/*.yaml")


def workflow_texts(tree: Tree) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each."""
    for pattern in _WORKFLOWS:
        for path in tree.glob(pattern):
            yield path, tree.read(path) or ""
