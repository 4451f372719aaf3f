"""Legs of a matrix, and what GitHub calls their checks."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.ci.workflow.expressions import ExpressionContext, Unknown
from bot.ci.workflow.plan.matrix import expand, job_names
from bot.ci.workflow.spec.specification import JobSpec

SCOPE = ExpressionContext({"needs": {"list": {"outputs": Unknown(("needs.list.outputs",))}}})


def names(matrix: Any, name: str | None = None) -> list[str]:
    """Return the names of the legs' checks."""
    job = JobSpec(id="test", line=1, name=name)
    return [
        job_names(job, leg, ExpressionContext({"matrix": dict(leg.values)}))[0]
        for leg in expand(matrix, SCOPE).legs
    ]


@pytest.mark.parametrize(
    ("matrix", "expected"),
    [
        (None, ["test"]),
        ({"v": []}, ["test"]),
        ({"v": [3.8, "3.10", 3.10]}, ["test (3.8)", "test (3.10)", "test (3.1)"]),
        (
            {"a": [1, 2], "b": ["x", "y"]},
            ["test (1, x)", "test (1, y)", "test (2, x)", "test (2, y)"],
        ),
        ({"a": [True, None, ""]}, ["test (true)", "test", "test"]),
        ({"a": [{"os": "linux", "n": [1, 2]}]}, ["test (linux, 1, 2)"]),
        ({"a": [1, 2], "exclude": [{"a": "1"}]}, ["test (2)"]),
        ({"a": [1, 2], "b": [1, 2], "exclude": [{"a": 1}, {"b": 2}]}, ["test (2, 1)"]),
        ({"a": [1, 2], "include": [{"a": 2, "extra": "x"}]}, ["test (1)", "test (2)"]),
        ({"a": [1], "include": [{"a": 3, "extra": "x"}]}, ["test (1)", "test (3, x)"]),
        ({"include": [{"os": "linux"}, {"os": "mac", "v": 2}]}, ["test (linux)", "test (mac, 2)"]),
        ({"v": '${{ fromJSON(\'["a", "b"]\') }}'}, ["test (a)", "test (b)"]),
        ("${{ fromJSON('{\"v\": [1]}') }}", ["test (1)"]),
    ],
)
def test_legs_and_names(matrix: Any, expected: list[str]) -> None:
    """Values stand behind the name in the order of the matrix; what `include` adds does not."""
    assert names(matrix) == expected


def test_includes_as_documented() -> None:
    """GitHub's own example of `include` gives its six combinations."""
    matrix = {
        "fruit": ["apple", "pear"],
        "animal": ["cat", "dog"],
        "include": [
            {"color": "green"},
            {"color": "pink", "animal": "cat"},
            {"fruit": "apple", "shape": "circle"},
            {"fruit": "banana"},
            {"fruit": "banana", "animal": "cat"},
        ],
    }
    assert [dict(leg.values) for leg in expand(matrix, SCOPE).legs] == [
        {"fruit": "apple", "animal": "cat", "color": "pink", "shape": "circle"},
        {"fruit": "apple", "animal": "dog", "color": "green", "shape": "circle"},
        {"fruit": "pear", "animal": "cat", "color": "pink"},
        {"fruit": "pear", "animal": "dog", "color": "green"},
        {"fruit": "banana"},
        {"fruit": "banana", "animal": "cat"},
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Tests", ["Tests (3.12, linux)"]),
        ("Python ${{ matrix.py }}", ["Python 3.12"]),
        ("x" * 120, ["x" * 97 + "..."]),
    ],
)
def test_given_names(name: str, expected: list[str]) -> None:
    """A name with an expression stands alone; long ones are cut."""
    assert names({"py": ["3.12"], "os": ["linux"]}, name) == expected


def test_a_matrix_of_another_job_is_unknown() -> None:
    """A matrix made at run time has one leg without values, and names what it came from."""
    expanded = expand({"v": "${{ fromJSON(needs.list.outputs.v) }}"}, SCOPE)
    assert (len(expanded.legs), expanded.unknown) == (1, ("needs.list.outputs.v",))


def test_a_huge_matrix_ends() -> None:
    """More legs than GitHub allows are cut off, quickly."""
    matrix = {name: list(range(200)) for name in "abcd"}
    assert len(expand(matrix, SCOPE).legs) == 256


_WORDS = st.sampled_from(["a", "B", "b", 1, "1", 2, None, True, {"k": 1}, {"k": 1, "l": 2}])
_NAMES = st.sampled_from(["os", "OS", "n", "extra"])
_ENTRY = st.dictionaries(_NAMES, _WORDS, min_size=1, max_size=2)
_ENTRIES = st.lists(_ENTRY.filter(lambda entry: not {"os", "OS"} <= entry.keys()), max_size=4)


@settings(max_examples=60)
@given(
    st.dictionaries(st.sampled_from(["os", "n"]), st.lists(_WORDS, min_size=1, max_size=3)),
    _ENTRIES,
    _ENTRIES,
    st.booleans(),
)
def test_generated_matrices_are_expanded_as_the_runner_does(
    vectors: dict[str, list[Any]],
    exclude: list[dict[str, Any]],
    include: list[dict[str, Any]],
    as_expressions: bool,  # noqa: FBT001 - hypothesis gives it
) -> None:
    """Also where `include` and `exclude` name keys in other letters, or are made by expressions."""
    matrix: Any = {**vectors, "exclude": exclude, "include": include}
    if as_expressions:
        matrix = {
            key: f"${{{{ fromJSON('{json.dumps(value)}') }}}}" for key, value in matrix.items()
        }
    expected = _expanded(vectors, exclude, include) or [{}]
    assert [dict(leg.values) for leg in expand(matrix, SCOPE).legs] == expected


def _expanded(
    vectors: dict[str, list[Any]], exclude: list[dict[str, Any]], include: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Expand a matrix by what GitHub's documentation says of it, one combination after the other."""
    combinations: list[dict[str, Any]] = [{}] if vectors else []
    for name, values in vectors.items():
        combinations = [{**each, name: value} for each in combinations for value in values]
    legs = [each for each in combinations if not any(_has(each, entry) for entry in exclude)]
    found = [dict(leg) for leg in legs]
    new = []
    for entry in include:
        own = {key: value for key, value in entry.items() if key.lower() in vectors}
        added = {key: value for key, value in entry.items() if key.lower() not in vectors}
        takes = [n for n, leg in enumerate(legs) if _has(leg, own)]
        for n in takes:
            found[n] |= added
        if not takes:
            new.append(own | added)
    return found + new


def _has(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        known = (
            {key.lower(): item for key, item in value.items()} if isinstance(value, dict) else {}
        )
        return all(_has(known.get(key.lower()), item) for key, item in wanted.items())
    if isinstance(value, dict):
        return False
    if isinstance(value, str) and isinstance(wanted, str):
        return value.lower() == wanted.lower()
    return (value is None and wanted is None) or _number(value) == _number(wanted)


def _number(value: Any) -> float:
    if isinstance(value, str):
        return float(value) if value.isdecimal() else math.nan
    return float(value or 0)
