"""See what tests leave behind in their process and in the work tree, and put single parts of it back."""

from __future__ import annotations

import locale
import logging
import os
import random
import signal
import sys
import threading
import time
import warnings
from functools import partial
from typing import Any, Callable, Iterator, NamedTuple, Tuple

from .isolation import TreeState
from .kept_values import Kept, PutBack, ValueKeeper
from .live_modules import OwnModules

Key = Tuple[str, str]
"""Kind and name of a part of the state."""

_PLAIN = (int, float, str, tuple, list, type(None))
_NOISY = frozenset({
    "modules", "path_importer_cache", "last_value", "last_type", "last_traceback", "last_exc",
    "displayhook", "_git", "ps1", "ps2", "meta_path", "path_hooks",
})  # fmt: skip
"""Of `sys`: what changes with every import or failure."""

_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM", "SIGUSR1", "SIGUSR2", "SIGCHLD", "SIGPIPE")
_TOLD = 300
"""Characters of a value that are told."""


class StateChange(NamedTuple):
    """A part of the state that is different now.

    Attributes:
        key: Its kind and name.
        before: Its text; "" if it was not there.
        after: The same now.
        put_back: As in `Kept`.
    """

    key: Key
    before: str
    after: str
    put_back: PutBack

    def told(self) -> dict[str, Any]:
        """Return it as JSON."""
        kind, name = self.key
        return {
            "kind": kind,
            "name": name,
            "before": self.before[:_TOLD],
            "after": self.after[:_TOLD],
        }


class ProcessState:
    """The state of this process, and of the work tree, at a moment."""

    def __init__(self, root: str, tree: TreeState) -> None:
        """Look at all of it.

        Args:
            root: Of the work tree.
            tree: What it was like at first.
        """
        self._tree = tree
        self._modules = OwnModules(root)
        self._kept: dict[Key, Kept] = dict(self._parts())
        self._foreign = self._modules.foreign()

    def changes(self, later: ProcessState) -> list[StateChange]:
        """Return what is different in a later state, what is named most exactly first."""
        changes = []
        for key in {**self._kept, **later._kept}:
            old, new = self._kept.get(key), later._kept.get(key)
            if old is None and new is not None:
                changes.append(StateChange(key, "", new.text, new.take_away))
            elif old is not None and (new is None or new.text != old.text):
                changes.append(StateChange(key, old.text, new.text if new else "", old.put_back))
        return [*changes, *self._replaced(later)]

    def _replaced(self, later: ProcessState) -> Iterator[StateChange]:
        """Yield what was put in the place of attributes of modules that are not the project's."""
        for module, attributes in self._foreign.items():
            now = later._foreign.get(module, {})
            for name, value in attributes.items():
                if name in now and now[name] is not value:
                    said = _named(value), _named(now[name])
                    yield StateChange(
                        ("attribute", f"{module}.{name}"), *said, _setter(module, name, value)
                    )

    def _parts(self) -> Iterator[tuple[Key, Kept]]:
        yield from _environment()
        yield ("working directory", ""), _working_directory()
        yield from _interpreter()
        yield from self._modules.parts(ValueKeeper(self._modules.names))
        yield from _loggers()
        yield from _process()
        if self._tree.look_again():
            yield (
                ("files", ", ".join(self._tree.different())),
                Kept("changed", None, self._tree.restore),
            )


def _named(value: Any) -> str:
    name = getattr(value, "__qualname__", None) or repr(value)[:_TOLD]
    return f"{getattr(value, '__module__', '') or type(value).__module__}.{name}"


def _setter(module: str, name: str, value: Any) -> Callable[[], None]:
    return lambda: setattr(sys.modules[module], name, value)


def _environment() -> Iterator[tuple[Key, Kept]]:
    for name, value in list(os.environ.items()):
        if name not in {"PYTEST_CURRENT_TEST", "PYTEST_VERSION"}:
            yield (
                ("environment variable", name),
                Kept(
                    value,
                    partial(os.environ.__setitem__, name, value),
                    partial(os.environ.pop, name, None),
                ),
            )


