"""What outside the code made a job fail on GitHub."""

from __future__ import annotations

from bot.reporting.example import example


@example()
def runner_shut_down() -> str:
    """The runner was taken away."""
    return "GitHub shut down the runner while the job was running."


@example()
def runner_disconnected() -> str:
    """The runner was heard of no more."""
    return "The runner lost its connection to GitHub."


@example()
def time_limit_reached() -> str:
    """GitHub ended the job or a step for taking too long."""
    return "The job or one of its steps timed out."


@example()
def job_timed_out() -> str:
    """GitHub's conclusion says so."""
    return "The job timed out."


@example()
def no_runner() -> str:
    """No machine took the job."""
    return "GitHub did not assign a runner to the job."


@example()
def action_not_downloaded() -> str:
    """An action could not be resolved or downloaded."""
    return "GitHub could not download an action that the job uses."


@example()
def actions_broken() -> str:
    """GitHub reports an error of its own."""
    return "GitHub Actions itself failed."


@example()
def disk_full() -> str:
    """There was no space left."""
    return "The runner's disk was full."


@example()
def api_limit_reached() -> str:
    """GitHub's API refused requests."""
    return "GitHub's API rate limit was exceeded."


@example()
def image_limit_reached() -> str:
    """A registry of container images refused requests."""
    return "The container registry's pull rate limit was exceeded."


@example()
def host_not_resolved() -> str:
    """DNS failed."""
    return "The runner could not resolve a host name."


@example()
def git_server_failed() -> str:
    """Git could not read from its remote."""
    return "The git server failed or could not be reached."


@example()
def server_failed() -> str:
    """Some server answered with a status from 502 to 504."""
    return "A server that the job needs returned a server error."


@example()
def package_registry_unreachable() -> str:
    """A package manager could not download."""
    return "A package registry could not be reached."


@example()
def system_packages_unavailable() -> str:
    """The operating system's packages could not be downloaded."""
    return "The operating system's package servers failed."


@example("Set up job")
def runner_step_failed(step: str) -> str:
    """A step failed that GitHub adds to every job."""
    return f"GitHub's own step `{step}` failed before any line of the workflow ran."


@example()
def workflow_not_started() -> str:
    """GitHub calls it a start-up failure."""
    return "GitHub could not start the workflow."
