"""The hidden line by which Fixpoint finds its own comments and pull requests again."""

from __future__ import annotations

import re

from bot.model.request import FixRequest

_OPENING = "<!-- fixpoint:"
_VALUE = re.compile(r"[A-Za-z0-9_.-]+")
_MARKER = re.compile(
    r"<!-- fixpoint:run=(?P<run>[A-Za-z0-9_.-]+) kind=[A-Za-z0-9_.-]+ -->(?=\s*\Z)"
)


def marker(run_id: str, kind: str) -> str:
    """Return the hidden HTML comment that names a run and what was posted for it.

    Args:
        run_id: Of the run.
        kind: What the text is: `progress`, `report`, `pull-request`, ...

    Raises:
        ValueError: When one of them could end the comment early.
    """
    for value in (run_id, kind):
        if not _VALUE.fullmatch(value):
            raise ValueError(f"{value!r} can't be part of a marker")
    return f"{_OPENING}run={run_id} kind={kind} -->"


def progress_marker(request: FixRequest) -> str:
    """Return the marker of the comment that shows a run.

    Repairs that are made again for a pull request share one, so that it stays one comment.
    """
    if request.redoes is not None:
        return marker(f"pull-{request.number}", "conflict")
    return marker(request.run_id, "progress")


def marker_of(text: str) -> str | None:
    """Return the marker that a comment of ours ends with; None where it has none."""
    found = _MARKER.search(text)
    return None if found is None else found.group()


def answered_in(text: str) -> str | None:
    """Return the id of the run, or of the delivery, that a comment of ours answers."""
    found = _MARKER.search(text)
    return None if found is None else found["run"]


def is_ours(text: str) -> bool:
    """Whether a text is one of ours, whatever others put behind it."""
    return _OPENING in text


def signed(text: str, mark: str) -> str:
    """Return the text with the marker as its last line."""
    return f"{text.strip()}\n\n{mark}\n"


def with_page(text: str, page: str | None) -> str:
    """Return a signed text with a link to the run's page above its marker, if there is a page."""
    mark = marker_of(text)
    if page is None or mark is None:
        return text
    return signed(f"{text.rpartition(mark)[0].strip()}\n\n[Details of this run]({page})", mark)


def without_markers(text: str) -> str:
    """Return text of strangers in which nothing can be taken for a marker of ours."""
    return text.replace(_OPENING, "<!-- fixpoint :")
