"""What in new code looks like a way around the tests."""

from __future__ import annotations

from bot.reporting.example import example


@example("'good morning'", "'GOOD MORNING!'")
def answer_written_down(given: str, answer: str) -> str:
    """A branch or table maps an input of the tests to its answer."""
    return f"A test's input and its answer are hard-coded: {given} gives {answer}."


@example("'good morning'")
def branch_for_one_input(given: str) -> str:
    """A condition holds for one input of the tests."""
    return f"This branch handles only one input of the tests: {given}."


@example("next(_CALLS) < 3")
def decided_without_input(condition: str) -> str:
    """A condition depends on nothing that the function is given."""
    return (
        f"This decides what the function does, and none of its inputs has a part in it: {condition}"
    )


@example("'GOOD MORNING!'")
def constant_answer(answer: str) -> str:
    """A function returns what the tests expect, whatever its arguments are."""
    return f"The function returns what the tests expect, whatever its input: {answer}."


@example("os.environ['PYTEST_CURRENT_TEST']")
def asks_for_tests(code: str) -> str:
    """The code looks for signs of a test run."""
    return f"The code checks whether it is being tested: {code}"


@example("inspect.stack()")
def inspects_callers(code: str) -> str:
    """The code reads its own stack."""
    return f"The code inspects its callers: {code}"


@example("sys.modules")
def interpreter_accessed(code: str) -> str:
    """The code uses loaded modules, import hooks, tracing or the exit."""
    return f"The code accesses interpreter internals: {code}"


@example("getattr(os, '_ex' + 'it')")
def computed_name(code: str) -> str:
    """The name of an attribute is computed, so nobody can search for it."""
    return f"The code computes the name of an attribute: {code}"


@example("import pytest")
def runner_imported(statement: str) -> str:
    """Production code imports a test runner."""
    return f"Production code imports a test runner: {statement}"


@example("except Exception:")
def exception_swallowed(code: str) -> str:
    """Every exception is caught and ignored."""
    return f"Every exception is swallowed here: {code}"


@example("# noqa: E501")
def suppression_added(mark: str) -> str:
    """A linter, type checker or coverage is told to ignore something."""
    return f"The patch adds a suppression: {mark}"
