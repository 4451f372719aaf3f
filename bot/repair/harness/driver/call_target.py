"""A function, method or class whose answers are compared: found, called, and named."""

from __future__ import annotations

import importlib
import inspect
import os
import sys
import types
from typing import Any, Iterator

from .live_code import live_functions
from .readable import readable

REST, NAMED = "*", "**"
"""Fronts of the names under which a call's further arguments are kept."""

_SHOWN = 160
"""Characters of one argument that are shown."""


class CallTarget:
    """What is asked about.

    Attributes:
        file: Relative to the root.
        name: Qualified.
        kind: `function`, `method`, `static`, `class method`, `property` or `class`.
        line: Of its code's beginning; 0 for a class.
    """

    def __init__(self, file: str, name: str, kind: str, line: int) -> None:
        self.file = file
        self.name = name
        self.kind = kind
        self.line = line
        self._found: Any = None

    def found(self, root: str, module: str) -> Any:
        """Return the function or class as it lives in this process, None where it does not."""
        if self._found is None:
            path = os.path.join(root, self.file)
            if module not in sys.modules:
                try:
                    importlib.import_module(module)
                except Exception:  # noqa: BLE001 - the project's own
                    return None
            self._found = self._class(path) if self.kind == "class" else self._function(path)
        return self._found

    def _function(self, path: str) -> Any:
        last = self.name.rpartition(".")[2]
        for (name, line, _), functions in live_functions(path).items():
            if (name, line) == (last, self.line):
                named = [f for f in functions if f.__qualname__ == self.name]
                return (named or functions)[0]
        return None

    def _class(self, path: str) -> Any:
        for module in list(sys.modules.values()):
            file = getattr(module, "__file__", None)
            if isinstance(file, str) and os.path.realpath(file) == path:
                found: Any = module
                for name in self.name.split("."):
                    found = getattr(found, name, None)
                if isinstance(found, type):
                    return found
        return None

    def code(self, root: str) -> Any:
        """Return the code that begins to run where a class is called, None where there is none."""
        found = self._class(os.path.join(root, self.file))
        return getattr(getattr(found, "__init__", None), "__code__", None)

    def shown(self, values: dict[str, Any], function: Any) -> str:
        """Return a call as a person would write it."""
        values, name = dict(values), self.name.rpartition(".")[2]
        front = ""
        first = next(iter(values), "")
        if (self.kind in {"method", "property"} and first) or (
            self.kind == "class method" and first
        ):
            front = f"{_short(values.pop(first))}."
        elif self.kind == "class":
            values.pop(first, None)
        elif self.kind == "static":
            name = self.name
        if self.kind == "property":
            return front + name
        return f"{front}{name}({', '.join(_listed(values, defaults_of(function)))})"


def _listed(values: dict[str, Any], defaults: dict[str, Any]) -> list[str]:
    shown = [
        (name, _short(value))
        for name, value in values.items()
        if name not in defaults or readable(defaults[name]) != readable(value)
    ]
    rest = any(name.startswith(REST) and not name.startswith(NAMED) for name, _ in shown)
    plain = (len(shown) == 1 and shown[0][0] == next(iter(values))) or rest
    texts = []
    for name, text in shown:
        bare = (plain and not name.startswith(NAMED)) or (
            name.startswith(REST) and NAMED not in name
        )
        texts.append(text if bare else f"{name.lstrip('*')}={text}")
    return texts


def _short(value: Any) -> str:
    text = readable(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def parameters(code: Any) -> tuple[list[str], list[str], str, str]:
    """Return the names of a function's arguments: by place, by name alone, `*rest`, `**named`."""
    count, keywords = code.co_argcount, code.co_kwonlyargcount
    names = list(code.co_varnames)
    at = count + keywords
    rest = named = ""
    if code.co_flags & inspect.CO_VARARGS:
        rest, at = names[at], at + 1
    if code.co_flags & inspect.CO_VARKEYWORDS:
        named = names[at]
    return names[:count], names[count : count + keywords], rest, named


def given(frame: Any) -> dict[str, Any]:
    """Return what a call is given, as its frame begins, by name."""
    code, values = frame.f_code, frame.f_locals
    placed, keywords, rest, named = parameters(code)
    found = {name: values[name] for name in placed if name in values}
    found.update({f"{REST}{n}": item for n, item in enumerate(values.get(rest, ()))})
    found.update({name: values[name] for name in keywords if name in values})
    found.update({NAMED + name: item for name, item in values.get(named, {}).items()})
    return found


def defaults_of(function: Any) -> dict[str, Any]:
    """Return the values that a function's arguments have when nobody gives them."""
    made = getattr(function, "__init__", None) if isinstance(function, type) else function
    if not isinstance(made, types.FunctionType):
        return {}
    placed, _, _, _ = parameters(made.__code__)
    values = made.__defaults__ or ()
    return {**dict(zip(placed[len(placed) - len(values) :], values)), **(made.__kwdefaults__ or {})}


class NotTaken(Exception):
    """A call does not fit a function; the text says which argument it does not take."""


def called(function: Any, values: dict[str, Any], new: dict[str, Any]) -> Any:
    """Make a call.

    Args:
        function: Or class.
        values: As `given` names them; for a class the first is the object, which is made anew.
        new: The defaults of the function as the calls were recorded.

    Raises:
        NotTaken: It was recorded with arguments that this function does not have.
    """
    made = getattr(function, "__init__", None) if isinstance(function, type) else function
    if not isinstance(made, types.FunctionType):
        return function()
    placed, _, _, _ = parameters(made.__code__)
    values = _renamed(values, placed)
    arguments, more = _bound(made, values, new)
    if isinstance(function, type):
        arguments = arguments[1:]
    return function(*arguments, **more)


def _bound(
    function: Any, values: dict[str, Any], new: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    placed, keywords, rest, named = parameters(function.__code__)
    left = {
        name: value
        for name, value in values.items()
        if name not in new or readable(new[name]) != readable(value)
    }
    arguments: list[Any] = []
    more: dict[str, Any] = {}
    for at, name in enumerate(placed):
        if name in left and len(arguments) == at:
            arguments.append(left.pop(name))
    for name, value in left.items():
        if name.startswith(NAMED):
            more[name[len(NAMED) :]] = value
        elif name.startswith(REST) and rest:
            arguments.append(value)
        elif name in placed or name in keywords or named:
            more[name] = value
        else:
            raise NotTaken("so many arguments" if name.startswith(REST) else f"`{name}`")
    return arguments, more


def _renamed(values: dict[str, Any], placed: list[str]) -> dict[str, Any]:
    """Return what is given by the names that a function has at the same places."""
    names = [name for name in values if not name.startswith(REST)]
    other = dict(_moved(names, placed, values))
    return {other.get(name, name): value for name, value in values.items()}


def _moved(
    names: list[str], placed: list[str], values: dict[str, Any]
) -> Iterator[tuple[str, str]]:
    for name, there in zip(names, placed):
        if name != there and name not in placed and there not in values:
            yield name, there
