"""Why a line is suspected, or why none is. Reasons are clauses about the line: "it changed"."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example
from bot.reporting.figures import count
from bot.reporting.series import series

_MOST_TESTS = 3
"""Tests that are named."""

_NONE = "No line is suspected"


@example(1, failing=1, passing=0)
@example(1, failing=4, passing=1)
@example(3, failing=4, passing=12)
@example(4, failing=4, passing=0)
@example(1, failing=1, passing=0, traced_all=False)
@example(3, failing=4, passing=0, traced_all=False)
def run_by(ran: int, *, failing: int, passing: int, traced_all: bool = True) -> str:
    """Tests were counted that run the line; of many failing tests, only some are traced."""
    verb = "runs" if ran == 1 else "run"
    if failing == 1:
        who = "the failing test" if traced_all else "the one failing test that was traced"
    else:
        whole = "all" if ran == failing else f"{ran} of"
        traced = "" if traced_all else " that were traced"
        who = f"{whole} {failing} failing tests{traced}"
    others = {0: "no passing test does", 1: "so does 1 passing test"}
    also = others.get(passing, f"so do {passing:,} passing tests")
    return f"{who} {verb} it, {'and' if passing else 'but'} {also}"


@example("ValueError")
@example("")
def raised(error: str) -> str:
    """A failing test's traceback ends there, as far as the project's own code goes."""
    return f"{_named(error)} was raised there"


@example("ValueError")
@example("")
def passed_through(error: str) -> str:
    """A failing test's traceback contains the line."""
    return f"{_named(error)} passed through it"


@example()
def hot() -> str:
    """A test that never ends spends its time there."""
    return "it runs over and over in a test that never ends"


@example()
def recent() -> str:
    """The change under test, or one of the last commits, touched it."""
    return "it changed recently"


@example()
def runs_tests() -> str:
    """It sees every error pass, so this speaks against it."""
    return "but it is part of the code that runs the tests"


@example("ValueError was raised there")
def suspected(reason: str) -> str:
    """The fix changes a line that was suspected."""
    return f"That line was suspected because {reason}."


@example()
def ranking() -> str:
    """The next proposer is told where to look: this stands above the lines."""
    return "Suspicious lines, most suspicious first:"


@example("src/a.py:3", 0.75, "return n", ["the failing test runs it", "it changed recently"])
def ranked(place: str, score: float, code: str, reasons: Sequence[str]) -> str:
    """A suspicious line, in the list of them."""
    return f"- {place} ({score:.2f}) `{code}`: {'; '.join(reasons)}"


@example(1)
@example(12)
def examined(lines: int) -> str:
    """Only the lines were asked for, no fix."""
    return f"{count(lines, 'line')} {'is' if lines == 1 else 'are'} suspected."


@example(["tests/test_a.py"])
@example(["tests/test_a.py", "tests/test_b.py"], "ModuleNotFoundError: No module named 'x'")
def uncollectable(tests: Sequence[str], error: str = "") -> str:
    """Tests fail before they run, and the tracebacks show nothing to suspect."""
    broken = f"{_listed(tests)} can't be collected"
    return (
        f"{_NONE}: {broken}, and no source file of the project is involved"
        f"{f': {error}' if error else '.'}"
    )


@example(["test_one"])
@example(["test_one", "test_two", "test_three", "test_four", "test_five"])
def no_source_run(tests: Sequence[str]) -> str:
    """The fault is in the tests, or in another process."""
    verb = "fails" if len(tests) == 1 else "fail"
    return f"{_NONE}: {_listed(tests)} {verb} without running any source file of the project."


@example(1)
@example(204)
def none_fails(collected: int) -> str:
    """The command fails, but none of its tests does."""
    return (
        f"{_NONE}: no test fails when the tests run one by one ({collected:,} collected). "
        "The command fails for another reason, such as what it does before or after its tests."
    )


@example()
def none_collected() -> str:
    """There are no tests to look at."""
    return f"{_NONE}: no tests were collected."


def _named(error: str) -> str:
    return error or "the error"


def _listed(tests: Sequence[str]) -> str:
    return series([f"`{test}`" for test in tests], most=_MOST_TESTS)
