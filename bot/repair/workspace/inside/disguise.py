"""Runs inside a sandbox: let no program see that a test runner runs it.

It is a `sitecustomize`, so each Python process of a command runs it before any code of the project.
It waits until code of the work tree is about to run (PEP 578). Then what a runner leaves behind
for everybody to see is taken away: its arguments, its main module, its environment variables, and
its modules, which only the runner itself and installed packages still find in `sys.modules`.

Standard library alone, any Python from 3.8 on.
"""

from __future__ import annotations

import importlib
import os
import sys
import types
from collections.abc import MutableMapping
from typing import Any, Dict, Iterator

RUNNERS = frozenset({"_pytest", "nose", "nose2", "pluggy", "py", "pytest", "unittest", "xdist"})
"""Packages that run tests: their code sees everything."""

LIBRARY = getattr(sys, "stdlib_module_names", None)
"""Top names of the standard library; None where this Python does not know them."""

VARIABLES = ("NOSE", "PYTEST_", "UNITTEST_")
"""With what variables begin that runners set."""

STARTED = "_"
"""The variable in which a shell names the program that it starts."""

PASSED_THROUGH = frozenset({__name__, "collections.abc"})
"""Modules that do what somebody else asked for."""


class TreeCode:
    """The code of a work tree.

    Attributes:
        root: Folder that holds it; installed packages below it are not meant.
    """

    def __init__(self, root: str) -> None:
        self._root = root + os.sep

    def has(self, file: str) -> bool:
        """Whether a file belongs to it."""
        return file.startswith(self._root) and "site-packages" not in file

    def asks(self) -> bool:
        """Whether its code called what is running now, and not a runner or a library."""
        frame: types.FrameType | None = sys._getframe(1)  # noqa: SLF001 - there is no other way
        while frame is not None and frame.f_globals.get("__name__") in PASSED_THROUGH:
            frame = frame.f_back
        if frame is None or not self.has(frame.f_code.co_filename):
            return False
        return not is_runner(str(frame.f_globals.get("__name__")))


def is_runner(module: str) -> bool:
    """Whether a module belongs to a test runner."""
    return module.partition(".")[0] in RUNNERS


def is_library(module: str) -> bool:
    """Whether a module belongs to the standard library, as far as this Python knows."""
    return LIBRARY is None or module.partition(".")[0] in LIBRARY


class Modules(MutableMapping, Dict[str, Any]):  # type: ignore[metaclass, misc, type-arg]
    """`sys.modules` in front of the real one, in which a program finds no test runner.

    What was loaded before any code of the program and is no part of the standard library came with
    the runner: its plugins and what they need.
    """

    def __init__(self, real: dict[str, Any], program: TreeCode) -> None:
        super().__init__()
        self._real = real
        self._program = program
        self._hidden = frozenset(item for item in real if is_runner(item) or not is_library(item))

    def _seen(self) -> dict[str, Any]:
        """Return what the code that asks may see."""
        if not self._program.asks():
            return self._real
        return {
            name: module
            for name, module in self._real.copy().items()
            if name not in self._hidden and not is_runner(name)
        }

    def __getitem__(self, name: str) -> Any:
        if (name in self._hidden or is_runner(str(name))) and self._program.asks():
            raise KeyError(name)
        return self._real[name]

    def __setitem__(self, name: str, module: Any) -> None:
        self._real[name] = module

    def __delitem__(self, name: str) -> None:
        del self._real[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._seen())

    def __len__(self) -> int:
        return len(self._seen())

    def keys(self) -> Any:
        """Return the names that are seen from there."""
        return self._seen().keys()

    def values(self) -> Any:
        """Return the modules that are seen from there."""
        return self._seen().values()

    def items(self) -> Any:
        """Return what is seen from there, in pairs."""
        return self._seen().items()

    def copy(self) -> dict[str, Any]:
        """Return what is seen from there."""
        return self._seen().copy()

    def clear(self) -> None:
        """Remove everything, as `mock.patch.dict` does before it puts back what was there."""
        self._real.clear()


class Disguise:
    """Takes the runner's traces away as soon as a program's code runs below one."""

    def __init__(self, program: TreeCode) -> None:
        self._program = program
        self._is_on = False

    def begin(self) -> None:
        """Wait for the program from now on."""
        sys.addaudithook(self._during)

    def _during(self, event: str, arguments: tuple[object, ...]) -> None:
        if self._is_on or event != "exec":
            return
        file = getattr(arguments[0], "co_filename", "")
        if self._program.has(file) and started_by_runner():
            self._is_on = True
            put_on(self._program)


def started_by_runner() -> bool:
    """Whether the main program of this process is a test runner."""
    main = sys.modules.get("__main__")
    spec = getattr(main, "__spec__", None)
    name = (
        spec.name if spec is not None else os.path.basename(getattr(main, "__file__", None) or "")
    )
    return is_runner(name)


def put_on(program: TreeCode) -> None:
    """Hide the runner of this process."""
    main = vars(sys.modules["__main__"])
    kept: dict[str, Any] = {
        name: main[name] for name in ("__name__", "__builtins__") if name in main
    }
    main.clear()
    main.update(kept, __doc__=None, __spec__=None)
    sys.argv = [""]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv = [sys.executable]
    for name in [item for item in os.environ if item == STARTED or item.startswith(VARIABLES)]:
        del os.environ[name]
    running = sys.modules.get("_pytest.runner")
    if hasattr(running, "_update_current_test_var"):
        setattr(running, "_update_current_test_var", lambda *_: None)  # noqa: B010 - not declared
    setattr(sys, "modules", Modules(sys.modules, program))  # noqa: B010 - declared as a plain dict


def hand_over(folder: str) -> None:
    """Leave everything as it would be, and let another `sitecustomize` have its turn."""
    sys.path[:] = [path for path in sys.path if path != folder]
    own = sys.modules.pop(__name__, None)
    _leave_the_environment(folder)
    try:
        importlib.import_module("sitecustomize")
    except ImportError:
        if own is not None:
            sys.modules[__name__] = own


def _leave_the_environment(folder: str) -> None:
    """Show no variable that leads here; processes that are started from here still get it."""
    shown: dict[Any, Any] = getattr(os.environ, "_data")  # noqa: B009 - not declared
    name = os.fsencode("PYTHONPATH")
    rest = [path for path in shown.pop(name, b"").split(b":") if path != os.fsencode(folder)]
    if any(rest):
        shown[name] = b":".join(rest)


if __name__ == "sitecustomize":
    FOLDER = os.path.dirname(os.path.abspath(__file__))
    Disguise(TreeCode(os.path.dirname(FOLDER))).begin()
    hand_over(FOLDER)
