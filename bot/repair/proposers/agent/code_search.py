"""Find where a name is defined and used, and where a text stands, in the work tree as it is now.

`git grep` finds the lines, a syntax tree tells what each of them is: a definition, or a use inside
of which function. There is no index that could be out of date.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from bot.code.syntax import field, line_of, parents, parse, text_of, walk
from bot.repair.proposers.agent.code_grep import Match, SearchCode, SearchKind
from bot.repair.symbols.outline import DEFINING, outlined

MOST_FILES = 40
"""Whose syntax is read, those with most matches first."""
MOST_BYTES = 1_000_000
"""Of a file whose syntax is read."""
_LISTED = 60
_LINE_CHARACTERS = 160


@dataclass(frozen=True, slots=True)
class CodeMatch:
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


def defined_in(path: str, data: bytes) -> str:
    """Return what a file defines, a line each; "" where no grammar reads it or it defines nothing."""
    lines = [
        f"{'  ' * symbol.depth}{symbol.line}-{symbol.last} {symbol.head}"
        for symbol in outlined(path, data).symbols
    ]
    return "\n".join(lines)


def worth_reading(matches: Sequence[Match]) -> tuple[str, ...]:
    """Return the files whose syntax is worth reading, those with most matches first."""
    return tuple(path for path, _ in Counter(m.path for m in matches).most_common(MOST_FILES))


def placed(
    search: SearchCode, matches: Sequence[Match], files: Mapping[str, bytes]
) -> tuple[CodeMatch, ...]:
    """Return each match with what its file's syntax says of it, in the order of the matches."""
    found: list[CodeMatch] = []
    for path in dict.fromkeys(match.path for match in matches):
        own = [match for match in matches if match.path == path]
        syntax = parse(path, files[path]) if path in files else None
        found += _in_file(search, own, syntax.root) if syntax else map(CodeMatch, own)
    return tuple(found)


def _in_file(search: SearchCode, matches: Sequence[Match], root: Node) -> Iterator[CodeMatch]:
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
        yield CodeMatch(match, inside, line in names, last)


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
        yield from (text_of(field(definition, "name")) for definition in _definitions(node))


def _definitions(node: Node) -> Iterator[Node]:
    return (
        parent
        for parent in parents(node)
        if parent.type.endswith(DEFINING) and field(parent, "name") is not None
    )


def nothing(search: SearchCode) -> str:
    """Return the result where there is none."""
    lines = r"\n" in search.query and search.kind is SearchKind.TEXT
    hint = r" Lines are searched one by one, so \n matches nothing." if lines else ""
    return f"Nothing matches {search.query!r}.{hint}"


def described(search: SearchCode, places: Sequence[CodeMatch], *, cut: bool) -> str:
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


def _listed(kind: str, places: Sequence[CodeMatch]) -> str:
    lines = [f"{kind} ({len(places)}):", *map(_line, places[:_LISTED])]
    if len(places) > _LISTED:
        rest = _spread(place.match.path for place in places[_LISTED:])
        lines.append(f"… and {len(places) - _LISTED} more, in {rest}")
    return "\n".join(lines)


def _line(place: CodeMatch) -> str:
    match = place.match
    lines = f"{match.line}-{place.last}" if place.last > match.line else str(match.line)
    inside = f" (in {'.'.join(place.inside)})" if place.inside else ""
    return f"{match.path}:{lines}{inside}: {match.text.strip()[:_LINE_CHARACTERS]}"


def _spread(paths: Iterable[str]) -> str:
    counted = Counter(paths).most_common(5)
    return ", ".join(f"{path} ({count})" for path, count in counted)
