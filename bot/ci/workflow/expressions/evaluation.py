"""Evaluate expressions; what is not known here stays `Unknown` instead of becoming a guess."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import assert_never

from bot.ci.workflow.expressions import functions
from bot.ci.workflow.expressions.meter import Meter, size
from bot.ci.workflow.expressions.syntax import (
    Binary,
    Each,
    ExpressionError,
    FunctionCall,
    Literal,
    MemberAccess,
    Name,
    Node,
    Not,
    parse,
)
from bot.ci.workflow.expressions.values import (
    Partly,
    Unknown,
    Value,
    elements,
    holds_unknown,
    member,
    unknown_of,
)


class JobStatus(StrEnum):
    """How the job stands when a condition is looked at."""

    SUCCESS = "success"
    FAILURE = "failure"


@dataclass(frozen=True, slots=True)
class ExpressionContext:
    """What an expression can see.

    Attributes:
        contexts: By lower-case name. A name that is missing is unknown as a whole.
        status: What `success()` and `failure()` go by.
        hash_files: Returns the digest for the patterns of `hashFiles`; None where there are no
            files to look at.
        meter: Counts what all expressions of a plan make.
    """

    contexts: Mapping[str, Value]
    status: JobStatus = JobStatus.SUCCESS
    hash_files: Callable[[tuple[str, ...]], str] | None = field(default=None, compare=False)
    meter: Meter = field(default_factory=Meter, compare=False)


def evaluate(text: str, scope: ExpressionContext) -> Value:
    """Return an expression's value.

    Raises:
        ExpressionError: When it is not an expression, uses an unknown function, or makes too large
            a value.
        PlanTooLarge: All values together are too large.
    """
    scope.meter.take(len(text))
    return _value(parse(text), scope)


def truth(value: Value) -> bool | None:
    """Whether a value counts as true; None when that is not known."""
    match value:
        case Unknown():
            return value.truth
        case None | "":
            return False
        case bool():
            return value
        case int() | float():
            return not (value == 0 or math.isnan(value))
        case _:
            return True


def _value(node: Node, scope: ExpressionContext) -> Value:  # noqa: PLR0911 - one return for each kind of node
    match node:
        case Literal(value):
            return value
        case Name(name):
            return scope.contexts[name] if name in scope.contexts else Unknown((name,))
        case MemberAccess(of, key):
            return member(_value(of, scope), _value(key, scope))
        case Each(of):
            return elements(_value(of, scope))
        case Not(of):
            return _negated(_value(of, scope))
        case Binary("&&", left, right):
            return _and(_value(left, scope), right, scope)
        case Binary("||", left, right):
            return _or(_value(left, scope), right, scope)
        case Binary(operator, left, right):
            one, other = _value(left, scope), _value(right, scope)
            scope.meter.take(sum(len(each) for each in (one, other) if isinstance(each, str)))
            return _compared(operator, one, other)
        case FunctionCall():
            return _called(node, scope)
        case _:
            assert_never(node)


def _negated(value: Value) -> Value:
    known = truth(value)
    return unknown_of(value) if known is None else not known


def _and(left: Value, right: Node, scope: ExpressionContext) -> Value:
    known = truth(left)
    if known is False:
        return left
    value = _value(right, scope)
    if known or (not isinstance(value, Unknown) and truth(value) is False):
        return value
    return unknown_of(left, value, truth=False if truth(value) is False else None)


def _or(left: Value, right: Node, scope: ExpressionContext) -> Value:
    known = truth(left)
    if known:
        return left
    value = _value(right, scope)
    if known is False:
        return value
    return unknown_of(left, value, truth=True if truth(value) else None)


def _compared(operator: str, left: Value, right: Value) -> Value:
    if isinstance(left, Unknown | Partly) or isinstance(right, Unknown | Partly):
        return unknown_of(left, right)
    if operator in {"==", "!="}:
        return functions.equal(left, right) == (operator == "==")
    return functions.ordered(operator, left, right)


def _case(arguments: tuple[Node, ...], scope: ExpressionContext) -> Value:
    """Return the value behind the first predicate that is true; the others are not looked at.

    Raises:
        ExpressionError: A predicate is neither true nor false.
    """
    if len(arguments) == 1:
        return _value(arguments[0], scope)
    predicate, result, *others = arguments
    known = _value(predicate, scope)
    if not isinstance(known, bool | Unknown):
        raise ExpressionError("A predicate of `case` is neither true nor false.")
    holds = truth(known)
    if holds is None:
        either = _value(result, scope), _case(tuple(others), scope)
        truths = {truth(value) for value in either}
        return unknown_of(known, *either, truth=truths.pop() if len(truths) == 1 else None)
    return _value(result, scope) if holds else _case(tuple(others), scope)


def _called(call: FunctionCall, scope: ExpressionContext) -> Value:  # noqa: PLR0911 - one return for each function
    if call.function == "case":
        return _case(call.arguments, scope)
    arguments = [_value(each, scope) for each in call.arguments]
    match call.function:
        case "always":
            return True
        case "cancelled":
            return False
        case "success":
            return scope.status is JobStatus.SUCCESS
        case "failure":
            return scope.status is JobStatus.FAILURE
        case "hashfiles":
            if scope.hash_files is None or holds_unknown(arguments):
                return Unknown(("hashFiles()",))
            return scope.hash_files(tuple(str(pattern) for pattern in arguments))
        case _:
            scope.meter.take(sum(size(argument) for argument in arguments))
            value = functions.call(call.function, arguments)
            scope.meter.take(size(value))
            return value
