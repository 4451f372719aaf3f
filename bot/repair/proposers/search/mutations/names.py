"""Names: another variable, another attribute, another method, another function."""

from __future__ import annotations

import ast
from difflib import SequenceMatcher

from bot.repair.proposers.search.mutations.rule import Ideas, instead, rule
from bot.repair.proposers.search.mutations.scope import FunctionScope
from bot.repair.proposers.search.mutations.source import is_loaded, is_stored
from bot.repair.proposers.search.mutations.variable_pairs import beside

# Methods and functions that people take for one another.
_METHODS = """
append extend insert appendleft | add update discard remove | pop popleft popitem | append add
extend update | remove discard pop | get pop setdefault | keys values items | startswith endswith
strip lstrip rstrip removeprefix removesuffix | split rsplit splitlines partition rpartition
lower upper title capitalize casefold swapcase | find rfind index rindex count
isdigit isalpha isalnum isnumeric isdecimal isspace | islower isupper | ljust rjust center zfill
union intersection difference symmetric_difference | issubset issuperset isdisjoint
intersection_update difference_update update | search match fullmatch findall finditer
date time | read readline readlines | write writelines | sort reverse | floor ceil trunc
heappush heappop heappushpop heapreplace | nlargest nsmallest | bisect_left bisect_right
"""
_FUNCTIONS = """
min max | any all | ord chr | sum len max min | int float round str | list tuple set sorted
sorted reversed | range reversed | floor ceil round int | isinstance issubclass | zip enumerate
str repr | filter map | abs round | bisect_left bisect_right | permutations combinations product
combinations combinations_with_replacement | heappush heappop | zip zip_longest | dict list
nlargest nsmallest | getattr hasattr
"""


def _groups(listed: str) -> tuple[tuple[str, ...], ...]:
    lines = listed.replace("|", "\n").strip().splitlines()
    return tuple(tuple(line.split()) for line in lines)


_METHOD_GROUPS, _FUNCTION_GROUPS = _groups(_METHODS), _groups(_FUNCTIONS)


@rule("variable", ast.Name)
def variable(scope: FunctionScope, node: ast.Name) -> Ideas:
    """Use another variable, of the same type where types are known.

    before: return a
    after: return b
    """
    source = scope.source
    if scope.definition is None or isinstance(node.ctx, ast.Del) or source.is_called(node):
        return
    stored = is_stored(node)
    if stored and not isinstance(source.parent(node), ast.Assign | ast.AugAssign):
        return
    others = [name for name in scope.bound_before(node.lineno) if name != node.id]
    unknown = any(error.type == "NameError" for error in scope.errors_at(node.lineno, node.lineno))
    if node.id not in scope.variables and node.id != "self" and not unknown:
        others = [name for name in others if scope.is_sized(name)][:2]
    for name in others:
        closeness = (2 + SequenceMatcher(None, name, node.id).ratio()) / 3
        factor = scope.alike(node.id, name) * scope.crowd(others) * closeness
        yield instead(scope, node, name, "stored" if stored else "", factor=factor)
    for place in scope.self_attributes:
        close = place in {f"self.{node.id}", f"self._{node.id}"}
        if not stored or close:
            yield instead(scope, node, place, "same attribute" if close else "attribute")


@rule("part or whole", ast.Name)
def part(scope: FunctionScope, node: ast.Name) -> Ideas:
    """Use what the function looks at elsewhere: an attribute or an item.

    before: return g(b, b.key)
    after: return g(b.key, b.key)
    """
    source = scope.source
    if scope.definition is None or not is_loaded(node) or node.id not in scope.variables:
        return
    if source.is_called(node) or isinstance(source.parent(node), ast.Attribute):
        return
    found: dict[str, str] = {}
    for other in source.nodes(scope.definition):
        match other:
            case ast.Attribute(value=ast.Name(id=owner), attr=name, ctx=ast.Load()):
                if owner != "self" and not source.is_called(other):
                    found[f"{owner}.{name}"] = "same" if name == node.id else ""
            case ast.Subscript(value=ast.Name(id=owner), slice=ast.Name()) if not any(
                above is other for above in source.ancestors(node)
            ):
                found[source.part(other)] = "same" if owner == node.id else ""
            case _:
                pass
    for text, case in found.items():
        yield instead(scope, node, text, case)


@rule("attribute", ast.Attribute)
def attribute(scope: FunctionScope, node: ast.Attribute) -> Ideas:
    """Use another attribute or method of the same value.

    before: return a.lstrip(b)
    after: return a.rstrip(b)
    """
    called = scope.source.is_called(node)
    found = dict.fromkeys(_others(_METHOD_GROUPS, node.attr), "taken for another")
    if not called:
        found |= dict.fromkeys(beside(node.attr), "taken for another")
    known: dict[str, str] = {}
    for kind in scope.kinds(node.value.id) if isinstance(node.value, ast.Name) else ():
        known |= dict.fromkeys(scope.attributes.get(kind, ()), "of the type")
    read: dict[str, str] = {}
    if not called or not (found or known):
        read = _read_elsewhere(scope, called=called)
    start, end = scope.source.span(node)
    value = scope.source.text[start : end - len(node.attr)]
    for name, case in (read | known | found).items():
        factor = scope.crowd(known) if case == "of the type" else 1.0
        if name != node.attr:
            says = f"uses `.{name}` instead of `.{node.attr}`"
            yield instead(scope, node, value + name, case, factor=factor, says=says)


def _read_elsewhere(scope: FunctionScope, *, called: bool) -> dict[str, str]:
    """Return what the function reads of anything, `left` beside `right`, and what its class reads."""
    definition = scope.definition or scope.source.tree
    found: dict[str, str] = {}
    for home, case in ((scope.owner, "of the class"), (definition, "of the function")):
        for other in scope.source.nodes(home) if home is not None else ():
            if isinstance(other, ast.Attribute) and scope.source.is_called(other) == called:
                found[other.attr] = case
    return found


@rule("function", ast.Name)
def function(scope: FunctionScope, node: ast.Name) -> Ideas:
    """Call another function that people take this one for, or another one of the file.

    before: return min(a, b)
    after: return max(a, b)
    """
    if not is_loaded(node):
        return
    found = _others(_FUNCTION_GROUPS, node.id)
    for name in found:
        yield instead(scope, node, name, factor=2 / max(2, len(found)))
    defined = scope.source.functions
    if not found and node.id in defined and scope.source.is_called(node):
        for name in defined:
            if name != node.id:
                yield instead(scope, node, name, "of the file", factor=scope.crowd(defined))


def _others(groups: tuple[tuple[str, ...], ...], name: str) -> tuple[str, ...]:
    found = dict.fromkeys(other for group in groups if name in group for other in group)
    return tuple(other for other in found if other != name)
