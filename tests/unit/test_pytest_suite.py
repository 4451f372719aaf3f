"""The whole suite behind a pytest command that runs a part of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.ecosystems.detection import detect
from bot.ecosystems.python.pytest_suite import whole_suite
from bot.ecosystems.tree import DirectoryTree
from bot.reporting.reasons import detection


@pytest.fixture
def tree(tmp_path: Path) -> DirectoryTree:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_a.py").write_text("def test_b(): ...\n")
    (tmp_path / "tox.ini").write_text("[pytest]\naddopts = --cov\n")
    return DirectoryTree(tmp_path)


@pytest.mark.parametrize(
    ("command", "whole"),
    [
        ("pytest tests/test_a.py", "pytest"),
        ("pytest -q tests/test_a.py::test_b tests", "pytest -q"),
        ("python3.12 -m pytest -o addopts= tests/test_a.py", "python3.12 -m pytest -o addopts="),
        ("A=1 uv run pytest tests -n 2", "A=1 uv run pytest -n 2"),
        ("pytest -k 'a and b' -m slow --maxfail=1 -x -vv", "pytest -vv"),
        ("pytest -c tox.ini tests", "pytest -c tox.ini"),
        ("pytest --ignore=tests/slow -W error tests", "pytest --ignore=tests/slow -W error"),
        ("pytest tests --strict-markers", "pytest --strict-markers"),
    ],
)
def test_the_choice_of_tests_is_left_out(command: str, whole: str, tree: DirectoryTree) -> None:
    """Paths, node ids, expressions and early ends go; launcher, variables and options stay."""
    assert whole_suite(command, tree) == whole


@pytest.mark.parametrize("command", ["pytest", "python -m pytest -q  -p 'no:randomly'"])
def test_a_whole_suite_stays_as_it_is(command: str, tree: DirectoryTree) -> None:
    """To the letter, so that it is not run twice."""
    assert whole_suite(command, tree) == command


@pytest.mark.parametrize(
    "command",
    [
        "pytest --cov tests",  # the folder may be the value
        "pytest --unknown tests",
        "pytest tests/absent.py",
        "cd tests && pytest test_a.py",
        "pytest tests | tee log",
        "make test",
        "ssh host pytest tests",
        "pytest 'tests",
    ],
)
def test_what_is_not_certain_is_left_alone(command: str, tree: DirectoryTree) -> None:
    """The detected command is used instead."""
    assert whole_suite(command, tree) is None


def test_the_failing_command_shows_how_pytest_is_called(tree: DirectoryTree) -> None:
    """Its options work in the given environment; those of the configuration may not."""
    failing = "pytest -o addopts= tests/test_a.py"
    commands = detect(tree, setup=("pip install pytest",), test=None, failing=failing)
    assert commands.test == "pytest -o addopts="
    assert commands.failing == failing
    assert detection.suite_of_failing_command("pytest -o addopts=") in commands.explanation


def test_a_given_suite_wins(tree: DirectoryTree) -> None:
    """Whatever the failing command is."""
    commands = detect(tree, setup=None, test="tox", failing="pytest tests/test_a.py")
    assert commands.test == "tox"
