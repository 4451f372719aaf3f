"""Runs inside a sandbox: say which functions of the test runner are no longer what they were.

It is a `sitecustomize`, so each Python process of a command runs it before any code of the project.
The runner, the assertions and some modules of the standard library are imported, and their
functions kept, with their code. They are compared at moments that no code of the project chooses
(while something is imported, or opened to be written: PEP 578, whose hooks can't be removed) and at
the end of the process. Files of the work tree that its own code opens to read are told too, with
the file of that code. What differs goes into a pipe that another process reads and keeps, one line
of JSON each: lines can be added there, but none can be taken back.

Standard library alone, any Python from 3.8 on.
"""

from __future__ import annotations

import atexit
import builtins
import contextlib
import importlib
import json
import operator
import os
import random
import sys
import time
import types
import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

WRITING = frozenset("wax+")
"""Modes of a file that is opened to be written."""

PLUGINS = ("junitxml", "main", "outcomes", "python", "raises", "reports", "runner", "skipping",
           "terminal", "unittest")  # fmt: skip
"""Modules of pytest that come in late, as its plugins."""

HOOKS = {"warnings:showwarning", "warnings:_showwarnmsg_impl", "warnings:_showwarnmsg"}
"""Functions that are there to be replaced, as `logging.captureWarnings` does."""

PAUSE = 0.02
"""Seconds between two comparisons."""

INSTALLED = ("site-packages", ".venv", ".tox", ".nox", "node_modules")
"""Parts of paths in the work tree that are not the project's."""

TELLERS = ("linecache.py", "traceback.py", "warnings.py", "coverage")
"""Files whose code reads programs to show their lines to a person."""

SETTINGS = (".ini", ".cfg", ".toml", ".txt", "METADATA", "PKG-INFO")
"""Ends of files that a runner reads before it loads any program of the project."""

SYSTEM = ("/dev/null", "/dev/urandom", "/etc/", "/proc/", "/sys/", "/usr/")
"""Files and folders of the system; a project is in none of them."""

MOST_READS = 300
"""Pairs of a file and its reader that one process tells."""

DEEP = 40
"""Frames in which the reader is looked for."""

MOST_NAMES = 30
"""Of one line: it has to be written at once."""


def runner_modules() -> list[types.ModuleType]:
    """Return the modules that run tests: those of unittest, and of pytest where it is there."""
    importlib.import_module("unittest")
    with contextlib.suppress(Exception):  # there is none, or none that works here
        importlib.import_module("pytest")
        for name in PLUGINS:
            with contextlib.suppress(ImportError):  # a version without it
                importlib.import_module(f"_pytest.{name}")
    return [
        module
        for name, module in sorted(sys.modules.items())
        if name.partition(".")[0] in {"_pytest", "pluggy", "unittest"}
    ]


class KeptFunction(NamedTuple):
    """A function as it was: its name, where it stands under which key, and what it consists of."""

    name: str
    space: Mapping[str, object]
    key: str
    value: object
    parts: tuple[object, ...]

    def is_there(self) -> bool:
        """Whether it still is what it was."""
        now = self.space.get(self.key)
        return now is self.value and all(map(operator.is_, parts(now), self.parts))


def kept(modules: Iterable[types.ModuleType]) -> Iterator[KeptFunction]:
    """Yield the functions of modules, and of the classes that are made there."""
    for module in modules:
        here = vars(module)
        for key, value in sorted(here.items()):
            name = f"{module.__name__}:{key}"
            if callable(value) and name not in HOOKS:
                yield KeptFunction(name, here, key, value, parts(value))
            if isinstance(value, type) and value.__module__ == module.__name__ != "builtins":
                for word, member in sorted(vars(value).items()):
                    if callable(member) or isinstance(member, (classmethod, staticmethod)):
                        yield KeptFunction(
                            f"{name}.{word}", vars(value), word, member, parts(member)
                        )


def parts(value: object) -> tuple[object, ...]:
    """Return what makes a function do what it does."""
    function = getattr(value, "__func__", value)
    if isinstance(function, types.FunctionType):
        return function.__code__, function.__defaults__
    return ()


def folders_of(modules: Iterable[types.ModuleType], levels: int) -> set[str]:
    """Return the folders, so many levels above their files, in which modules lie."""
    found = set()
    for module in modules:
        path = getattr(module, "__file__", None) or ""
        for _ in range(levels):
            path = os.path.dirname(path)
        found.add(path + os.sep)
    return found - {os.sep}


