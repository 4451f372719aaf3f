"""GitHub's expression language, with values that are not known here.

Source: https://docs.github.com/en/actions/reference/workflows-and-actions/expressions
"""

from bot.ci.workflow.expressions.evaluation import ExpressionContext, JobStatus, evaluate, truth
from bot.ci.workflow.expressions.meter import Meter, PlanTooLarge
from bot.ci.workflow.expressions.syntax import ExpressionError, parse
from bot.ci.workflow.expressions.template import (
    Rendered,
    as_expression,
    expressions_in,
    filled_keys,
    has_expression,
    render,
    render_all,
    render_text,
)
from bot.ci.workflow.expressions.values import Partly, Unknown, Value, as_text

__all__ = [
    "ExpressionContext",
    "ExpressionError",
    "JobStatus",
    "Meter",
    "Partly",
    "PlanTooLarge",
    "Rendered",
    "Unknown",
    "Value",
    "as_expression",
    "as_text",
    "evaluate",
    "expressions_in",
    "filled_keys",
    "has_expression",
    "parse",
    "render",
    "render_all",
    "render_text",
    "truth",
]
