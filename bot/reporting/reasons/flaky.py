"""What was changed to find out why tests are flaky, and what could not be."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example
from bot.reporting.figures import count
from bot.reporting.series import series

LOOKS_AT_ORDERS = "Each test alone, and all of them in several orders."
TIME_IS_UP = "The time was up before every order was tried."


@example("make check")
def no_known_runner(command: str) -> str:
    return f"No run of pytest or unittest was found behind `{command}`. Name one with --command."


@example("ImportError while importing test module 'tests/test_app.py'.")
def not_collected(said: str) -> str:
    last = next(reversed([text for text in said.splitlines() if text.strip()]), "nothing")
    return f"The tests can't be collected: {last.strip()}"


@example(["tests/test_app.py::test_gone"])
def no_such_test(tests: Sequence[str]) -> str:
    if not tests:
        return "The test command collects no tests."
    return f"The test command collects no test called {series(list(tests), most=3)}."


@example("tests/test_app.py::test_index")
def shows(test: str) -> str:
    return f"Runs the command that shows the failure of {test}."


@example(4)
def orders(number: int) -> str:
    return f"The order of tests: {count(number, 'order')}, and each test alone and twice."


@example("TZ=Asia/Kolkata")
def changed(front: str) -> str:
    return f"`{front.removesuffix(' &&')}`"


@example("TZ=Asia/Kolkata")
def could_not_run(front: str) -> str:
    return f"`{front.removesuffix(' &&')}`: the tests could not be collected with it."


@example("faketime", "faketime")
def lacks(what: str, package: str) -> str:
    return f"`{what}`: the Debian package {package} is not installed in the sandbox."
