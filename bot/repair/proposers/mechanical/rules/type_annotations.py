"""Annotations that a type checker's message spells out: None as a default, returns, unions."""

from __future__ import annotations

import ast
import re

from bot.repair.proposers.mechanical.rules.import_lines import with_import
from bot.repair.proposers.mechanical.rules.rule import Example, Repair, Reported, Rule
from bot.repair.proposers.mechanical.rules.scopes import visible
from bot.repair.proposers.mechanical.rules.source import Source
from bot.reporting.reasons import rules

_DEFAULT = re.compile(
    r'^Incompatible default for (?:argument|parameter) "(?P<name>\w+)" \(default has type "None"'
    r'|^Expression of type "None" cannot be assigned to parameter of type'
    r"|^PEP 484 prohibits implicit `Optional`"
    r'|^Incompatible types in assignment \(expression has type "None", variable has type'
)
_UNION = re.compile(r"X \| Y syntax for unions requires Python 3\.10")
_MISSING = re.compile(
    r"^Function is missing a return type annotation|^Missing return type annotation"
)
_RETURNED = re.compile(
    r'^Incompatible return value type \(got "(?P<got>[^"]+)", expected "(?P<expected>[^"]+)"\)'
)
_NEED = re.compile(
    r'^Need type annotation for "(?P<name>\w+)" \(hint: "\w+: (?P<kind>\w+)\[<type>(?:, <type>)?\] = '
)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_Function = ast.FunctionDef | ast.AsyncFunctionDef


def _default(reported: Reported) -> Repair | None:
    """Let a parameter be None where that is its default."""
    match = _DEFAULT.search(reported.diagnostic.message)
    source, name = reported.source, match["name"] if match else None
    for function in _functions(source):
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


def _with_none(function: _Function) -> list[ast.arg]:
    """Return the parameters whose default is None."""
    arguments = function.args
    plain = [*arguments.posonlyargs, *arguments.args]
    defaults = zip(plain[len(plain) - len(arguments.defaults) :], arguments.defaults, strict=True)
    pairs = [*defaults, *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
    return [
        given for given, value in pairs if isinstance(value, ast.Constant) and value.value is None
    ]


def _optional(source: Source, annotation: ast.expr, name: str) -> Repair | None:
    """Add None to an annotation, as the file writes it."""
    text = source.part(annotation)
    if "| None" in source.text and "Optional[" not in source.text:
        widened = source.replaced(
            source.start(annotation), source.end(annotation), f"{text} | None"
        )
        return Repair(widened, rules.none_allowed(name))
    short = (
        "typing.Optional"
        if re.search(r"^import typing$", source.text, re.MULTILINE)
        else "Optional"
    )
    widened = source.replaced(source.start(annotation), source.end(annotation), f"{short}[{text}]")
    whole = (
        _with_typing(Source(source.path, widened), "Optional") if short == "Optional" else widened
    )
    return Repair(whole, rules.none_allowed(name)) if whole is not None else None


def _with_typing(source: Source, name: str) -> str | None:
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
    typed = [source.part(one) for one in members if not _is_none(one)]
    inner = typed[0] if len(typed) == 1 else f"Union[{', '.join(typed)}]"
    text = f"Optional[{inner}]" if len(typed) < len(members) else inner
    whole: str | None = source.replaced(source.start(union), source.end(union), text)
    for name in ("Optional", "Union"):
        if f"{name}[" in text and whole is not None:
            whole = _with_typing(Source(source.path, whole), name)
    return Repair(whole, rules.union_rewritten(text)) if whole is not None else None


def _members(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return [*_members(node.left), *_members(node.right)]
    return [node]


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _missing_return(reported: Reported) -> Repair | None:
    """Annotate a function that returns nothing, or only constants of one type."""
    source = reported.source
    for function in _functions(source):
        first = min([function.lineno, *(one.lineno for one in function.decorator_list)])
        if function.returns is None and first <= reported.line <= function.lineno:
            kind = _returned(function)
            at = _colon(source, function)
            if kind is None or at is None:
                return None
            return Repair(
                source.replaced(at, at, f" -> {kind}"), rules.return_annotated(function.name, kind)
            )
    return None


def _returned(function: _Function) -> str | None:
    """Return the type of everything that a function returns, None where that isn't plain."""
    own = list(_own(function))
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in own):
        return None
    values = [node.value for node in own if isinstance(node, ast.Return)]
    kinds = {_kind(value) for value in values}
    if not values or kinds == {"None"}:
        return "None"
    certain = isinstance(function.body[-1], ast.Return)
    return kinds.pop() if len(kinds) == 1 and certain else None


def _kind(value: ast.expr | None) -> str | None:
    if value is None:
        return "None"
    if isinstance(value, ast.JoinedStr):
        return "str"
    if isinstance(value, ast.Compare) or (
        isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Not)
    ):
        return "bool" if isinstance(value, ast.UnaryOp) else None
    return (
        type(value.value).__name__.replace("NoneType", "None")
        if isinstance(value, ast.Constant)
        else None
    )


