"""Keep values as they are, to see whether they change inside and to put them back in place."""

from __future__ import annotations

import collections
from typing import Any, Callable, Container, NamedTuple, Optional, Tuple

_MOST = 3000
"""Values inside of one that are looked at."""

_DEEP = 6
"""Values inside of each other."""

_LONG = 400
"""Characters of a text or number that are compared."""

Made = Tuple[str, Callable[[], Any]]
"""A value's text, and what makes it again what it was: the same object, with its old contents."""


PutBack = Optional[Callable[[], Any]]
"""Puts a part of the state back as it was; None where nobody can."""


class Kept(NamedTuple):
    """A part of the state.

    Attributes:
        text: What it is, as a text that is compared.
        put_back: Makes it what it was when this was kept.
        take_away: Removes it, where it was not there before.
    """

    text: str
    put_back: PutBack
    take_away: PutBack = None


class ValueKeeper:
    """Keeps values; of instances only those of the project's own classes."""

    def __init__(self, own: Container[str]) -> None:
        """Take the names of the project's modules."""
        self._own = own
        self._left = 0
        self._above: set[int] = set()

    def kept(self, value: Any) -> Made:
        """Return a value's text, and what puts it back."""
        self._left = _MOST
        self._above = set()
        return self._kept(value, _DEEP)

    def _kept(self, value: Any, deep: int) -> Made:
        self._left -= 1
        if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
            return repr(value)[:_LONG], lambda: value
        if id(value) in self._above or not deep or self._left < 0:
            return f"<{type(value).__name__}>", lambda: value
        self._above.add(id(value))
        try:
            return self._opened(value, deep - 1)
        finally:
            self._above.discard(id(value))

    def _opened(self, value: Any, deep: int) -> Made:
        if isinstance(value, dict):
            return self._dict(value, value, deep)
        if isinstance(value, (list, collections.deque)):
            return self._list(value, deep)
        if isinstance(value, tuple):
            texts = [self._kept(item, deep) for item in value]
            return f"({', '.join(text for text, _ in texts)})", lambda: _all(texts, value)
        if isinstance(value, set):
            copy = set(value)
            return f"{{{', '.join(sorted(map(_brief, copy)))}}}", lambda: _refill(value, copy)
        if isinstance(getattr(value, "__dict__", None), dict) and self._is_own(value):
            text, put = self._dict(vars(value), value, deep)
            return f"{type(value).__name__} {text}", put
        return _brief(value), lambda: value

    def _is_own(self, value: Any) -> bool:
        return not isinstance(value, type) and type(value).__module__ in self._own

    def _dict(self, held: Any, whole: Any, deep: int) -> Made:
        pairs = [(key, self._kept(item, deep)) for key, item in list(held.items())]
        text = ", ".join(f"{_brief(key)}: {made[0]}" for key, made in pairs)

        def put() -> Any:
            fresh = {key: made[1]() for key, made in pairs}
            held.clear()
            held.update(fresh)
            return whole

        return f"{{{text}}}", put

    def _list(self, value: Any, deep: int) -> Made:
        made = [self._kept(item, deep) for item in list(value)]

        def put() -> Any:
            fresh = [item[1]() for item in made]
            value.clear()
            value.extend(fresh)
            return value

        return f"[{', '.join(item[0] for item in made)}]", put


def _all(made: list[Made], value: Any) -> Any:
    for _, put in made:
        put()
    return value


def _refill(value: set[Any], copy: set[Any]) -> Any:
    value.clear()
    value.update(copy)
    return value


def _brief(value: Any) -> str:
    """Return what tells a value from another: the project's own `__repr__` is not asked."""
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return repr(value)[:_LONG]
    if isinstance(value, tuple):
        return f"({', '.join(map(_brief, value))})"
    name = getattr(value, "__qualname__", None)
    said = name if isinstance(name, str) else type(value).__name__
    return f"<{said} at {id(value):#x}>"
