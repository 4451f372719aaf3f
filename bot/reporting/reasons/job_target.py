"""Why a failed check can't be run here, and what is different about it where it can."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example

_CHECK = "test (3.12)"


@example(_CHECK)
def failed_step_unknown(check: str) -> str:
    """No step of the workflow file matches what failed."""
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
    """A check's name fits several jobs."""
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


@example()
def head_instead_of_merge() -> str:
    """GitHub made a merge commit for the pull request."""
    return "GitHub tested the merge with the base branch; here, the head commit is tested."


@example()
def installed_in_place() -> str:
    """A copy of the package would hide what a patch changes."""
    return "`pip install .` runs with `-e` here so that fixes take effect."


@example(_CHECK, ".github/workflows/ci.yml has no `jobs`, so there is nothing to run.")
def workflow_not_planned(check: str, problem: str) -> str:
    """The workflow file has problems, and no jobs."""
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
    """GitHub Actions made the check, and does not name its file."""
    return f"GitHub does not say which workflow `{check}` belongs to."


@example(_CHECK, "codecov")
@example(_CHECK, "")
def made_elsewhere(check: str, app: str) -> str:
    """The check does not come from GitHub Actions."""
    maker = f"the App `{app}`" if app else "a service outside GitHub"
    return f"`{check}` comes from {maker}, so no workflow file says what it runs."


@example()
def no_failed_step_in_log() -> str:
    """No section of the log ends with an error."""
    return "The log shows no failed step."
