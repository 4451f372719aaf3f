"""Statements: one too many, one missing, in the wrong order or at the wrong depth."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.proposers.search.edits import absent
from bot.repair.proposers.search.edits.atoms import atoms
from bot.repair.proposers.search.edits.change import Change, Replacement
from bot.repair.proposers.search.edits.scope import Scope
from bot.repair.proposers.search.edits.source import Definition, Source

_SIMPLE = (
    ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Raise, ast.Break,
    ast.Continue, ast.Delete, ast.Assert,
)  # fmt: skip


_UNLIKE = 0.5
"""How unlike two variables' types may be, and one be assigned to the other."""

_MOST_DONORS = 20

_NEVER_FILLED = 2.5
"""How much likelier a statement is that fills a container which is read and never filled."""


def deleted(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Leave a statement out."""
    if not _movable(scope, node) or not isinstance(node, ast.stmt) or _is_docstring(node):
        return
    source = scope.source
    text = _first_line(source.code(node))
    says = f"leaves `{text}` out"
    simple = isinstance(node, _SIMPLE)
    if len(source.block(node)) > 1:
        change = (Replacement(*source.whole_lines(node), ""),)
        yield Change("dropped statement", node.lineno, 0.3 if simple else 0.15, change, says)
    elif simple and not isinstance(node, ast.Pass):
        start, end = source.span(node)
        yield Change(
            "dropped statement", node.lineno, 0.25, (Replacement(start, end, "pass"),), says
        )


def reordered(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Swap a statement with the next one."""
    if not _movable(scope, node) or not isinstance(node, ast.stmt):
        return
    source = scope.source
    block = source.block(node)
    place = block.index(node)
    for distance, weight in ((1, 0.4), (2, 0.15)):
        if place + distance >= len(block):
            return
        other = block[place + distance]
        if _is_docstring(node) or not source.own_line(other) or isinstance(other, Definition):
            return
        mine, theirs = source.whole_lines(node), source.whole_lines(other)
        first, second = source.text[slice(*mine)], source.text[slice(*theirs)]
        if not second.endswith("\n"):
            first, second = first.rstrip("\r\n"), second + source.newline
        change = (Replacement(*mine, second), Replacement(*theirs, first))
        says = f"does `{_first_line(source.code(other))}` first"
        yield Change("statement order", node.lineno, weight, change, says)


def moved(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Move a statement out of the block above it, or into it."""
    if not _movable(scope, node) or not isinstance(node, ast.stmt):
        return
    source = scope.source
    block, above = source.block(node), source.parent(node)
    start, end = source.whole_lines(node)
    text = source.text[start:end]
    name = _first_line(source.code(node))
    step = source.step
    looped = isinstance(
        above, ast.For | ast.While | ast.If | ast.With | ast.Try | ast.ExceptHandler
    )
    one_line = "\n" not in text.rstrip()
    ends_block = looped and one_line and node is block[-1] and len(block) > 1
    if ends_block and source.indent(node).startswith(step):
        out = (Replacement(start, start + len(step), ""),)
        says = f"does `{name}` after the block instead of in it"
        yield Change("statement depth", node.lineno, 0.5, out, says)
    elif looped and one_line and len(block) > 1 and isinstance(above, ast.stmt):
        yield from _past(scope, node, above)
    place = block.index(node)
    if place and one_line:
        before = block[place - 1]
        yield from _into_branches(scope, node, before)
        if isinstance(before, ast.For | ast.While | ast.If | ast.With) and source.own_line(node):
            last = (
                before.orelse if isinstance(before, ast.For | ast.While | ast.If) else []
            ) or before.body
            if last[-1].col_offset - node.col_offset == len(step):
                into = (Replacement(start, start, step),)
                says = f"does `{name}` inside the block instead of after it"
                yield Change("statement depth", node.lineno, 0.4, into, says)


def _past(scope: Scope, node: ast.stmt, above: ast.stmt) -> Iterator[Change]:
    """Move a statement from the middle of a block behind the block, or in front of it."""
    source = scope.source
    text = source.code(node)
    gone = Replacement(*source.whole_lines(node), "")
    if source.own_line(above) and _movable(scope, above):
        for placed, word in ((source.insert_after, "after"), (source.insert_before, "before")):
            says = f"does `{text}` {word} the block instead of in it"
            change = (gone, placed(above, text))
            yield Change("statement depth", node.lineno, 0.2, change, says)


def _into_branches(scope: Scope, node: ast.stmt, before: ast.stmt) -> Iterator[Change]:
    """Move a statement to the end of one branch of the block in front of it."""
    source = scope.source
    text = source.code(node)
    gone = Replacement(*source.whole_lines(node), "")
    for branch in _branches_of(before):
        if source.own_line(branch[-1]):
            change = (gone, source.insert_after(branch[-1], text))
            says = f"does `{text}` in one branch of the block instead of after it"
            yield Change("statement depth", node.lineno, 0.3, change, says)


def _branches_of(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """Yield the blocks of an `if` with all its `elif`, of a loop, a `with` or a `try`."""
    if not isinstance(node, ast.If | ast.For | ast.While | ast.With | ast.Try):
        return
    yield node.body
    if isinstance(node, ast.Try):
        yield from (handler.body for handler in node.handlers)
        return
    rest = node.orelse if isinstance(node, ast.If) else []
    if len(rest) == 1 and isinstance(rest[0], ast.If):
        yield from _branches_of(rest[0])
    elif rest:
        yield rest


def exits(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Leave, go on or return at another point."""
    source = scope.source
    if isinstance(node, ast.Break | ast.Continue):
        other = "continue" if isinstance(node, ast.Break) else "break"
        change = (Replacement(*source.span(node), other),)
        yield Change("loop exit", node.lineno, 0.5, change, f"says `{other}` here")
        for value in ("None", *scope.bound_before(node.lineno)[:4]):
            change = (Replacement(*source.span(node), f"return {value}"),)
            yield Change("loop exit", node.lineno, 0.12, change, f"returns `{value}` here")
    if isinstance(node, ast.Return) and _in_loop(scope, node):
        for word in ("continue", "break"):
            change = (Replacement(*source.span(node), word),)
            yield Change("loop exit", node.lineno, 0.3, change, f"says `{word}` here")
    if isinstance(node, ast.Pass):
        for word in ("continue", "break", "return", "raise"):
            change = (Replacement(*source.span(node), word),)
            yield Change("loop exit", node.lineno, 0.3, change, f"says `{word}` here")
    if isinstance(node, ast.If) and node.orelse:
        yield from _branches(scope, node)
    if isinstance(node, ast.If) and not node.orelse:
        yield from _chained(scope, node)


def _branches(scope: Scope, node: ast.If) -> Iterator[Change]:
    """Let an `elif` be asked in any case, or let an `else` depend on something."""
    source, start = scope.source, node.orelse[0]
    if isinstance(start, ast.If) and source.text.startswith("elif", source.span(start)[0]):
        at = source.span(start)[0]
        change = (Replacement(at, at + 4, "if"),)
        yield Change("branch", start.lineno, 0.4, change, "asks this in any case")
        return
    after = source.span(node.body[-1])[1]
    at = source.text.find("else:", after, source.span(start)[0])
    if at >= 0:
        for text in (*_opposites(source, node.test), *atoms(scope, node.lineno)):
            change = (Replacement(at, at + 4, f"elif {text}"),)
            yield Change("branch", start.lineno, 0.25, change, f"does the rest only if `{text}`")


_MIRRORED: dict[type[ast.cmpop], str] = {ast.Lt: ">", ast.Gt: "<", ast.LtE: ">", ast.GtE: "<"}


def _opposites(source: Source, test: ast.expr) -> Iterator[str]:
    """Yield the comparison that leaves out only equal values: `a > b` for `a < b`."""
    match test:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _MIRRORED:
            yield f"{source.code(left)} {_MIRRORED[type(op)]} {source.code(right)}"
        case _:
            return


def _chained(scope: Scope, node: ast.If) -> Iterator[Change]:
    """Ask only when the `if` right above did not hold."""
    source = scope.source
    block = source.block(node)
    place = block.index(node)
    if place and isinstance(block[place - 1], ast.If) and source.own_line(node):
        at = source.span(node)[0]
        if source.text.startswith("if", at):
            change = (Replacement(at, at + 2, "elif"),)
            yield Change(
                "branch", node.lineno, 0.3, change, "asks only when the one above does not hold"
            )


def _in_loop(scope: Scope, node: ast.AST) -> bool:
    for above in scope.source.ancestors(node):
        if isinstance(above, ast.For | ast.While | ast.AsyncFor):
            return True
        if isinstance(above, Definition):
            return False
    return False


def inserted(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Add a statement that keeps something up to date, in front of this one or at a block's end."""
    if scope.definition is None or not _movable(scope, node) or not isinstance(node, ast.stmt):
        return
    source = scope.source
    last = node is source.block(node)[-1] and not isinstance(
        node, ast.Return | ast.Raise | ast.Break | ast.Continue
    )
    for text, weight in _updates(scope, node).items():
        before = (source.insert_before(node, text),)
        if not _is_docstring(node):
            yield Change("missing statement", node.lineno, weight, before, f"adds `{text}`")
        if last:
            after = (source.insert_after(node, text),)
            yield Change("missing statement", node.lineno, weight * 1.05, after, f"adds `{text}`")
    yield from _guarded(scope, node)


def _guarded(scope: Scope, node: ast.stmt) -> Iterator[Change]:
    """Do what the function does elsewhere here too, if there is something to do it with."""
    source = scope.source
    for other in scope.source.nodes(scope.definition) if scope.definition is not None else ():
        match other:
            case ast.Expr(value=ast.Call(args=[ast.Name(id=name)])) if other is not node:
                text = source.code(other)
            case _:
                continue
        if "\n" not in text and not _is_docstring(node):
            lines = (f"if {name}:", f"{source.step}{text}")
            change = (source.insert_before(node, *lines),)
            says = f"does `{text}` if there is `{name}`"
            yield Change("missing statement", node.lineno, 0.15, change, says)


def _updates(scope: Scope, node: ast.stmt) -> dict[str, float]:
    """Return statements that may be missing, and how likely each is."""
    names = scope.bound_before(node.lineno)
    found: dict[str, float] = {}
    for name in names:
        found |= _kept(scope, name, names)
        if name in _assigned(scope):
            found |= _moved_on(scope, name, names)
    found |= dict.fromkeys(_donors(scope, node), 0.22)
    found |= dict.fromkeys(absent.undone(scope, node.lineno), 0.3)
    found |= dict.fromkeys(absent.resets(scope), 0.08)
    block = scope.source.block(node)
    for near in block[max(0, block.index(node) - 1) : block.index(node) + 1]:
        found |= dict.fromkeys(absent.analogues(scope, near), 0.2)
    if _in_loop(scope, node):
        found |= {"continue": 0.08, "break": 0.12}
    if not isinstance(node, ast.Return) and scope.definition is not None:
        weight = 0.12 if node is scope.definition.body[-1] else 0.04
        found |= {f"return {name}": weight for name in names}
    return found | dict.fromkeys(absent.of_other_branch(scope, node), 0.45)


def _kept(scope: Scope, name: str, names: tuple[str, ...]) -> dict[str, float]:
    """Return statements that put something into a container, or bring it into order."""
    found = _puts(scope, name, [other for other in names if other != name])
    factor = _NEVER_FILLED if name in scope.never_filled else 1.0
    return {text: factor * weight for text, weight in found.items()}


def _puts(scope: Scope, name: str, others: list[str]) -> dict[str, float]:
    if scope.has(name, "list", "deque"):
        kept = {f"{name}.append({other})": 0.22 for other in others}
        return kept | {f"{name}.pop()": 0.15, f"{name}.sort()": 0.12, f"{name}.reverse()": 0.1}
    if scope.has(name, "set"):
        return {f"{name}.add({other})": 0.3 for other in others}
    if scope.has(name, "dict", "defaultdict"):
        return {f"{name}[{a}] = {b}": 0.08 for a in others for b in others if a != b}
    return {}


def _moved_on(scope: Scope, name: str, names: tuple[str, ...]) -> dict[str, float]:
    """Return statements that bring a variable up to date."""
    number = scope.has(name, "int", "float")
    found = {f"{name} += 1": 0.3, f"{name} -= 1": 0.2, f"{name} = 0": 0.15} if number else {}
    if scope.has(name, "list"):
        found[f"{name} = []"] = 0.12
    for other in names:
        if other != name and scope.alike(name, other) > _UNLIKE:
            found[f"{name} = {other}"] = 0.15
            if number:
                found |= {f"{name} += {other}": 0.12, f"{name} -= {other}": 0.08}
    return found


def _assigned(scope: Scope) -> frozenset[str]:
    if scope.definition is None:
        return frozenset()
    stored = (
        node.id
        for node in scope.source.nodes(scope.definition)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    return frozenset(stored)


def _donors(scope: Scope, node: ast.stmt) -> Iterator[str]:
    """Yield simple statements of the same class or file that this function could have too."""
    source = scope.source
    home = source.owner(scope.definition) if scope.definition is not None else None
    mine = _first_line(source.code(node))
    known = {*scope.variables, "self"} | source.module_names
    count = 0
    for other in source.nodes(home or source.tree):
        if isinstance(other, ast.Assign | ast.AugAssign | ast.Expr) and not _is_docstring(other):
            text = source.code(other)
            free = {n.id for n in ast.walk(other) if isinstance(n, ast.Name)}
            if "\n" not in text and text != mine and free <= known and count < _MOST_DONORS:
                count += 1
                yield text


def _movable(scope: Scope, node: ast.AST) -> bool:
    if not isinstance(node, ast.stmt) or isinstance(node, Definition | ast.ClassDef):
        return False
    source = scope.source
    is_elif = isinstance(node, ast.If) and source.text.startswith("elif", source.span(node)[0])
    return not is_elif and source.own_line(node) and source.definition(node) is not None


def _is_docstring(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _first_line(text: str) -> str:
    first, *rest = text.split("\n")
    return f"{first.strip()} ..." if rest else first.strip()
