"""What runs already: functions that live, and what the next import takes."""

from __future__ import annotations

import gc
import os
import types
from typing import Any


def key(code: Any) -> tuple[Any, ...]:
    """Return what tells the code of one function of a file from that of another."""
    return code.co_name, code.co_firstlineno, code.co_code


def live_functions(path: str) -> dict[Any, list[Any]]:
    """Return the functions that were made from a file, by the `key` of their code."""
    found: dict[Any, list[Any]] = {}
    same: dict[str, bool] = {}
    gc.unfreeze()  # what is frozen is not among the objects; a test runner may have done that
    for thing in gc.get_objects():
        if isinstance(thing, types.FunctionType):
            name = thing.__code__.co_filename
            if name not in same:
                same[name] = os.path.realpath(name) == path
            if same[name]:
                found.setdefault(key(thing.__code__), []).append(thing)
    return found


def load_changed(path: str, text: str) -> None:
    """Let the next import of a file take this text instead."""
    from importlib.machinery import SourceFileLoader

    original = SourceFileLoader.get_code

    def get_code(loader: Any, name: str) -> Any | None:
        if os.path.realpath(loader.path) == path:
            return compile(text, loader.path, "exec", dont_inherit=True)
        return original(loader, name)

    SourceFileLoader.get_code = get_code  # type: ignore[method-assign, assignment]
