"""Copies: of a container of an object that somebody else may change meanwhile."""

from __future__ import annotations

import ast

from bot.repair.proposers.search.mutations.repeated_edits import same_code
from bot.repair.proposers.search.mutations.rule import Idea, Ideas, instead, rule
from bot.repair.proposers.search.mutations.scope import Scope

_WAYS = ("{}.copy()", "list({})")


@rule("copy of an attribute", ast.Attribute)
def copied(scope: Scope, node: ast.Attribute) -> Ideas:
    """Hand a copy on, or go through one: here, and wherever the class does the same.

    before: class A: (def f(self, b): (self.a = []; b(1, self.a)))
    after: class A: (def f(self, b): (self.a = []; b(1, self.a.copy())))
    """
    source, role = scope.source, _role(scope, node)
    code, home = source.part(node), source.owner(node)
    if not role or code not in scope.own_containers:
        return
    same = [
        expression
        for expression in same_code(source, node)
        if _role(scope, expression) == role and source.owner(expression) is home
    ]
    for text in (way.format(code) for way in _WAYS):
        yield instead(scope, node, text)
        if len(same) > 1:
            every = tuple(source.replace(expression, text) for expression in same)
            yield Idea(every, f"works on a copy of `{code}`, at {len(same)} places", "everywhere")


def _role(scope: Scope, node: ast.expr) -> str:
    """Return what is done with a container as a whole, "" when that takes no copy."""
    match scope.source.parent(node):
        case ast.Call(func=func, args=arguments) if node in arguments:
            return scope.source.part(func)
        case ast.For(iter=through) | ast.comprehension(iter=through) if through is node:
            return "for"
        case _:
            return ""
