"""What running the failing command on the untouched tree showed."""

from __future__ import annotations

from bot.reporting.example import example

_COMMAND = "pytest -q"


@example(_COMMAND)
def program_missing(command: str) -> str:
    """A program that the command names is not installed."""
    return (
        f"`{command}` could not start because a program it needs is not installed. "
        "Add it to `setup`, or name another command."
    )


@example(_COMMAND)
def no_tests(command: str) -> str:
    """The runner collected none."""
    return f"`{command}` collected no tests."


@example(_COMMAND)
def passes(command: str) -> str:
    """It never failed."""
    return f"`{command}` passes here."


@example(_COMMAND, failed=1, runs=4)
def flaky(command: str, *, failed: int, runs: int) -> str:
    """It failed in some runs."""
    return f"`{command}` failed in {failed} of {runs} runs on the same tree."


@example(_COMMAND)
def fails(command: str) -> str:
    """It failed each time."""
    return f"`{command}` fails here every time."
