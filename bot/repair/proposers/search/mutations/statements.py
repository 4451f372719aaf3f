"""Statements: one too many, one missing, in the wrong order, at the wrong depth."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from bot.repair.proposers.search.mutations.atoms import atoms
from bot.repair.proposers.search.mutations.blocks import in_loop, is_docstring, movable
from bot.repair.proposers.search.mutations.change import Replacement
from bot.repair.proposers.search.mutations.rule import (
    Idea,
    Ideas,
    add,
    guard,
    instead,
    rule,
    short,
)
from bot.repair.proposers.search.mutations.scope import FunctionScope
from bot.repair.proposers.search.mutations.source import Definition, is_stored
from bot.repair.proposers.search.mutations.weights import SAME_TYPE

_UNDONE = {
    "add": ("remove({})", "discard({})", "clear()"), "append": ("pop()", "remove({})", "clear()"),
    "push": ("pop()",), "appendleft": ("popleft()",), "acquire": ("release()",),
    "start": ("stop()",), "open": ("close()",), "remove": ("add({})", "append({})"),
    "pop": ("append({})",), "discard": ("add({})",), "enter": ("exit()",), "begin": ("end()",),
}  # fmt: skip
"""By method: what takes back what it did."""

_TAKEN_BACK: dict[type[ast.operator], str] = {ast.Add: "-=", ast.Sub: "+="}
_MOST, _MOST_DONORS = 12, 20


def missing(scope: FunctionScope, node: ast.stmt) -> dict[str, str]:
    """Return statements that may be missing at another one, and which case of the rule each is."""
    names = scope.bound_before(node.lineno)
    assigned = {
        child.id for child in scope.nodes if isinstance(child, ast.Name) and is_stored(child)
    }
    found: dict[str, str] = {}
    for name in names:
        found |= dict.fromkeys(_puts(scope, name, names), "")
        if name in assigned:
            found |= dict.fromkeys(_moved_on(scope, name, names), "")
            if f"{name} += 1" in found:
                found[f"{name} += 1"] = "step"
    found |= dict.fromkeys(_donors(scope, node), "")
    found |= dict.fromkeys(list(_undone(scope, names))[:_MOST], "undone")
    found |= dict.fromkeys(list(_resets(scope))[:_MOST], "rare")
    found |= dict.fromkeys(_marks(scope, names), "mark")
    block = scope.source.block(node)
    place = block.index(node)
    for near in block[max(0, place - 1) : place + 1]:
        found |= dict.fromkeys(list(_analogues(scope, near, names))[:_MOST], "")
    found |= dict.fromkeys(_of_other_branch(scope, node), "of the other branch")
    if in_loop(scope, node):
        found |= dict.fromkeys(("continue", "break"), "rare")
    if scope.definition is not None and not isinstance(node, ast.Return):
        case = "" if node is scope.definition.body[-1] else "rare"
        found |= dict.fromkeys((f"return {name}" for name in names), case)
    return found


def _puts(scope: FunctionScope, name: str, names: tuple[str, ...]) -> Iterator[str]:
    """Yield statements that put something into a container, or bring it into order."""
    others = [other for other in names if other != name]
    if scope.has(name, "list", "deque"):
        yield from (f"{name}.append({other})" for other in others)
        yield from (f"{name}.pop()", f"{name}.sort()", f"{name}.reverse()")
    elif scope.has(name, "set"):
        yield from (f"{name}.add({other})" for other in others)
    elif scope.has(name, "dict", "defaultdict"):
        yield from (f"{name}[{a}] = {b}" for a in others for b in others if a != b)


def _moved_on(scope: FunctionScope, name: str, names: tuple[str, ...]) -> Iterator[str]:
    """Yield statements that bring a variable up to date."""
    counts = scope.has(name, "int", "float")
    if counts:
        yield from (f"{name} += 1", f"{name} -= 1", f"{name} = 0")
    if scope.has(name, "list"):
        yield f"{name} = []"
    for other in names:
        if other != name and scope.may_stand(name, other):
            yield f"{name} = {other}"
            if counts:
                yield from (f"{name} += {other}", f"{name} -= {other}")


def _donors(scope: FunctionScope, node: ast.stmt) -> list[str]:
    """Return simple statements of the same class or file that this function could have too."""
    source, mine = scope.source, scope.source.part(node)
    known = {*scope.variables, "self"} | source.module_names
    found: list[str] = []
    for other in source.nodes(scope.owner or source.tree):
        if isinstance(other, ast.Assign | ast.AugAssign | ast.Expr) and not is_docstring(other):
            text = source.part(other)
            free = {n.id for n in ast.walk(other) if isinstance(n, ast.Name)}
            if "\n" not in text and text != mine and free <= known:
                found.append(text)
    return found[:_MOST_DONORS]


def _undone(scope: FunctionScope, names: tuple[str, ...]) -> Iterator[str]:
    """Yield statements that take back what the function, or another method of the class, does."""
    source = scope.source
    for node in source.nodes(scope.owner or scope.definition or source.tree):
        match node:
            case ast.Subscript(value=owner, ctx=ast.Store()) if _known(owner, names):
                holder = source.part(owner)
                yield from (f"del {holder}[{item}]" for item in names if item != holder)
            case ast.AugAssign(target=ast.Attribute(value=owner) as counter, op=op, value=step):
                if type(op) in _TAKEN_BACK and _known(owner, names):
                    yield f"{source.part(counter)} {_TAKEN_BACK[type(op)]} {source.part(step)}"
            case ast.Call(
                func=ast.Attribute(value=owner, attr=name), args=[] | [_] as arguments
            ) if name in _UNDONE and _known(owner, names):
                holder = source.part(owner)
                given = source.part(arguments[0]) if arguments else ""
                items = [given] if given in names else [n for n in names[:4] if n != holder]
                for pattern in _UNDONE[name]:
                    yield from (f"{holder}.{pattern.format(item)}" for item in items)
            case _:
                pass


def _marks(scope: FunctionScope, names: tuple[str, ...]) -> Iterator[str]:
    """Yield statements that put into a container what the function asks it for, or make it newest."""
    for node in scope.nodes:
        asked = False
        match node:
            case ast.Compare(left=item, ops=[ast.In() | ast.NotIn()], comparators=[owner]):
                asked = not isinstance(item, ast.Constant)
            case ast.Subscript(value=owner, slice=item):
                pass
            case _:
                continue
        holder, text = scope.source.part(owner), scope.source.operand(item, 16)
        kinds = scope.kinds(holder)
        if not _known(owner, names):
            continue
        if asked and (not kinds or "set" in kinds):
            yield f"{holder}.add({text})"
        if asked and "list" in kinds:
            yield f"{holder}.append({text})"
        if asked and "dict" in kinds:
            yield f"{holder}[{text}] = True"
        if holder in scope.ordered:
            yield f"{holder}.move_to_end({text})"


def _resets(scope: FunctionScope) -> Iterator[str]:
    """Yield statements that give a place of a table another value: `rows[y][x] = 0`."""
    for node in scope.nodes:
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice | ast.Constant):
            above = scope.source.parent(node)
            if not isinstance(above, ast.Subscript | ast.Attribute | ast.Delete):
                code = scope.source.part(node)
                yield from (f"{code} = {value}" for value in ("0", "None", "True", "1"))


def _known(owner: ast.expr, names: tuple[str, ...]) -> bool:
    """Whether a container can be named here."""
    while isinstance(owner, ast.Attribute):
        owner = owner.value
    return isinstance(owner, ast.Name) and (owner.id == "self" or owner.id in names)


def _analogues(scope: FunctionScope, node: ast.stmt, names: tuple[str, ...]) -> Iterator[str]:
    """Yield a statement again with another variable: `left = []` beside `right = []`."""
    code = scope.source.part(node)
    if not isinstance(node, ast.Assign | ast.AugAssign | ast.Expr) or "\n" in code:
        return
    mine = {child.id for child in ast.walk(node) if isinstance(child, ast.Name)} & set(names)
    for name in sorted(mine):
        for other in names:
            if other not in mine and scope.alike(name, other) == SAME_TYPE:
                yield re.sub(rf"(?<![\w.]){name}\b", other, code)
    for place in (place for place in scope.self_attributes if place in code):
        for other in scope.self_attributes:
            if other not in code:
                yield re.sub(rf"{re.escape(place)}\b", other, code)


def _of_other_branch(scope: FunctionScope, node: ast.stmt) -> Iterator[str]:
    """Yield the simple statements of the other branch that this one lacks."""
    above, code = scope.source.parent(node), scope.source.part
    if isinstance(above, ast.If):
        mine, theirs = above.body, above.orelse
        if node not in mine:
            mine, theirs = theirs, mine
        here = [code(statement) for statement in mine]
        simple = (its for its in theirs if isinstance(its, ast.Assign | ast.AugAssign | ast.Expr))
        yield from (
            code(child) for child in simple if code(child) not in here and "\n" not in code(child)
        )


_SIMPLE = (
    ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Expr | ast.Return | ast.Raise | ast.Break
    | ast.Continue | ast.Delete | ast.Assert
)  # fmt: skip
_LEAVING = ast.Return | ast.Raise | ast.Break | ast.Continue
_LOOPS = ast.For | ast.While


@rule("dropped statement", ast.stmt)
def dropped(scope: FunctionScope, node: ast.stmt) -> Ideas:
    """Leave a statement out.

    before: a.sort(); a.pop()
    after: a.sort()
    """
    if not movable(scope, node) or is_docstring(node):
        return
    source = scope.source
    says = f"leaves `{short(source.part(node))}` out"
    case = "" if isinstance(node, _SIMPLE) else "block"
    if len(source.block(node)) > 1:
        yield Idea((Replacement(*source.whole_lines(node), ""),), says, case)
    elif isinstance(node, _SIMPLE):
        yield instead(scope, node, "pass", says=says)


@rule("missing statement", ast.stmt)
def missing_statement(scope: FunctionScope, node: ast.stmt) -> Ideas:
    """Add a statement, in front of this one or at the end of its block.

    types: a: list
    before: return a
    after: a.pop(); return a
    """
    if scope.definition is None or not movable(scope, node):
        return
    last = node is scope.source.block(node)[-1] and not isinstance(node, _LEAVING)
    for text, case in missing(scope, node).items():
        if not is_docstring(node):
            yield add(scope, node, text, case=case)
        if last:
            yield add(scope, node, text, case=case, after=True)


@rule("loop remainder", _LOOPS)
def loop_remainder(scope: FunctionScope, node: ast.For | ast.While) -> Ideas:
    """Do behind a loop what it does now and then, with what it has left.

    before: for i in a: (if i in b: (print(b)); b = [i])
    after: for i in a: (if i in b: (print(b)); b = [i]); if b: (print(b))
    """
    block = scope.source.block(node)
    behind = {scope.source.part(statement) for statement in block[block.index(node) :]}
    for kept in scope.source.nodes(node) if movable(scope, node) else ():
        match kept:
            case ast.Expr(
                value=ast.Call(args=[ast.Name(id=name)]) | ast.Yield(value=ast.Name(id=name))
            ):
                text = scope.source.part(kept)
                if text not in behind:
                    yield add(scope, node, *guard(scope, name, text), after=True)
            case _:
                pass


@rule("order", ast.stmt)
def order(scope: FunctionScope, node: ast.stmt) -> Ideas:
    """Swap a statement with the next one, or the one after that.

    before: print(a); a.sort()
    after: a.sort(); print(a)
    """
    if not movable(scope, node) or is_docstring(node):
        return
    source, block = scope.source, scope.source.block(node)
    place = block.index(node)
    for other, case in zip(block[place + 1 : place + 3], ("", "further on"), strict=False):
        if not source.own_line(other) or isinstance(other, Definition):
            return
        mine, theirs = source.whole_lines(node), source.whole_lines(other)
        first, second = source.text[slice(*mine)], source.text[slice(*theirs)]
        if not second.endswith("\n"):
            first, second = first.rstrip("\r\n"), second + source.newline
        change = (Replacement(*mine, second), Replacement(*theirs, first))
        yield Idea(change, f"does `{short(source.part(other))}` first", case)


@rule("branch", ast.If | ast.While)
def branch(scope: FunctionScope, node: ast.If | ast.While) -> Ideas:
    """Take an `if` for an `elif`, an `elif` for an `else`, a `while` for an `if`; or the other way.

    before: if a: a.pop()
    after: while a: a.pop()
    """
    source, start = scope.source, scope.source.span(node)[0]
    word = "while" if isinstance(node, ast.While) else "if"
    if not node.orelse and source.text.startswith(word, start):
        other = "if" if word == "while" else "while"
        yield _word(start, word, other)
    if word == "if" and node.orelse:
        below = source.span(node.orelse[0])[0]
        if source.text.startswith("elif", below):
            yield _word(below, "elif", "if")
            return
        at = source.text.find("else:", source.span(node.body[-1])[1], below)
        code, turned = source.part(node.test), ((" < ", " > "), (" > ", " < "))
        opposite = [code.replace(*pair) for pair in turned if pair[0] in code]
        for text in (*opposite, *atoms(scope, node.lineno)) if at >= 0 else ():
            yield _word(at, "else", f"elif {text}")


def _word(at: int, old: str, new: str) -> Idea:
    says = f"replaces `{old}` with `{new}`"
    return Idea((Replacement(at, at + len(old), new),), says, "elif" if " " in new else "")


@rule("conditional statement", ast.Assign | ast.AugAssign | ast.Expr | ast.Delete)
def conditional(scope: FunctionScope, node: ast.stmt) -> Ideas:
    """Do only under a condition what is always done.

    before: a.pop()
    after: if a: (a.pop())
    """
    source, code = scope.source, scope.source.part(node)
    if not movable(scope, node) or is_docstring(node) or "\n" in code:
        return
    bound = {target.id for target in getattr(node, "targets", ()) if isinstance(target, ast.Name)}
    if bound - set(scope.bound_before(node.lineno - 1)):
        return  # without the statement there would be no such variable
    start = source.span(node)[0]
    for atom in atoms(scope, node.lineno):
        head = f"if {atom}:{source.newline}{source.indent(node.lineno)}{source.step}"
        yield Idea((Replacement(start, start, head),), f"does `{code}` only if `{atom}`")