def _working_directory() -> Kept:
    try:
        folder = os.getcwd()
    except OSError:
        return Kept(gone_folder(), None)
    return Kept(folder, lambda: os.chdir(folder))


def gone_folder() -> str:
    """Return what tells a working directory that was removed from another one."""
    try:
        return f"a folder that is gone, {os.readlink('/proc/self/cwd').partition(' (')[0]}"
    except OSError:
        return "a folder that is gone"


def _interpreter() -> Iterator[tuple[Key, Kept]]:
    for name, value in list(vars(sys).items()):
        if name in _NOISY or name.startswith("__") or not isinstance(value, _PLAIN):
            continue
        if isinstance(value, list):
            yield ("attribute", f"sys.{name}"), _list_of_sys(value)
        else:
            yield (
                ("attribute", f"sys.{name}"),
                Kept(
                    repr(value),
                    partial(setattr, sys, name, value),
                    partial(delattr, sys, name),
                ),
            )
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        closed = ", closed" if getattr(stream, "closed", False) else ""
        yield (
            ("attribute", f"sys.{name}"),
            Kept(
                f"{type(stream).__name__} at {id(stream):#x}{closed}",
                None if closed else partial(setattr, sys, name, stream),
            ),
        )


def _list_of_sys(value: list[Any]) -> Kept:
    copy = list(value)
    return Kept(repr(copy), lambda: value.__setitem__(slice(None), copy))


def _loggers() -> Iterator[tuple[Key, Kept]]:
    known = [logging.getLogger()]
    known += [
        each
        for each in list(logging.Logger.manager.loggerDict.values())
        if isinstance(each, logging.Logger)
    ]
    for logger in known:
        state = logger.level, logger.disabled, logger.propagate, list(logger.handlers)
        text = (
            f"level {state[0]}, disabled {state[1]}, propagate {state[2]}, {len(state[3])} handlers"
        )

        def put_back(logger: logging.Logger = logger, state: Any = state) -> None:
            logger.setLevel(state[0])  # its cache has to go, too
            logger.disabled, logger.propagate = state[1], state[2]
            logger.handlers[:] = state[3]

        yield ("logger", logger.name), Kept(text, put_back)
    yield ("logger", "logging.disable"), _disabled()


def _disabled() -> Kept:
    level = logging.root.manager.disable
    return Kept(str(level), lambda: logging.disable(level))


def _process() -> Iterator[tuple[Key, Kept]]:
    filters = list(warnings.filters)
    yield ("warnings filters", ""), Kept(repr(filters), lambda: _put_filters(filters))
    place = locale.setlocale(locale.LC_ALL)
    yield ("locale", ""), Kept(place, lambda: locale.setlocale(locale.LC_ALL, place))
    yield ("time zone", ""), Kept(f"{time.tzname} {time.timezone}", time.tzset)
    mask = os.umask(0)
    os.umask(mask)
    yield ("umask", ""), Kept(f"{mask:03o}", lambda: os.umask(mask))
    for name in _SIGNALS:
        number = getattr(signal, name, None)
        if number is not None:
            handler = signal.getsignal(number)
            put = None if handler is None else _handled(number, handler)
            yield ("signal handler", name), Kept(repr(handler), put)
    state = random.getstate()
    yield ("random numbers", ""), Kept(str(hash(state)), lambda: random.setstate(state))
    names = sorted(thread.name for thread in threading.enumerate())
    yield ("threads", ""), Kept(", ".join(names), None)


def _handled(number: int, handler: Any) -> Callable[[], Any]:
    return lambda: signal.signal(number, handler)


def _put_filters(filters: list[Any]) -> None:
    warnings.filters[:] = filters  # type: ignore[index]
    getattr(warnings, "_filters_mutated", lambda: None)()
