"""Why the failed checks of a commit are real, flaky, red on the base or not reproduced."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example
from bot.reporting.markdown import code
from bot.reporting.reasons import reproduction
from bot.reporting.series import series

_NAMED = 3
_CHECK = "test"
_COMMAND = "pytest -q"
_DIFFERENCES = "The job runs on macOS."


def _shown(command: str) -> str:
    return f"`{' '.join(command.split())[:120]}`"


def _tests(names: Sequence[str]) -> str:
    return series([code(name, limit=120) for name in names], most=_NAMED)


@example(_CHECK, "The runner lost its connection.")
def outside(check: str, reason: str) -> str:
    return f"`{check}`: {reason}"


@example(_CHECK, _COMMAND, 1, _DIFFERENCES)
@example(_CHECK, _COMMAND, 3, "")
@example(_CHECK, _COMMAND, 3, "", online=True)
def passes(check: str, command: str, runs: int, differences: str, *, online: bool = False) -> str:
    """The command never failed here, or only for want of a network."""
    times = "once" if runs == 1 else f"{runs} times"
    how = " once it could reach the package registries" if online else ""
    said = f"`{check}`: {_shown(command)} passed here {times}{how} but failed on GitHub."
    return f"{said} {differences}".strip()


@example(_CHECK, _COMMAND, failed=1, runs=4)
def flaky(check: str, command: str, *, failed: int, runs: int) -> str:
    return f"`{check}`: {_shown(command)} failed in {failed} of {runs} runs on the same commit."


@example(_CHECK, _COMMAND, _DIFFERENCES)
def program_missing(check: str, command: str, differences: str) -> str:
    """The command could not start."""
    said = f"`{check}`: {_shown(command)} needs a program that is not installed here."
    return f"{said} {differences}".strip()


@example(
    _CHECK, _COMMAND, ["Step `Build` fails here, before the step that failed on GitHub."],
    ["make: app: No such file or directory"], ["tests/test_b.py::test_b"],
)  # fmt: skip
@example(
    _CHECK, _COMMAND, ["Step `Build` fails here, before the step that failed on GitHub."], [], []
)
def after_failed_setup(
    check: str, command: str, setup: Sequence[str], here: Sequence[str], there: Sequence[str]
) -> str:
    return (
        f"`{check}`: {' '.join(setup)} {_shown(command)} {_fails_with(here)} after that, which may "
        f"follow from it; it {_failed_there(there)}."
    )


@example(_CHECK, _COMMAND, ["tests/test_a.py::test_a"], ["tests/test_b.py::test_b"], "")
@example(_CHECK, _COMMAND, ["make: ruff: No such file or directory"], ["app.py:1:1: F401"], "")
@example(_CHECK, _COMMAND, [], ["tests/test_b.py::test_b"], "")
def another_failure(
    check: str, command: str, here: Sequence[str], there: Sequence[str], differences: str
) -> str:
    """Other tests fail here than on GitHub, or other errors are printed."""
    said = f"`{check}`: {_shown(command)} {_fails_with(here)}, but {_failed_there(there)}."
    return f"{said} {differences}".strip()


def _fails_with(here: Sequence[str]) -> str:
    return f"fails here with {_tests(here)}" if here else "fails here"


def _failed_there(there: Sequence[str]) -> str:
    return f"failed on GitHub with {_tests(there)}" if there else "failed on GitHub in another way"


@example(_CHECK, _COMMAND, ["OSError: Network is unreachable"], ["tests/test_b.py::test_b"], ())
@example(_CHECK, _COMMAND, [], [], ("example.org",))
def network_missing(
    check: str, command: str, here: Sequence[str], there: Sequence[str], refused: Sequence[str]
) -> str:
    """The command needs hosts that the sandbox does not reach, and shows nothing of GitHub's failure."""
    wanted = f" It asked for {_tests(refused)}." if refused else ""
    return (
        f"`{check}`: {_shown(command)} {_fails_with(here)} because the sandbox can't reach what "
        f"it needs, but {_failed_there(there)}.{wanted}"
    )


@example(_CHECK, _COMMAND, 600, ["tests/test_b.py::test_b"], "")
def too_slow(check: str, command: str, seconds: int, there: Sequence[str], differences: str) -> str:
    """The command's time was up before it showed what failed on GitHub."""
    said = (
        f"`{check}`: {_shown(command)} was ended here after {seconds} s, before it showed GitHub's "
        f"failure. It {_failed_there(there)}."
    )
    return f"{said} {differences}".strip()


@example(_CHECK, _COMMAND)
@example(_CHECK, _COMMAND, online=True)
def fails(check: str, command: str, *, online: bool = False) -> str:
    """The command failed each time."""
    said = f"`{check}`: {_shown(command)} fails here every time."
    return (
        f"{said} It needs the package registries, so it runs with them in reach."
        if online
        else said
    )


