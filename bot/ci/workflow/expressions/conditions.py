"""Decide `if`."""

from __future__ import annotations

from dataclasses import replace

from bot.ci.workflow.expressions import (
    ExpressionContext,
    ExpressionError,
    JobStatus,
    Partly,
    as_expression,
    evaluate,
    parse,
    truth,
)
from bot.ci.workflow.expressions.syntax import FunctionCall, walk

_STATUS_FUNCTIONS = frozenset({"success", "failure", "always", "cancelled"})


def holds(condition: str, scope: ExpressionContext) -> bool | None:
    """Whether a condition holds; None when that needs something that is not known here.

    Without a status function in it, it holds only while everything before succeeded.

    Raises:
        ExpressionError: It is not an expression.
    """
    return truth(evaluate(whole_condition(condition), scope))


def whole_condition(condition: str) -> str:
    """Return the expression that a condition stands for.

    Raises:
        ExpressionError: It is not an expression.
    """
    text = _expression(condition)
    called = {node.function for node in walk(parse(text)) if isinstance(node, FunctionCall)}
    asks = _STATUS_FUNCTIONS & called
    return text if asks else f"success() && ({text})"


def _expression(condition: str) -> str:
    """Return a condition as one expression; text around `${{ }}` makes it a text that is not empty."""
    if "${{" in condition:
        return as_expression(condition)
    return condition.strip() or "success()"


def after_failure(scope: ExpressionContext) -> ExpressionContext:
    """Return the scope as it is after a step has failed."""
    job = scope.contexts.get("job")
    known = {**job.known, "status": "failure"} if isinstance(job, Partly) else {}
    contexts = {**scope.contexts, "job": Partly("job", known)}
    return replace(scope, contexts=contexts, status=JobStatus.FAILURE)


def flag(value: object, scope: ExpressionContext) -> bool:
    """Return a setting that is true, false or an expression; what is not known is false."""
    if isinstance(value, bool):
        return value
    if not isinstance(value, str):
        return False
    try:
        return truth(evaluate(_expression(value), scope)) is True
    except ExpressionError:
        return False
