"""Which lines a test runs: counted for failing tests, noted once for the others."""

from __future__ import annotations

import dis
import os
import sys
import threading
import types
from functools import partial
from typing import Any, Callable, Dict

from .entries import heard

_LOOKS = 60
"""Lines of each function at which its variables are looked at, in each test."""

_NOTHING: Any = object()

_NAMES = 40
"""Attributes that are noted of a value."""

Lines = Dict[str, Dict[int, int]]


def _has(lines: set[int], code: Any) -> bool:
    """Whether a function has one of these lines, or a function inside of it has."""
    inner = (item for item in code.co_consts if isinstance(item, types.CodeType))
    return any(line in lines for _, line in dis.findlinestarts(code)) or any(
        _has(lines, item) for item in inner
    )


class Files:
    """Which code belongs to the project: inside the root, not installed, not a test."""

    def __init__(self, root: str, skipped: set[str]) -> None:
        self._root = root + os.sep
        self._skipped = skipped
        self._known: dict[str, str | None] = {}

    def name(self, filename: str) -> str | None:
        """Return a file's path relative to the root, or None when it is none of the project's."""
        try:
            return self._known[filename]
        except KeyError:
            found = self._known[filename] = self._name(filename)
            return found

    def _name(self, filename: str) -> str | None:
        path = os.path.realpath(filename)
        if not path.startswith(self._root) or not path.endswith(".py"):
            return None
        name = path[len(self._root) :]
        foreign = "site-packages" in name or name in self._skipped
        return None if foreign or name.startswith((".tox", ".nox", ".venv")) else name


class Counter:
    """Counts lines and looks at variables, by `sys.settrace`: slow, and sees everything.

    Attributes:
        lines: By file and line, how often it ran.
        types: By file, function and variable, the names of its types.
        attributes: By type, the names of its attributes.
    """

    def __init__(self, files: Files) -> None:
        self.lines: Lines = {}
        self.types: dict[str, dict[str, set[str]]] = {}
        self.attributes: dict[str, list[str]] = {}
        self._files = files
        self._looks: dict[Any, int] = {}
        self._own: dict[str, int] = {}

    def start(self) -> None:
        """Begin to count."""
        threading.settrace(self._called)
        sys.settrace(self._called)

    def stop(self) -> None:
        """Count no more."""
        sys.settrace(None)
        threading.settrace(None)

    def _called(self, frame: Any, event: str, argument: Any) -> Any:
        del event, argument
        name = self._files.name(frame.f_code.co_filename)
        if name is None:
            return None
        return self._follower(name)

    def _follower(self, name: str) -> Callable[..., Any]:
        counts = self.lines.setdefault(name, {})

        def follow(frame: Any, event: str, argument: Any) -> Any:
            if event == "line":
                line = frame.f_lineno
                counts[line] = counts.get(line, 0) + 1
                self._look(name, frame)
            elif event == "return":
                self._look(name, frame, argument)
            return follow

        return follow

    def _look(self, file: str, frame: Any, returned: Any = _NOTHING) -> None:
        code = frame.f_code
        looks = self._looks.get(code, 0)
        if code.co_name == "<module>" or (looks >= _LOOKS and returned is _NOTHING):
            return
        if looks >= 2 * _LOOKS:
            return
        self._looks[code] = looks + 1
        variables = self.types.setdefault(f"{file}:{code.co_name}", {})
        for name, value in frame.f_locals.items():
            self._note(variables, name, value)
        if returned is not _NOTHING:
            self._note(variables, "return", returned)

    def _note(self, variables: dict[str, set[str]], name: str, value: Any) -> None:
        kind = type(value).__name__
        variables.setdefault(name, set()).add(kind)
        if type(value).__module__ == "builtins":
            return
        own = _own_attributes(value)
        if len(own) > self._own.get(kind, -1):
            self._own[kind] = len(own)  # more than before: the first look was into __init__
            names = [*own, *vars(type(value))]
            self.attributes[kind] = [n for n in names if not n.startswith("__")][:_NAMES]


def _own_attributes(value: Any) -> Any:
    try:
        return object.__getattribute__(value, "__dict__")  # a proxy's own, which may stand alone
    except AttributeError:
        return ()


class Noter:
    """Notes which lines of interest ran, as fast as this Python can."""

    def __init__(self, files: Files, wanted: dict[str, set[int]]) -> None:
        self._files = files
        self._wanted = wanted
        self._seen: set[Any] = set()
        self._monitoring = getattr(sys, "monitoring", None)
        self._listens = False

    def listen(self, root: str) -> None:
        """Slow nothing down but the tests that begin a function with such lines."""
        if self._monitoring is None:
            paths = [(os.path.join(root, name), lines) for name, lines in self._wanted.items()]
            found = [heard(path, partial(_has, lines), self._called) for path, lines in paths]
            self._listens = all(found)

    def start(self) -> None:
        """Begin to note."""
        self._seen = set()
        if self._monitoring is None:
            sys.settrace(None if self._listens else self._called)
            return
        tool, events = self._monitoring.COVERAGE_ID, self._monitoring.events
        if self._monitoring.get_tool(tool) is None:
            self._monitoring.use_tool_id(tool, "fixpoint")
            self._monitoring.register_callback(tool, events.LINE, self._line)
        self._monitoring.restart_events()
        self._monitoring.set_events(tool, events.LINE)

    def stop(self) -> list[list[Any]]:
        """Return the lines that ran: file, line."""
        if self._monitoring is None:
            sys.settrace(None)
        else:
            self._monitoring.set_events(self._monitoring.COVERAGE_ID, 0)
        return [list(pair) for pair in sorted(self._seen)]

    def _line(self, code: Any, line: int) -> Any:
        name = self._files.name(code.co_filename)
        if name is not None and line in self._wanted.get(name, ()):
            self._seen.add((name, line))
        return self._monitoring.DISABLE  # type: ignore[union-attr]

    def _called(self, frame: Any, event: str, argument: Any) -> Any:
        del event, argument
        name = self._files.name(frame.f_code.co_filename)
        wanted = self._wanted.get(name) if name is not None else None
        if not wanted:
            return None
        seen = self._seen

        def follow(frame: Any, event: str, argument: Any) -> Any:
            del argument
            if event == "line" and frame.f_lineno in wanted:
                seen.add((name, frame.f_lineno))
            return follow

        return follow
