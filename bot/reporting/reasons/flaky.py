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
    return f"`{command}` starts neither pytest nor unittest, and only their tests are told apart."


@example("ImportError while importing test module 'tests/test_app.py'.")
def not_collected(said: str) -> str:
    lines = [text.strip() for text in said.splitlines() if text.strip()] or ["nothing was printed"]
    told = next((text for text in reversed(lines) if "error" in text.lower()), lines[-1])
    return f"The tests can't be collected: {told}"


@example("The budget of 30 minutes is used up.")
def not_looked(why: str) -> str:
    return f"What decides how the flaky tests end was not found out. {why}"


@example(["tests/test_app.py::test_gone"])
@example(["tests/test_app.py::test_index"], ["tests/test_app.py: No module named 'app'"])
def no_such_test(tests: Sequence[str], errors: Sequence[str] = ()) -> str:
    named = f" called {series(list(tests), most=3)}" if tests else ""
    said = f"The test command collects no test{named}."
    return f"{said} An error kept it from collecting {errors[0]}" if errors else said


@example("tests/test_app.py::test_index")
def shows(test: str) -> str:
    return f"Runs the command that shows the failure of {test}."


@example(4)
def orders(number: int) -> str:
    return f"The order of tests: {count(number, 'order')}, and each test alone and twice."


@example("TZ=Asia/Kolkata")
@example("", "a machine without a network")
def changed(front: str, said: str = "") -> str:
    return f"{said[:1].upper()}{said[1:]}" if said else f"`{front.removesuffix(' &&')}`"


@example("TZ=Asia/Kolkata")
@example("", "a machine without a network")
def could_not_run(front: str, said: str = "") -> str:
    return f"{changed(front, said)}: the tests could not be run with it."


@example("faketime", "faketime")
def lacks(what: str, package: str) -> str:
    return f"`{what}`: the Debian package {package} is not installed in the sandbox."


@example("python -m pytest tests/test_app.py::test_mode tests/test_app.py::test_index")
def fails_every_time(command: str) -> str:
    return f"`{command}` shows the flaky test: it failed every time."


@example("`test_mode` puts the working directory back.")
def trying(says: str) -> str:
    return f"Tries: {says}"


@example(3)
def no_edit_helps(number: int) -> str:
    return f"None of {count(number, 'edit')} that what decides suggests makes the command pass."


@example("Nobody else can be asked.")
def not_mended(why: str) -> str:
    return f"The flaky test is not repaired. {why}"
