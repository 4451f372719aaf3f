"""Read a tool's input field by field: JSON that a model wrote, and that nobody has checked yet."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import Any

from sandbox.base import WORKSPACE

_LONGEST_COMMAND = 100_000
"""Below the 128 KiB that Linux takes as one argument (`MAX_ARG_STRLEN`)."""
_LONGEST_QUERY = 1_000
_LONGEST_NAME = 255
_LONGEST_PATH = 4_000
_WHOLE_NUMBER = re.compile(r"-?[0-9]{1,9}")


class BadInput(Exception):
    """The input can't be used; the text tells the model what to send instead."""


class Fields:
    """A tool's input. What can't be used raises `BadInput`, with what to send instead."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def has(self, key: str) -> bool:
        """Whether there is a value."""
        return self._values.get(key) is not None

    def flag(self, key: str) -> bool:
        """Whether it is set."""
        return self._values.get(key) in (True, "true")  # a tuple: lists have no hash

    def text(self, key: str) -> str:
        """Return a text that can be encoded."""
        value = self._values.get(key)
        if not isinstance(value, str):
            raise BadInput(f"{key} is required and must be a string.")
        if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
            raise BadInput(f"{key} contains half a character (a lone surrogate).")
        return value

    def number(self, key: str) -> int:
        """Return a whole number, also where it is written as a text."""
        value = self._values.get(key)
        if isinstance(value, str) and _WHOLE_NUMBER.fullmatch(value):
            return int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise BadInput(f"{key} is required and must be a whole number.")
        return value

    def line_range(self, key: str) -> tuple[int, int | None]:
        """Return first and last line; None for the last one is the end of the file."""
        value = self._values.get(key)
        if value is None:
            return 1, None
        match value:
            case [int(first), int(last)]:
                return first, None if last == -1 else last
            case _:
                raise BadInput(f"{key} must be two whole numbers, such as [1, 50] or [80, -1].")

    def line(self, key: str) -> str:
        """Return a text of one line that is short enough for a command."""
        line = self.text(key)
        if not line.strip() or "\0" in line or len(line.splitlines()) > 1:
            raise BadInput(f"{key} must be one line of text.")
        if len(line) > _LONGEST_QUERY:
            raise BadInput(f"{key} is longer than {_LONGEST_QUERY} characters.")
        return line

    def items(self, key: str, most: int) -> list[Fields]:
        """Return the objects of a list."""
        value = self._values.get(key)
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise BadInput(f"{key} must be a list of objects.")
        if len(value) > most:
            raise BadInput(f"{key} has more than {most} entries: put several into one.")
        return [Fields(item) for item in value]

    def choices(self, key: str, most: int) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return the texts that each name of an object may stand for."""
        value = self._values.get(key)
        if not isinstance(value, dict) or not all(
            isinstance(item, list) and item and all(isinstance(text, str) for text in item)
            for item in value.values()
        ):
            raise BadInput(f"{key} must be an object with a list of texts for each hole.")
        if sum(map(len, value.values())) > most:
            raise BadInput(f"{key} has more than {most} texts.")
        return tuple((str(name), tuple(texts)) for name, texts in value.items())

    def command(self, key: str) -> str:
        """Return a shell command that Linux takes as one argument."""
        command = self.text(key)
        if not command.strip():
            raise BadInput(f"{key} is empty.")
        if "\0" in command:
            raise BadInput(f"{key} contains a NUL character.")
        if len(command.encode()) > _LONGEST_COMMAND:
            raise BadInput(f"{key} is too long: write it to a file first and run that.")
        return command

    def path(self, key: str) -> str:
        """Return an absolute path of the workspace."""
        given = self.text(key)
        path = posixpath.normpath(posixpath.join(WORKSPACE, given))
        if path != WORKSPACE and not path.startswith(f"{WORKSPACE}/"):
            raise BadInput(f"{given} is outside {WORKSPACE}: use bash to look elsewhere.")
        names = path.encode().split(b"/")
        if "\0" in path or len(path) > _LONGEST_PATH or max(map(len, names)) > _LONGEST_NAME:
            raise BadInput(f"{key} is not a valid path.")
        return path
