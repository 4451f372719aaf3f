"""Say what a failure is about, so that two sides that print it differently can be compared. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from bot.ci.failures.work_tree import relative_path
from bot.ci.telling import levelled
from bot.model import Failure

_INSTALLED = re.compile(r"^.*(?:site|dist)-packages[./\\]")
_UNSPECIFIC = frozenset({"", "error", "annotation", "listed"})
"""Rules that a tool gives to everything that it finds."""

_WHOLE = frozenset({"conftest", "pytest"})
"""Ids of what keeps a test runner from starting."""

_CODE = re.compile(r"^(?P<file>.+?)(?::\d+)?: (?P<code>\S.*)$")
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+\b")


class SubjectKind(StrEnum):
    """What a failure is named after."""

    TEST = "test"
    PLACE = "place"


@dataclass(frozen=True, slots=True)
class Subject:
    """A failure's name in parts.

    Attributes:
        kind: What it is named after.
        path: Its file or module and class, as parts; the first ones depend on where a tool started.
        name: Of the test, or the rule of a tool.
        message: Levelled; tells errors of one file and rule apart where the rule says nothing.
        coarse: Whether it stands for a whole file that could not be read, imported or started.
    """

    kind: SubjectKind
    path: tuple[str, ...]
    name: str
    message: str
    coarse: bool = False

    @property
    def key(self) -> str:
        """What the subjects of two failures have in common when they match."""
        last = self.path[-1] if self.path else ""
        return last if self.kind is SubjectKind.PLACE else f"{last}::{self.name}"

    def matches(self, other: Subject) -> bool:
        """Whether the other side means the same, as far as both paths go."""
        length = min(len(self.path), len(other.path))
        if self.kind is not other.kind or self.path[-length:] != other.path[-length:]:
            return False
        if self.kind is SubjectKind.TEST:
            return True
        if "annotation" in {self.name, other.name}:  # its words are the App's, not the tool's
            return True
        if self.name == other.name and self.name not in _UNSPECIFIC:
            return True
        return bool(self.message) and self.message == other.message


def subject_of(failure: Failure) -> Subject:
    """Return what a failure is about."""
    message = levelled(failure.message)
    place = _CODE.match(failure.test)
    if place and failure.file and relative_path(place["file"]) == failure.file:
        path = _split("/", _INSTALLED.sub("", failure.file))
        return Subject(SubjectKind.PLACE, path, place["code"], message)
    test = _ADDRESS.sub("#", _INSTALLED.sub("", failure.test))
    head, found, name = test.partition("::")
    if found:
        return Subject(SubjectKind.TEST, _split(r"[./\\]", head), name, message)
    if not re.fullmatch(r"\w+(?:\.\w+)+", test):
        return Subject(SubjectKind.TEST, (), test, message, coarse=test in _WHOLE)
    *owner, last = test.split(".")  # unittest's `module.Class.test`, or pytest's `folder.module`
    return Subject(SubjectKind.TEST, tuple(owner), last, message, coarse=not owner[-1][0].isupper())


def _split(separators: str, path: str) -> tuple[str, ...]:
    return tuple(part for part in re.split(separators, path) if part not in {"", ".", ".."})
