"""Tests made of what a person types."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from bot.web.given_cases import cases_test, file_test
from bot.web.problems import ApiProblem

CASES = [("1, 2", "3"), ("'a', b='c'", "'ac'"), ("None, 1", "raises TypeError")]


def test_cases() -> None:
    """One test for each, as a person would write it."""
    test = cases_test("shop.cart.total", CASES)
    assert test.path == "tests/test_given_cases.py"
    assert test.content == snapshot('''\
"""Cases that were given with the request."""

import pytest

from shop.cart import total


def test_case_1():
    assert total(1, 2) == 3


def test_case_2():
    assert total('a', b='c') == 'ac'


def test_case_3():
    with pytest.raises(TypeError):
        total(None, 1)
''')


def test_the_patch_applies(tmp_path: Path) -> None:
    """The test is what git makes of the patch, and pytest runs it."""
    test = cases_test("shop.total", CASES)
    (tmp_path / "shop.py").write_text("def total(a, b):\n    return a + b\n")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=test.as_diff(), check=True)
    assert (tmp_path / test.path).read_text() == test.content
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", test.path]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "3 passed" in done.stdout


@pytest.mark.parametrize(
    ("function", "cases", "words"),
    [
        ("total", [("1", "2")], "with its module"),
        ("shop.total; import os", [("1", "2")], "with its module"),
        ("shop.total", [], "at least one"),
        ("shop.total", [("1", "2")] * 101, "At most 100"),
        ("shop.total", [("1) + (2", "3")], "arguments of a call"),
        ("shop.total", [("1", "2 +")], "Case 1: the expected"),
        ("shop.total", [("1", "3"), ("1", "2\nimport os")], "Case 2"),
        ("shop.total", [("1", "2) or (1")], "Case 1"),
    ],
)
def test_what_is_no_case(function: str, cases: list[tuple[str, str]], words: str) -> None:
    """A sentence says which, and why."""
    with pytest.raises(ApiProblem, match=words):
        cases_test(function, cases)


@pytest.mark.parametrize(
    "path",
    [
        *("../test_a.py", "/test_a.py", "src/a.py", "tests/../a.py", ".git/test_a.py", "a b.py"),
        *(".GIT/test_a.py", "sub/.git/test_a.py", "a/.Git/tests/test_a.py", ".git./test_a.py"),
        *("git~1/test_a.py", ".git::$INDEX_ALLOCATION/test_a.py", ".gi\u200ct/test_a.py"),
    ],
)
def test_what_is_no_test_file(path: str) -> None:
    """A path that leads elsewhere, or that no runner takes for a test."""
    with pytest.raises(ApiProblem):
        file_test(path, "x = 1\n")


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_text(left: str, right: str) -> None:
    """Whatever is typed makes a file that Python can parse, or a sentence."""
    try:
        test = cases_test("shop.total", [(left, right)])
    except ApiProblem:
        return
    compile(test.content, test.path, "exec")
