"""What is wrong in a workflow file, and the jobs that are missing because of it."""

from __future__ import annotations

from bot.reporting.example import example

_FILE = ".github/workflows/ci.yml"


@example(_FILE)
def file_unreadable(path: str) -> str:
    """The file can't be read at this commit."""
    return f"{path} can't be read: it is missing, too large, or not a file."


@example(_FILE, 7, "tabs can't indent YAML; use spaces.")
def at_line(path: str, line: int, problem: str) -> str:
    """A problem of the file, with its place."""
    return f"{path}, line {line}: {problem}"


@example(_FILE, 7, "steps")
def mapping_expected(path: str, line: int, name: str) -> str:
    """A value has another type."""
    return f"{path}, line {line}: `{name}` should be a mapping."


@example(_FILE, 7, "steps")
def list_expected(path: str, line: int, name: str) -> str:
    """A value has another type."""
    return f"{path}, line {line}: `{name}` should be a list."


@example(_FILE, 7, "test", "Expressions have no function `secret`.")
def matrix_unreadable(path: str, line: int, job: str, problem: str) -> str:
    """The matrix can't be expanded."""
    return f"{path}, line {line}: the matrix of `{job}` can't be expanded. {problem}"


@example(_FILE, 7, "test", "Expressions have no function `secret`.")
def name_unreadable(path: str, line: int, job: str, problem: str) -> str:
    """The name has an expression that can't be evaluated."""
    return f"{path}, line {line}: the name of `{job}` can't be evaluated. {problem}"


@example(_FILE, 7, "test", "octo/ci/.github/workflows/test.yml@v1")
def workflow_of_another_repository(path: str, line: int, job: str, uses: str) -> str:
    """The job calls a workflow that is not in this repository."""
    return (
        f"{path}, line {line}: `{job}` calls the workflow `{uses}` of another repository, which "
        "is not available here."
    )


@example(_FILE, 7, "test", ".github/workflows/test.yml")
def called_workflow_missing(path: str, line: int, job: str, called: str) -> str:
    """The job calls a workflow that is not there."""
    return f"{path}, line {line}: `{job}` calls {called}, which is missing."


@example(_FILE, "Its jobs, steps and values add up to more than 16 MiB.")
def planned_in_part(path: str, problem: str) -> str:
    """A limit was reached before the last job."""
    return f"{path} is planned only in part. {problem}"


@example(_FILE, 7, "test", ".github/workflows/test.yml")
def calls_itself(path: str, line: int, job: str, called: str) -> str:
    """The job calls a workflow that leads back to it."""
    return f"{path}, line {line}: `{job}` calls {called}, which calls itself."


@example(_FILE, 7, "test")
def calls_nested_too_deeply(path: str, line: int, job: str) -> str:
    """Workflows call workflows, more often than GitHub allows."""
    return f"{path}, line {line}: the calls of `{job}` are nested too deeply."
