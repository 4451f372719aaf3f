"""Say a patch as suggested changes to lines that a pull request shows, where all of it can be."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from bot.github.values import ReviewComment
from bot.model import Patch
from bot.model.hunks import Hunk, file_hunks
from bot.model.untrusted import reveal_hidden

MOST = 20
"""Suggestions in one review: more of them nobody applies one by one."""

_LARGEST = 20_000
"""Characters of one suggestion, of the 65,536 that a comment holds."""

_FENCES = re.compile(r"`{3,}")
_BEYOND = ("new file ", "deleted file ", "old mode ", "rename ", "copy ", "GIT binary", "Binary ")
"""What a line of a section says that no change of lines can."""


class _CanNotSay(Exception):
    """A suggestion can't express a part of the patch."""


@dataclass(slots=True)
class _Change:
    """Neighbouring lines of a file: from the line `start`, `old` gives way to `new`."""

    start: int
    old: list[str]
    new: list[str]


def suggestions(
    patch: Patch, shown: Mapping[str, Sequence[range]]
) -> tuple[ReviewComment, ...] | None:
    """Return the patch as suggestions, each on lines of the commit that it was made for.

    Args:
        patch: The whole of it becomes suggestions, or nothing.
        shown: By path, the lines that the pull request's page shows; a suggestion needs all of its
            lines in one of them.

    Returns:
        None where a suggestion can't say it: files that come or go, other modes, lines that are
        not shown, text that a comment would change.
    """
    text = patch.text
    if text.encode() != patch.data or "\r" in text or reveal_hidden(text) != text:
        return None
    try:
        found = [
            _comment(path, change, shown.get(path, ()))
            for path, hunk in _hunks(text)
            for change in _changes(hunk)
        ]
    except _CanNotSay:
        return None
    return tuple(found) if 0 < len(found) <= MOST and not _overlap(found) else None


def _overlap(comments: Sequence[ReviewComment]) -> bool:
    """Whether two suggestions change the same line: only one of them could be applied."""
    ranked = sorted(comments, key=lambda comment: (comment.path, comment.start))
    return any(
        comment.path == following.path and following.start <= comment.end
        for comment, following in itertools.pairwise(ranked)
    )


def _hunks(text: str) -> Iterator[tuple[str, Hunk]]:
    for hunks in file_hunks(text):
        path = hunks.after.removeprefix("b/")
        if path in {"", hunks.after} or any(line.startswith(_BEYOND) for line in hunks.heading):
            raise _CanNotSay
        for hunk in hunks.hunks:
            if not hunk.is_ended:
                raise _CanNotSay
            yield path, hunk


def _changes(hunk: Hunk) -> Iterator[_Change]:
    """Return the runs of changed lines, an insertion with a neighbour that it replaces."""
    at, change, before = hunk.start, None, None
    for sign, content in hunk.lines:
        if sign == " ":
            if change is not None:
                yield _anchored(change, content)
            at, change, before = at + 1, None, content
            continue
        if change is None:
            change = _begun(at, before)
        if sign == "-":
            change.old.append(content)
            at += 1
        else:
            change.new.append(content)
    if change is not None:
        yield _anchored(change, None)


def _begun(at: int, before: str | None) -> _Change:
    """Begin a change with the line before it, so that even an insertion replaces something."""
    return _Change(at, [], []) if before is None else _Change(at - 1, [before], [before])


def _anchored(change: _Change, after: str | None) -> _Change:
    """Return a change that replaces at least one line, and no line by itself."""
    if change.old and change.new and change.old[0] == change.new[0] and len(change.old) > 1:
        return _Change(change.start + 1, change.old[1:], change.new[1:])
    if change.old:
        return change
    if after is None:
        raise _CanNotSay
    return _Change(change.start, [after], [*change.new, after])


def _comment(path: str, change: _Change, shown: Sequence[range]) -> ReviewComment:
    start, end = change.start, change.start + len(change.old) - 1
    if not any(start in lines and end in lines for lines in shown):
        raise _CanNotSay
    text = "".join(f"{line}\n" for line in change.new)
    if len(text) > _LARGEST:
        raise _CanNotSay
    fence = "`" * (max([2, *(len(found) for found in _FENCES.findall(text))]) + 1)
    return ReviewComment(path, start, end, f"{fence}suggestion\n{text}{fence}")
