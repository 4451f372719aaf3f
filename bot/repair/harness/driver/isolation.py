"""What tests leave behind: in the modules of their process, and in the work tree."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import Any, Dict, Iterable, Iterator, Sequence, Tuple

State = Dict[Tuple[str, ...], str]

_LONG = 20_000
"""Characters of a value's text that are compared."""

_ENTRIES = 50_000
"""Of a work tree that are looked at."""

_KEPT = 20 * 2**20
"""Bytes of files that are kept, to put them back."""

_PLAIN = (int, float, str, bytes, bytearray, list, dict, set, tuple, type(None))

_TOP = 2
"""Parts of the place of a module's variable: classes inside classes are not looked into."""

PASSED_OVER = frozenset({
    ".git", ".hg", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis",
    ".tox", ".nox", ".venv", "venv", "node_modules",
})  # fmt: skip
"""Folders that belong to tools, which cope with several processes."""

OURS = frozenset({
    "fixpoint", "fixpoint-search", "fixpoint-there", "pytest-of-fixpoint", ".cache", ".local",
})  # fmt: skip
"""Outside of the work tree: the driver's own folders, and those of package managers and of pytest.

pytest numbers what it makes, and may hold a folder for a whole session.
"""


def memory(root: str, tests: set[str]) -> State:
    """Return the state of the modules inside `root`: their variables, caches and classes'.

    Args:
        root: Of the project.
        tests: Files relative to it that are left out: test runners write into their classes.
    """
    state: State = {}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        path = os.path.realpath(file) if isinstance(file, str) else ""
        if path.startswith(root + os.sep) and os.path.relpath(path, root) not in tests:
            for variable, value in list(vars(module).items()):
                state.update(_state((name, variable), value, name))
    return state


def _state(
    place: tuple[str, ...], value: Any, module: str
) -> Iterator[tuple[tuple[str, ...], str]]:
    info = getattr(type(value), "cache_info", None)  # what functools.lru_cache returns
    if info is not None:
        yield place, str(info(value))
    elif isinstance(value, type):
        if value.__module__ == module and len(place) == _TOP:
            for name, part in list(vars(value).items()):
                if not name.startswith("__"):
                    yield from _state((*place, name), part, module)
    elif isinstance(value, _PLAIN):
        yield place, _text(value)
    elif type(value).__module__ == module:
        yield place, _text(getattr(value, "__dict__", None))


def _text(value: Any) -> str:
    try:
        return repr(value)[:_LONG]
    except Exception:  # noqa: BLE001 - the project's own __repr__
        return ""


class TreeState:
    """The files of a work tree as they were, to see what tests do to them and to put them back.

    Attributes:
        changed: Whether anything was seen to be different since it was looked at first.
    """

    def __init__(self, root: str, outside: Sequence[str] = ()) -> None:
        """Look at it.

        Args:
            root: Of the work tree.
            outside: Other folders that are looked at, too; `OURS` in them is passed over.
        """
        self.changed = False
        self._root = root
        self._outside = outside
        self._marks = self._now()
        self._contents = _contents(self._marks)

    def _now(self) -> dict[str, int]:
        found = _marks(self._root)
        for folder in self._outside:
            found.update(_marks(folder, OURS))
        return found

    def look(self) -> bool:
        """Return whether something has changed: a file that came and went counts, too."""
        self.changed = self.changed or self._now() != self._marks
        return self.changed

    def look_again(self) -> bool:
        """Return whether something is different now; what came and went meanwhile does not count."""
        return self._now() != self._marks

    def different(self) -> list[str]:
        """Return the paths that were added, changed or removed; those inside the root relative to it."""
        now = self._now()
        paths = {*now.items()} ^ {*self._marks.items()}
        files = {path for path, _ in paths if not os.path.isdir(path) or path not in self._marks}
        within = self._root + os.sep
        return sorted(
            os.path.relpath(path, self._root) if path.startswith(within) else path for path in files
        )

    def restore(self) -> None:
        """Take away what was added, and write again what was kept and is different now."""
        now = self._now()
        if now == self._marks:
            return
        for path in sorted(now.keys() - self._marks.keys(), reverse=True):  # files before folders
            with contextlib.suppress(OSError):
                os.rmdir(path) if os.path.isdir(path) else os.unlink(path)
        for path, data in self._contents.items():
            if now.get(path) != self._marks[path]:
                with contextlib.suppress(OSError):
                    os.makedirs(os.path.dirname(path), exist_ok=True)
                    with open(path, "wb") as file:
                        file.write(data)
        self._marks = self._now()


def _contents(paths: Iterable[str]) -> dict[str, bytes]:
    """Return what is in the files, as far as it is not too much."""
    left = _KEPT
    contents: dict[str, bytes] = {}
    for path in paths:
        with contextlib.suppress(OSError):
            if not os.path.islink(path) and os.path.isfile(path) and os.path.getsize(path) <= left:
                with open(path, "rb") as file:
                    contents[path] = file.read()
                left -= len(contents[path])
    return contents


def _marks(root: str, without: frozenset[str] = frozenset()) -> dict[str, int]:
    """Return when everything in a work tree was changed last, in nanoseconds."""
    passed_over = PASSED_OVER | without
    marks: dict[str, int] = {}
    folders = [root]
    while folders and len(marks) < _ENTRIES:
        folder = folders.pop()
        try:
            marks[folder] = os.stat(folder).st_mtime_ns
            for entry in list(os.scandir(folder)):
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in passed_over:
                        folders.append(entry.path)
                elif not entry.name.endswith(".pyc"):
                    marks[entry.path] = entry.stat(follow_symlinks=False).st_mtime_ns
        except OSError:
            continue  # it is gone again
    return marks
