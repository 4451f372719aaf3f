"""What becomes of a test that somebody gave with the request."""

from __future__ import annotations

from bot.reporting.example import example
from bot.reporting.markdown import code


@example()
def given() -> str:
    """The test stood in the request."""
    return "The test was given with the request."


@example(12)
def of_repair(pull_request: int) -> str:
    """The test came with a repair that is done again on another commit."""
    return f"The test was written for #{pull_request}."


@example()
def of_run() -> str:
    """The run that this one continues wrote the test."""
    return "The test was written before the budget was extended."


@example("tests/test_total.py")
def can_not_be_added(path: str) -> str:
    """A file of that name is there, or a folder, or git takes no such name."""
    return f"The given test can't be added: {code(path)} already exists or can't be a file. Choose another name."


@example("python -m pytest tests/test_total.py")
def passes(command: str) -> str:
    """Nothing is to be repaired."""
    return f"The given test passes on the original commit, so there is nothing to fix: {code(command)}."
