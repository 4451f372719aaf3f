"""Conditions: negated, narrowed, widened, or compared with None."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from difflib import SequenceMatcher

from bot.repair.proposers.search.edits.change import Change, Replacement
from bot.repair.proposers.search.edits.scope import Scope, own_nodes

_MOST_ATOMS = 60
_BUILTIN_TYPES = frozenset({"int", "float", "str", "list", "dict", "tuple", "set", "bytes"})


def _condition(node: ast.AST) -> ast.expr | None:
    match node:
        case (
            ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test)
        ):
            return test
        case _:
            return None


def negated(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Ask for the opposite."""
    test = _condition(node)
    if test is None or isinstance(node, ast.Assert):
        return
    source = scope.source
    if not isinstance(test, ast.UnaryOp):
        text = f"not {source.operand(test, 6)}"
        change = (source.replace(test, text),)
        yield Change("negation", test.lineno, 0.5, change, "asks for the opposite")
    if isinstance(test, ast.Name | ast.Attribute | ast.Call | ast.Subscript):
        for ending, weight in (
            (" is not None", 0.6),
            (" is None", 0.35),
            (" > 0", 0.15),
            (" > 1", 0.2),
        ):
            text = source.operand(test, 7) + ending
            says = f"asks whether `{text}`"
            yield Change("None", test.lineno, weight, (source.replace(test, text),), says)
    if isinstance(test, ast.Name):
        for kind in ("list", "str", "dict", "tuple", "int"):
            text = f"isinstance({test.id}, {kind})"
            change = (source.replace(test, text),)
            yield Change("type guard", test.lineno, 0.2, change, f"asks whether `{text}`")
    match test:
        case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() | ast.Eq() | ast.NotEq() as op]):
            plain = source.code(left)
            text = (
                plain if isinstance(op, ast.IsNot | ast.NotEq) else f"not {source.operand(left, 6)}"
            )
            change = (source.replace(test, text),)
            yield Change("None", test.lineno, 0.35, change, f"asks whether `{text}`")
        case _:
            pass


