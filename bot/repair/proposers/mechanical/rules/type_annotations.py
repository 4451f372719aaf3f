"""Annotations that a type checker's message spells out: None as a default, returns, unions."""

from __future__ import annotations

import ast
import re

from bot.repair.proposers.mechanical.rules.functions import Function, functions, kind_of
from bot.repair.proposers.mechanical.rules.import_lines import with_import
from bot.repair.proposers.mechanical.rules.rule import Example, Repair, Reported, Rule
from bot.repair.proposers.mechanical.rules.scopes import visible
from bot.repair.proposers.mechanical.rules.source import RuleSource
from bot.reporting.reasons import mechanical

_DEFAULT = re.compile(
    r'^Incompatible default for (?:argument|parameter) "(?P<name>\w+)" \(default has type "None"'
    r'|^Expression of type "None" cannot be assigned to parameter of type'
    r"|^PEP 484 prohibits implicit `Optional`"
    r'|^Incompatible types in assignment \(expression has type "None", variable has type'
)
_UNION = re.compile(r"X \| Y syntax for unions requires Python 3\.10")
_NEED = re.compile(
    r'^Need type annotation for "(?P<name>\w+)" \(hint: "\w+: (?P<kind>\w+)\[<type>(?:, <type>)?\] = '
)


def _default(reported: Reported) -> Repair | None:
    """Let a parameter be None where that is its default."""
    match = _DEFAULT.search(reported.diagnostic.message)
    source, name = reported.source, match["name"] if match else None
    for function in functions(source):
        for given in _with_none(function):
            named = given.arg == name if name else given.lineno == reported.line
            holds = function.lineno <= reported.line <= function.body[0].lineno
            if named and holds and given.annotation is not None:
                return _optional(source, given.annotation, given.arg)
    for node in ast.walk(source.tree) if source.tree is not None else ():
        if (
            isinstance(node, ast.AnnAssign)
            and node.lineno == reported.line
            and node.value is not None
            and _is_none(node.value)
        ):
            return _optional(source, node.annotation, source.part(node.target))
    return None


def _with_none(function: Function) -> list[ast.arg]:
    """Return the parameters whose default is None."""
    arguments = function.args
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = zip(plain[len(plain) - len(arguments.defaults) :], arguments.defaults, strict=True)
    pairs = [*defaults, *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    return [
        given for given, value in pairs if isinstance(value, ast.Constant) and value.value is None
    ]


def _optional(source: RuleSource, annotation: ast.expr, name: str) -> Repair | None:
    whole = optional(source, annotation)
    return Repair(whole, mechanical.none_allowed(name)) if whole is not None else None


def optional(source: RuleSource, annotation: ast.expr) -> str | None:
    """Return the text with None added to an annotation, as the file writes it elsewhere."""
    text, start, end = source.part(annotation), source.start(annotation), source.end(annotation)
    if "| None" in source.text and "Optional[" not in source.text:
        return source.replaced(start, end, f"{text} | None")
    if re.search(r"^import typing$", source.text, re.MULTILINE):
        return source.replaced(start, end, f"typing.Optional[{text}]")
    widened = source.replaced(start, end, f"Optional[{text}]")
    return _with_typing(RuleSource(source.path, widened), "Optional")


def _with_typing(source: RuleSource, name: str) -> str | None:
    """Return the text with a name of `typing` imported, unless it is there."""
    if source.tree is None:
        return None
    return (
        source.text
        if name in visible(source.tree, 1)
        else with_import(source, "typing", name, name)
    )


def _old_union(reported: Reported) -> Repair | None:
    """Write a union as Python 3.9 and older read it."""
    source = reported.source
    unions = [
        node
        for node in (ast.walk(source.tree) if source.tree is not None else ())
        if isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.BitOr)
        and node.lineno <= reported.line <= (node.end_lineno or node.lineno)
    ]  # fmt: skip
    if not unions:
        return None
    union = max(unions, key=lambda node: source.end(node) - source.start(node))
    members = _members(union)
    typed = [source.part(member) for member in members if not _is_none(member)]
    inner = typed[0] if len(typed) == 1 else f"Union[{', '.join(typed)}]"
    text = f"Optional[{inner}]" if len(typed) < len(members) else inner
    whole: str | None = source.replaced(source.start(union), source.end(union), text)
    for name in ("Optional", "Union"):
        if f"{name}[" in text and whole is not None:
            whole = _with_typing(RuleSource(source.path, whole), name)
    return Repair(whole, mechanical.union_rewritten(text)) if whole is not None else None


def _members(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_members(node.left), *_members(node.right)]
    return [node]


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _needed(reported: Reported) -> Repair | None:
    """Annotate an empty collection with the types of what is put into it."""
    match = _NEED.search(reported.diagnostic.message)
    source = reported.source
    if match is None or source.tree is None:
        return None
    inner = _contents(source.tree, match["name"], match["kind"])
    line = source.line(reported.line)
    place = re.match(rf"^\s*(?:self\.)?{match['name']}(?= =)", line)
    if inner is None or place is None:
        return None
    kind = f"{match['kind']}[{inner}]"
    text = f"{line[: place.end()]}: {kind}{line[place.end() :]}"
    return Repair(
        source.with_line(reported.line, text), mechanical.variable_annotated(match["name"], kind)
    )


def _contents(tree: ast.Module, name: str, kind: str) -> str | None:
    """Return what a list, set or dict is seen to hold, None where that isn't plain."""
    found: set[str | None] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=target, attr="append" | "add"), args=[value]):
                if _ends_in(target, name) and kind in {"list", "set", "List", "Set"}:
                    found.add(kind_of(value))
            case ast.Assign(targets=[ast.Subscript(value=target, slice=key)], value=value):
                if _ends_in(target, name) and kind in {"dict", "Dict"}:
                    pair = kind_of(key), kind_of(value)
                    found.add(f"{pair[0]}, {pair[1]}" if all(pair) else None)
            case _:
                pass
    return found.pop() if len(found) == 1 else None


def _ends_in(target: ast.expr, name: str) -> bool:
    return (isinstance(target, ast.Name) and target.id == name) or (
        isinstance(target, ast.Attribute) and target.attr == name
    )


RULES = (
    Rule(
        "None as a default",
        frozenset({"assignment", "RUF013", "reportArgumentType", "reportGeneralTypeIssues"}),
        _DEFAULT,
        _default,
        Example(
            "def load(path: str, mode: str = None):\n    return open(path, mode or 'r')\n",
            1,
            "assignment",
            'Incompatible default for argument "mode" (default has type "None", argument has type "str")',
            "from typing import Optional\n\ndef load(path: str, mode: Optional[str] = None):\n    return open(path, mode or 'r')\n",
        ),
    ),
    Rule(
        "union that an old Python can't read",
        frozenset({"syntax", "error"}),
        _UNION,
        _old_union,
        Example(
            "from typing import Dict\n\nfound: str | None = None\nby_name: Dict[str, int] = {}\n",
            3,
            "syntax",
            "X | Y syntax for unions requires Python 3.10",
            "from typing import Dict, Optional\n\nfound: Optional[str] = None\nby_name: Dict[str, int] = {}\n",
        ),
    ),
    Rule(
        "annotation of an empty collection",
        frozenset({"var-annotated"}),
        _NEED,
        _needed,
        Example(
            "names = []\nnames.append('a')\n",
            1,
            "var-annotated",
            'Need type annotation for "names" (hint: "names: list[<type>] = ...")',
            "names: list[str] = []\nnames.append('a')\n",
        ),
    ),
)
