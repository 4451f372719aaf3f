"""Make a test file of what a person gives: a file, or cases of a Python function."""

from __future__ import annotations

import ast
import posixpath
import re
from http import HTTPStatus

from bot.model.given_test import GivenTest
from bot.repair.guards import is_test_file
from bot.web.problems import ApiProblem

MOST_CASES = 100
LONGEST_TEST = 64_000
DEFAULT_PATH = "tests/test_given_cases.py"

_FUNCTION = re.compile(r"(?P<module>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\.(?P<name>[A-Za-z_]\w*)")
_RAISES = re.compile(r"raises\s+(?P<what>[A-Za-z_][\w.]*)")
_GIT = re.compile(r"\.git\.*", re.IGNORECASE)
"""As file systems read `.git` that ignore case or what ends a name. Characters of its other
spellings, `git~1` and those of https://git-scm.com/docs/git-config#Documentation/git-config.txt-coreprotectHFS,
are in no path of a test."""
_PATH = re.compile(r"[\w.@+-]+(?:/[\w.@+-]+)*", re.ASCII)


def file_test(path: str, content: str) -> GivenTest:
    """Return a test that was given as a file.

    Raises:
        ApiProblem: When no test can be of that name, or it is too long.
    """
    path = path.strip() or DEFAULT_PATH
    if not _PATH.fullmatch(path) or path != posixpath.normpath(path) or path.startswith("../"):
        raise _unusable("The test file must be a path in the repository, such as tests/test_x.py.")
    if any(_GIT.fullmatch(part) for part in path.split("/")):
        raise _unusable("The test file can't be in a folder that belongs to git.")
    if not is_test_file(path):
        raise _unusable(
            f"{path} isn't named like a test. Give it a name such as {DEFAULT_PATH}, so that test "
            "runners find it."
        )
    if not content.strip():
        raise _unusable("The test file is empty.")
    if len(content) > LONGEST_TEST:
        raise _unusable(f"The test file may have at most {LONGEST_TEST:,} characters.")
    if "\0" in content:
        raise _unusable("The test file contains a NUL character.")
    return GivenTest(path, content.replace("\r\n", "\n"))


def cases_test(function: str, cases: list[tuple[str, str]], path: str = "") -> GivenTest:
    """Return a test for pytest that calls a function with each input.

    Args:
        function: With its module, such as `shop.cart.total`.
        cases: Arguments as in a call, and the expected value, or `raises ValueError`.
        path: Of the file; a usual one if "".

    Raises:
        ApiProblem: When something of it is no Python.
    """
    named = _FUNCTION.fullmatch(function.strip())
    if named is None:
        raise _unusable("The function must be named with its module, such as shop.cart.total.")
    if not cases:
        raise _unusable("Give at least one test case.")
    if len(cases) > MOST_CASES:
        raise _unusable(f"At most {MOST_CASES} test cases are allowed.")
    called = [_case(number, named["name"], pair) for number, pair in enumerate(cases, start=1)]
    needs_pytest = any("pytest.raises" in name for name in called)
    head = [
        '"""Cases that were given with the request."""',
        "",
        *(["import pytest", ""] if needs_pytest else []),
        f"from {named['module']} import {named['name']}",
    ]
    return file_test(path, "\n".join([*head, *called]) + "\n")


def _case(number: int, name: str, case: tuple[str, str]) -> str:
    given, expected = (part.strip() for part in case)
    call = f"{name}({given})"
    if not _is_call(call):
        raise _unusable(f"Case {number}: the input must be arguments of a call, such as 1, 'a'.")
    head = f"\n\ndef test_case_{number}():"
    raises = _RAISES.fullmatch(expected)
    if raises is not None:
        return f"{head}\n    with pytest.raises({raises['what']}):\n        {call}"
    if not _is_expression(expected):
        raise _unusable(
            f"Case {number}: the expected value must be Python, such as 3 or 'text', or raises "
            "ValueError."
        )
    shown = expected if _stands_alone(expected) else f"({expected})"
    return f"{head}\n    assert {call} == {shown}"


def _is_call(text: str) -> bool:
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return isinstance(tree.body, ast.Call) and isinstance(tree.body.func, ast.Name)


def _stands_alone(expression: str) -> bool:
    body = ast.parse(expression, mode="eval").body
    if isinstance(body, ast.Tuple):
        return expression.startswith("(")
    return isinstance(body, ast.Constant | ast.List | ast.Dict | ast.Set | ast.Call | ast.Name)


def _is_expression(text: str) -> bool:
    try:
        ast.parse(f"({text}\n)", mode="eval")
        ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return "\n" not in text


def _unusable(sentence: str) -> ApiProblem:
    return ApiProblem(HTTPStatus.UNPROCESSABLE_ENTITY, sentence)
