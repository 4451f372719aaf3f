"""Put an import where the order of a file's imports wants it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from enum import IntEnum

from bot.repair.proposers.mechanical.rules.source import RuleSource


class ImportGroup(IntEnum):
    """Groups of imports, in their order (PEP 8; isort's defaults)."""

    FUTURE = 0
    STANDARD = 1
    THIRD_PARTY = 2
    LOCAL = 3


def with_import(source: RuleSource, module: str, name: str, bound: str) -> str | None:
    """Return a Python file's text with one more import; None where it can't be read.

    A `from` import joins the one of the same module, else it gets a line in its group.

    Args:
        source: The file.
        module: With dots in front where it is relative.
        name: Taken from the module; "" imports the module itself.
        bound: What it is called in the file.
    """
    tree = source.tree
    if tree is None:
        return None
    imports = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    taken = name if name in {"", bound} else f"{name} as {bound}"
    if name:
        for node in imports:
            if (
                isinstance(node, ast.ImportFrom)
                and _module(node) == module
                and node.names[0].name != "*"
            ):
                return _joined(source, node, taken)
        line = f"from {module} import {taken}"
    else:
        line = f"import {module}" if bound == module else f"import {module} as {bound}"
    return _inserted(source, tree, imports, module, line, plain=not name)


def _module(node: ast.ImportFrom) -> str:
    return "." * node.level + (node.module or "")


def _joined(source: RuleSource, node: ast.ImportFrom, taken: str) -> str:
    """Return the text with one more name in an import, in order if its names are."""
    names = [source.part(alias) for alias in node.names]
    ordered = names == sorted(names) or names == sorted(names, key=str.casefold)
    key = str if names == sorted(names) else str.casefold
    after = [n for n, other in enumerate(names) if ordered and key(other) > key(taken)]
    place = after[0] if after else len(names)
    if place < len(names):
        start = source.start(node.names[place])
        own_line = source.text[source.at(node.names[place].lineno) : start].isspace()
        gap = f",{source.newline}{source.indent(node.names[place].lineno)}" if own_line else ", "
        return source.replaced(start, start, f"{taken}{gap}")
    last = node.names[-1]
    end, start = source.end(last), source.start(last)
    own_line = source.text[source.at(last.lineno) : start].isspace()
    gap = f",{source.newline}{source.indent(last.lineno)}" if own_line else ", "
    return source.replaced(end, end, f"{gap}{taken}")


def _inserted(
    source: RuleSource,
    tree: ast.Module,
    imports: Sequence[ast.Import | ast.ImportFrom],
    module: str,
    line: str,
    *,
    plain: bool,
) -> str:
    group = group_of(module, source)
    same = [node for node in imports if group_of(_first(node), source) == group]
    if same:
        alike = [node for node in same if isinstance(node, ast.Import) == plain] or same
        later = [node for node in alike if _first(node).casefold() > module.casefold()]
        if later and alike is not same:
            return source.with_inserted(later[0].lineno, line)
        before = same[0].lineno if plain and alike is same else None
        last = alike[-1]
        at = before or (later[0].lineno if later else (last.end_lineno or last.lineno) + 1)
        return source.with_inserted(at, line)
    earlier = [node for node in imports if group_of(_first(node), source) < group]
    if earlier:
        return source.with_inserted((earlier[-1].end_lineno or earlier[-1].lineno) + 1, "", line)
    if imports:
        return source.with_inserted(imports[0].lineno, line, "")
    return _first_of_all(source, tree, line)


def _first_of_all(source: RuleSource, tree: ast.Module, line: str) -> str:
    """Return the text with its first import, below the docstring and the comments on top."""
    body = tree.body
    documented = ast.get_docstring(tree, clean=False) is not None
    if documented:
        return source.with_inserted((body[0].end_lineno or body[0].lineno) + 1, "", line)
    top = 1
    while source.line(top).startswith("#"):
        top += 1
    return source.with_inserted(top, line, *([""] if source.line(top).strip() else []))


def _first(node: ast.Import | ast.ImportFrom) -> str:
    return _module(node) if isinstance(node, ast.ImportFrom) else node.names[0].name


def group_of(module: str, source: RuleSource) -> ImportGroup:
    """Return the group of a module; what shares the file's top folder is local."""
    top = module.partition(".")[0]
    if module == "__future__":
        return ImportGroup.FUTURE
    if top in sys.stdlib_module_names:
        return ImportGroup.STANDARD
    own = source.path.removeprefix("src/").partition("/")[0]
    return ImportGroup.LOCAL if not top or top == own else ImportGroup.THIRD_PARTY
