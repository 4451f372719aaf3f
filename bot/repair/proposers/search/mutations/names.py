"""Names: another variable, another attribute, another method."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from difflib import SequenceMatcher

from bot.repair.proposers.search.mutations.change import Change
from bot.repair.proposers.search.mutations.counterparts import beside
from bot.repair.proposers.search.mutations.scope import Scope

# Methods that people take for one another; each is an alternative for the others of its group.
_METHOD_GROUPS = (
    ("append", "extend", "insert", "appendleft"),
    ("add", "update", "discard", "remove"),
    ("pop", "popleft", "popitem"),
    ("append", "add"),
    ("extend", "update"),
    ("remove", "discard", "pop"),
    ("get", "pop", "setdefault"),
    ("keys", "values", "items"),
    ("startswith", "endswith"),
    ("strip", "lstrip", "rstrip", "removeprefix", "removesuffix"),
    ("split", "rsplit", "splitlines", "partition", "rpartition"),
    ("partition", "rpartition"),
    ("lower", "upper", "title", "capitalize", "casefold", "swapcase"),
    ("find", "rfind", "index", "rindex", "count"),
    ("isdigit", "isalpha", "isalnum", "isnumeric", "isdecimal", "isspace"),
    ("islower", "isupper"),
    ("ljust", "rjust", "center", "zfill"),
    ("union", "intersection", "difference", "symmetric_difference"),
    ("issubset", "issuperset", "isdisjoint"),
    ("intersection_update", "difference_update", "update"),
    ("search", "match", "fullmatch", "findall", "finditer"),
    ("date", "time"),
    ("read", "readline", "readlines"),
    ("write", "writelines"),
    ("heappush", "heappop", "heappushpop", "heapreplace"),
    ("floor", "ceil", "trunc"),
    ("nlargest", "nsmallest"),
    ("bisect_left", "bisect_right"),
    ("sort", "reverse"),
)
_FUNCTION_GROUPS = (
    ("sum", "len", "max", "min"), ("min", "max"), ("any", "all"), ("int", "float", "round", "str"),
    ("list", "tuple", "set", "sorted"), ("sorted", "reversed"), ("range", "reversed"),
    ("floor", "ceil", "round", "int"), ("ord", "chr"), ("isinstance", "issubclass"),
    ("zip", "enumerate"), ("str", "repr"), ("filter", "map"), ("abs", "round"),
    ("bisect_left", "bisect_right"), ("permutations", "combinations", "product"),
    ("combinations", "combinations_with_replacement"), ("heappush", "heappop"),
    ("zip", "zip_longest"), ("dict", "list"), ("nlargest", "nsmallest"), ("getattr", "hasattr"),
)  # fmt: skip


_ITEM = 0.35
"""How likely `items[key]` is meant where it says `items`, and the function says both."""


def variables(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Use another variable, of the same type when types are known."""
    if not isinstance(node, ast.Name) or scope.definition is None:
        return
    if isinstance(node.ctx, ast.Del) or _is_called(scope, node):
        return
    stored = isinstance(node.ctx, ast.Store)
    if stored and not isinstance(scope.source.parent(node), ast.Assign | ast.AugAssign):
        return
    others = [name for name in scope.bound_before(node.lineno) if name != node.id]
    if node.id not in scope.variables and node.id != "self":
        others = [name for name in others if scope.is_sized(name)][:2]
    crowd = 1 / (1 + len(others) / 8)
    for name in others:
        closeness = 0.7 + 0.3 * SequenceMatcher(None, name, node.id).ratio()
        weight = (0.3 if stored else 0.75) * scope.alike(node.id, name) * crowd * closeness
        says = f"uses `{name}` instead of `{node.id}`"
        yield Change(
            "wrong variable", node.lineno, weight, (scope.source.replace(node, name),), says
        )
    for place in scope.self_attributes:
        close = place in {f"self.{node.id}", f"self._{node.id}"}
        weight = 0.6 if close else 0.12
        says = f"uses `{place}` instead of `{node.id}`"
        if not stored or close:
            change = (scope.source.replace(node, place),)
            yield Change("wrong variable", node.lineno, weight, change, says)


