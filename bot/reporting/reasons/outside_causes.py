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
def billing() -> str:
    """A payment failed, or the account's limit is reached."""
    return (
        "GitHub did not start the job because of the account's billing: a payment failed, or the "
        "spending limit is reached. A re-run helps once that is settled."
    )


@example()
def superseded() -> str:
    """A newer run took the place of this one."""
    return "GitHub canceled the job in favor of a newer run of the same concurrency group."


@example("wes")
def cancelled_by(who: str) -> str:
    """A person ended the run."""
    return f"{who} canceled the run."


@example()
def cancelled() -> str:
    """Somebody or something ended the job; GitHub does not say more."""
    return "The job was canceled before it ended."


@example()
def action_not_downloaded() -> str:
    """An action could not be downloaded."""
    return "GitHub could not download an action that the job uses."


@example("acme/setup@v9")
def action_missing(action: str) -> str:
    """The workflow names an action or a version that is not there."""
    return (
        f"The workflow file is at fault, not the code: it uses the action `{action}`, which GitHub "
        "can't find."
    )


@example("actions/upload-artifact: v3")
def action_retired(action: str) -> str:
    """GitHub refuses to run an old version."""
    return (
        f"The workflow file is at fault, not the code: it uses `{action}`, a version that GitHub no "
        "longer runs."
    )


@example()
def image_retired() -> str:
    """The runner's image is taken out of service."""
    return (
        "The workflow file is at fault, not the code: it asks for a runner image that GitHub has "
        "retired."
    )


@example()
def workflow_invalid() -> str:
    """GitHub can't read the workflow."""
    return "The workflow file is at fault, not the code: GitHub says that it is not valid."


@example("token")
def input_missing(name: str) -> str:
    """An action got an empty value where it needs one."""
    return (
        f"An action got no value for its input `{name}`. Where that is a secret, it is missing or "
        "empty; pull requests from forks get none."
    )


@example()
def permission_missing() -> str:
    """The job's token may not do what a step does."""
    return (
        "The job's token does not have the permission that a step needs; in pull requests from "
        "forks it can only read."
    )


@example()
def push_denied() -> str:
    """Git was refused."""
    return (
        "The git server refused access: the job's token may not push to, or read, the repository."
    )


@example("github-pages")
def deployment_refused(environment: str) -> str:
    """The branch may not deploy there."""
    return f"The protection rules of the environment `{environment}` do not allow this branch to deploy."


@example("wheels")
@example("")
def artifact_absent(artifact: str = "") -> str:
    """A job wanted what no earlier job of the run uploaded."""
    what = f"the artifact `{artifact.strip()}`" if artifact else "the artifacts"
    return f"An earlier job of the workflow did not upload {what} that this job downloads."


@example("3.5")
def version_not_offered(version: str) -> str:
    """A setup action does not find the version for the runner's system."""
    return (
        f"GitHub has no version `{version}` for the runner's system. The workflow has to ask for "
        "another version or another runner."
    )


@example()
def credentials_missing() -> str:
    """A token or password is missing, wrong or expired."""
    return (
        "Credentials that the job needs are missing, wrong or expired; pull requests from forks get "
        "no secrets."
    )


@example()
def artifact_storage_full() -> str:
    """The account keeps too many artifacts."""
    return "The account's storage for artifacts is full."


@example()
def storage_service_failed() -> str:
    """GitHub's artifacts or caches did not answer."""
    return "GitHub's service for artifacts or caches failed."


@example()
def memory_full() -> str:
    """A process was killed, or could not get memory."""
    return "The runner most likely ran out of memory: a process was killed, or could not get any."


@example()
def too_many_requests() -> str:
    """A server asked for fewer requests."""
    return "A server that the job needs refused it for sending too many requests."


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
