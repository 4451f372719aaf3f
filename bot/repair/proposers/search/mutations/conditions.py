"""Conditions: negated, replaced, narrowed, widened, or asked as another place asks."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.proposers.search.mutations.atoms import atoms
from bot.repair.proposers.search.mutations.change import Replacement
from bot.repair.proposers.search.mutations.rule import Idea, Ideas, instead, rule
from bot.repair.proposers.search.mutations.scope import FunctionScope

_TESTS = ast.If | ast.While | ast.IfExp
_COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_MOST = 8
"""Conditions of other functions that are taken over, and calls that may be one."""


@rule("condition", _TESTS)
def condition(scope: FunctionScope, node: ast.If) -> Ideas:
    """Ask something else: of the variables at hand, of a function of the file, or nothing.

    before: while True: a.pop()
    after: while a: a.pop()
    """
    test = node.test
    if isinstance(test, ast.Constant):
        for text in atoms(scope, test.lineno):
            yield instead(scope, test, text, "for a constant")
        return
    for text in (*atoms(scope, test.lineno), "True", "False"):
        yield instead(scope, test, text)
    parts = test.values if isinstance(test, ast.BoolOp) else [test]
    for part in parts:
        for text in _predicates(scope, part):
            yield instead(scope, part, text, "of the file")


def _predicates(scope: FunctionScope, node: ast.expr) -> list[str]:
    """Return calls of the file's functions of one argument, with each variable."""
    own = [
        name
        for name, child in scope.source.functions.items()
        if len(child.args.args) == 1 and child is not scope.definition
    ]
    names = scope.bound_before(node.lineno)
    return [f"{function}({name})" for function in own for name in names][:_MOST]


@rule("missing condition", _TESTS | ast.Assert | ast.Return)
def missing_condition(scope: FunctionScope, node: ast.If | ast.Return) -> Ideas:
    """Ask for something more, or let something else do as well.

    types: a: int, b: int
    before: return a > 0
    after: return a > 0 and b > 0
    """
    test = node.value if isinstance(node, ast.Return) else node.test
    if test is None or isinstance(test, ast.Constant):
        return
    if isinstance(node, ast.Return) and not isinstance(test, ast.Compare | ast.BoolOp):
        return
    source, mine = scope.source, scope.source.part(test)
    for atom in atoms(scope, test.lineno):
        if atom in mine:
            continue
        member = " in " in atom or isinstance(node, ast.IfExp)
        for word, binds in (("and", 5), ("or", 4)):
            old = source.operand(test, binds)
            behind, front = f"{old} {word} {atom}", f"{atom} {word} {old}"
            case = "member" if member else ""
            yield instead(scope, test, behind, case, says=f"adds `{word} {atom}` to the condition")
            says = f"asks `{atom}` first"
            yield instead(scope, test, front, "member" if member else "in front", says=says)


@rule("bounds check", _TESTS)
def bounds(scope: FunctionScope, node: ast.If) -> Ideas:
    """Ask first whether there is such an item.

    before: return 1 if a[b] else 0
    after: return 1 if b < len(a) and a[b] else 0
    """
    source, test = scope.source, node.test
    for part in ast.walk(test):
        if isinstance(part, ast.Subscript) and not isinstance(part.slice, ast.Slice | ast.Constant):
            place, items = source.operand(part.slice, 7), source.part(part.value)
            for atom in (f"{place} < len({items})", f"{place} >= 0", f"{place} in {items}"):
                yield instead(scope, test, f"{atom} and {source.operand(test, 5)}")


@rule("filter", _COMPREHENSIONS)
def comprehension_filter(scope: FunctionScope, node: ast.ListComp) -> Ideas:
    """Let a comprehension pick.

    before: return [x for x in a]
    after: return [x for x in a if x != b]
    """
    source = scope.source
    for loop in node.generators:
        end = source.span(loop.ifs[-1] if loop.ifs else loop.iter)[1]
        if source.text[end : end + 1] == ")" and not isinstance(node, ast.GeneratorExp):
            continue
        word = " and " if loop.ifs else " if "
        for name in (child.id for child in ast.walk(loop.target) if isinstance(child, ast.Name)):
            for text in _picks(scope, name, node.lineno):
                place = Replacement(end, end, word + text)
                yield Idea((place,), f"picks only where `{text}`")


def _picks(scope: FunctionScope, name: str, line: int) -> Iterator[str]:
    """Yield what may be asked of an item."""
    yield from (name, f"{name} is not None", f"{name} != 0", f"{name} > 0", f"not {name}")
    for other in scope.bound_before(line):
        if other == name:
            continue
        if scope.is_sized(other):
            yield from (f"{name} in {other}", f"{name} not in {other}")
        if not scope.is_sized(other) or scope.has(other, "str"):
            yield from (f"{name} == {other}", f"{name} != {other}")
        if scope.has(other, "int", "float"):
            yield from (f"{name} {op} {other}" for op in ("<", "<=", ">", ">="))
