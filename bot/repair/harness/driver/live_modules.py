"""The modules of a project that are loaded, part by part: variables, classes' attributes, defaults, caches."""

from __future__ import annotations

import os
import sys
import types
from functools import lru_cache, partial
from typing import Any, Iterator

from .isolation import PASSED_OVER
from .kept_values import Kept, ValueKeeper

_ELSEWHERE = PASSED_OVER | {"site-packages", "dist-packages"}
_RUNNERS = ("fixpoint_inside", "_pytest", "pluggy", "__main__")
_OTHERS = 60_000
"""Attributes of other modules that are looked at."""


@lru_cache(maxsize=None)
def is_own_path(name: str, root: str) -> bool:
    """Whether a file belongs to the project, and not to what is installed in its folder."""
    path, front = os.path.realpath(name), root + os.sep
    if name.startswith("<"):  # such as <frozen os>
        return False
    return path.startswith(front) and not _ELSEWHERE & {*path[len(front) :].split(os.sep)}


class OwnModules:
    """The modules of a project that are loaded now.

    Attributes:
        names: Of them.
    """

    def __init__(self, root: str) -> None:
        self._root = root
        loaded = [(name, each) for name, each in list(sys.modules.items()) if each is not None]
        self._own = {name: module for name, module in loaded if self._is_own(module)}
        self._others = {name: module for name, module in loaded if name not in self._own}
        self.names = frozenset(self._own)

    def _is_own(self, module: Any) -> bool:
        file = getattr(module, "__file__", None)
        return isinstance(file, str) and is_own_path(file, self._root)

    def foreign(self) -> dict[str, dict[str, Any]]:
        """Return functions and classes of other modules: tests replace them, and may leave them so."""
        found: dict[str, dict[str, Any]] = {}
        left = _OTHERS
        for name, module in self._others.items():
            if name.startswith(_RUNNERS) or not isinstance(module, types.ModuleType):
                continue
            attributes = {
                key: value
                for key, value in list(vars(module).items())
                if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType))
            }
            left -= len(attributes)
            if left < 0:
                break
            found[name] = attributes
        return found

    def parts(self, keeper: ValueKeeper) -> Iterator[tuple[Any, Any]]:
        """Yield each part of them, with its key."""
        for name, module in self._own.items():
            if not isinstance(module, types.ModuleType):
                continue
            for variable, value in list(vars(module).items()):
                if not variable.startswith(("__", "@")) and not isinstance(value, types.ModuleType):
                    yield from _of_variable(keeper, module, f"{name}.{variable}", variable, value)
        for name, module in self._own.items():
            yield (
                ("module", name),
                Kept(
                    f"{id(module):#x}",
                    partial(sys.modules.__setitem__, name, module),
                    partial(sys.modules.pop, name, None),
                ),
            )


def _of_variable(
    keeper: ValueKeeper, owner: Any, place: str, name: str, value: Any
) -> Iterator[tuple[Any, Any]]:
    """Yield a variable of a module or an attribute of a class, and what is in it."""
    if value is sys.modules or value is os.environ:  # each has its own place
        return
    text, again = keeper.kept(value)
    kind = "class attribute" if isinstance(owner, type) else "module attribute"

    def put_back() -> None:
        setattr(owner, name, again())

    yield (kind, place), Kept(text, put_back, lambda: delattr(owner, name))
    inner = getattr(value, "__func__", value)
    if isinstance(value, type) and value.__module__ == getattr(owner, "__name__", ""):
        for attribute, part in list(vars(value).items()):
            if not attribute.startswith("__") or attribute == "__init__":
                yield from _of_variable(keeper, value, f"{place}.{attribute}", attribute, part)
    elif isinstance(inner, types.FunctionType):
        yield from _of_function(keeper, place, inner)
    elif hasattr(type(value), "cache_info") and hasattr(value, "cache_clear"):
        yield ("cache", place), Kept(str(value.cache_info()), value.cache_clear)


def _of_function(keeper: ValueKeeper, place: str, function: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the default arguments that a function may change."""
    code = function.__code__
    given = code.co_varnames[: code.co_argcount]
    defaults = list(function.__defaults__ or ())
    named = [*zip(given[len(given) - len(defaults) :], defaults)]
    named += list((function.__kwdefaults__ or {}).items())
    for parameter, value in named:
        if isinstance(value, (list, dict, set)):
            text, again = keeper.kept(value)
            yield ("default argument", f"{place}({parameter})"), Kept(text, again)