NOT_COMPARED = "The failure could not be compared with GitHub's log."


@example(["tests/test_net.py::test_get"])
def fails_here_only(names: Sequence[str]) -> str:
    """More fails here than on GitHub."""
    verb = "fails" if len(names) == 1 else "fail"
    return f"{_tests(names)} {verb} here too, but not on GitHub, and need not be repaired."


@example(_COMMAND)
def run_with_registries(command: str) -> str:
    return f"{command} with the package registries in reach"


@example("generate-matrix")
def run_for_its_outputs(job: str) -> str:
    return f"{job}, because its outputs make the matrix of the failed job"


@example("generate-matrix")
def no_outputs(job: str) -> str:
    return (
        f"The matrix is built from the outputs of `{job}`, which has none when it runs here, so some"
        " values of the failed job may be missing."
    )


@example(_CHECK, _COMMAND, _DIFFERENCES)
def sandbox_differs(check: str, command: str, differences: str) -> str:
    """The base fails here, and its check passed on GitHub."""
    said = (
        f"`{check}`: {_shown(command)} also fails here on the base commit, where GitHub's check passed, "
        "so the sandbox is what differs."
    )
    return f"{said} {differences}".strip()


@example(_CHECK, _COMMAND, passed_on_github=False)
@example(_CHECK, _COMMAND, passed_on_github=True)
@example(_CHECK, _COMMAND, passed_on_github=False, added=["tests/test_a.py::test_b"])
@example(_CHECK, _COMMAND, passed_on_github=False, silent=["tests/test_a.py"])
def base_fails_too(
    check: str,
    command: str,
    *,
    passed_on_github: bool,
    added: Sequence[str] = (),
    silent: Sequence[str] = (),
) -> str:
    """The base has the same failure.

    Args:
        check: That failed.
        command: That fails here.
        passed_on_github: Whether the check passed at the base.
        added: What fails besides, and not at the base.
        silent: Files whose changed tests gave no result.
    """
    said = f"`{check}`: {_shown(command)} fails the same way on the base commit"
    if added:
        verb = "does" if len(added) == 1 else "do"
        return f"{said}, where {_tests(added)} {verb} not fail: this change adds that."
    if silent:
        return f"{said}. {reproduction.no_result(silent)}"
    said = f"{said}, so this change is not the cause."
    if not passed_on_github:
        return said
    return (
        f"{said} GitHub's check passed there, so something outside the repository has changed "
        "since."
    )


@example(_CHECK)
def base_not_set_up(check: str) -> str:
    return f"{check}: the setup fails on the base commit, so the command was not run there."


@example(_CHECK, "npm ci", _DIFFERENCES)
def setup_timed_out(check: str, command: str, differences: str) -> str:
    """A step before the failed one takes too long here."""
    said = f"`{check}`: {_shown(command)}, which runs before the failed step, timed out here."
    return f"{said} {differences}".strip()


@example(_CHECK, "npm ci", 1, _DIFFERENCES)
def setup_failed(check: str, command: str, exit_code: int, differences: str) -> str:
    """A step before the failed one fails here."""
    said = (
        f"`{check}`: {_shown(command)}, which runs before the failed step, exited with "
        f"{exit_code} here."
    )
    return f"{said} {differences}".strip()


@example(["The workflow was deleted."])
def nothing_to_run(reasons: Sequence[str]) -> str:
    return " ".join(
        ("The failed checks can't be run here.", *reasons, "No test command was found.")
    )


@example("test (3.12)")
def same_commands(check: str) -> str:
    return f"It runs the same commands as `{check}`."


@example(4)
def too_many(most: int) -> str:
    return f"One run repeats at most {most} failed jobs; this one is left to GitHub."


TEST_COMMAND_INSTEAD = "The repository's own test command is run instead."


@example(_CHECK)
@example(_CHECK, step="Run tests", workflow=".github/workflows/ci.yml")
def command_origin(check: str, *, step: str = "", workflow: str = "") -> str:
    """Where the failing command comes from."""
    if not workflow:
        return f"The failing command comes from the check `{check}`."
    return f"The failing command comes from the check `{check}`, step `{step}` of {workflow}."


@example(_COMMAND)
def run_at_base(command: str) -> str:
    return f"{command} on the base commit"


@example(_CHECK, "It runs the same commands as `test (3.12)`.")
def noted(check: str, reason: str) -> str:
    return f"{check}: {reason}"


@example("ruff check .", "Ran `ruff check --fix .`.")
def tidied(command: str, summary: str) -> str:
    return f"For `{command}`: {summary}"
