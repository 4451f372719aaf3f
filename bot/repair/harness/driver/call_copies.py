"""Copy what a call is given, so that another process can make the same call.

A copy is a pickle, made and read in the sandbox alone. Beyond what pickle knows, functions that no
name leads to (`lambda`, those inside of others) are copied with their code.
"""

from __future__ import annotations

import builtins
import importlib
import io
import marshal
import pickle
import sys
import types
from typing import Any

LARGE = 200_000
"""Bytes of a call that are copied."""


class NotCopied(Exception):
    """A call can't be copied; the text says what of it."""


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        """Return how a function without a name, or a module, is made again."""
        if isinstance(value, types.FunctionType) and not _is_named(value):
            cells = [cell.cell_contents for cell in value.__closure__ or ()]
            return _function, (
                marshal.dumps(value.__code__), value.__module__, value.__defaults__,
                value.__kwdefaults__, cells,
            )  # fmt: skip
        if isinstance(value, types.ModuleType):
            return importlib.import_module, (value.__name__,)
        return NotImplemented


def _is_named(function: Any) -> bool:
    found: Any = sys.modules.get(function.__module__)
    for name in function.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is function


def _function(code: bytes, module: str, defaults: Any, named: Any, cells: list[Any]) -> Any:
    there = sys.modules.get(module)
    known = vars(there) if there is not None else {"__builtins__": builtins}
    closure = tuple(types.CellType(cell) for cell in cells)
    made = types.FunctionType(marshal.loads(code), known, None, defaults, closure)  # noqa: S302 - our own bytes
    made.__kwdefaults__ = named
    return made


def copied(values: dict[str, Any]) -> bytes:
    """Return what a call is given, copied.

    Raises:
        NotCopied: It holds what can't be copied.
    """
    try:
        data = _dumped(values)
    except Exception:  # noqa: BLE001 - the project's own __reduce__
        for name, value in values.items():
            try:
                _dumped(value)
            except Exception as error:
                raise NotCopied(f"{name}: {type(value).__name__}") from error
        raise NotCopied("") from None
    if len(data) > LARGE:
        raise NotCopied("too large")
    return data


def _dumped(value: Any) -> bytes:
    buffer = io.BytesIO()
    _Pickler(buffer, protocol=4).dump(value)
    return buffer.getvalue()


def restored(data: bytes) -> dict[str, Any]:
    """Return what `copied` took, anew each time."""
    values: dict[str, Any] = pickle.loads(data)  # noqa: S301 - made beside us, in the sandbox
    return values
