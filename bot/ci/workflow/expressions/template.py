"""Fill `${{ }}` in the texts of a workflow."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.ci.workflow.expressions.evaluation import ExpressionContext, evaluate
from bot.ci.workflow.expressions.meter import Tally
from bot.ci.workflow.expressions.syntax import ExpressionError
from bot.ci.workflow.expressions.values import Partly, Unknown, Value, as_text

# A string inside an expression may hold braces. What a lookahead took is not taken apart again, so
# that no text takes long; possessive quantifiers say the same, but are broken before Python 3.11.5.
_EXPRESSION = re.compile(
    r"\$\{\{(?=(?P<inside>(?:'(?:[^']|'')*'|(?!\}\}|\$\{\{)[^'])*))(?P=inside)\}\}"
)


@dataclass(frozen=True, slots=True)
class Rendered:
    """A text with its expressions filled.

    Attributes:
        text: Unknown values are what the caller's `missing` made of them, by default what stands
            for them here, or nothing.
        unknown: Names of what was not known, and has nothing that stands for it.
    """

    text: str
    unknown: tuple[str, ...] = ()


def has_expression(value: object) -> bool:
    """Whether a text holds an expression."""
    return isinstance(value, str) and _EXPRESSION.search(value) is not None


def expressions_in(text: str) -> tuple[str, ...]:
    """Return the expressions of a text, without their `${{ }}`."""
    return tuple(match["inside"].strip() for match in _EXPRESSION.finditer(text))


def as_expression(text: str) -> str:
    """Return a text with expressions in it as a single one that has the same value.

    Raises:
        ExpressionError: A `${{` has no end.
    """
    whole = _EXPRESSION.fullmatch(text)
    if whole:
        return whole["inside"].strip()
    pieces, last = [], 0
    expressions = expressions_in(text)
    for number, match in enumerate(_EXPRESSION.finditer(text)):
        pieces += [_quoted(text[last : match.start()]), f"{{{number}}}"]
        last = match.end()
    template = "".join((*pieces, _quoted(text[last:])))
    arguments = ", ".join((f"'{template}'", *expressions))
    return f"format({arguments})"


def _quoted(text: str) -> str:
    """Return a part of a text without expressions as a part of the first argument of `format`.

    Raises:
        ExpressionError: It begins an expression that has no end.
    """
    if "${{" in text:
        raise ExpressionError(f"The expression `{text.strip()[:200]}` has no end.")
    return text.replace("'", "''").replace("{", "{{").replace("}", "}}")


def render(value: Value, scope: ExpressionContext) -> Value:
    """Return a value with the expressions in its texts evaluated, at any depth.

    A text that is one expression becomes that expression's value, whatever its kind. The line end
    of a block (`|`) makes it a text with an expression in it, which is never empty.

    Raises:
        ExpressionError: One of them is invalid, or makes too large a value.
        PlanTooLarge: All values together are too large.
    """
    if isinstance(value, str):
        whole = _EXPRESSION.fullmatch(value)
        if whole:
            return evaluate(whole["inside"], scope)
        filled = render_text(value, scope)
        return Unknown(filled.unknown) if filled.unknown else filled.text
    if isinstance(value, list | Mapping):
        scope.meter.take(len(value))
    if isinstance(value, list):
        return [render(item, scope) for item in value]
    if isinstance(value, Mapping):
        items = filled_keys(value, scope).items()
        return {key: render(item, scope) for key, item in items}
    return value


def filled_keys(values: Mapping[str, Value], scope: ExpressionContext) -> Mapping[str, Value]:
    """Return a mapping with the expressions in its keys evaluated, and its values as they are.

    A key `${{ insert }}` takes in the mapping behind it; it stays where that is not known.

    Raises:
        ExpressionError: One of them is invalid.
    """
    if not any("${{" in key for key in values):
        return values
    found: dict[str, Value] = {}
    for key, value in values.items():
        if expressions_in(key) == ("insert",):
            inserted = render(value, scope)
            found.update(inserted if isinstance(inserted, Mapping) else {key: value})
        else:
            found[render_text(key, scope).text] = value
    return found


def render_text(
    value: Value, scope: ExpressionContext, missing: Callable[[str], str] = lambda _expression: ""
) -> Rendered:
    """Return a value as text with its expressions filled.

    Args:
        value: A text; other values are written as text.
        scope: What its expressions can see.
        missing: Returns the text to use for an expression whose value is unknown.

    Raises:
        ExpressionError: One of them is invalid, or the text becomes too large.
        PlanTooLarge: All values together are too large.
    """
    unknown: dict[str, None] = {}
    tally = Tally()

    def fill(match: re.Match[str]) -> str:
        found = evaluate(match["inside"], scope)
        if isinstance(found, Unknown | Partly):
            names = found.names if isinstance(found, Unknown) else (found.name,)
            text = missing(match["inside"].strip()) or as_text(found)
            unknown.update({} if text == as_text(found) != "" else dict.fromkeys(names))
            return text
        return tally.add(as_text(found))

    text = _EXPRESSION.sub(fill, value) if isinstance(value, str) else as_text(value)
    scope.meter.take(len(text))
    return Rendered(text, tuple(unknown))


def render_all(
    values: Mapping[str, Value], scope: ExpressionContext
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return texts by name with their expressions filled, and the names of what was not known."""
    filled = {name: render_text(value, scope) for name, value in values.items()}
    unknown = dict.fromkeys(name for each in filled.values() for name in each.unknown)
    return {name: each.text for name, each in filled.items()}, tuple(unknown)
