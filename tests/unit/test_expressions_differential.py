"""Our expressions beside GitHub's own library, `@actions/expressions`."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.ci.workflow.expressions import ExpressionContext, ExpressionError, Value, evaluate
from tests.language_services import NotInstalled, ask
from tests.unit.generated_expressions import CONTEXTS, Expressions


def _plain(value: Value) -> Any:
    """Return a value as `expressions.mjs` writes it."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    if isinstance(value, int | float):
        if math.isfinite(value):
            return float(value)
        return {
            "number": "NaN"
            if math.isnan(value)
            else f"{value:+}".replace("inf", "Infinity").lstrip("+")
        }
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return {key: _plain(item) for key, item in value.items()}


def _ours(expression: str) -> dict[str, Any]:
    try:
        return {"value": _plain(evaluate(expression, ExpressionContext(CONTEXTS)))}
    except ExpressionError as error:
        return {"error": str(error)}


def _agree(expression: str, ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    """Whether both have the same value, or both none; docs/workflows.md names the exceptions."""
    lazy = "case" in expression.lower() and "value" in ours and "JSON" in expression
    if "error" in theirs:
        return "error" in ours or lazy
    return bool(ours.get("value", math.nan) == theirs["value"])


def _compare(expressions: list[str]) -> None:
    try:
        theirs = ask("expressions.mjs", {"contexts": CONTEXTS, "expressions": expressions})
    except NotInstalled as error:
        pytest.skip(str(error))
    pairs = zip(expressions, theirs, strict=True)
    compared = [(text, _ours(text), answer) for text, answer in pairs]
    differ = [each for each in compared if not _agree(*each)]
    assert not differ, min(differ, key=lambda each: len(each[0]))


@settings(max_examples=5)
@given(st.integers(0, 2**32))
def test_generated_expressions_have_githubs_values(seed: int) -> None:
    """Operators, coercions, functions, indexes and what is no expression: as GitHub has it."""
    generator = Expressions(seed)
    _compare([generator.one() for _ in range(1_000)])


@pytest.mark.exhaustive
@settings(max_examples=20)
@given(st.integers(0, 2**32))
def test_twenty_thousand_expressions_have_githubs_values(seed: int) -> None:
    """The same with others."""
    generator = Expressions(seed)
    _compare([generator.one() for _ in range(1_000)])


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        # Of a case only what is needed is evaluated, as actions/runner does (`Case.cs`).
        ("case(true, 1, fromJSON('{'))", 1.0),
        ("case(false, fromJSON('{'), 'b')", "b"),
        # GitHub's library unescapes the first quotation mark only.
        ("'a''b''c'", "a'b'c"),
        # actions/runner: numbers of 32 bits, 15 digits, letters one by one (`ExpressionUtility.cs`).
        ("0xffffffff", -1.0),
        ("'0X10' == 16", False),
        ("format('{0}', 12345678901234567)", "1.23456789012346E+16"),
        ("format('{0}', 0.00001)", "1E-05"),
        ("'straße' == 'STRASSE'", False),
        ("'infinity' == Infinity", True),
        # A list ends without a comma, a format's place without other letters.
        ("format('{0x}', 1)", None),
        ("contains('a', 'a',)", None),
        ('fromJSON(\'{"A": 1, "a": 2}\').a', 2.0),
    ],
)
def test_where_the_runner_differs_from_githubs_library_ours_does_too(
    expression: str, value: Value
) -> None:
    """Steps are evaluated by actions/runner; docs/workflows.md lists where its library differs."""
    assert _ours(expression).get("value") == value


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("case(github.ref == 'refs/heads/main', 'prod', 'dev')", "prod"),
        ("CASE(false, 1, true, 2, 3)", 2.0),
        ("case(false, 1, case(true, 'in', 'out'))", "in"),
        ("case(matrix.os == 'ubuntu-latest' && !failure(), matrix.n[1], '')", "2"),
        ("case(false, 1, null) || 'none'", "none"),
        ("case('true', 1, 2)", None),
        ("case(true, 1)", None),
        ("case(true, 1, false, 2)", None),
        ("false && nothing()", None),
        ("true || nowhere.at.all", None),
        ("case(true, 1, unheard('x'))", None),
    ],
)
def test_case(expression: str, value: Value) -> None:
    """`case` takes the value behind the first true predicate; what can't be read is an error."""
    assert _ours(expression).get("value") == value
