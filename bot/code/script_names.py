"""What a JavaScript or TypeScript program names of a package, as `imported_names` says it of Python. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tree_sitter import Node

from bot.code.imported_names import CallArguments
from bot.code.syntax import content, field, line_of, text_of, walk

_NAMES = frozenset({"identifier", "type_identifier", "shorthand_property_identifier"})
_CHAINS = frozenset({"member_expression", "nested_type_identifier", "nested_identifier"})
_CALLS = {"call_expression": "function", "new_expression": "constructor"}


@dataclass(frozen=True, slots=True)
class ScriptName:
    """A place that names something of a package.

    Attributes:
        name: Dotted behind the module's name, as far as imports tell: `moody/text.shout`; a module that is
            used as a value is its `default`, and the module alone where it is bound. Of a member of some
            value, `.` and its name.
        node: A name in an import or a pattern, an identifier, or the property of a chain.
        module: The module, as it is imported; "" for a member of some value.
        statement: The import, declaration or export that binds the name; None where it is used.
        chain: The chain of properties up to `node`; None where it is none.
        call: The call whose function it is; None where it isn't called.
    """

    name: str
    node: Node
    module: str = ""
    statement: Node | None = None
    chain: Node | None = None
    call: Node | None = None

    @property
    def line(self) -> int:
        """Of the place."""
        return line_of(self.node)

    @property
    def given(self) -> CallArguments | None:
        """What the call gives; None for what is none."""
        if self.call is None:
            return None
        listed = arguments_of(self.call)
        keys = [key for each in listed if each.type == "object" for key in _keys(each)]
        starred = any(each.type == "spread_element" for each in listed)
        return CallArguments(len(listed), frozenset(keys) - {""}, starred, "" in keys)


def arguments_of(call: Node) -> list[Node]:
    """Return the arguments of a call."""
    listed = field(call, "arguments")
    return [each for each in (listed.named_children if listed else ()) if each.type != "comment"]


def _keys(given: Node) -> Iterator[str]:
    """Return the keys of an object; "" for what is unpacked into it."""
    for each in given.named_children:
        if each.type == "spread_element":
            yield ""
        elif each.type == "shorthand_property_identifier":
            yield text_of(each)
        elif (key := field(each, "key") or field(each, "name")) is not None:
            yield content(key)


def script_names(root: Node, package: str) -> Iterator[ScriptName]:
    """Return where a program names something of a package, or a member of any value."""
    meanings: dict[str, tuple[str, str]] = {}
    bound: set[int] = set()
    for node in walk(root):
        for local, named in _bound(node, package):
            bound |= {local.id, named.node.id}
            if named.statement is not None and named.statement.type != "export_statement":
                meanings[text_of(local)] = named.module, named.name
            yield named
    for node in walk(root):
        if node.id not in bound and (named_here := _named(node, meanings, package)) is not None:
            yield named_here


def _named(node: Node, meanings: Mapping[str, tuple[str, str]], package: str) -> ScriptName | None:
    """Return what a node names; None where that is nothing of the package and no member."""
    if node.type in _NAMES:
        meant = meanings.get(text_of(node))
        return _used(node, *meant) if meant is not None and not _is_binding(node) else None
    if said := required(node, package):
        is_used = node.parent is not None and node.parent.type in (*_CHAINS, *_CALLS)
        return _used(node, said, said) if is_used else None
    member = field(node, "property") if node.type == "member_expression" else None
    if member is None or _is_meant(node, meanings, package):
        return None
    return ScriptName(f".{text_of(member)}", member, chain=node, call=_call(node))


def _bound(node: Node, package: str) -> Iterator[tuple[Node, ScriptName]]:
    """Return what an import binds: the local name, and what it means."""
    if node.type in {"import_statement", "export_statement"}:
        source = field(node, "source")
        said = _of_package(content(source), package) if source is not None else ""
        for each in walk(node) if said else ():
            yield from _in_import(each, said, node)
    elif node.type == "variable_declarator":
        yield from _in_declarator(node, package)


def _in_import(node: Node, said: str, statement: Node) -> Iterator[tuple[Node, ScriptName]]:
    if node.type in {"import_specifier", "export_specifier"}:
        name = field(node, "name")
        if name is not None:
            meaning = f"{said}.{text_of(name)}"
            yield field(node, "alias") or name, ScriptName(meaning, name, said, statement)
    elif node.type == "namespace_import":
        local = node.named_children[-1]
        yield local, ScriptName(said, local, said, statement)
    elif node.type == "import_clause":
        for local in node.named_children:
            if local.type == "identifier":
                yield local, ScriptName(f"{said}.default", local, said, statement)


def _in_declarator(node: Node, package: str) -> Iterator[tuple[Node, ScriptName]]:
    """Return what `const … = require(…)` binds."""
    pattern, value = field(node, "name"), field(node, "value")
    if value is not None and value.type == "await_expression":
        value = value.named_children[0]
    if pattern is None or value is None:
        return
    said = required(value, package)
    if said and pattern.type == "object_pattern":
        for key, local in names_in(pattern):
            yield local, ScriptName(f"{said}.{text_of(key)}", key, said, node)
    elif said and pattern.type == "identifier":
        yield pattern, ScriptName(said, pattern, said, node)
    elif value.type == "member_expression" and pattern.type == "identifier":
        said, member = required(field(value, "object"), package), field(value, "property")
        if said and member is not None:
            meaning = f"{said}.{text_of(member)}"
            yield pattern, ScriptName(meaning, member, said, node, chain=value)


def names_in(pattern: Node) -> Iterator[tuple[Node, Node]]:
    """Return the properties that an object pattern takes, each with the local name that it binds."""
    for each in pattern.named_children:
        inner = field(each, "left") if each.type == "object_assignment_pattern" else each
        if inner is None:
            continue
        if inner.type == "shorthand_property_identifier_pattern":
            yield inner, inner
        elif inner.type == "pair_pattern":
            key, value = field(inner, "key"), field(inner, "value")
            if value is not None and value.type == "assignment_pattern":
                value = field(value, "left")
            if key is not None and value is not None and value.type == "identifier":
                yield key, value


def required(node: Node | None, package: str) -> str:
    """Return the module of a package that `require` or `import` loads; "" for anything else."""
    if node is None or node.type != "call_expression":
        return ""
    called, given = text_of(field(node, "function")), arguments_of(node)
    is_loading = called in {"require", "import"} and len(given) == 1
    return _of_package(content(given[0]), package) if is_loading else ""


def _of_package(said: str, package: str) -> str:
    return said if said == package or said.startswith(f"{package}/") else ""


def _used(node: Node, module: str, meaning: str) -> ScriptName:
    """Return what a chain that begins with a name means, as long as properties follow."""
    at, last, chain = node, node, None
    names: list[str] = []
    while (
        (above := at.parent) is not None and above.type in _CHAINS and above.named_children[0] == at
    ):
        last = above.named_children[-1]
        names.append(text_of(last))
        at = chain = above
    if meaning == module and not names:
        names = ["default"]
    return ScriptName(".".join((meaning, *names)), last, module, chain=chain, call=_call(at))


def _is_meant(node: Node, meanings: Mapping[str, tuple[str, str]], package: str) -> bool:
    """Whether a chain begins with a name of the package."""
    at: Node | None = node
    while at is not None and at.type == "member_expression":
        at = field(at, "object")
    is_name = at is not None and at.type == "identifier" and text_of(at) in meanings
    return is_name or bool(required(at, package))


def _call(node: Node) -> Node | None:
    above = node.parent
    role = _CALLS.get(above.type) if above is not None else None
    return above if above is not None and role is not None and field(above, role) == node else None


def _is_binding(node: Node) -> bool:
    """Whether a name is that of a declaration, and not a use."""
    above = node.parent
    if above is None or above.type in {"import_specifier", "import_clause", "namespace_import"}:
        return True
    return field(above, "name") == node and above.type not in {
        "jsx_opening_element",
        "jsx_self_closing_element",
    }
