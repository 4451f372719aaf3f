"""Tell values apart by what they hold, within bounds and without the addresses of objects."""

from __future__ import annotations

import hashlib
import re
import types
from typing import Any

from .arguments import attributes

_ADDRESS = re.compile(r" at 0x[0-9a-f]+")
_NAMED = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType)
_LONG = 20_000
"""Characters of one value that count."""

_VALUES = 1_500
"""Values inside of one that are looked at."""

_DEEP = 5
_SHORT = 12
"""Digits of a digest."""


def digest(value: Any) -> str:
    """Return a short name of what a value holds."""
    return digest_of(Teller().text(value))


def digest_of(text: str) -> str:
    """Return a short name of a text."""
    data = text.encode("utf-8", "replace")
    return hashlib.sha1(data).hexdigest()[:_SHORT]  # noqa: S324 - it names, nothing hangs on it


class Teller:
    """Writes down one value; what is met again is not written twice."""

    def __init__(self) -> None:
        self._left = _VALUES
        self._inside: set[int] = set()

    def text(self, value: Any, deep: int = _DEEP) -> str:
        """Return what a value holds, as a text that is the same in another process."""
        self._left -= 1
        try:
            return self._text(value, deep)
        except Exception:  # noqa: BLE001 - the project's own __repr__ and __iter__
            return type(value).__name__

    def _text(self, value: Any, deep: int) -> str:
        for plain in (bool, int, float, str, bytes):
            if isinstance(value, plain):  # what a subclass adds, no test sees
                return plain.__repr__(value)[:_LONG]
        kind = type(value).__name__
        if isinstance(value, _NAMED):
            return f"{kind} {getattr(value, '__qualname__', '')}"
        if value is None or deep <= 0 or self._left <= 0 or id(value) in self._inside:
            return kind
        self._inside.add(id(value))
        try:
            return f"{kind}{self._parts(value, deep - 1)}"
        finally:
            self._inside.discard(id(value))

    def _parts(self, value: Any, deep: int) -> str:
        if isinstance(value, dict):
            return ",".join(f"{self.text(k, deep)}:{self.text(v, deep)}" for k, v in value.items())
        if isinstance(value, (list, tuple)):
            return f"[{','.join(self.text(item, deep) for item in value)}]"
        if isinstance(value, (set, frozenset)):
            return repr(sorted(self.text(item, deep) for item in value))
        if isinstance(value, BaseException):
            return self.text(value.args, deep)
        own = attributes(value)
        if own:
            return f"({','.join(f'{name}={self.text(item, deep)}' for name, item in own)})"
        return _ADDRESS.sub("", repr(value))[:_LONG]
