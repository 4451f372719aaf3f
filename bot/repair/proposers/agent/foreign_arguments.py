"""The arguments of a call of another harness, by whatever names it gave them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.llm.base import ToolCall
from bot.llm.reply import UNREADABLE_INPUT
from bot.repair.proposers.agent.foreign_tool_names import PATHS, SHELLS


@dataclass(frozen=True, slots=True)
class Open:
    """What a harness with one open file has open: calls may leave the file out, and the lines."""

    path: str = ""
    first: int = 1
    lines: tuple[int, int] = (1, 1)


class Given:
    """The arguments of a call, by any of their names."""

    def __init__(self, values: Mapping[str, Any], opened: Open) -> None:
        self.values = values
        self.opened = opened

    def of(self, names: Sequence[str]) -> Any:
        """Return the argument of the first of these names that there is, or None."""
        return next(
            (self.values[name] for name in names if self.values.get(name) is not None), None
        )

    def number(self, *names: str) -> int | None:
        """Return the same as a whole number, also where it is written as a text; else None."""
        value = self.of(names)
        if isinstance(value, str) and value.isdecimal():
            return int(value)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    @property
    def path(self) -> Any:
        """The file that the call is about: named, or the one that is open."""
        return self.of(PATHS) or self.opened.path or None


def readable(call: ToolCall) -> Mapping[str, Any]:
    """Return the arguments, also where they are no strict JSON but can be read all the same."""
    text = call.input.get(UNREADABLE_INPUT)
    if not isinstance(text, str):
        return call.input
    try:
        value = json.loads(text, strict=False)  # line breaks inside of texts
        value = (
            json.loads(value, strict=False) if isinstance(value, str) else value
        )  # encoded twice
    except (ValueError, RecursionError):
        is_command = call.name.lower() in SHELLS and not text.lstrip().startswith(("{", "["))
        return {"command": text} if is_command else call.input
    return value if isinstance(value, dict) else call.input


def each(given: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the arguments of each file or edit where a call lists several, else them alone.

    Edits that name no file of their own are edits of one file, and stay together.
    """
    for name in ("files", "paths", "edits"):
        match given.get(name):
            case [{}, *_] as listed if all(isinstance(item, dict) for item in listed):
                if len(listed) == 1 or all(any(map(item.get, PATHS)) for item in listed):
                    return [{**_without(given, name), **item} for item in listed]
            case [str(), *_] as listed if all(isinstance(item, str) for item in listed):
                return [{**_without(given, name), "path": path} for path in listed]
    return [given]


def _without(given: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in given.items() if key != name}
