"""Runs inside a sandbox: say which functions of the work tree a command's tests run.

It is a `sitecustomize`, so each Python process of a command runs it before any code of the project.
At its end, each process adds a line of JSON for every function of the work tree that was called, and
not only while a module was imported: its file, its name, and the names that it looks up.

Standard library alone, any Python from 3.8 on.
"""

from __future__ import annotations

import atexit
import builtins
import importlib
import json
import os
import sys
import threading
import types
from typing import Any

INSTALLED = ("site-packages", ".venv", ".tox", ".nox", "node_modules")
"""Parts of paths in the work tree that are not the project's."""

IMPORTING = "<frozen importlib"
"""Front of the file names of Python's import system."""

COMMON = {
    name for kind in (builtins, str, bytes, int, float, list, tuple, dict, set) for name in dir(kind)
}  # fmt: skip
"""Names that say nothing of whose they are."""


class Calls:
    """Notes which code is called, by `sys.setprofile`."""

    def __init__(self, root: str, record: str) -> None:
        self._root = root.rstrip("/") + "/"
        self._record = record
        self._seen: dict[int, Any] = {}
        self._called: list[tuple[types.CodeType, list[str]]] = []

    def begin(self) -> None:
        """Note from now on, until the process ends."""
        atexit.register(self._end)
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    def _note(self, frame: types.FrameType, event: str, argument: object) -> None:
        del argument
        code = frame.f_code
        if event != "call" or id(code) in self._seen:
            return
        if not code.co_filename.startswith(self._root) or code.co_name == "<module>":
            self._seen[id(code)] = code  # kept, so that no other code gets its id
        elif not _is_importing(frame):
            self._seen[id(code)] = code
            found = frame.f_globals
            modules = {
                name for name in code.co_names if isinstance(found.get(name), types.ModuleType)
            }
            self._called.append((code, sorted({*code.co_names} - COMMON - modules)))

    def _end(self) -> None:
        sys.setprofile(None)
        with open(self._record, "a", encoding="utf-8") as record:
            for code, names in self._called:
                path = code.co_filename[len(self._root) :]
                if not any(part in path for part in INSTALLED):
                    record.write(json.dumps([path, code.co_name, names]) + "\n")


def _is_importing(frame: types.FrameType | None) -> bool:
    """Whether a frame runs while a module is imported."""
    while frame is not None:
        if frame.f_code.co_filename.startswith(IMPORTING):
            return True
        frame = frame.f_back
    return False


def hand_over(folder: str) -> None:
    """Leave `sys.path` as it would be, and let another `sitecustomize` have its turn."""
    sys.path[:] = [path for path in sys.path if path != folder]
    own = sys.modules.pop(__name__, None)
    try:
        importlib.import_module("sitecustomize")
    except ImportError:
        if own is not None:
            sys.modules[__name__] = own


if __name__ == "sitecustomize":
    FOLDER = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(FOLDER, "root"), encoding="utf-8") as told:
        CALLS = Calls(told.read(), os.path.join(FOLDER, "calls.jsonl"))
    hand_over(FOLDER)
    CALLS.begin()
