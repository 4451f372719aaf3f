"""Read which names a file's imports bind, and to what, with dots whatever the language. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from bot.code.languages import Language
from bot.code.syntax import compact, content, field, text_of

IMPORTS = frozenset({
    "import_statement", "import_from_statement", "future_import_statement", "import_spec",
    "use_declaration", "extern_crate_declaration",
})  # fmt: skip
"""Statements that bind names and use none."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A name, and what it stands for.

    Attributes:
        name: In the file; `*` for all that `meaning` has.
        meaning: Dotted, from the outermost module: `os.system`, `child_process.exec`,
            `os/exec.Command`, `std.process.Command`. What is relative begins with a dot.
    """

    name: str
    meaning: str


def bound_by(node: Node, language: Language) -> Iterator[Bound]:
    """Yield what one of `IMPORTS` binds."""
    match language:
        case Language.PYTHON:
            yield from _python(node)
        case Language.JAVASCRIPT:
            yield from _javascript(node)
        case Language.GO:
            yield from _go(node)
        case Language.RUST:
            yield from _rust(field(node, "argument"), "")


def _python(node: Node) -> Iterator[Bound]:
    module = field(node, "module_name")
    inside = f"{compact(module)}." if module is not None else ""
    if any(child.type == "wildcard_import" for child in node.named_children):
        yield Bound("*", compact(module))
    for child in node.children_by_field_name("name"):
        alias = field(child, "alias")
        whole = compact(child if alias is None else field(child, "name"))
        if alias is not None:
            yield Bound(text_of(alias), inside + whole)
        elif module is not None:
            yield Bound(whole, inside + whole)
        else:
            yield Bound(whole.partition(".")[0], whole.partition(".")[0])


def _javascript(node: Node) -> Iterator[Bound]:
    clauses = [
        named_child for named_child in node.named_children if named_child.type.startswith("import_")
    ]
    source = field(node, "source") or (field(clauses[0], "source") if clauses else None)
    if source is None:
        return
    module = content(source)
    waiting = list(clauses)
    while waiting:
        child = waiting.pop()
        if child.type == "identifier":
            yield Bound(text_of(child), module)
        elif child.type == "import_specifier":
            name = field(child, "name")
            alias = field(child, "alias") or name
            yield Bound(text_of(alias), f"{module}.{text_of(name)}")
        else:
            waiting.extend(child.named_children)


def _go(node: Node) -> Iterator[Bound]:
    path, name = field(node, "path"), field(node, "name")
    module = content(path) if path is not None else ""
    if name is not None and text_of(name) == ".":
        yield Bound("*", module)
        return
    parts = module.split("/")
    major = len(parts) > 1 and parts[-1][:1] == "v" and parts[-1][1:].isdigit()
    yield Bound(text_of(name) if name is not None else parts[-2 if major else -1], module)


def _rust(node: Node | None, inside: str) -> Iterator[Bound]:
    if node is None:
        return
    kind = node.type
    if kind == "use_list":
        for child in node.named_children:
            yield from _rust(child, inside)
    elif kind == "scoped_use_list":
        yield from _rust(field(node, "list"), inside + _dotted(field(node, "path")) + ".")
    elif kind == "use_wildcard":
        path = node.named_children[0] if node.named_children else None
        yield Bound("*", inside + _dotted(path))
    elif kind == "use_as_clause":
        meaning = inside + _dotted(field(node, "path"))
        yield Bound(text_of(field(node, "alias")), meaning.removesuffix(".self"))
    elif kind == "self":
        yield Bound(inside.rstrip(".").rpartition(".")[2], inside.rstrip("."))
    elif kind in {"identifier", "scoped_identifier"}:
        meaning = inside + _dotted(node)
        yield Bound(meaning.rpartition(".")[2], meaning)


def _dotted(node: Node | None) -> str:
    return compact(node).removeprefix("::").replace("::", ".")
