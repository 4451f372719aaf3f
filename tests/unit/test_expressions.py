"""GitHub's expression language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.ci.workflow.expressions import (
    ExpressionContext,
    ExpressionError,
    JobStatus,
    Partly,
    Unknown,
    Value,
    evaluate,
    render,
    render_text,
    truth,
)
from bot.ci.workflow.expressions.conditions import holds

CONTEXTS: dict[str, Value] = {
    "github": Partly("github", {"event_name": "push", "ref": "refs/heads/main"}),
    "matrix": {"os": "ubuntu-latest", "python": 3.1, "flags": ["a", "b"], "deep": {"x": {"y": 1}}},
    "env": {"EMPTY": "", "LEVEL": "Debug"},
    "secrets": Unknown(("secrets",)),
    "steps": {"build": {"outputs": {"path": "dist"}}},
    "inputs": {"labels": [{"name": "bug", "id": 1}, {"name": "help", "id": 2}]},
}
SCOPE = ExpressionContext(CONTEXTS)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1", 1),
        ("-2.5e1", -25),
        ("0xff", 255),
        ("'it''s'", "it's"),
        ("true && 'yes' || 'no'", "yes"),
        ("false && 'yes' || 'no'", "no"),
        ("'' || 'default'", "default"),
        ("null", None),
        ("!true", False),
        ("!env.EMPTY", True),
        ("1 < 2", True),
        ("'10' < 9", False),
        ("'a' < 'B'", True),
        ("'ABC' == 'abc'", True),
        ("'1' == 1", True),
        ("null == 0", True),
        ("null == ''", True),
        ("true == 'true'", False),
        ("'a' == 0", False),
        ("1 == 1 && 2 != 3", True),
        ("1 == 2 || 2 == 3 || 4 >= 4", True),
        ("(1 == 2 || true) && false", False),
        ("matrix.os", "ubuntu-latest"),
        ("matrix['OS']", "ubuntu-latest"),
        ("matrix.nothing.at.all", None),
        ("matrix.flags[1]", "b"),
        ("matrix.flags[7]", None),
        ("matrix.deep.x.y", 1),
        ("inputs.labels.*.name", ["bug", "help"]),
        ("inputs.labels[*].id", [1, 2]),
        ("contains(inputs.labels.*.name, 'BUG')", True),
        ("contains('Hello world', 'WORLD')", True),
        ("contains(matrix.flags, 'c')", False),
        ("startsWith(github.ref, 'refs/heads/')", True),
        ("endsWith('main', 'IN')", True),
        ("format('{0}-{1} {{x}}', 'a', 2)", "a-2 {x}"),
        ("join(matrix.flags)", "a,b"),
        ("join(matrix.flags, ' + ')", "a + b"),
        ("join('one')", "one"),
        ("toJSON(matrix.flags)", '[\n  "a",\n  "b"\n]'),
        ("fromJSON('[1, 2]')[1]", 2),
        ('fromJSON(\'{"a": {"b": true}}\').a.b', True),
        ("always()", True),
        ("success()", True),
        ("failure() || cancelled()", False),
        ("steps.build.outputs.path", "dist"),
        ("steps.other.outputs.path", None),
    ],
)
def test_known_values(expression: str, value: Value) -> None:
    """Operators, functions and contexts give what GitHub documents."""
    assert evaluate(expression, SCOPE) == value


@pytest.mark.parametrize(
    ("expression", "unknown"),
    [
        ("secrets.TOKEN", Unknown(("secrets.TOKEN",))),
        ("github.actor", Unknown(("github.actor",))),
        ("vars.X == 'y'", Unknown(("vars.X",))),
        ("!secrets.TOKEN", Unknown(("secrets.TOKEN",))),
        ("secrets.TOKEN || 'x'", Unknown(("secrets.TOKEN",), truth=True)),
        ("format('{0}', secrets.TOKEN)", Unknown(("secrets.TOKEN",))),
        (
            "github.event.pull_request.labels.*.name",
            Unknown(("github.event.pull_request.labels.*.name",), None),
        ),
        ("hashFiles('**/lock')", Unknown(("hashFiles()",))),
    ],
)
def test_unknown_values_stay_unknown(expression: str, unknown: Unknown) -> None:
    """What is not known here makes the result unknown, and is named."""
    assert evaluate(expression, SCOPE) == unknown


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("secrets.TOKEN && false", False),
        ("false && secrets.TOKEN", False),
        ("secrets.TOKEN == 'x' && github.event_name == 'release'", False),
        ("true || secrets.TOKEN", True),
    ],
)
def test_unknown_parts_that_do_not_matter(expression: str, value: Value) -> None:
    """An unknown part leaves a result known where it can't change it."""
    assert evaluate(expression, SCOPE) == value


