"""How Gradle is told to run some tests alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.ecosystems.commands.task_runners import Read

_ID = re.compile(r"(?P<case>(?:[\w$]+\.)*[\w$]+)(?:::(?P<method>[\w$]+)(?:[(\[].*)?)?", re.DOTALL)
_TASK = re.compile(r"(?:[\w.:-]*:)?(?P<name>\w+)")
_RUNS_TESTS = frozenset({"test", "check", "build"})


def runs_tests(arguments: tuple[str, ...]) -> bool:
    """Whether one of the tasks runs tests."""
    tasks = (_TASK.fullmatch(word) for word in arguments)
    return any(task["name"] in _RUNS_TESTS for task in tasks if task)


def gradle_test(
    arguments: tuple[str, ...], tests: Sequence[str], _: Sequence[str], __: Read
) -> tuple[str, ...] | None:
    """Select by name: https://docs.gradle.org/current/userguide/java_testing.html#test_filtering.

    Only behind a task of type Test is `--tests` an option, which `check` and `build` are not.
    """
    named = [_ID.fullmatch(test) for test in tests]
    place = [n for n, word in enumerate(arguments) if word.rpartition(":")[2] == "test"]
    if not all(named) or len(place) != 1 or "--tests" in arguments:
        return None
    names = dict.fromkeys(
        ".".join(filter(None, match.group("case", "method"))) for match in named if match
    )
    chosen = (part for name in names for part in ("--tests", name))
    front, behind = arguments[: place[0] + 1], arguments[place[0] + 1 :]
    return (*front, *chosen, *(word for word in behind if word != "--fail-fast"))
