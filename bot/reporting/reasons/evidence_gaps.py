"""What could not be read about a failed check."""

from __future__ import annotations

from bot.reporting.example import example


@example()
def job_steps() -> str:
    """The steps of a job."""
    return "The list of the job's steps"


@example()
def check_output() -> str:
    """The summary and the text of a check run."""
    return "The check's output"


@example()
def workflow_run() -> str:
    """The run of a workflow."""
    return "The workflow run"


@example()
def check_annotations() -> str:
    """The remarks of a check run at lines of files."""
    return "The list of the check's annotations"


@example()
def check_on_base() -> str:
    """The same check on the base commit."""
    return "The result of this check on the base branch"


@example("octo/ci/.github/workflows/test.yml@v1")
def called_workflow(path: str) -> str:
    """A reusable workflow of another repository."""
    return f"The workflow `{path}`"


@example("octo/setup@v1")
def action(uses: str) -> str:
    """The file of an action of another repository."""
    return f"What the action `{uses}` does"


@example("junit-3.12")
def artifact(name: str) -> str:
    """A file that the workflow run uploaded."""
    return f"The artifact `{name}`"


@example("The workflow run")
def gone(what: str) -> str:
    """GitHub has it no longer, or hides it."""
    return f"{what} is no longer available on GitHub."


@example("The workflow run", "GitHub denied GET /repos/acme/app/actions/runs/1 (Forbidden).")
def forbidden(what: str, why: str) -> str:
    """The App may not read it."""
    return f"{what} could not be read. {why}"


@example("junit-3.12")
def artifact_too_large(name: str) -> str:
    """It is larger than what is downloaded."""
    return f"The artifact `{name}` is too large to read."


@example("Tests / test")
def artifacts_unknown(check: str) -> str:
    """A setup takes artifacts, and GitHub can't be asked for them."""
    return f"`{check}` needs artifacts of earlier jobs, which are not available here."


@example("GitHub denied GET /repos/acme/app/actions/runs/1/artifacts (Forbidden).")
def artifacts_not_listed(why: str) -> str:
    """A setup takes artifacts, and GitHub does not list them."""
    return f"Artifacts of earlier jobs could not be downloaded. {why}"


@example("wheels")
@example("")
def artifact_not_uploaded(name: str) -> str:
    """The workflow run has no artifact of that name, or none at all."""
    what = f"no artifact `{name}`" if name else "no artifacts"
    return f"GitHub has {what} from the earlier jobs of the workflow run."


@example("wheels", 90 * 2**20)
def artifact_not_taken(name: str, size: int) -> str:
    """It, or all of them together, are more than what a setup gets."""
    return f"The artifact `{name}` ({size // 2**20} MiB) is too large to use here."


@example("GitHub denied GET /repos/acme/app/actions/jobs/1/logs (Forbidden).")
def log_forbidden(why: str) -> str:
    """The App may not read the log."""
    return f"The job's log could not be read. {why}"


@example()
def log_expired() -> str:
    """GitHub keeps logs for a while only."""
    return "The job's log is no longer available: GitHub keeps logs for at most 90 days."


@example("Reading it takes more than 60 s of processor time or 2048 MiB of memory.")
def log_not_read(why: str) -> str:
    """Log and reports are too much, or made to be."""
    return f"The job's log and test reports could not be read. {why}"


@example()
def unexplained() -> str:
    """The check has neither log, summary nor annotations."""
    return "The check does not say why it failed."
