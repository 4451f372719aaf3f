"""What running the failing command on the untouched tree showed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.reporting.example import example
from bot.reporting.figures import count, duration
from bot.reporting.markdown import code
from bot.reporting.reasons import outside_causes
from bot.reporting.series import series

_COMMAND = "pytest -q"
_QUOTED = 200
"""Characters of a line of output that a sentence shows."""


@example("uvx tox -e mypy")
def registries_reached(command: str) -> str:
    return f"`{command}` downloads packages while it runs, so it runs with the package registries in reach."


@example("python -m pytest", "PURE=1 python -m pytest")
def fails_in_another_way(passing: str, failing: str) -> str:
    return f"`{passing}` passes; the project also runs `{failing}`, which fails."


@example("python -m pytest", "python -m pytest tests/test_a.py", 100.2)
def only_changed_tests(suite: str, command: str, seconds: float) -> str:
    return (
        f"`{suite}` had not ended after {duration(seconds)}, so the tests that were changed last "
        f"run alone: `{command}`."
    )


@example("make check")
@example("go test ./...", ["proxy.golang.org"])
def lacks_network(command: str, registries: Sequence[str] = ()) -> str:
    """The command failed because it can't reach a host, and shows nothing else."""
    hosts = [f"`{host}`" for host in registries]
    what = f"the package registry {series(hosts)}, which" if hosts else "a host that"
    return (
        f"`{command}` needs {what} can't be reached from the sandbox, and shows no other "
        "failure. Install what it downloads with `--setup`."
    )


@example("make test", "submodule vendor/data")
def lacks(command: str, missing: str) -> str:
    return (
        f"`{command}` needs something that is missing here ({missing}), and shows no other failure. "
        "Install it with `setup`."
    )


@example(_COMMAND, {outside_causes.NEEDS_NETWORK: 1})
@example(
    _COMMAND, {outside_causes.needs_service("dynamodb", "8000"): 2, outside_causes.NEEDS_DISPLAY: 1}
)
def lacks_machine(command: str, tests: Mapping[str, int]) -> str:
    """All failing tests, counted by cause, are for want of something that a sandbox does not have."""
    causes = [
        f"{count(number, 'failing test')} {cause if number == 1 else _plural(cause)}"
        for cause, number in tests.items()
    ]
    return (
        f"`{command}` shows no fault of the project here: {'; '.join(causes)}. Provide what is "
        "needed with `setup`, or leave these tests out with `test`."
    )


def _plural(cause: str) -> str:
    verb, rest = cause.split(" ", 1)
    return f"{verb.removesuffix('s')} {rest}"


@example(_COMMAND)
@example("make test", "sh: 1: jest: not found")
def program_missing(command: str, said: str = "") -> str:
    return (
        f"`{command}` could not start because a program it needs is not installed{_quoted(said)}. "
        "Add it to `setup`, or name another command."
    )


@example("make tests", "Could not open input file: vendor/bin/phpunit")
@example("make tests", "")
def nothing_of_the_project(command: str, said: str) -> str:
    return (
        f"`{command}` failed before it ran code or tests of the project{_quoted(said)}. "
        "Install what it needs with `setup`, or name another command."
    )


@example(_COMMAND, 75.2)
def only_slow(command: str, seconds: float) -> str:
    """The time of the suite was up, no test had failed until then, and nobody says that it hangs."""
    said = did_not_end(command, seconds)
    return f"{said} Give the run more time, or a command that shows the failure."


@example(_COMMAND, 75.2)
def did_not_end(command: str, seconds: float) -> str:
    return (
        f"`{command}` had not ended after {duration(seconds)}, and no test had failed until then."
    )


@example(_COMMAND)
def no_tests(command: str) -> str:
    return f"`{command}` collected no tests."


@example(_COMMAND)
def passes(command: str) -> str:
    return f"`{command}` passes here."


@example(_COMMAND, failed=1, runs=4)
def flaky(command: str, *, failed: int, runs: int) -> str:
    return f"`{command}` failed in {failed} of {runs} runs on the same tree."