def fixed(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Let a condition always or never hold, or a constant one depend on something."""
    test = _condition(node)
    if test is None or isinstance(node, ast.Assert):
        return
    source = scope.source
    if isinstance(test, ast.Constant):
        for text in atoms(scope, test.lineno):
            says = f"goes on only while `{text}`"
            yield Change("condition", test.lineno, 0.4, (source.replace(test, text),), says)
        return
    for text in atoms(scope, test.lineno):
        if text != source.code(test):
            change = (source.replace(test, text),)
            yield Change("condition", test.lineno, 0.15, change, f"asks whether `{text}` instead")
    for text, weight in (("True", 0.12), ("False", 0.15)):
        change = (source.replace(test, text),)
        yield Change("condition", test.lineno, weight, change, f"takes `{text}` for the condition")


def extended(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Ask for something more, or let something else do as well."""
    test = _condition(node)
    if test is None:
        test = (
            node.value
            if isinstance(node, ast.Return) and isinstance(node.value, ast.Compare | ast.BoolOp)
            else None
        )
    if test is None or isinstance(test, ast.Constant):
        return
    source = scope.source
    mine = source.code(test)
    for atom in atoms(scope, test.lineno):
        if atom in mine:
            continue
        for word, binds in (("and", 5), ("or", 4)):
            old = source.operand(test, binds)
            weight = 0.3 if isinstance(node, ast.If | ast.While) else 0.2
            says = f"asks `{word} {atom}` too"
            behind = (source.replace(test, f"{old} {word} {atom}"),)
            yield Change("missing condition", test.lineno, weight, behind, says)
            before = (source.replace(test, f"{atom} {word} {old}"),)
            yield Change(
                "missing condition", test.lineno, weight * 0.9, before, f"asks `{atom}` first"
            )


def bounded(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Ask first whether there is an item at an index that the condition looks at."""
    test = _condition(node)
    if test is None:
        return
    source = scope.source
    for part in ast.walk(test):
        if isinstance(part, ast.Subscript) and not isinstance(part.slice, ast.Slice | ast.Constant):
            index, items = source.operand(part.slice, 7), source.code(part.value)
            for atom in (f"{index} < len({items})", f"{index} >= 0", f"{index} in {items}"):
                change = (source.replace(test, f"{atom} and {source.operand(test, 5)}"),)
                yield Change("missing guard", test.lineno, 0.45, change, f"asks `{atom}` first")


def predicates(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Ask a function of the file that answers just that."""
    match node:
        case ast.BoolOp(values=parts):
            pass
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            parts = [] if isinstance(test, ast.BoolOp) else [test]
        case _:
            return
    asked = list(_own_questions(scope, node))
    for part in parts:
        if isinstance(part, ast.Compare | ast.Name | ast.Call | ast.UnaryOp):
            for text in asked:
                change = (scope.source.replace(part, text),)
                says = f"asks `{text}` instead of `{scope.source.code(part)}`"
                yield Change("condition", part.lineno, 0.25, change, says)


_MOST_QUESTIONS = 8


def _own_questions(scope: Scope, node: ast.expr | ast.stmt) -> Iterator[str]:
    """Yield calls of the file's functions of one argument, with each variable."""
    own = [
        one.name
        for one in scope.source.tree.body
        if isinstance(one, ast.FunctionDef)
        and len(one.args.args) == 1
        and one is not scope.definition
    ]
    names = scope.bound_before(node.lineno)
    calls = [f"{function}({name})" for function in own for name in names]
    yield from calls[:_MOST_QUESTIONS]


def elsewhere(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Ask what another function of the file asks."""
    test = _condition(node)
    if test is None or scope.definition is None:
        return
    source = scope.source
    known = {*scope.variables, "self"} | source.module_names
    mine = source.code(test)
    found: dict[str, None] = {}
    for other in source.nodes(source.tree):
        asked = _condition(other)
        if asked is None or asked is test or isinstance(asked, ast.Constant):
            continue
        text = source.code(asked)
        free = {one.id for one in ast.walk(asked) if isinstance(one, ast.Name)}
        if text != mine and "\n" not in text and free and free <= known:
            found.setdefault(text)
    ranked = sorted(found, key=lambda text: -SequenceMatcher(None, text, mine).ratio())
    for text in ranked[:_MOST_QUESTIONS]:
        likeness = SequenceMatcher(None, text, mine).ratio()
        change = (source.replace(test, text),)
        says = f"asks `{text}`, as elsewhere"
        yield Change("condition", test.lineno, 0.1 + 0.4 * likeness, change, says)


def repeated(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Do once what is done again and again, or the other way round."""
    if not isinstance(node, ast.If | ast.While) or node.orelse:
        return
    start = scope.source.span(node)[0]
    old, new = ("if", "while") if isinstance(node, ast.If) else ("while", "if")
    if scope.source.text.startswith(old, start):
        change = (Replacement(start, start + len(old), new),)
        says = f"does it {'as long as' if new == 'while' else 'once if'} the condition holds"
        yield Change("branch", node.lineno, 0.3, change, says)


def filters(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Let a comprehension pick, or pick no more."""
    if not isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return
    source = scope.source
    for loop in node.generators:
        for test in loop.ifs:
            text = f"not {source.operand(test, 6)}"
            change = (source.replace(test, text),)
            yield Change("negation", test.lineno, 0.5, change, "picks the others")
        names = [one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)]
        end = source.span(loop.ifs[-1] if loop.ifs else loop.iter)[1]
        word = " and " if loop.ifs else " if "
        if source.text[end : end + 1] == ")" and not isinstance(node, ast.GeneratorExp):
            continue
        for name in names:
            for text in (name, f"{name} is not None", f"{name} != 0", f"{name} > 0", f"not {name}"):
                change = (Replacement(end, end, word + text),)
                says = f"picks only where `{text}`"
                yield Change("missing condition", node.lineno, 0.2, change, says)


def atoms(scope: Scope, line: int) -> tuple[str, ...]:
    """Return simple conditions on what is there when a line runs, likely ones first."""
    names = scope.bound_before(line)
    found = dict.fromkeys(_asked(scope))
    for name in names:
        found |= dict.fromkeys(_about(scope, name))
    found |= dict.fromkeys(_reached(scope))
    found |= dict.fromkeys(_pairs(scope, names))
    found |= dict.fromkeys(scope.self_attributes[:6])
    return tuple(found)[:_MOST_ATOMS]


def _asked(scope: Scope) -> Iterator[str]:
    """Yield what the function asks already."""
    for node in own_nodes(scope.definition) if scope.definition is not None else ():
        test = _condition(node)
        parts = test.values if isinstance(test, ast.BoolOp) else [test] if test else []
        for part in parts:
            if isinstance(part, ast.Compare | ast.Name | ast.Call | ast.UnaryOp):
                yield scope.source.operand(part, 6)
                if isinstance(part, ast.Compare) and len(part.ops) == 1:
                    yield f"not {scope.source.code(part)}"


def _reached(scope: Scope) -> Iterator[str]:
    """Yield whether there is a value of which the function takes an attribute: `node.next`."""
    for node in own_nodes(scope.definition) if scope.definition is not None else ():
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute):
            code = scope.source.code(node.value)
            if "(" not in code:
                yield f"{code} is not None"
                yield code


def _about(scope: Scope, name: str) -> Iterator[str]:
    """Yield what can be asked of one variable, by its types."""
    kinds = scope.kinds(name)
    if kinds - {"int"}:
        yield from (f"isinstance({name}, {kind})" for kind in sorted(kinds & _BUILTIN_TYPES))
    if not kinds or kinds - {"int", "float"}:
        yield from (name, f"not {name}")
    if "NoneType" in kinds or not kinds:
        yield from (f"{name} is None", f"{name} is not None")
    if kinds & {"int", "float"}:
        yield from (f"{name} > 0", f"{name} == 0", f"{name} >= 0", f"{name} < 0")


def _pairs(scope: Scope, names: tuple[str, ...]) -> Iterator[str]:
    """Yield comparisons of two variables, and of an index with a length."""
    counts = [name for name in names if scope.has(name, "int", "float")]
    sized = [name for name in names if scope.is_sized(name)]
    for name in counts:
        for other in sized:
            yield f"{name} < len({other})"
    for position, name in enumerate(counts):
        for other in counts[position + 1 :]:
            for op in ("<", ">", "<=", ">=", "==", "!="):
                yield f"{name} {op} {other}"
    for name in names:
        for other in sized:
            if name != other:
                yield f"{name} in {other}"
                yield f"{name} not in {other}"
