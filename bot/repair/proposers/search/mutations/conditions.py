"""Conditions: negated, narrowed, widened, or compared with None."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from difflib import SequenceMatcher

from bot.repair.proposers.search.mutations.atoms import atoms, condition_of
from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.mutations.scope import Scope

_MEMBERSHIP = 0.8
"""How much less likely it is that a missing condition asks whether something is among others."""


def negated(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Ask for the opposite."""
    test = condition_of(node)
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
    test = condition_of(node)
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
    test = condition_of(node)
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
    usual = 0.3 if isinstance(node, ast.If | ast.While | ast.Return) else 0.2
    for atom in atoms(scope, test.lineno):
        if atom in mine:
            continue
        weight = usual * (_MEMBERSHIP if " in " in atom else 1.0)
        for word, binds in (("and", 5), ("or", 4)):
            old = source.operand(test, binds)
            says = f"asks `{word} {atom}` too"
            behind = (source.replace(test, f"{old} {word} {atom}"),)
            yield Change("missing condition", test.lineno, weight, behind, says)
            before = (source.replace(test, f"{atom} {word} {old}"),)
            yield Change(
                "missing condition", test.lineno, weight * 0.9, before, f"asks `{atom}` first"
            )


def bounded(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Ask first whether there is an item at an index that the condition looks at."""
    test = condition_of(node)
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
    test = condition_of(node)
    if test is None or scope.definition is None:
        return
    source = scope.source
    known = {*scope.variables, "self"} | source.module_names
    mine = source.code(test)
    found: dict[str, None] = {}
    for other in source.nodes(source.tree):
        asked = condition_of(other)
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