def _own(function: _Function) -> list[ast.AST]:
    """Return the nodes of a function without those of functions and classes inside it."""
    found: list[ast.AST] = []
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        found.append(node)
        if not isinstance(node, (*_FUNCTIONS, ast.Lambda, ast.ClassDef)):
            waiting.extend(ast.iter_child_nodes(node))
    return found


def _colon(source: Source, function: _Function) -> int | None:
    """Return where the colon behind a function's parameters stands."""
    depth, opened = 0, False
    for token in source.tokens:
        if token.start[0] < function.lineno:
            continue
        depth += (token.string in {"(", "["}) - (token.string in {")", "]"})
        opened = opened or token.string == "("
        if opened and depth == 0 and token.string == ":":
            return source.at(*token.start)
    return None


def _wrong_return(reported: Reported) -> Repair | None:
    """Annotate a function with the type of its only return."""
    match = _RETURNED.search(reported.diagnostic.message)
    source = reported.source
    holding = [
        function
        for function in _functions(source)
        if function.lineno <= reported.line <= (function.end_lineno or 0)
    ]
    if match is None or not holding or source.tree is None:
        return None
    function, got = holding[-1], match["got"].replace('"', "")
    returns = [node for node in _own(function) if isinstance(node, ast.Return)]
    named = set(re.findall(r"[A-Za-z_]\w*", got)) - {"None"}
    known = visible(source.tree, function.lineno)
    if len(returns) != 1 or function.returns is None or not named <= known or "Any" in named:
        return None
    text = source.replaced(source.start(function.returns), source.end(function.returns), got)
    return Repair(text, rules.return_annotated(function.name, got))


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
        source.with_line(reported.line, text), rules.variable_annotated(match["name"], kind)
    )


def _contents(tree: ast.Module, name: str, kind: str) -> str | None:
    """Return what a list, set or dict is seen to hold, None where that isn't plain."""
    found: set[str | None] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=target, attr="append" | "add"), args=[value]):
                if _ends_in(target, name) and kind in {"list", "set", "List", "Set"}:
                    found.add(_kind(value))
            case ast.Assign(targets=[ast.Subscript(value=target, slice=key)], value=value):
                if _ends_in(target, name) and kind in {"dict", "Dict"}:
                    pair = _kind(key), _kind(value)
                    found.add(f"{pair[0]}, {pair[1]}" if all(pair) else None)
            case _:
                pass
    return found.pop() if len(found) == 1 else None


def _ends_in(target: ast.expr, name: str) -> bool:
    return (isinstance(target, ast.Name) and target.id == name) or (
        isinstance(target, ast.Attribute) and target.attr == name
    )


def _functions(source: Source) -> list[_Function]:
    nodes = ast.walk(source.tree) if source.tree is not None else ()
    found = [node for node in nodes if isinstance(node, _FUNCTIONS)]
    return sorted(found, key=lambda node: node.lineno)


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
        "missing return annotation",
        frozenset({"no-untyped-def", "ANN201", "ANN202", "ANN204"}),
        _MISSING,
        _missing_return,
        Example(
            "def greet(name: str):\n    print(name)\n",
            1,
            "no-untyped-def",
            "Function is missing a return type annotation",
            "def greet(name: str) -> None:\n    print(name)\n",
        ),
    ),
    Rule(
        "wrong return annotation",
        frozenset({"return-value"}),
        _RETURNED,
        _wrong_return,
        Example(
            "def size(name: str) -> str:\n    return len(name)\n",
            2,
            "return-value",
            'Incompatible return value type (got "int", expected "str")',
            "def size(name: str) -> int:\n    return len(name)\n",
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