@pytest.mark.parametrize(
    "expression",
    [
        "",
        "1 +",
        "a b",
        "foo(",
        "'open",
        "nothing('x')",
        "contains('a')",
        "fromJSON('{')",
        "(" * 200,
    ],
)
def test_what_is_no_expression_is_said(expression: str) -> None:
    """A broken expression raises an error with a sentence."""
    with pytest.raises(ExpressionError, match=r"\.$"):
        evaluate(expression, SCOPE)


@given(st.text(alphabet="ab.()[]!&|=<>'*, 0123\"{}$", max_size=40))
def test_any_text_has_a_value_or_an_error(text: str) -> None:
    """No text makes the parser do anything else."""
    try:
        evaluate(text, SCOPE)
    except ExpressionError:
        return


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("plain", "plain"),
        ("${{ matrix.flags }}", ["a", "b"]),
        ("py${{ matrix.python }}-${{ matrix.os }}", "py3.1-ubuntu-latest"),
        ("${{ format('{0}}}', 1) }}", "1}"),
        ("a ${{ secrets.X }} b", Unknown(("secrets.X",))),
    ],
)
def test_templates(text: str, value: Value) -> None:
    """A text that is one expression keeps its kind; others are joined as text."""
    assert render(text, SCOPE) == value


def test_unknown_parts_of_a_text_are_empty_and_named() -> None:
    """A text with an unknown part can be used, and tells what is missing."""
    rendered = render_text("Bearer ${{ secrets.TOKEN }}!", SCOPE)
    assert (rendered.text, rendered.unknown) == ("Bearer !", ("secrets.TOKEN",))


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("", (True, False)),
        ("always()", (True, True)),
        ("failure()", (False, True)),
        ("${{ failure() && matrix.os == 'ubuntu-latest' }}", (False, True)),
        ("matrix.os == 'windows-latest'", (False, False)),
        ("!cancelled()", (True, True)),
        ("secrets.TOKEN != ''", (None, False)),
        ("${{ matrix.os }} == 'windows-latest'", (True, False)),
        ("${{ always() }} && false", (True, True)),
        ("it's {0} ${{ failure() }}", (True, True)),
        ("github.event_name == 'push' && !startsWith(github.ref, 'refs/tags')", (True, False)),
    ],
)
def test_conditions(condition: str, expected: tuple[bool | None, bool | None]) -> None:
    """Without a status function a step runs only while all went well."""
    failed = ExpressionContext(CONTEXTS, JobStatus.FAILURE)
    assert (holds(condition, SCOPE), holds(condition, failed)) == expected


def test_truth() -> None:
    """Empty and zero are false, collections and other text true."""
    values: list[Value] = [None, False, 0, "", float("nan"), "0", [], {}, 1]
    assert [truth(value) for value in values] == [False] * 5 + [True] * 4


@pytest.mark.parametrize("text", ["${{ " + "'" * 20_001, "${{" * 5_000, "${{ '" + "}} '" * 5_000])
def test_hostile_templates_end(text: str) -> None:
    """No text takes long, whatever its quotes and braces."""
    assert isinstance(render_text("${{ 1 }}" + text[:3], SCOPE).text, str)
    try:
        render_text(text, SCOPE)
    except ExpressionError:
        return
