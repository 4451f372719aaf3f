"""Find in a job's log where its machine had the work tree. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.ci.joblog.reading import Line

# What actions/checkout prints (src/main.ts, src/git-auth-helper.ts, `git init`), whatever its `path`.
_BEGINS = re.compile(r"^Syncing repository: (?P<repository>\S+)$")
_FOLDERS = (
    re.compile(r"config --global --add safe\.directory (?P<folder>\S.*)$"),
    re.compile(r"^Initialized empty Git repository in (?P<folder>\S.*)[\\/]\.git[\\/]?$"),
    re.compile(r"^Deleting the contents of '(?P<folder>[^']+)'$"),
)


def work_trees(lines: Sequence[Line], repository: str = "") -> tuple[str, ...]:
    """Return the folders of the machine into which the repository was checked out.

    Args:
        lines: Of the log.
        repository: As `owner/name`; without it, the first one that was checked out counts.
    """
    found: dict[str, None] = {}
    wanted, current = repository.lower(), ""
    for line in lines:
        if begins := _BEGINS.match(line.text):
            current = begins["repository"].lower()
            wanted = wanted or current
        elif current == wanted and current:
            matches = (pattern.search(line.text) for pattern in _FOLDERS)
            found.update({match["folder"].strip(): None for match in matches if match})
    return tuple(found)
