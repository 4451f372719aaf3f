"""Write a value down as a person would, within bounds and without the addresses of objects."""

from __future__ import annotations

import copy
import enum
import re
import types
from typing import Any

from .arguments import attributes

LONG = 2_000
"""Characters of one value that are written."""

_ADDRESS = re.compile(r" (at|object at) 0x[0-9a-fA-F]+")
_DEEP = 5
_ITEMS = 60
"""Of a container or an object."""

_VALUES = 2_000
"""Values inside of one that are looked at."""

_PLAIN = (bool, int, float, complex, str, bytes, bytearray, type(None), type(...))
_CODE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType,
         types.CodeType, types.FrameType, types.GeneratorType)  # fmt: skip
_ITERATOR: type[Any] = type(iter([]))
_LISTS = {list: ("[", "]"), tuple: ("(", ")"), set: ("{", "}"), frozenset: ("frozenset({", "})")}


def readable(value: Any) -> str:
    """Return a value as text: the same in another process."""
    return Writer().text(value)[:LONG]


class Writer:
    """Writes one value.

    Attributes:
        is_opaque: Whether the whole value is one that can't be looked into, such as a function.
    """

    def __init__(self) -> None:
        self.is_opaque = False
        self._left = _VALUES
        self._inside: set[int] = set()

    def text(self, value: Any, deep: int = _DEEP) -> str:
        """Return it as text; never raises."""
        self._left -= 1
        try:
            return self._text(value, deep)
        except Exception:  # noqa: BLE001 - the project's own __repr__ and __iter__
            self.is_opaque = self.is_opaque or deep == _DEEP
            return type(value).__name__

    def _text(self, value: Any, deep: int) -> str:
        kind = type(value)
        if kind in _PLAIN:
            return repr(value)[:LONG]
        if isinstance(value, (enum.Enum, type)):
            return _named(value)
        if isinstance(value, _CODE):
            self.is_opaque = self.is_opaque or deep == _DEEP
            return f"<{kind.__name__} {getattr(value, '__qualname__', '')}>".replace(" >", ">")
        if kind is _ITERATOR:
            return f"iter({self.text(list(copy.copy(value)), deep)})"
        if deep <= 0 or self._left <= 0 or id(value) in self._inside:
            return "..."
        self._inside.add(id(value))
        try:
            return self._composed(value, kind, deep)
        finally:
            self._inside.discard(id(value))

    def _composed(self, value: Any, kind: Any, deep: int) -> str:
        if kind in _LISTS:
            return self._listed(value, kind, deep)
        if isinstance(value, dict) and kind.__repr__ is dict.__repr__:
            items = list(value.items())[:_ITEMS]
            text = ", ".join(
                f"{self.text(k, deep - 1)}: {self.text(v, deep - 1)}" for k, v in items
            )
            return f"{{{text}}}" if kind is dict else f"{kind.__name__}({{{text}}})"
        plain: Any
        for plain in (str, bytes, int, float, list, tuple, set):
            if isinstance(value, plain) and kind.__repr__ is plain.__repr__:
                return f"{kind.__name__}({self.text(plain(value), deep - 1)})"
        if isinstance(value, BaseException):
            return f"{kind.__name__}({', '.join(self.text(item, deep - 1) for item in value.args)})"
        if kind.__repr__ is not object.__repr__:
            text = _ADDRESS.sub("", repr(value))[:LONG]
            if not text.startswith("<"):
                return text
        return self._object(value, kind, deep)

    def _listed(self, value: Any, kind: Any, deep: int) -> str:
        texts = [self.text(item, deep - 1) for item in list(value)[:_ITEMS]]
        first, last = _LISTS[kind]
        if kind in (set, frozenset):
            if not value:
                return f"{kind.__name__}()"
            texts.sort()
        more = ", ..." if len(value) > _ITEMS else ""
        comma = "," if kind is tuple and len(texts) == 1 else ""
        return f"{first}{', '.join(texts)}{more}{comma}{last}"

    def _object(self, value: Any, kind: Any, deep: int) -> str:
        own = attributes(value)[:_ITEMS]
        if own:
            text = ", ".join(f"{name}={self.text(item, deep - 1)}" for name, item in own)
            return f"{kind.__name__}({text})"
        text = _ADDRESS.sub("", repr(value))[:LONG]
        bare = kind.__repr__ is object.__repr__
        self.is_opaque = self.is_opaque or (deep == _DEEP and bare and not _is_empty(kind))
        return f"{kind.__name__}()" if bare else text


def _named(value: enum.Enum | type) -> str:
    if isinstance(value, type):
        return value.__qualname__
    return f"{type(value).__name__}.{value.name}"


def _is_empty(kind: Any) -> bool:
    """Whether a class is one of the project's, whose objects just have no attributes."""
    return bool(kind.__flags__ & (1 << 9))  # Py_TPFLAGS_HEAPTYPE


def without_addresses(text: str) -> str:
    """Return a text without the addresses of objects."""
    return _ADDRESS.sub("", text)
