"""Ask git for the lines that have what is looked for; patterns are those that models write."""

from __future__ import annotations

import posixpath
import re
import shlex
from dataclasses import dataclass, replace
from enum import StrEnum

from sandbox.base import WORKSPACE

MOST_OUTPUT = 400_000
"""Bytes of `git grep` that are looked at."""
AS_TEXT = "(as text)"
"""First line of an output whose pattern was no regular expression."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SIGNS = re.compile(r"[\\^$*+?()\[\]{}|]")
_PART = re.compile(r"\\.|\[|\]|\(\?(?:[a-z]+\)|:)?|[*+?}]\?|.", re.DOTALL)
_CLASSES = {"d": "0-9", "w": "[:alnum:]_", "s": "[:space:]"}


class SearchKind(StrEnum):
    """What is looked for."""

    SYMBOL = "symbol"
    TEXT = "text"
    OUTLINE = "outline"


@dataclass(frozen=True, slots=True)
class SearchCode:
    """Search the work tree.

    Attributes:
        query: A name, or a regular expression (Perl's); "" for an outline.
        kind: Which of them.
        path: Folder or file to search in, absolute.
    """

    query: str
    kind: SearchKind = SearchKind.SYMBOL
    path: str = WORKSPACE


@dataclass(frozen=True, slots=True)
class Match:
    """A line that has what was looked for."""

    path: str
    line: int
    text: str


def grep_options(search: SearchCode) -> tuple[tuple[str, ...], ...]:
    """Return what to tell `git grep` of a query: the first, and what to try where it can't read that.

    A text is looked for as a Perl regular expression; where git can't, because it was built
    without them, as an extended one of POSIX; where it is neither, as it stands.
    """
    plain = ("-F", "-e", search.query)
    if search.kind is SearchKind.SYMBOL:
        return (("-w", *plain),)
    return ("-P", "-e", search.query), ("-E", *as_posix(search.query)), plain


def grep_command(search: SearchCode) -> str:
    """Return the command that lists lines as `path`, NUL, line number, NUL, text."""
    # git 2.39 takes no absolute path outside of a repository
    where = shlex.quote(posixpath.relpath(search.path, WORKSPACE))
    first, *others = (f"look {shlex.join(options)}" for options in grep_options(search))
    tried = first
    if others:
        posix, plain = others
        tried = (
            f"{first} 2>/dev/null || searched || {posix} 2>/dev/null || searched "
            f"|| {{ printf '{AS_TEXT}\\n'; {plain}; }}"
        )
    return (
        "git rev-parse --git-dir >/dev/null 2>&1 "
        "&& files=--untracked || files='--no-index --exclude-standard'; "
        "look() { git -c core.quotePath=false grep $files -n -I --null --no-color "
        f'"$@" -- {where}; }}; '
        # 1: nothing matches; beyond 128: a signal, as of a pipe that is full
        "searched() { code=$?; [ $code -eq 1 ] || [ $code -gt 128 ]; }; "
        f"{{ {tried}; }} | head -c {MOST_OUTPUT}"
    )


def as_posix(pattern: str) -> tuple[str, ...]:
    """Return arguments of `grep -E` for a pattern of Perl, as far as POSIX has the same."""
    written: list[str] = []
    options: list[str] = []
    in_class = False
    for part in _PART.findall(pattern):
        known = _CLASSES.get(part[1:].lower()) if part.startswith("\\") else None
        if part == "(?i)":
            options.append("-i")
        elif known is not None and in_class:
            written.append(known)
        elif known is not None:
            written.append(f"[^{known}]" if part[1].isupper() else f"[{known}]")
        elif part == "(?:":
            written.append("(")
        elif part in {"*?", "+?", "??", "}?"} and not in_class:
            written.append(part[0])
        else:
            in_class = part == "[" or (in_class and part != "]")
            written.append(part)
    return (*options, "-e", "".join(written))


def another_way(search: SearchCode) -> tuple[SearchCode, str] | None:
    """Return what else may be meant where nothing matches, and words before its result."""
    if search.kind is SearchKind.TEXT:
        if r"\|" not in search.query:
            return None
        other = replace(search, query=search.query.replace(r"\|", "|"))
        return other, "With | for alternatives:"
    if _SIGNS.search(search.query):
        return replace(search, kind=SearchKind.TEXT), "As a regular expression (kind text):"
    words = _WORD.findall(search.query)
    if not words:
        return None
    spelt = "[_-]?".join(
        f"[{word[0].upper()}{word[0].lower()}]{word[1:].lower()}" for word in words
    )
    return replace(search, query=spelt, kind=SearchKind.TEXT), "Names like it:"


def read_matches(output: str) -> tuple[Match, ...]:
    """Return the lines that `grep_command` listed; what is none, such as a complaint, is left out."""
    matches = []
    for line in output.split("\n"):
        path, number, text = ([*line.split("\0", 2), "", ""])[:3]
        if number.isdecimal():
            matches.append(Match(path, int(number), text))
    return tuple(dict.fromkeys(matches))


def was_text(output: str) -> bool:
    """Whether the pattern was no regular expression, and was looked for as it stands."""
    return output.startswith(f"{AS_TEXT}\n")


def complaint(output: str) -> str:
    """Return what git complains of, or ""."""
    return output.removeprefix(f"{AS_TEXT}\n").strip()
