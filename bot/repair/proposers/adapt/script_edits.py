"""Write a JavaScript or TypeScript program for the newer version of a package, as `edits` does for Python. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tree_sitter import Node

from bot.code.script_names import ScriptName, arguments_of, script_names
from bot.code.syntax import content, field, parents, parse, text_of, walk
from bot.model.culprit import ApiChange, ApiChangeKind

Edit = tuple[int, int, str]
"""From a byte to another one, what stands there then."""

_DEFAULT = "default"
_IDENTIFIERS = frozenset({
    "identifier", "type_identifier", "shorthand_property_identifier",
    "shorthand_property_identifier_pattern",
})  # fmt: skip
_STATEMENTS = frozenset(
    {"import_statement", "export_statement", "lexical_declaration", "variable_declaration"}
)
_LITERALS = frozenset({"true", "false", "null", "undefined"})


def adapted_script(
    path: str, text: str, changes: Sequence[ApiChange], instead: str, package: str
) -> str | None:
    """Return a program written for the newer version; None where it stays or can't be read.

    Args:
        path: Of the program.
        text: Of it.
        changes: Of one name.
        instead: What takes its place, where it is gone.
        package: Whose name it is.
    """
    data = text.encode()
    syntax = parse(path, data)
    if syntax is None:
        return None
    first = changes[0]
    wanted = f".{first.name.rpartition('.')[2]}" if first.is_member else first.name
    named = list(script_names(syntax.root, package))
    places = [each for each in named if each.name == wanted]
    if first.kind is ApiChangeKind.REMOVED:
        edits = _Renaming(first, instead, named, syntax.root).edits(places)
    elif first.kind in {ApiChangeKind.BECAME_METHOD, ApiChangeKind.BECAME_ATTRIBUTE}:
        edits = _called_or_not(places, first.kind)
    else:
        edits = (edit for each in places if each.call for edit in _arguments(each.call, changes))
    written = _written(data, edits)
    after = parse(path, written)
    is_broken = after is None or (after.root.has_error and not syntax.root.has_error)
    return None if is_broken or written == data else written.decode()


def _written(data: bytes, edits: Iterable[Edit]) -> bytes:
    """Return a text with changes made from its end on; of two that overlap, the first is made."""
    before = len(data) + 1
    for start, end, new in sorted(set(edits), reverse=True):
        if end <= before:
            data = data[:start] + new.encode() + data[end:]
            before = start
    return data


def _called_or_not(places: Iterable[ScriptName], kind: ApiChangeKind) -> Iterator[Edit]:
    """Call what is a method now, and read what is none any more."""
    for place in places:
        if place.call is None and kind is ApiChangeKind.BECAME_METHOD and place.chain is not None:
            yield place.chain.end_byte, place.chain.end_byte, "()"
        elif place.call is not None and kind is ApiChangeKind.BECAME_ATTRIBUTE:
            listed = field(place.call, "arguments")
            if listed is not None and not listed.named_children:
                yield listed.start_byte, listed.end_byte, ""


class _Renaming:
    """Imports what takes a name's place, and uses it."""

    def __init__(
        self, change: ApiChange, instead: str, named: Sequence[ScriptName], root: Node
    ) -> None:
        self._change = change
        self._named = named
        self._parent, _, self._last = instead.rpartition(".")
        self._before = change.name.rpartition(".")[2]
        self._is_taken = any(
            node.type in _IDENTIFIERS and text_of(node) == self._last for node in walk(root)
        )

    def edits(self, places: Sequence[ScriptName]) -> Iterator[Edit]:
        """Return the edits of all places that name it."""
        rebound = [each for each in self._whole() if self._before == _DEFAULT]
        for binding in rebound:
            yield from self._rebound(binding)
        for place in places:
            if self._change.is_member:
                yield place.node.start_byte, place.node.end_byte, self._last
            elif place.statement is not None:
                yield from self._imported(place, place.statement)
            elif not (place.chain is None and place.module in {each.module for each in rebound}):
                yield from self._used(place)

    def _whole(self) -> list[ScriptName]:
        """Return the declarations of a module all of whose uses mean its default."""
        module = self._change.name.rpartition(".")[0]
        of_module = [each for each in self._named if each.module == module]
        bound = [each for each in of_module if each.name == module and _is_required(each.statement)]
        others = {each.name for each in of_module if each.name != module}
        return bound if others == {self._change.name} else []

    def _rebound(self, binding: ScriptName) -> Iterator[Edit]:
        """Take one name of a module that was used as that before: `const { make: m } = require(…)`."""
        local = text_of(binding.node)
        one = local if local == self._last else f"{self._last}: {local}"
        yield binding.node.start_byte, binding.node.end_byte, f"{{ {one} }}"
        yield from self._from_module(binding)

    def _from_module(self, binding: ScriptName) -> Iterator[Edit]:
        if binding.module != self._parent and binding.statement is not None:
            yield from (
                (node.start_byte + 1, node.end_byte - 1, self._parent)
                for node in walk(binding.statement)
                if node.type == "string" and content(node) == binding.module
            )

    def _imported(self, place: ScriptName, statement: Node) -> Iterator[Edit]:
        """Bind another name, of the same module or of another one."""
        node, local = place.node, self._local(place)
        above = node.parent
        if above is None:
            return
        if above.type == "import_clause":
            yield from self._default_import(place, above)
            return
        if place.chain is not None:  # `require('moody').feeling`
            yield node.start_byte, node.end_byte, self._last
            yield from self._from_module(place)
            return
        is_pattern = "pattern" in above.type or "pattern" in node.type
        part = above if above.type.endswith("_specifier") or above.type == "pair_pattern" else node
        mark = ": " if is_pattern else " as "
        one = self._last if local == self._last else f"{self._last}{mark}{local}"
        listed = part.parent
        if listed is None:
            return
        if self._parent == place.module:
            yield part.start_byte, part.end_byte, one
        elif len(listed.named_children) == 1:
            yield part.start_byte, part.end_byte, one
            yield from self._from_module(place)
        else:
            yield _without(part)
            yield self._beside(statement, place.module, f"{{ {one} }}")

    def _local(self, place: ScriptName) -> str:
        """Return the local name of an import: the new one where the old one was its own."""
        above = place.node.parent
        alias = None
        if above is not None:
            alias = field(above, "alias") or (
                field(above, "value") if above.type == "pair_pattern" else None
            )
        return text_of(alias) if alias is not None else self._renamed(place.node)

    def _renamed(self, node: Node) -> str:
        return text_of(node) if self._is_taken or self._last == _DEFAULT else self._last

    def _default_import(self, place: ScriptName, clause: Node) -> Iterator[Edit]:
        """Write `import { make as m } from …` for `import m from …`."""
        local = text_of(place.node)
        one = local if local == self._last else f"{self._last} as {local}"
        listed = next(
            (each for each in clause.named_children if each.type == "named_imports"), None
        )
        if listed is None:
            yield place.node.start_byte, place.node.end_byte, f"{{ {one} }}"
            yield from self._from_module(place)
        elif self._parent == place.module and listed.named_children:
            yield place.node.start_byte, listed.start_byte, ""
            yield (
                listed.named_children[0].start_byte,
                listed.named_children[0].start_byte,
                f"{one}, ",
            )

    def _used(self, place: ScriptName) -> Iterator[Edit]:
        node, owner = place.node, self._change.name.rpartition(".")[0]
        if place.chain is None:
            if text_of(node) == self._before:
                new = self._renamed(node)
                is_short = node.type == "shorthand_property_identifier" and new != self._before
                yield node.start_byte, node.end_byte, f"{self._before}: {new}" if is_short else new
            elif self._before == _DEFAULT and self._parent == owner and self._is_module(node):
                yield node.end_byte, node.end_byte, f".{self._last}"
        elif self._parent == owner:
            yield node.start_byte, node.end_byte, self._last
        elif self._before != _DEFAULT:
            bound = next((each for each in self._named if each.name == place.module), None)
            if bound is not None and bound.statement is not None and not self._is_taken:
                yield place.chain.start_byte, place.chain.end_byte, self._last
                yield self._beside(bound.statement, place.module, f"{{ {self._last} }}")

    def _is_module(self, node: Node) -> bool:
        """Whether a name stands for the module as a whole."""
        return any(
            each.name == each.module and text_of(each.node) == text_of(node) for each in self._named
        )

    def _beside(self, part: Node, module: str, bound: str) -> Edit:
        """Return the edit that adds a statement like another one, behind that."""
        whole = next((each for each in (part, *parents(part)) if each.type in _STATEMENTS), part)
        text = text_of(whole)
        quote = next((mark for mark in "'\"" if f"{mark}{module}{mark}" in text), "'")
        said, end = f"{quote}{self._parent}{quote}", ";" if text.endswith(";") else ""
        if part.type == "import_statement":
            new = f"import {bound} from {said}{end}"
        else:
            new = f"{text.split(maxsplit=1)[0]} {bound} = require({said}){end}"
        return whole.end_byte, whole.end_byte, f"\n{' ' * whole.start_point.column}{new}"


