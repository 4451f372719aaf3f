"""Texts that a commit changed in programs, and what becomes of the same texts elsewhere. Pure.

A commit that rewords a message, or raises a version, leaves tests and files that still have the old
one. What it changed says what they should have.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from bot.code.files import is_test_file
from bot.model.hunks import file_hunks

LITERAL = re.compile(
    r'"""(?P<a>(?:\\.|[^\\]){0,4000}?)"""'
    r"|'''(?P<b>(?:\\.|[^\\]){0,4000}?)'''"
    r'|"(?P<c>(?:\\.|[^"\\\n]){0,2000})"'
    r"|'(?P<d>(?:\\.|[^'\\\n]){0,2000})'"
    r"|`(?P<e>(?:\\.|[^`\\]){0,2000})`",
    re.DOTALL,
)
"""A text in a program of most languages; what is in its quotes stays as it is written."""

_FIELD = re.compile(
    r"\$\{[^{}]{0,200}\}|\{[^{}]{0,200}\}|%(?:\(\w{1,200}\))?[-+ #0]{0,5}\d{0,9}(?:\.\d{1,9})?[sdrifgxv]"
)
_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_VERSION = re.compile(
    r"(?<![\w.])\d+(?:\.\d+){1,3}(?:[-.]?(?:a|b|rc|alpha|beta|dev|post)[.\d]*)?(?![\w.])"
)
_SHORTEST = 4
"""Characters of a text that is not there by chance."""

MOST = 200


@dataclass(frozen=True, slots=True)
class ChangedText:
    """A text, or a part of one without fields, that a commit changed.

    Attributes:
        before: As the program had it.
        after: As it has it now.
        is_version: Whether both are versions, on lines that say so.
    """

    before: str
    after: str
    is_version: bool = False


def texts_of(diff: str) -> tuple[ChangedText, ...]:
    """Return the texts that a diff changes, tests aside, each once.

    Args:
        diff: As `git diff --unified=0` prints it.
    """
    found: dict[ChangedText, None] = {}
    for hunks in file_hunks(diff):
        path = hunks.after.removeprefix("b/")
        for hunk in () if is_test_file(path) else hunks.hunks:
            found |= dict.fromkeys(_versions(path, hunk.old, hunk.new))
            found |= dict.fromkeys(_pairs(hunk.old, hunk.new))
    unclear = {
        changed_text.before
        for changed_text in found
        if any(_differs(changed_text, other) for other in found)
    }
    return tuple(changed_text for changed_text in found if changed_text.before not in unclear)[
        :MOST
    ]


def renewed(text: str, changed: Iterable[ChangedText]) -> str:
    """Return a text of a test as it reads after the change, the same where that says nothing.

    It may be a part of the program's text, or have it in it.
    """
    for changed_text in changed:
        if changed_text.is_version:
            continue
        if changed_text.before in text:
            return text.replace(changed_text.before, changed_text.after)
        if (
            len(text) >= _SHORTEST
            and text in changed_text.before
            and text not in changed_text.after
        ):
            part = _aligned(text, changed_text)
            if part:
                return part
    return text


def renewed_literals(source: str, changed: Sequence[ChangedText], lines: frozenset[int]) -> str:
    """Return a program with the texts on some of its lines renewed; on all where none are named."""
    counted = 1
    behind, parts = 0, []
    for match in LITERAL.finditer(source):
        counted += source.count("\n", behind, match.start())
        parts.append(source[behind : match.start()])
        behind = match.start()
        if not lines or counted in lines:
            parts.append(_rewritten(match, changed))
            counted += match[0].count("\n")
            behind = match.end()
    return "".join((*parts, source[behind:]))


def only_renewed(before: str, after: str, changed: Sequence[ChangedText]) -> bool:
    """Whether two programs differ in nothing but renewed texts, and in space between words."""
    old, new = ([*LITERAL.finditer(text)] for text in (before, after))
    if len(old) != len(new) or _frame(before) != _frame(after):
        return False
    pairs = [
        (found_match[0], other[0], _rewritten(found_match, changed))
        for found_match, other in zip(old, new, strict=True)
    ]
    return all(is_now in {was, told} for was, is_now, told in pairs)


def renewed_versions(path: str, text: str, changed: Iterable[ChangedText]) -> str:
    """Return a file with the versions renewed that a commit raised elsewhere, on lines that say so."""
    versions = [changed_text for changed_text in changed if changed_text.is_version]
    lines = text.splitlines(keepends=True)
    for version in versions:
        exact = re.compile(rf"(?<![\w.]){re.escape(version.before)}(?![\w.])")
        lines = [
            exact.sub(version.after, line) if _says_version(path, line) else line for line in lines
        ]
    return "".join(lines)


def _pairs(removed: Sequence[str], added: Sequence[str]) -> Iterator[ChangedText]:
    old, new = (_texts("\n".join(lines)) for lines in (removed, added))
    if len(old) != len(new):
        return
    for was, now in zip(old, new, strict=True):
        parts, parts_now = _FIELD.split(was), _FIELD.split(now)
        if was == now or len(parts) != len(parts_now):
            continue
        for part, part_now in zip(parts, parts_now, strict=True):
            if part != part_now and len(part.strip()) >= _SHORTEST and part_now:
                yield ChangedText(part, part_now)


def _versions(path: str, removed: Sequence[str], added: Sequence[str]) -> Iterator[ChangedText]:
    for was, now in zip(removed, added, strict=False):
        old, new = _VERSION.findall(was), _VERSION.findall(now)
        told = _says_version(path, was) and _says_version(path, now)
        if told and len(old) == len(new) == 1 and old != new:
            yield ChangedText(old[0], new[0], is_version=True)


def _says_version(path: str, line: str) -> bool:
    return "version" in line.lower() or path.rpartition("/")[2].lower() in {
        "version",
        "version.txt",
    }


def _texts(source: str) -> list[str]:
    return [_inner(match) for match in LITERAL.finditer(source)]


def _inner(match: re.Match[str]) -> str:
    return next((group for group in match.groups() if group is not None), "")


def _rewritten(match: re.Match[str], changed: Sequence[ChangedText]) -> str:
    inner = _inner(match)
    new = renewed(inner, changed)
    return match[0] if new == inner else match[0].replace(inner, new)


def _frame(source: str) -> str:
    """Return what a program has around its texts, without any space."""
    return "".join(LITERAL.sub("''", source).split())


def _differs(changed_text: ChangedText, other: ChangedText) -> bool:
    return changed_text.before == other.before and changed_text.after != other.after


def _aligned(text: str, changed_text: ChangedText) -> str:
    """Return the part of the new text that stands where a part of the old one stood."""
    start = changed_text.before.index(text)
    old, new = _WORD.findall(changed_text.before), _WORD.findall(changed_text.after)
    first, last = (
        len(_WORD.findall(changed_text.before[:start])),
        len(_WORD.findall(changed_text.before[: start + len(text)])),
    )
    if "".join(old[first:last]) != text:
        return ""  # it begins or ends within a word
    kept: list[str] = []
    for kind, a, b, c, d in SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if kind == "equal":
            kept += (
                new[c + max(0, first - a) : d - max(0, b - last)] if a < last and b > first else []
            )
        elif first <= a and b <= last and not (kind == "insert" and a in {first, last}):
            kept += new[c:d]
        elif a < last and b > first:
            return ""  # only a part of it is replaced
    return "".join(kept)
