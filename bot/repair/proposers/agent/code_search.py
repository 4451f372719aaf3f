"""Find where a name is defined and used, and where a text stands, in the work tree as it is now.

`git grep` finds the lines, a syntax tree tells what each of them is: a definition, or a use inside
of which function. There is no index that could be out of date.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tree_sitter import Node

from bot.repair.guards.syntax import field, line_of, parents, parse, text_of, walk
from bot.repair.symbols.outline import DEFINING, outlined
from sandbox.base import WORKSPACE

MOST_FILES = 40
"""Whose syntax is read, those with most matches first."""
MOST_BYTES = 1_000_000
"""Of a file whose syntax is read."""
MOST_OUTPUT = 400_000
"""Bytes of `git grep` that are looked at."""
_LISTED = 60
_LINE_CHARACTERS = 160

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")


class SearchKind(StrEnum):
    """What is looked for."""

    SYMBOL = "symbol"
    TEXT = "text"
    OUTLINE = "outline"


@dataclass(frozen=True, slots=True)
class SearchCode:
    """Search the work tree.

    Attributes:
        query: A name, or a regular expression (POSIX, extended); "" for an outline.
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


@dataclass(frozen=True, slots=True)
class Place:
    """A match, and what its file's syntax says of it.

    Attributes:
        match: The line.
        inside: Names of the definitions around it, the outermost first.
        is_name: Whether it is the name itself, not a word of a comment or a text.
        last: Last line of what is defined there; 0 where nothing is.
    """

    match: Match
    inside: tuple[str, ...] = ()
    is_name: bool = False
    last: int = 0


def grep_command(search: SearchCode) -> str:
    """Return the command that lists lines as `path`, NUL, line number, NUL, text."""
    how = ("-w", "-F") if search.kind is SearchKind.SYMBOL else ("-E",)
    where = posixpath.relpath(
        search.path, WORKSPACE
    )  # git 2.39 takes no absolute one outside of a repository
    arguments = shlex.join(
        ("-n", "-I", "--null", "--no-color", *how, "-e", search.query, "--", where)
    )
    return (
        "git rev-parse --git-dir >/dev/null 2>&1 "
        "&& files=--untracked || files='--no-index --exclude-standard'; "
        f"git -c core.quotePath=false grep $files {arguments} | head -c {MOST_OUTPUT}"
    )


def similar(search: SearchCode) -> SearchCode | None:
    """Return a search for names that are written otherwise, where nothing has the name itself."""
    words = _WORD.findall(search.query) if search.kind is SearchKind.SYMBOL else []
    if not words:
        return None
    spelt = "[_-]?".join(
        f"[{word[0].upper()}{word[0].lower()}]{word[1:].lower()}" for word in words
    )
    return SearchCode(spelt, SearchKind.TEXT, search.path)


def defined_in(path: str, data: bytes) -> str:
    """Return what a file defines, a line each; "" where no grammar reads it or it defines nothing."""
    lines = [
        f"{'  ' * one.depth}{one.line}-{one.last} {one.head}"
        for one in outlined(path, data).symbols
    ]
    return "\n".join(lines)


def read_matches(output: str) -> tuple[Match, ...]:
    """Return the lines that `grep_command` listed; what is none, such as a complaint, is left out."""
    matches = []
    for line in output.split("\n"):
        path, number, text = ([*line.split("\0", 2), "", ""])[:3]
        if number.isdecimal():
            matches.append(Match(path, int(number), text))
    return tuple(matches)


def worth_reading(matches: Sequence[Match]) -> tuple[str, ...]:
    """Return the files whose syntax is worth reading, those with most matches first."""
    return tuple(path for path, _ in Counter(m.path for m in matches).most_common(MOST_FILES))


def placed(
    search: SearchCode, matches: Sequence[Match], files: Mapping[str, bytes]
) -> tuple[Place, ...]:
    """Return each match with what its file's syntax says of it, in the order of the matches."""
    found: list[Place] = []
    for path in dict.fromkeys(match.path for match in matches):
        own = [match for match in matches if match.path == path]
        syntax = parse(path, files[path]) if path in files else None
        found += _in_file(search, own, syntax.root) if syntax else map(Place, own)
    return tuple(found)


def _in_file(search: SearchCode, matches: Sequence[Match], root: Node) -> Iterator[Place]:
    lines = {match.line for match in matches}
    first: dict[int, Node] = {}
    names: dict[int, Node] = {}
    defined: dict[int, Node] = {}
    for node in walk(root):
        line = line_of(node)
        if line not in lines or not node.is_named:
            continue
        first.setdefault(line, node)
        if (
            search.kind is SearchKind.SYMBOL
            and not node.named_children
            and text_of(node) == search.query
        ):
            names.setdefault(line, node)
            if (definition := _defined_by(node)) is not None:
                defined[line] = definition
    for match in matches:
        line, definition = match.line, defined.get(match.line)
        around = definition or names.get(line) or first.get(line)
        inside = tuple(reversed(list(_names_around(around))))
        last = definition.end_point.row + 1 if definition else 0
        yield Place(match, inside, line in names, last)


def _defined_by(name: Node) -> Node | None:
    """Return the node that defines a name which stands there, or None where it is only used."""
    above = name.parent
    if above is None:
        return None
    if above.type == "assignment" and field(above, "left") == name:  # Python, at any level
        around = next(_definitions(above), None)
        return above if around is None or not around.type.startswith("function") else None
    is_name = field(above, "name") == name and above.type.endswith(DEFINING)
    return above if is_name else None


def _names_around(node: Node | None) -> Iterator[str]:
    if node is not None:
        yield from (text_of(field(one, "name")) for one in _definitions(node))


def _definitions(node: Node) -> Iterator[Node]:
    return (
        one
        for one in parents(node)
        if one.type.endswith(DEFINING) and field(one, "name") is not None
    )


def nothing(search: SearchCode) -> str:
    """Return the result where there is none."""
    return f"Nothing matches {search.query!r}."


def described(search: SearchCode, places: Sequence[Place], *, cut: bool) -> str:
    """Return the result as the model reads it."""
    if not places:
        return nothing(search)
    defined = [place for place in places if place.last]
    used = [place for place in places if place.is_name and not place.last]
    others = [place for place in places if not place.is_name]
    kinds = (
        ("Defined", defined),
        ("Used", used),
        ("Mentioned" if search.kind is SearchKind.SYMBOL else "Found", others),
    )
    parts = [_listed(kind, some) for kind, some in kinds if some]
    if cut:
        parts.append("(There is more: narrow the query or the path.)")
    return "\n\n".join(parts)


def _listed(kind: str, places: Sequence[Place]) -> str:
    lines = [f"{kind} ({len(places)}):", *map(_line, places[:_LISTED])]
    if len(places) > _LISTED:
        rest = _spread(place.match.path for place in places[_LISTED:])
        lines.append(f"… and {len(places) - _LISTED} more, in {rest}")
    return "\n".join(lines)


def _line(place: Place) -> str:
    match = place.match
    lines = f"{match.line}-{place.last}" if place.last > match.line else str(match.line)
    inside = f" (in {'.'.join(place.inside)})" if place.inside else ""
    return f"{match.path}:{lines}{inside}: {match.text.strip()[:_LINE_CHARACTERS]}"


def _spread(paths: Iterable[str]) -> str:
    counted = Counter(paths).most_common(5)
    return ", ".join(f"{path} ({count})" for path, count in counted)