@example(_COMMAND)
def fails(command: str) -> str:
    return f"`{command}` fails here every time."


FEATURE_WITHOUT_TEST = (
    "A new feature needs a test that names it; the tests that already failed are not about it. "
    "Writing one requires a model, and no proposer of this run has one."
)


@example(_COMMAND)
def hides_a_feature(command: str) -> str:
    return (
        f"`{command}` fails here without naming a test, so a test of a new feature could not be seen "
        "to fail and to pass. Fix the command first, in a separate run."
    )


@example(_COMMAND)
def nothing_described(command: str) -> str:
    return f"`{command}` passes here, and nothing describes what should fail instead."


@example(_COMMAND)
@example(_COMMAND, 1, where="without the patch")
@example(_COMMAND, 2)
@example(_COMMAND, 2, is_known=False)
def shows_nothing(
    command: str, others: int = 0, where: str = "here", *, is_known: bool = True
) -> str:
    """A command passes, or fails only of what the problem is not about.

    Args:
        command: As a person would type it.
        others: How many tests fail.
        where: Or with what.
        is_known: Whether the tests that were changed gave a result.
    """
    if not others:
        return f"`{command}` passes {where}"
    if not is_known:
        were = "was" if others == 1 else "were"
        return f"`{command}` fails {where} in {count(others, 'test')} that {were} not changed"
    failing = "a failing test that has" if others == 1 else f"{others} failing tests that have"
    return f"`{command}` shows {where} only {failing} nothing to do with the problem"


@example(["tests/test_a.py"])
@example(["tests/test_a.py", "tests/test_b.py"])
def no_result(files: Sequence[str]) -> str:
    """Nothing shows that the tests that were changed ran, so nothing can be said of the change."""
    named = series([code(file) for file in files], most=3)
    return (
        f"Nothing shows that the changed tests in {named} ran here: they were skipped or not collected, "
        "or the run ended before them. So this says nothing about the change."
    )


_SHOWN = shows_nothing(_COMMAND)


@example(_SHOWN)
def no_test_author(shown: str) -> str:
    return (
        f"{shown}. Writing a test that shows the problem requires a model, and none is configured."
    )


@example(_SHOWN)
def does_not_write_tests(shown: str) -> str:
    return f"{shown}, and this repository's config has `test_first: false`."


@example(_COMMAND, "The new test timed out.")
@example(_COMMAND, "")
def no_test_shows_change(command: str, reason: str) -> str:
    """It passes, nothing shows what a person asks for in a pull request of ours, and it is done."""
    said = f"`{command}` passes, and no failing test shows what is asked for. {reason}"
    return said.rstrip()


@example(_SHOWN, "The new test timed out.")
def no_failing_test(shown: str, reason: str) -> str:
    return f"{shown}, and no failing test could be written. {reason}"


@example(_COMMAND, "The patch does not apply.")
def tests_do_not_apply(command: str, error: str) -> str:
    return f"`{command}` passes without the patch. {error}"


@example(shows_nothing(_COMMAND, 0, "without the patch"))
def patch_without_test(shown: str) -> str:
    return f"{shown}, and the patch adds no test, so nothing shows what it fixes."


@example(shows_nothing(_COMMAND, 2, "without the patch"))
def tests_prove_nothing(shown: str) -> str:
    return f"{shown}, and so do the tests that the patch adds, so they prove nothing."


@example(shows_nothing(_COMMAND, 0, "without the patch"))
def tests_not_run(shown: str) -> str:
    return f"{shown}, and the same with the tests that the patch adds."


TESTS_OF_PATCH_FAIL = "The tests that the patch adds fail without the rest of it."


@example(_COMMAND)
def base_fails_too(command: str) -> str:
    return f"`{command}` fails the same way on the base branch."


def _quoted(said: str) -> str:
    return f" ({code(said[:_QUOTED])})" if said.strip() else ""
