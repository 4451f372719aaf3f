"""A change of source text, what kind it is and how it reads to a person."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Replacement:
    """Characters `start` to `end` of a file become `text`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """One way to mend a place.

    Attributes:
        kind: The family of edits: `comparison`, `wrong variable`, ...
        line: Where it changes something, 1-based.
        weight: How often such an edit mends real code, against others: 0 to 1.
        replacements: What it does to the text; they do not overlap.
        says: What it does, as the end of a sentence: "compares with `<=` instead of `<`".
    """

    kind: str
    line: int
    weight: float
    replacements: tuple[Replacement, ...]
    says: str


def applied(text: str, replacements: tuple[Replacement, ...]) -> str:
    """Return a text with the replacements made."""
    for replacement in sorted(replacements, reverse=True):
        text = text[: replacement.start] + replacement.text + text[replacement.end :]
    return text
