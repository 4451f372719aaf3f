"""What a patch newly asks and looks up in programs: as it is watched, and as it is settled. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bot.repair.harness.driver.protocol import MODULE
from bot.repair.verification.perturbation.handlers import Handler

MOST = 40
"""Conditions of a patch that are looked at."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Something that is asked or looked up in a function of a changed program, and was not before.

    Attributes:
        file: Path of the program.
        line: Where it begins, from 1.
        text: As it is written.
        start: First byte in the file.
        end: First byte behind it.
        moves: Whether it means the same in a function of its own.
        decides: Whether a branch depends on it; otherwise it is looked up.
        handler: Where an exception decides: the handler, and the rest is what its `try` begins with.
    """

    file: str
    line: int
    text: str
    start: int
    end: int
    moves: bool = True
    decides: bool = True
    handler: Handler | None = None

    @property
    def watch(self) -> tuple[str, str]:
        """Words before and behind it that let it be asked through the driver's `MODULE`."""
        if self.handler is not None:
            return self.handler.watch
        what = "decided" if self.decides else "selected"
        asked = f"__import__('sys').modules['{MODULE}'].{what}({{number}}, lambda"
        return (f"{asked}: (", "))") if self.moves else (f"{asked} _=(", "): _)")


def settled(
    files: Mapping[str, bytes], values: Sequence[tuple[Condition, str]]
) -> dict[str, bytes]:
    """Return the files in which conditions have these values; they are asked all the same.

    Values are written as in Python.
    """
    changed: dict[str, bytes] = {}
    for path in {condition.file for condition, _ in values}:
        edits = {
            (item.start, item.end): (item, value) for item, value in values if item.file == path
        }
        data = files[path]
        outer = [place for place in edits if not any(_lies_in(place, other) for other in edits)]
        for start, end in sorted(outer, reverse=True):
            answered = _answered(data[start:end], *edits[start, end])
            data = data[:start] + answered + data[end:]
        changed[path] = data
    return changed


def _answered(asked: bytes, condition: Condition, value: str) -> bytes:
    """Return an expression that asks a condition and comes to a value."""
    if condition.handler is not None:
        text = asked.decode("utf-8", "replace")
        return condition.handler.settled(text, entered=value == "True").encode()
    return b"((%s), %s)[1]" % (asked, value.encode())


def _lies_in(edit: tuple[int, int], other: tuple[int, int]) -> bool:
    return edit != other and other[0] <= edit[0] and edit[1] <= other[1]


@dataclass(frozen=True, slots=True)
class Around:
    """Words that are put around something in a file.

    Attributes:
        start: Its first byte.
        end: The first byte behind it.
        before: What is put before it.
        behind: And behind it.
        is_outer: Whether it goes around what else has the same place.
    """

    start: int
    end: int
    before: str
    behind: str
    is_outer: bool = False


def with_words(data: bytes, around: Iterable[Around]) -> bytes:
    """Return a file with words around places in it, which may lie inside of each other."""
    inserted: list[tuple[int, int, int, str]] = []
    for item in around:
        length = item.end - item.start + item.is_outer
        inserted.append((item.start, 1, -length, item.before))
        inserted.append((item.end, 0 if length else 2, length, item.behind))
    for place, _, _, words in sorted(inserted, reverse=True):
        data = data[:place] + words.encode() + data[place:]
    return data
