"""What outside of the code made a job fail, and why failures beside the goal need no patch."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from bot.reporting.example import example
from bot.reporting.figures import count, failures
from bot.reporting.series import series

RUNNER_SHUT_DOWN = "GitHub shut down the runner while the job was running."
RUNNER_DISCONNECTED = "The runner lost its connection to GitHub."
TIME_LIMIT_REACHED = "The job or one of its steps timed out."
JOB_TIMED_OUT = "The job timed out."
NO_RUNNER = "GitHub did not assign a runner to the job."
BILLING = (
    "GitHub did not start the job because of the account's billing: a payment failed, or the "
    "spending limit is reached. A re-run helps once that is settled."
)
SUPERSEDED = "GitHub canceled the job in favor of a newer run of the same concurrency group."


@example("wes")
def cancelled_by(who: str) -> str:
    return f"{who} canceled the run."


CANCELLED = "The job was canceled before it ended."
ACTION_NOT_DOWNLOADED = "GitHub could not download an action that the job uses."


@example("acme/setup@v9")
def action_missing(action: str) -> str:
    return (
        f"The workflow file is at fault, not the code: it uses the action `{action}`, which GitHub "
        "can't find."
    )


@example("actions/upload-artifact: v3")
def action_retired(action: str) -> str:
    return (
        f"The workflow file is at fault, not the code: it uses `{action}`, a version that GitHub no "
        "longer runs."
    )


IMAGE_RETIRED = (
    "The workflow file is at fault, not the code: it asks for a runner image that GitHub has "
    "retired."
)
WORKFLOW_INVALID = "The workflow file is at fault, not the code: GitHub says that it is not valid."


@example("token")
def input_missing(name: str) -> str:
    return (
        f"An action got no value for its input `{name}`. Where that is a secret, it is missing or "
        "empty; pull requests from forks get none."
    )


PERMISSION_MISSING = (
    "The job's token does not have the permission that a step needs; in pull requests from "
    "forks it can only read."
)
PUSH_DENIED = (
    "The git server refused access: the job's token may not push to, or read, the repository."
)


@example("github-pages")
def deployment_refused(environment: str) -> str:
    return f"The protection rules of the environment `{environment}` do not allow this branch to deploy."


@example("wheels")
@example("")
def artifact_absent(artifact: str = "") -> str:
    """A job wanted what no earlier job of the run uploaded."""
    what = f"the artifact `{artifact.strip()}`" if artifact else "the artifacts"
    return f"An earlier job of the workflow did not upload {what} that this job downloads."


@example("3.5")
def version_not_offered(version: str) -> str:
    return (
        f"GitHub has no version `{version}` for the runner's system. The workflow has to ask for "
        "another version or another runner."
    )


CREDENTIALS_MISSING = (
    "Credentials that the job needs are missing, wrong or expired; pull requests from forks get "
    "no secrets."
)
ARTIFACT_STORAGE_FULL = "The account's storage for artifacts is full."
STORAGE_SERVICE_FAILED = "GitHub's service for artifacts or caches failed."
MEMORY_FULL = (
    "The runner most likely ran out of memory: a process was killed, or could not get any."
)
TOO_MANY_REQUESTS = "A server that the job needs refused it for sending too many requests."
ACTIONS_BROKEN = "GitHub Actions itself failed."
DISK_FULL = "The runner's disk was full."
API_LIMIT_REACHED = "GitHub's API rate limit was exceeded."
IMAGE_LIMIT_REACHED = "The container registry's pull rate limit was exceeded."
HOST_NOT_RESOLVED = "The runner could not resolve a host name."
GIT_SERVER_FAILED = "The git server failed or could not be reached."
SERVER_FAILED = "A server that the job needs returned a server error."
PACKAGE_REGISTRY_UNREACHABLE = "A package registry could not be reached."
SYSTEM_PACKAGES_UNAVAILABLE = "The operating system's package servers failed."


@example("Set up job")
def runner_step_failed(step: str) -> str:
    return f"GitHub's own step `{step}` failed before any line of the workflow ran."


WORKFLOW_NOT_STARTED = "GitHub could not start the workflow."


_MOST_NAMED = 5


@example("needs the network, which the sandbox does not have", ["tests.test_a::test_get"])
@example("fails for a reason that has nothing to do with the issue", ["a", "b", "c", "d", "e", "f"])
@example("failed before the feature was asked for", ["src/a.py:3: E501"])
def left_alone(cause: str, tests: Sequence[str]) -> str:
    """Tests that fail, and problems that are there, with and without a patch, for one cause."""
    named = series([f"`{test}`" for test in tests], most=_MOST_NAMED)
    number = failures(tests)
    if len(tests) == 1:
        return f"{number} is not part of this repair: {named}. It {cause}."
    return f"{number} are not part of this repair: {named}. Each of them {cause}."


@example(["example.com/app.TestB"], ["example.com/app.TestC"], 4)
@example(["tests.test_a::test_b"], [], 4)
def ran_without(crashed: Sequence[str], failing: Sequence[str], passed: int) -> str:
    """Tests that a crash had hidden ran without the one that crashed."""
    names = series([f"`{test}`" for test in crashed])
    ended = "ends the test process" if len(crashed) == 1 else "end the test process"
    it = "it" if len(crashed) == 1 else "them"
    fails = (
        f"{series([f'`{test}`' for test in failing], most=_MOST_NAMED)} fails" if failing else ""
    )
    if len(failing) > 1:
        fails = fails.removesuffix("s")
    passes = count(passed, "test passes", "tests pass") if passed else ""
    told = " and ".join(filter(None, (passes, fails))) or "no other test fails"
    return f"{names} {ended} early, so the tests after {it} did not run. Without {it}, {told}."


@example("npm test")
@example("go test ./...", "example.com/app.TestB")
def hides_tests(command: str, test: str = "") -> str:
    """A test program ended early, and what it would have run besides could not be run."""
    who = f"`{test}`" if test else "A test"
    return (
        f"{who} ends the test process of `{command}` early. The tests after it did not run here, so "
        "others may fail as well."
    )


NEEDS_NETWORK = "needs the network, which the sandbox does not have"
NEEDS_SERVICE = "needs a service that does not run in the sandbox"


@example("dynamodb", "8000")
def needs_service(name: str, port: str) -> str:
    return f"needs the service `{name}` on port {port}, which does not run in the sandbox"


NEEDS_OTHER_RIGHTS = "depends on the rights of the user who runs it"
NEEDS_WRITABLE_FILES = "writes to a read-only file system"
NEEDS_LOCALE = "needs a locale or time zone that is not installed"
NEEDS_DISPLAY = "needs a display"
NEEDS_BROWSER = "needs a browser that is not installed"
NEEDS_ROOM = "needs more disk, memory or open files than the sandbox allows"
NEEDS_PLUGIN = "needs a plugin of the test runner that is not installed"


@example("python -m nltk.downloader punkt")
@example("")
def needs_download(command: str) -> str:
    how = f", with `{command}`" if command else ""
    return f"needs data that has to be downloaded first{how}"


@example("git")
def needs_program(name: str) -> str:
    return f"needs the program `{name}`, which is not installed"


@example("trustme")
def needs_module(name: str) -> str:
    return f"needs the module `{name}`, which is not installed"


@example("numpy")
def needs_other_version(name: str) -> str:
    return f"needs another version of `{name}` than the installed one"


@example("DeprecationWarning")
def warning_as_error(name: str) -> str:
    return f"fails on a {name} of an installed package"


UNSTABLE = "failed in only one of two runs on the same tree"


@example("2c64ae4")
def old(commit: str) -> str:
    return f"fails in the same way at the older commit `{commit}`"


BEFORE_THE_FEATURE = "failed before the feature was asked for"


@example("KeyError", "app/rates.py")
def raised_elsewhere(exception: str, file: str) -> str:
    return f"raises {exception} in `{file}`, unlike the failures that the issue is about"


RUNS_OTHER_CODE = "runs none of the code that the tests of the issue run"


@example(["tests.test_a::test_get"])
@example(["a", "b"])
def passes_now(tests: Sequence[str]) -> str:
    """A patch turned green what it did not have to."""
    named = series([f"`{test}`" for test in tests], most=_MOST_NAMED)
    were, passes = ("was", "passes") if len(tests) == 1 else ("were", "pass")
    return f"{count(len(tests), 'test')} that {were} set aside {passes} with the patch: {named}."


NOT_ON_GITHUB = "does not fail on GitHub"
ON_BASE_ALONE = "fails here at the base commit too, but not on GitHub"
UNNAMED = "fails for a reason that the issue does not mention"


@example(["tests/test_a.py::test_a", "tests/test_a.py::test_b", "tests/test_a.py::test_c"])
@example(["src/a.py:3: E501", "src/a.py:9: F401"])
def undecided(tests: Collection[str]) -> str:
    return (
        f"The issue does not say which of {failures(tests)} it is about, so a patch "
        "has to fix all of them."
    )


@example(
    meant=1, tests=["tests/test_a.py::test_a", "tests/test_a.py::test_b", "tests/test_a.py::test_c"]
)
@example(meant=1, tests=["src/a.py:3: E501", "src/a.py:9: F401"])
def not_parted(meant: int, tests: Collection[str]) -> str:
    return (
        f"The issue points to {meant} of {failures(tests)}. Nothing shows that the "
        f"{'other has' if len(tests) - meant == 1 else 'others have'} a different cause, so a patch has to "
        "fix all of them."
    )


@example(mended=1, tests=["tests/test_a.py::test_a", "tests/test_a.py::test_b"])
@example(mended=1, tests=["src/a.py:3: E501", "src/a.py:9: F401"])
def draft(mended: int, tests: Collection[str]) -> str:
    return (
        f"The issue does not say which of {failures(tests)} it is about. This patch "
        f"fixes {mended} of them and breaks nothing; "
        f"{len(tests) - mended} {'remains' if len(tests) - mended == 1 else 'remain'}."
    )