def parts(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Use what the function looks at elsewhere: `node.key`, or `keys[n]`, instead of `key`."""
    if not isinstance(node, ast.Name) or not isinstance(node.ctx, ast.Load):
        return
    if scope.definition is None or node.id not in scope.variables or _is_called(scope, node):
        return
    if isinstance(scope.source.parent(node), ast.Attribute):
        return
    found: dict[str, float] = {}
    for other in scope.source.nodes(scope.definition):
        match other:
            case ast.Attribute(value=ast.Name(id=owner), attr=name, ctx=ast.Load()):
                if owner != "self" and not _is_called(scope, other):
                    found[f"{owner}.{name}"] = 0.4 if name == node.id else 0.12
            case ast.Subscript(value=ast.Name(id=owner), slice=ast.Name()) if not _within(
                scope, node, other
            ):
                found[scope.source.code(other)] = _ITEM if owner == node.id else 0.12
            case _:
                pass
    for text, weight in found.items():
        says = f"uses `{text}` instead of `{node.id}`"
        change = (scope.source.replace(node, text),)
        yield Change("wrong variable", node.lineno, weight, change, says)


def _within(scope: Scope, node: ast.AST, other: ast.AST) -> bool:
    return any(above is other for above in scope.source.ancestors(node))


def _is_called(scope: Scope, node: ast.expr) -> bool:
    above = scope.source.parent(node)
    return isinstance(above, ast.Call) and above.func is node


def own_attributes(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Use another attribute of `self`, or the local variable of that name."""
    if not isinstance(node, ast.Attribute) or _is_called(scope, node):
        return
    code = scope.source.code(node)
    if code not in scope.self_attributes or isinstance(node.ctx, ast.Del):
        return
    stored = isinstance(node.ctx, ast.Store)
    for place in scope.self_attributes:
        if place != code:
            closeness = SequenceMatcher(None, place, code).ratio()
            weight = (0.2 if stored else 0.35) * (0.5 + closeness / 2)
            change = (scope.source.replace(node, place),)
            says = f"uses `{place}` instead of `{code}`"
            yield Change("wrong attribute", node.lineno, weight, change, says)
    if not stored:
        for name in scope.bound_before(node.lineno):
            weight = 0.5 if name == node.attr.strip("_") else 0.15
            change = (scope.source.replace(node, name),)
            says = f"uses `{name}` instead of `{code}`"
            yield Change("wrong variable", node.lineno, weight, change, says)


def attributes(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Use another attribute or method of the same value."""
    if not isinstance(node, ast.Attribute):
        return
    start, end = scope.source.span(node)
    at = end - len(node.attr)
    called = _is_called(scope, node)
    for name, weight in _other_attributes(scope, node, called=called).items():
        kind = "wrong method" if called else "wrong attribute"
        says = f"uses `.{name}` instead of `.{node.attr}`"
        text = f"{scope.source.text[start:at]}{name}"
        replacement = scope.source.replace(node, text)
        yield Change(kind, node.lineno, weight, (replacement,), says)


def _other_attributes(scope: Scope, node: ast.Attribute, *, called: bool) -> dict[str, float]:
    found: dict[str, float] = {}
    for group in _METHOD_GROUPS:
        if node.attr in group:
            found |= dict.fromkeys(group, 0.55 if group[0] != "lower" else 0.35)
    if isinstance(node.value, ast.Name):
        for kind in scope.kinds(node.value.id):
            names = scope.attributes.get(kind, ())
            near = dict.fromkeys(names, 0.45 / (1 + len(names) / 12))
            found = {**near, **found}
    if not called or not found:
        found = _read_elsewhere(scope, called=called) | found
    if not called:
        found |= dict.fromkeys(beside(node.attr), 0.5)
    found.pop(node.attr, None)
    return found


def _read_elsewhere(scope: Scope, *, called: bool) -> dict[str, float]:
    """Return what the function reads of anything, `left` beside `right`, and what its class reads."""
    definition = scope.definition or scope.source.tree
    owner = scope.source.owner(definition) if not called else None
    found: dict[str, float] = {}
    for home, weight in ((owner, 0.12), (definition, 0.35)):
        for other in scope.source.nodes(home) if home is not None else ():
            if isinstance(other, ast.Attribute) and _is_called(scope, other) == called:
                found[other.attr] = weight
    return found


def functions(scope: Scope, node: ast.AST) -> Iterator[Change]:
    """Call another function that people take this one for."""
    if not isinstance(node, ast.Name) or isinstance(node.ctx, ast.Store):
        return
    found: dict[str, float] = {}
    for group in _FUNCTION_GROUPS:
        if node.id in group:
            found |= dict.fromkeys(group, 1.1 / len(group))
    if _is_called(scope, node) and node.id not in found:
        defined = [one.name for one in scope.source.tree.body if isinstance(one, ast.FunctionDef)]
        found |= (
            {name: 0.35 / (1 + len(defined) / 8) for name in defined}
            if (node.id in defined)
            else {}
        )
    found.pop(node.id, None)
    for name, weight in found.items():
        says = f"calls `{name}` instead of `{node.id}`"
        change = (scope.source.replace(node, name),)
        yield Change("wrong function", node.lineno, weight, change, says)
