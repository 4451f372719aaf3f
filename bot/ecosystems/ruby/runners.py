"""RSpec, and what runs tests of minitest."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from bot.ecosystems.base import Runner, subcommand
from bot.ecosystems.commands.task_runners import Read

_METHOD = re.compile(r"[^#\n]+#[^\n]+")
"""An id of minitest, as its console has it: the class, or what `describe` says, and the method."""


def examples(
    arguments: tuple[str, ...], tests: Sequence[str], paths: Sequence[str], _: Read
) -> tuple[str, ...] | None:
    """Select by full descriptions: https://rspec.info/features/3-13/rspec-core/command-line/example-option/.

    A file that can't be loaded goes by its path.
    """
    files = [test for test in tests if test in paths]
    if files and len(files) < len(tests):
        return None
    if any(word in {"-e", "-E"} or word.startswith("--example") for word in arguments):
        return None
    kept = [word for word in arguments if not word.startswith("--fail-fast")]
    if files:
        return (*(word for word in kept if word.startswith("-")), *files)
    return (*kept, *(part for test in tests for part in ("--example", test)))


def _by_name(tests: Sequence[str]) -> str:
    """Return the pattern of tests' names, "" where one has none."""
    if not all(map(_METHOD.fullmatch, tests)):
        return ""
    return f"/^(?:{'|'.join(map(re.escape, dict.fromkeys(tests)))})$/"


def of_rake(
    arguments: tuple[str, ...], tests: Sequence[str], _: Sequence[str], __: Read
) -> tuple[str, ...] | None:
    """Select by name, through the variables that Rake's test task and minitest's own one read.

    Rake's goes to a shell as it is written.

    https://docs.ruby-lang.org/en/3.3/Rake/TestTask.html, https://docs.seattlerb.org/minitest/Minitest/TestTask.html
    """
    pattern = _by_name(tests)
    if not pattern or any(word.startswith(("TESTOPTS=", "N=", "A=")) for word in arguments):
        return None
    return (*arguments, f"TESTOPTS=--name={shlex.quote(pattern)}", f"N={pattern}")


def of_minitest(
    arguments: tuple[str, ...], tests: Sequence[str], _: Sequence[str], __: Read
) -> tuple[str, ...] | None:
    """Select by name: https://docs.seattlerb.org/minitest/."""
    pattern = _by_name(tests)
    if not pattern or any(word == "-n" or word.startswith("--name") for word in arguments):
        return None
    behind = () if "--" in arguments or arguments[:1] == ("test",) else ("--",)
    return (*arguments, *behind, "-n", pattern)


def _runs_tests(arguments: tuple[str, ...]) -> bool:
    return any(word == "-Itest" or "test" in word.split("/") for word in arguments)


RUNNERS = (
    Runner("rspec", select=examples, stops_early=("--fail-fast",)),
    Runner("rake", select=of_rake, runs_tests=subcommand("test")),
    Runner("rails", select=of_minitest, runs_tests=subcommand("test"), stops_early=("-f",)),
    Runner("ruby", select=of_minitest, runs_tests=_runs_tests),
)
