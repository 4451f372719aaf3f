"""How a runner of tests is told to run some of them alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from bot.detect.scripts import Read

Select = Callable[[tuple[str, ...], Sequence[str], Sequence[str], Read], tuple[str, ...] | None]
"""From a runner's arguments, ids of tests, paths of the tree and its files to new arguments."""

_FILE = re.compile(r"[^\s<>]+\.[cm]?[jt]sx?")


def is_file(test: str) -> bool:
    """Whether an id is a file of JavaScript or TypeScript, as of one that can't be loaded."""
    return _FILE.fullmatch(test) is not None
