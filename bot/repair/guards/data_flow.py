"""Tell what the expressions of a function depend on: its inputs, and what is none. Python. Pure.

What is none are the *sources*: state that only the patch writes, the clock, chance, the environment.
An existing name of the module is neither: it is how the program was set up before the patch.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from bot.repair.guards.mutable_state import (
    DEFINITIONS,
    OwnState,
)

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Span = tuple[int, int, int, int]
_ROUNDS = 3
"""How far a local name is followed through others."""

_MODULE_STATE = frozenset({"globals", "vars", "locals"})


@dataclass(frozen=True, slots=True)
class Depends:
    """What an expression depends on.

    Attributes:
        on_inputs: Whether on an input of its function.
        own: State that only the patch writes.
        around: Whether on the clock, chance, the environment and the like.
    """

    on_inputs: bool = False
    own: frozenset[str] = frozenset()
    around: bool = False

    def __or__(self, other: Depends) -> Depends:
        return Depends(
            self.on_inputs or other.on_inputs, self.own | other.own, self.around or other.around
        )

    @property
    def has_source(self) -> bool:
        """Whether anything but inputs and constants decides."""
        return bool(self.own) or self.around


NOTHING = Depends()
_INPUT = Depends(on_inputs=True)


@dataclass(frozen=True, slots=True)
class DataFlow:
    """What is known of a file.

    Attributes:
        state: What the patch brings.
        around: Places of names that see the clock, chance, the environment and the like.
        old: Parameters of functions before the patch, by the function's name.
    """

    state: OwnState
    around: frozenset[Span]
    old: Mapping[str, frozenset[str]]
    _seen: set[str] = field(default_factory=set)

    def defined(self, name: str) -> Depends:
        """Return what a function, class or value depends on that the patch brings, inputs aside."""
        node = self.state.definitions.get(name) or self.state.values.get(name)
        if node is None or name in self._seen:
            return NOTHING
        self._seen.add(name)
        try:
            told = NOTHING
            for child in ast.walk(node):
                told |= self.source(child)
                match child:
                    case ast.AugAssign(target=ast.Attribute(attr=counted)):
                        told |= Depends(own=frozenset({counted}))
                    case _:
                        pass
                if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load):
                    told |= self.defined(child.id)
        finally:
            self._seen.discard(name)
        return Depends(own=told.own, around=told.around)

    def source(self, node: ast.AST) -> Depends:
        """Return what a node itself takes from elsewhere than inputs."""
        if span(node) in self.around:
            return Depends(around=True)
        match node:
            case ast.Name(id=name) if name in self.state.names:
                return Depends(own=frozenset({name}))
            case ast.Attribute(attr=name) if name in self.state.attributes:
                return Depends(own=frozenset({name}))
            case ast.Call(func=ast.Name(id=name), args=[]) if name in _MODULE_STATE:
                return Depends(own=frozenset({f"{name}()"}))
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="cache_info")) if (
                name in self.state.definitions
            ):
                return Depends(own=frozenset({name}))
            case _:
                return NOTHING


def span(node: ast.AST) -> Span:
    """Return where a node stands: rows from 0, columns in bytes."""
    first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", None)
    column, end = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", None)
    return first - 1, column, (last or first) - 1, end or column


class Flow:
    """Follows the values of one function."""

    def __init__(
        self,
        program: DataFlow,
        function: Function,
        outer: Flow | None = None,
        *,
        follows_branches: bool = True,
    ) -> None:
        self._program = program
        self.function = function
        self._outer = outer
        self._follows_branches = follows_branches
        self._locals: dict[str, Depends] = dict(_parameters(program, function))
        self.has_inputs: bool = any(local.on_inputs for local in self._locals.values()) or (
            outer is not None and outer.has_inputs
        )
        self._shared = frozenset(_declared(function, ast.Global, ast.Nonlocal))
        self._outer_names = frozenset(_declared(function, ast.Nonlocal))
        self._counted: set[str] = set()
        self._given: set[str] = set(program.state.told)
        self._locals |= dict.fromkeys(self._outer_names, _INPUT)
        for _ in range(_ROUNDS):
            for statement in _body(function):
                self._follow(statement, NOTHING)
            counted = self._outer_names & self.counted
            self._locals |= {name: Depends(own=frozenset({name})) for name in counted}

    @cached_property
    def of_values(self) -> Flow:
        """The same function, where a value depends on what it is made of and not on who decided that."""
        outer = self._outer.of_values if self._outer is not None else None
        return Flow(self._program, self.function, outer, follows_branches=False)

    @property
    def counted(self) -> frozenset[str]:
        """What outlives a call and the function sets anew, whatever its inputs are.

        Attributes of its object, and names of the functions around it.
        """
        return frozenset(self._counted - self._given - self._program.state.known)

    def of(self, node: ast.AST) -> Depends:
        """Return what an expression depends on."""
        told = self._program.source(node)
        match node:
            case _ if told.own or (told.around and not self._is_of_input(node)):
                return told
            case ast.Attribute(attr=name) if name in self.counted:
                return Depends(own=frozenset({name}))
            case ast.Name(id=name):
                return self._named(name)
            case _:
                for child in ast.iter_child_nodes(node):
                    told |= self.of(child)
                return told

    def _is_of_input(self, node: ast.AST) -> bool:
        """Whether something is a part of what the function is given, whatever the part is called."""
        while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
            node = node.func if isinstance(node, ast.Call) else node.value
        return isinstance(node, ast.Name) and self._named(node.id).on_inputs

    def _named(self, name: str) -> Depends:
        if name in self._locals:
            return self._locals[name]
        if self._outer is not None and (told := self._outer.known(name)) is not None:
            return told
        return self._program.defined(name)

    def known(self, name: str) -> Depends | None:
        """Return what a name of this function, or of one around it, depends on."""
        if name in self._locals:
            return self._locals[name]
        return self._outer.known(name) if self._outer is not None else None

    def _follow(self, node: ast.AST, decided_by: Depends) -> None:
        """Remember what the statements below set, and what decides whether they do."""
        if isinstance(node, (*DEFINITIONS, ast.Lambda)):
            return
        decider = _decider(node)
        if decider is not None and self._follows_branches:
            decided_by |= self.of(decider)
        for target, value in _set_by(node):
            self._set(target, decided_by | (self.of(value) if value is not None else _INPUT))
        for child in ast.iter_child_nodes(node):
            self._follow(child, decided_by)

    def _set(self, target: ast.expr, value: Depends) -> None:
        match target:
            case ast.Name(id=name) if name in self._shared:
                self._note(name, value)
            case ast.Name(id=name):
                self._locals[name] = self._locals.get(name, NOTHING) | value
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                for part in parts:
                    self._set(part, value)
            case ast.Starred(value=inner):
                self._set(inner, value)
            case ast.Attribute(value=owner) | ast.Subscript(value=owner):
                if isinstance(target, ast.Attribute) and isinstance(target.ctx, ast.Store):
                    self._note(target.attr, value)
                if isinstance(owner, ast.Name) and owner.id in self._locals:
                    self._locals[owner.id] |= value
            case _:
                pass

    def _note(self, name: str, value: Depends) -> None:
        """Remember whether inputs have a part in what is kept under a name."""
        (self._given if value.on_inputs else self._counted).add(name)


def _decider(node: ast.AST) -> ast.expr | None:
    """Return what decides whether the statements of a block run."""
    match node:
        case ast.If(test=test) | ast.While(test=test):
            return test
        case ast.For(iter=value) | ast.AsyncFor(iter=value):
            return value
        case ast.Match(subject=subject):
            return subject
        case _:
            return None


def _set_by(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr | None]]:
    """Yield what a node sets, with the value; with none where that is an input of some kind."""
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((target, value) for target in targets)
        case ast.AugAssign() | ast.NamedExpr() | ast.AnnAssign() if node.value is not None:
            yield node.target, node.value
        case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
            yield target, value
        case ast.comprehension(target=target, iter=value):
            yield target, value
        case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
            yield target, value
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
            yield ast.Name(name, ast.Store()), None
        case ast.Call(func=ast.Attribute() as method, args=given, keywords=named):
            yield from (
                (method, expression) for expression in (*given, *(word.value for word in named))
            )
        case _:
            pass


def _parameters(program: DataFlow, function: Function) -> Iterator[tuple[str, Depends]]:
    """Yield the parameters; one that the patch adds with a container as its default is no input."""
    given = function.args
    old = program.old.get(getattr(function, "name", ""), None)
    plain = [*given.posonlyargs, *given.args]
    defaults: dict[str, ast.expr] = {
        parameter.arg: value
        for parameter, value in zip(
            plain[len(plain) - len(given.defaults) :], given.defaults, strict=True
        )
    } | {
        kwonlyarg.arg: value
        for kwonlyarg, value in zip(given.kwonlyargs, given.kw_defaults, strict=True)
        if value is not None
    }
    rest = [parameter for parameter in (given.vararg, given.kwarg) if parameter is not None]
    for parameter in (*plain, *given.kwonlyargs, *rest):
        value = defaults.get(parameter.arg)
        kept = isinstance(value, (ast.List, ast.Dict, ast.Set, ast.Call))
        is_new = old is not None and parameter.arg not in old
        yield parameter.arg, Depends(own=frozenset({parameter.arg})) if kept and is_new else _INPUT


def _declared(function: Function, *kinds: type[ast.Global | ast.Nonlocal]) -> Iterator[str]:
    """Yield the names that a function itself declares to be of what is around it."""
    waiting: list[ast.AST] = list(_body(function))
    while waiting:
        node = waiting.pop()
        if isinstance(node, kinds):
            yield from node.names
        if not isinstance(node, (*DEFINITIONS, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)


def _body(function: Function) -> list[ast.AST]:
    return [function.body] if isinstance(function, ast.Lambda) else list(function.body)