def _is_required(statement: Node | None) -> bool:
    return statement is not None and statement.type == "variable_declarator"


def _without(part: Node) -> Edit:
    """Return the edit that leaves out one of several parts that commas separate."""
    after, before = part.next_named_sibling, part.prev_named_sibling
    if after is not None:
        return part.start_byte, after.start_byte, ""
    return before.end_byte if before is not None else part.start_byte, part.end_byte, ""


def _arguments(call: Node, changes: Sequence[ApiChange]) -> Iterator[Edit]:
    """Give a call's arguments as the newer version takes them."""
    given = arguments_of(call)
    listed = field(call, "arguments")
    if listed is None or any(each.type == "spread_element" for each in given):
        return
    options = next((each for each in reversed(given) if each.type == "object"), None)
    pairs = [(change, _pair(options, change.parameter)) for change in changes]
    yield from _of_pairs(pairs)
    gone = {change.position for change, pair in pairs if _leaves(change, pair, len(given))}
    added = [
        _property(change.parameter, text_of(given[change.position]))
        for change, _ in pairs
        if change.kind is ApiChangeKind.KEYWORD_ONLY and change.position in gone
    ]
    added += [
        _property(change.parameter, change.before)
        for change, pair in pairs
        if change.kind in {ApiChangeKind.DEFAULT, ApiChangeKind.REQUIRED}
        and change.position < 0
        and pair is None
        and _is_literal(change.before)
    ]
    if options is None and (gone or added):
        kept = [text_of(each) for n, each in enumerate(given) if n not in gone]
        kept += [f"{{ {', '.join(added)} }}"] if added else []
        yield listed.start_byte + 1, listed.end_byte - 1, ", ".join(kept)
    elif options is not None:
        yield from (_without(given[n]) for n in gone)
        if added:
            inside = options.named_children
            at = inside[-1].end_byte if inside else options.start_byte + 1
            text = ", ".join(added)
            yield at, at, f", {text}" if inside else f" {text} "


