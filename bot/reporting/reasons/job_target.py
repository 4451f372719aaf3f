"""Why a failed check can or can't be run here, and what could not be read about it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example

_CHECK = "test (3.12)"


@example(_CHECK)
def failed_step_unknown(check: str) -> str:
    return (
        f"It is unknown which step of `{check}` failed: neither GitHub nor the log names a step "
        "of the workflow file."
    )


@example("Run ./publish", [])
@example("Deploy", ["Publishes something; this is never done here."])
def step_not_runnable(step: str, why: Sequence[str]) -> str:
    """The step that failed has no command here."""
    reason = " ".join(why) or "It is an action that runs no command."
    return f"The failed step `{step}` can't run here. {reason}"


@example(3)
def first_of_several(jobs: int) -> str:
    return f"{jobs} jobs have this name; this is the first one."


@example(["Run flake8"])
@example(["Run flake8", "Check types"])
def goes_on(steps: Sequence[str]) -> str:
    """GitHub skipped the checks behind the failed step; a repair has to pass them, too."""
    named = ", ".join(f"`{step}`" for step in steps)
    steps_of, them = ("step", "it") if len(steps) == 1 else ("steps", "them")
    return (
        f"GitHub skipped the {steps_of} {named} after the failure; a fix has to pass {them}, too."
    )


HEAD_INSTEAD_OF_MERGE = (
    "GitHub tested the merge with the base branch; here, the head commit is tested."
)
INSTALLED_IN_PLACE = "`pip install .` runs with `-e` here so that fixes take effect."


@example(_CHECK, ".github/workflows/ci.yml has no `jobs`, so there is nothing to run.")
def workflow_not_planned(check: str, problem: str) -> str:
    return f"The workflow of `{check}` can't be planned. {problem}"


@example(".github/workflows/ci.yml", _CHECK, ["lint", "build"])
@example(".github/workflows/ci.yml", _CHECK, [])
def no_such_job(workflow: str, check: str, jobs: Sequence[str]) -> str:
    """The workflow file at this commit names no job like the check."""
    names = ", ".join(f"`{job}`" for job in jobs)
    has = f"Its jobs are {names}." if jobs else "It has no jobs."
    return f"{workflow} has no job `{check}` at this commit. {has}"


@example(_CHECK)
def workflow_unknown(check: str) -> str:
    return f"GitHub does not say which workflow `{check}` belongs to."


@example(_CHECK, "codecov")
@example(_CHECK, "")
def made_elsewhere(check: str, app: str) -> str:
    """The check does not come from GitHub Actions."""
    maker = f"the App `{app}`" if app else "a service outside GitHub"
    return f"`{check}` comes from {maker}, so no workflow file says what it runs."


NO_FAILED_STEP_IN_LOG = "The log shows no failed step."
JOB_STEPS = "The list of the job's steps"
CHECK_OUTPUT = "The check's output"
WORKFLOW_RUN = "The workflow run"
CHECK_ANNOTATIONS = "The list of the check's annotations"
CHECK_ON_BASE = "The result of this check on the base branch"


@example("octo/ci/.github/workflows/test.yml@v1")
def called_workflow(path: str) -> str:
    return f"The workflow `{path}`"


@example("octo/setup@v1")
def action(uses: str) -> str:
    return f"What the action `{uses}` does"


@example("junit-3.12")
def artifact(name: str) -> str:
    return f"The artifact `{name}`"


@example("The workflow run")
def gone(what: str) -> str:
    return f"{what} is no longer available on GitHub."


@example("The workflow run", "GitHub denied GET /repos/acme/app/actions/runs/1 (Forbidden).")
def forbidden(what: str, why: str) -> str:
    return f"{what} could not be read. {why}"


@example("junit-3.12")
def artifact_too_large(name: str) -> str:
    return f"The artifact `{name}` is too large to read."


@example("Tests / test")
def artifacts_unknown(check: str) -> str:
    return f"`{check}` needs artifacts of earlier jobs, which are not available here."


@example("GitHub denied GET /repos/acme/app/actions/runs/1/artifacts (Forbidden).")
def artifacts_not_listed(why: str) -> str:
    return f"Artifacts of earlier jobs could not be downloaded. {why}"


@example("wheels")
@example("")
def artifact_not_uploaded(name: str) -> str:
    """The workflow run has no artifact of that name, or none at all."""
    what = f"no artifact `{name}`" if name else "no artifacts"
    return f"GitHub has {what} from the earlier jobs of the workflow run."


@example("wheels", 90 * 2**20)
def artifact_not_taken(name: str, size: int) -> str:
    return f"The artifact `{name}` ({size // 2**20} MiB) is too large to use here."


@example("GitHub denied GET /repos/acme/app/actions/jobs/1/logs (Forbidden).")
def log_forbidden(why: str) -> str:
    return f"The job's log could not be read. {why}"


LOG_EXPIRED = "The job's log is no longer available: GitHub keeps logs for at most 90 days."


@example("Reading it takes more than 60 s of processor time or 2048 MiB of memory.")
def log_not_read(why: str) -> str:
    return f"The job's log and test reports could not be read. {why}"


UNEXPLAINED = "The check does not say why it failed."


@example(12_345)
def characters_left_out(characters: int) -> str:
    return f"... {characters:,} characters left out ..."


@example(12_345_678)
def log_left_out(size: int) -> str:
    """A log was cut there; `size` counts the bytes of all of it."""
    return f"... left out; the log has {size:,} bytes ..."


LINES_LEFT_OUT = "... left out ..."


@example("Reading it takes more than 60 s of processor time or 2048 MiB of memory.")
def not_read(why: str) -> str:
    return f"Its output and test report could not be read. {why}"


NOTHING_PRINTED = "It printed nothing."


@example("INTERNALERROR> KeyError: 'x'")
def pytest_failed(error: str) -> str:
    return f"pytest itself failed: {error}"


ENDED_IN_TEST = "The test program ended while this test was running."
TEST_DID_NOT_END = "The test was still running when its time was up."


@example("black", "app.py")
def file_not_formatted(tool: str, file: str) -> str:
    return f"{tool}: {file} is not formatted"


@example("black", "app.py")
def file_not_parsed(tool: str, file: str) -> str:
    return f"{tool}: {file} can't be parsed"


@example("isort", "app.py")
def imports_not_sorted(tool: str, file: str) -> str:
    return f"{tool}: {file} has incorrectly sorted or formatted imports"


@example("app.py")
def file_differs(file: str) -> str:
    return f"{file} differs from what the command would write"


HOOK_MODIFIED_FILES = "it modified files"
