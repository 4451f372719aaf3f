"""Read in a commit's message or a pull request's text what it reverts. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.reporting.commit_text import RUN_TRAILER
from bot.reporting.marker import is_ours

_MOST = 20
"""Reverted commits or pull requests of one text."""

# Only at the beginning of a line, as they write it: within a line or behind a mark it may be a quotation.
_COMMIT = re.compile(r"^This reverts commit ([0-9a-f]{7,64})\b", re.IGNORECASE | re.MULTILINE)
"""As `git revert` writes it."""

_PULL = re.compile(
    r"^Reverts (?P<repo>[\w.-]{1,100}/[\w.-]{1,100})?#(?P<number>\d{1,9})\b", re.MULTILINE
)
"""As GitHub's *Revert* button writes it into the body of the pull request."""

_QUOTED = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,}).*?(?:^ {0,3}(?P=fence)|\Z)|<!--.*?(?:-->|\Z)|^ {0,3}>.*?(?:\n[ \t]*\n|\Z)",
    re.MULTILINE | re.DOTALL,
)
"""A block of code, what only authors see, and a quotation to the end of its paragraph."""

WORD = "reverts commit"
"""In every message that names a commit; in lower case."""


@dataclass(frozen=True, slots=True)
class Reverted:
    """What is reverted: pull requests by number, commits by their first digits or all of them."""

    numbers: tuple[int, ...] = ()
    commits: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        """Whether anything is."""
        return bool(self.numbers or self.commits)


def reverted_by(text: str, repository: str) -> Reverted:
    """Return what a text says that it reverts in this repository, `owner/name`, and quotes from nobody.

    One of ours reverts nothing, wherever it was merged to: it quotes models and strangers.
    """
    if RUN_TRAILER in text or is_ours(text):
        return Reverted()
    text = _QUOTED.sub("\n", re.sub(r"\r\n?", "\n", text))
    pulls = [
        int(match["number"])
        for match in _PULL.finditer(text)
        if match["repo"] is None or match["repo"].lower() == repository.lower()
    ]
    commits = [found.lower() for found in _COMMIT.findall(text)]
    return Reverted(tuple(dict.fromkeys(pulls))[:_MOST], tuple(dict.fromkeys(commits))[:_MOST])