class Watch:
    """Compares what is there with what was, and tells each difference once.

    What installed plugins put in the place of functions before any other program is read is what
    was there.
    """

    def __init__(self, pipe: str) -> None:
        self._pipe = pipe
        self._runner = tuple(kept(runner_modules()))
        self._others = tuple(kept([builtins, warnings, time, random]))
        self._told: set[tuple[str, str]] = set()
        self._reads: set[tuple[str, str]] = set()
        self._root = os.getcwd() + os.sep
        self._frame = sys._getframe  # noqa: SLF001 - the only way to a frame
        self._absolute = os.path.abspath
        packages = [sys.modules[item] for item in ("_pytest", "pluggy") if item in sys.modules]
        self._installed = tuple(
            item
            for item in folders_of([*packages, os], 2)
            if not item.startswith(self._root)  # a patch might reach it
        )
        self._adopted: dict[str, tuple[object, tuple[object, ...]]] = {}
        self._is_alone = True
        self._next = 0.0
        self._is_busy = False
        # whoever replaces these later replaces them for itself
        self._dumps, self._now, self._process = json.dumps, time.monotonic, os.getpid
        self._open, self._write, self._close = os.open, os.write, os.close
        self._set_blocking = os.set_blocking

    def begin(self) -> None:
        """Watch from now on."""
        self._say("began")
        atexit.register(self._end)
        sys.addaudithook(self._during)

    def _during(self, event: str, arguments: tuple[object, ...]) -> None:
        if self._is_busy or event not in {"import", "open"}:
            return
        self._is_busy = True
        try:
            if self._is_alone:
                self._is_alone = not self._is_foreign(*arguments[event == "import" :][:3])
                if self._is_alone:
                    return
                self._adopt()
            if event == "open" and not WRITING.intersection(str(arguments[1] or "")):
                self._read(arguments[0])
            elif self._now() >= self._next:
                self._compare("meanwhile", self._runner)
                self._next = self._now() + PAUSE
        finally:
            self._is_busy = False

    def _is_foreign(self, file: object, _: object = None, flags: object = 0) -> bool:
        """Whether a file may hold a program that came with neither Python nor the runner."""
        if not isinstance(file, str):
            return isinstance(file, bytes)
        if isinstance(flags, int) and flags & (os.O_CREAT | os.O_EXCL):
            return False
        known = file.endswith(SETTINGS) or self._absolute(file).startswith(self._installed + SYSTEM)
        return not known

    def _adopt(self) -> None:
        """Keep what installed plugins have put in the place of functions."""
        for pair in self._runner:
            value = pair.space.get(pair.key)
            code = getattr(getattr(value, "__func__", value), "__code__", None)
            own = isinstance(code, types.CodeType) and code.co_filename.startswith(self._installed)
            if own and not pair.is_there():
                self._adopted[pair.name] = value, parts(value)

    def _is_adopted(self, one: KeptFunction) -> bool:
        value, its_parts = self._adopted.get(one.name, (None, ()))
        now = one.space.get(one.key)
        return now is value is not None and all(map(operator.is_, parts(now), its_parts))

    def _read(self, file: object) -> None:
        """Tell which file of the work tree reads which other one, by the code that opens it."""
        if not isinstance(file, str) or len(self._reads) >= MOST_READS:
            return
        path = self._own(self._absolute(file))
        reader = self._reader() if path else ""
        if reader and reader != path and (reader, path) not in self._reads:
            self._reads.add((reader, path))
            self._say("read", reader, path)

    def _reader(self) -> str:
        """Return the innermost file of the work tree that runs, unless it has lines shown."""
        frame: types.FrameType | None = self._frame()
        for _ in range(3):  # our own; behind them there is none where Python opens its main program
            frame = frame.f_back if frame is not None else None
        for _ in range(DEEP):
            if frame is None:
                break
            name = frame.f_code.co_filename
            if any(teller in name for teller in TELLERS):
                break
            if own := self._own(name):
                return own
            frame = frame.f_back
        return ""

    def _own(self, path: str) -> str:
        if not path.startswith(self._root):
            return ""
        name = path[len(self._root) :]
        return "" if any(item in name for item in INSTALLED) else name

    def _end(self) -> None:
        self._is_busy = True
        self._compare("changed", self._runner + self._others)
        self._say("ended")

    def _compare(self, said: str, functions: Iterable[KeptFunction]) -> None:
        names = [
            function.name
            for function in functions
            if not function.is_there()
            and not self._is_adopted(function)
            and (said, function.name) not in self._told
        ]
        self._told.update((said, name) for name in names)
        for at in range(0, len(names), MOST_NAMES):
            self._say(said, *names[at : at + MOST_NAMES])

    def _say(self, *line: str) -> None:
        try:
            end = self._open(self._pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:  # nobody reads any more
            return
        try:
            self._set_blocking(end, True)  # noqa: FBT003 - a full pipe is waited for
            self._write(end, (self._dumps([self._process(), *line]) + "\n").encode("ascii"))
        except OSError:  # nobody reads any more
            return
        finally:
            self._close(end)


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
    Watch(os.path.join(FOLDER, "pipe")).begin()
    hand_over(FOLDER)
