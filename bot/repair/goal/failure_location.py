"""Read from a failure's account what went wrong last, and where. Pure."""

from __future__ import annotations

import re

from bot.ci.failures.runners import pytest_traceback
from bot.model import Failure

_ERROR_LINE = re.compile(r"^E +(?P<text>\S.*)$", re.MULTILINE)
_LAST_LINES = 15
_BETWEEN_FRAMES = re.compile(r"^(?:_ )+_?$", re.MULTILINE)
_TELLING_LINE = re.compile(r"^(?:>|E ).*$|^[ \t]*(?:async )?def \w+|^\S+:\d+:.*$", re.MULTILINE)


def errors(failure: Failure) -> str:
    """Return the lines that say what was raised: pytest marks them; elsewhere the last ones do.

    What a test printed or logged is left out where pytest tells it apart.
    """
    marked = [match["text"] for match in _ERROR_LINE.finditer(failure.detail)]
    lines = marked or failure.detail.strip().split("\n")[-_LAST_LINES:]
    return "\n".join([failure.message, *lines])


def run_by(failure: Failure) -> str:
    """Return the test's own part of its account, and of the functions that it calls what ran last.

    pytest prints each function from its first line on; most of that has no part in the failure.
    """
    first, *others = _BETWEEN_FRAMES.split(failure.detail)
    lines = (match[0] for part in others for match in _TELLING_LINE.finditer(part))
    return "\n".join([first, *lines])


def raised_outside(failure: Failure) -> bool:
    """Whether the error was raised in code that is not the work tree's."""
    return pytest_traceback.ends_outside(failure.detail)


def signature(failure: Failure) -> tuple[str, str, int | None]:
    """Return what two failures of one cause have in common: error, file and line."""
    return failure.message, failure.file or "", failure.line
