"""List folders in an order: the one in which a file system has them is an accident."""

from __future__ import annotations

import os
import pathlib
from typing import Any


def folder_order(*, reverse: bool) -> None:
    """Sort what a folder has.

    Args:
        reverse: Whether from the end of the alphabet.
    """
    names, entries = os.listdir, os.scandir

    class Entries:
        def __init__(self, path: Any) -> None:
            with entries(path) as found:
                self._found = iter(sorted(found, key=lambda entry: entry.name, reverse=reverse))

        def __iter__(self) -> Any:
            return self

        def __next__(self) -> Any:
            return next(self._found)

        def __enter__(self) -> Any:
            return self

        def __exit__(self, *raised: object) -> None:
            self.close()

        def close(self) -> None:
            self._found = iter(())

    def listed(path: Any = ".") -> Any:
        return sorted(names(path), reverse=reverse)

    def scanned(path: Any = ".") -> Any:
        return Entries(path)

    os.listdir, os.scandir = listed, scanned
    accessor = getattr(pathlib, "_NormalAccessor", None)  # until Python 3.10, it keeps its own
    for name, made in (("listdir", listed), ("scandir", scanned)):
        if hasattr(accessor, name):
            setattr(accessor, name, staticmethod(made))
