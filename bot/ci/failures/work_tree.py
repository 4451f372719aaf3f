"""Take a machine's own folders off the paths that it printed, so that they name files of the work tree."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sandbox.base import WORKSPACE

# `GITHUB_WORKSPACE` is `<work folder>/NAME/NAME` on every runner: `/home/runner/work`,
# `/Users/runner/work`, `D:\a`, `/__w` in a container, `_work` where somebody hosts the runner.
# https://docs.github.com/en/actions/reference/workflows-and-actions/variables
_SLASH = r"[\\/]{1,2}"  # doubled where a program prints a string as its source would have it
_PART = r"[\w.+@-]+"
_RUNNER = (
    rf"(?:[A-Za-z]:{_SLASH}a|/[a-z]/a|/__w|(?:[A-Za-z]:)?(?:{_SLASH}{_PART}){{0,6}}{_SLASH}_work"
    rf"|(?:[A-Za-z]:)?(?:{_SLASH}{_PART}){{1,6}}{_SLASH}work)"
    rf"{_SLASH}(?P<name>{_PART}){_SLASH}(?P=name)"
)
_FIXED = ("/github/workspace", WORKSPACE)
"""The workspace in an action's own container, and in our sandboxes."""

_URL = r"\b(?!file:)[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s]+"
_REST = r"""[^\s:*?"'<>|,;()\[\]]*"""


def _pattern(roots: Sequence[str] = ()) -> re.Pattern[str]:
    known = [_written(root) for root in sorted({*roots, *_FIXED}, key=len, reverse=True)]
    return re.compile(
        rf"(?P<url>{_URL})|(?<![\w.\\/:-])(?:file://)?/?(?P<root>{'|'.join(known)}|{_RUNNER})"
        rf"(?![\w+@-]|\.\w)(?P<slash>{_SLASH})?(?P<rest>{_REST})"
    )


def _written(root: str) -> str:
    """Return a pattern for a folder, whichever way its slashes lean."""
    parts = [re.escape(part) for part in re.split(r"[\\/]+", root.rstrip("\\/"))]
    return _SLASH.join(parts)


_DEFAULT = _pattern()


def relative_paths(text: str, roots: Sequence[str] = ()) -> str:
    """Return a text in which paths below the work tree are relative to it; addresses stay.

    Args:
        text: Plain.
        roots: Where the machine had the work tree, as far as that is known; the places where
            runners and sandboxes have it are known anyway.
    """
    return (_pattern(roots) if roots else _DEFAULT).sub(_shortened, text)


def _shortened(match: re.Match[str]) -> str:
    if match["url"]:
        return match[0]
    rest = match["rest"]
    if not match["slash"]:
        return f".{rest}"
    return re.sub(r"\\+", "/", rest) if "\\" in match["slash"] + match["root"] else rest


def relative_path(path: str) -> str:
    """Return one path as the work tree knows it: `/workspace/a.py` and `./a.py` are `a.py`."""
    if "\\" in path and "/" not in path:  # no name of a repository's file has backslashes
        path = relative_paths(path).replace("\\", "/")
    return relative_paths(path).removeprefix("./")