def _of_pairs(pairs: Iterable[tuple[ApiChange, Node | None]]) -> Iterator[Edit]:
    """Leave out or rename what is given by name."""
    for change, pair in pairs:
        if pair is None:
            continue
        if change.kind is ApiChangeKind.PARAMETER_REMOVED:
            yield _without(pair)
        elif change.kind is ApiChangeKind.PARAMETER_RENAMED:
            key = field(pair, "key")
            old = key or pair
            new = change.instead[0] + ("" if key is not None else f": {change.parameter}")
            yield old.start_byte, old.end_byte, new


def _leaves(change: ApiChange, pair: Node | None, many: int) -> bool:
    """Whether an argument that is given by its place is to leave that."""
    kinds = {ApiChangeKind.PARAMETER_REMOVED, ApiChangeKind.KEYWORD_ONLY}
    return change.kind in kinds and pair is None and 0 <= change.position < many


def _property(name: str, value: str) -> str:
    return name if name == value else f"{name}: {value}"


def _pair(options: Node | None, name: str) -> Node | None:
    """Return where an object gives a name."""
    for each in options.named_children if options is not None else ():
        key = field(each, "key") or each
        if (content(key) if each.type == "pair" else text_of(key)) == name:
            return each
    return None


def _is_literal(text: str) -> bool:
    return text in _LITERALS or text[:1] in "'\"" or text.replace(".", "", 1).isdigit()
