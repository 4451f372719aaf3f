"""Which scripts of a package one command runs, by a pattern or one after the other."""

from __future__ import annotations

import re
from collections.abc import Mapping

SEQUENCES = frozenset({"run-s", "run-p", "npm-run-all", "npm-run-all2"})
"""Programs that run scripts by their names: https://github.com/mysticatea/npm-run-all."""

_MOST = 30

_BY_PATTERN = re.compile(r"/(?P<front>\^?)(?P<text>[\w:-]+)(?:\.[*+])?\$?/")
"""A pattern of names, as plain as they nearly always are."""


def several(words: list[str], scripts: Mapping[str, str]) -> list[str]:
    """Return the scripts that a command runs by a pattern, or one after the other; none if it is another.

    https://pnpm.io/cli/run#running-multiple-scripts, https://github.com/mysticatea/npm-run-all
    """
    if not words:
        return []
    if words[0] in SEQUENCES:
        named = [word for word in words[1:] if not word.startswith("-")]
        known = all(name in scripts or name.endswith("*") for name in named)
        fronts = [(name.rstrip("*"), name.endswith("*")) for name in named] if known else []
        found = [
            one
            for front, begins in fronts[:_MOST]
            for one in scripts
            if (one.startswith(front) if begins else one == front)
        ]
        return found[:_MOST]
    pattern = _BY_PATTERN.fullmatch(words[-1])
    if pattern is None or words not in (["pnpm", "run", words[-1]], ["pnpm", words[-1]]):
        return []
    wanted, front = pattern["text"], bool(pattern["front"])
    found = [one for one in scripts if (one.startswith(wanted) if front else wanted in one)]
    return found[:_MOST]
