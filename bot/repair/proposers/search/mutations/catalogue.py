"""Every rule of the search."""

from __future__ import annotations

from bot.repair.proposers.search.mutations import (
    conditions,
    copies,
    expected_raises,
    fallbacks,
    formats,
    guards,
    handlers,
    names,
    operators,
    patterns,
    statements,
    symmetry,
    values,
)
from bot.repair.proposers.search.mutations.rewrites import REWRITES
from bot.repair.proposers.search.mutations.rule import Rule

RULES: tuple[Rule, ...] = (
    operators.comparison, operators.arithmetic, operators.update,
    operators.grouping, operators.off_by_one,
    operators.number, names.variable, names.part, names.attribute, names.function,
    values.missing_call,
    conditions.condition, conditions.missing_condition, conditions.bounds,
    conditions.comprehension_filter, values.result, values.assigned,
    statements.dropped, statements.missing_statement, statements.loop_remainder, statements.order, statements.depth,
    statements.branch, statements.conditional,  guards.missing_guard,
    guards.same_place, guards.shared_default, expected_raises.expected_error,
    handlers.caught, handlers.uncaught, fallbacks.fallback,
    fallbacks.absent_attribute, symmetry.exchanged,
    symmetry.counterpart, copies.copied, patterns.pattern, formats.formatted,
    *REWRITES,
)  # fmt: skip
