"""Read one part of the state, often: before each line that a test runs."""

from __future__ import annotations

import os
import sys
from typing import Any, Callable

from .isolation import TreeState
from .kept_values import ValueKeeper
from .left_behind import gone_folder

_ABSENT = object()

Read = Callable[[], str]


def reader_of(kind: str, name: str, tree: TreeState) -> Read | None:
    """Return what reads a part's text; None where that can't be done often.

    Args:
        kind: Of the part.
        name: Of the part.
        tree: What the work tree was like.
    """
    if kind == "environment variable":
        return lambda: repr(os.environ.get(name))
    if kind == "working directory":
        return _folder
    if kind == "files":
        return lambda: ", ".join(tree.different())
    if kind == "module":
        return lambda: str(id(sys.modules.get(name)))
    if kind in {"module attribute", "class attribute", "attribute", "default argument"}:
        place, _, parameter = name.rstrip(")").partition("(")
        return lambda: _text(_at(place), parameter)
    return None


def _folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        return gone_folder()


def _at(place: str) -> Any:
    """Return what stands at a dotted place: in the longest module that is a part of it."""
    parts = place.split(".")
    for length in range(len(parts) - 1, 0, -1):
        module = sys.modules.get(".".join(parts[:length]))
        if module is not None:
            found: Any = module
            for part in parts[length:]:
                found = vars(found).get(part, _ABSENT) if hasattr(found, "__dict__") else _ABSENT
            return found
    return _ABSENT


def _text(value: Any, parameter: str) -> str:
    function = getattr(value, "__func__", value)
    if parameter:
        value = [getattr(function, "__defaults__", None), getattr(function, "__kwdefaults__", None)]
    return ValueKeeper(_All()).kept(value)[0]


class _All:
    """Every module."""

    def __contains__(self, name: object) -> bool:
        return name != "builtins"
