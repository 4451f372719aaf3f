"""Endpoints of what continuous integration did: check suites, statuses, workflow runs, jobs."""

from __future__ import annotations

from tests.fakes.github.ci_model import CommitStatus
from tests.fakes.github.endpoint import Call, Endpoint, Fields, Needs, Refusal, Reply, not_found

CHECKS: Needs = ({"checks": "read"},)
STATUSES: Needs = ({"statuses": "read"},)
ACTIONS: Needs = ({"actions": "read"},)
RERUN: Needs = ({"actions": "write"},)
PULLS: Needs = ({"pull_requests": "read"},)


class Nothing(Fields):
    """A request that says all by its path."""


def list_suites(call: Call) -> Reply:
    """List the check suites of a commit."""
    repo = call.repo
    suites = call.state.ci.suites(repo, _commit(call))
    return call.page(suites, lambda suite: call.views.check_suite(repo, suite), key="check_suites")


def combined_status(call: Call) -> Reply:
    """Show the newest status of each context of a commit."""
    sha = _commit(call)
    newest: dict[str, CommitStatus] = {
        status.context: status for status in call.repo.statuses if status.sha == sha
    }
    return Reply(200, call.views.combined(call.repo, sha, list(newest.values())))


def list_runs(call: Call) -> Reply:
    """List workflow runs, newest first; `head_sha` narrows them."""
    repo, sha = call.repo, call.query.get("head_sha")
    runs = [run for run in repo.workflow_runs.values() if sha in {None, run.head_sha}]
    runs.reverse()
    return call.page(runs, lambda run: call.views.workflow_run(repo, run), key="workflow_runs")


def show_run(call: Call) -> Reply:
    """Show a workflow run."""
    run = call.repo.workflow_runs.get(call.number("run_id"))
    if run is None:
        raise not_found()
    return Reply(200, call.views.workflow_run(call.repo, run))


def rerun_failed(call: Call) -> Reply:
    """Start the failed jobs of a run once more, as new jobs with new check runs."""
    run = call.repo.workflow_runs.get(call.number("run_id"))
    if run is None:
        raise not_found()
    if run.status != "completed":
        raise Refusal(403, "This workflow is already running")
    call.state.ci.rerun_failed(call.repo, run)
    return Reply(201, {})


def list_jobs(call: Call) -> Reply:
    """List the jobs of a workflow run."""
    repo, run = call.repo, call.repo.workflow_runs.get(call.number("run_id"))
    if run is None:
        raise not_found()
    return call.page(run.jobs, lambda job: call.views.job(repo, run, job), key="jobs")


def show_job(call: Call) -> Reply:
    """Show a job."""
    wanted = call.number("job_id")
    for run in call.repo.workflow_runs.values():
        for job in run.jobs:
            if job.id == wanted:
                return Reply(200, call.views.job(call.repo, run, job))
    raise not_found()


def list_pulls_of_commit(call: Call) -> Reply:
    """List the open pull requests that have the commit as their head, as GitHub does at first."""
    sha = _commit(call)
    found = [
        (issue, issue.pull)
        for issue in call.repo.pulls()
        if issue.pull is not None
        and issue.state == "open"
        and call.views.heads(issue, issue.pull)[0] == sha
    ]
    return call.page(found, lambda pair: call.views.pull_simple(*pair))


def _commit(call: Call) -> str:
    name = call.parameters.get("commit_sha") or call.parameters["ref"]
    sha = call.repo.git.resolve(name)
    if sha is None:
        raise Refusal(422, f"No commit found for SHA: {name}")
    return sha


_REPO = "/repos/{owner}/{repo}"

ENDPOINTS = (
    Endpoint("GET", f"{_REPO}/commits/{{ref}}/check-suites", list_suites, CHECKS),
    Endpoint("GET", f"{_REPO}/commits/{{ref}}/status", combined_status, STATUSES),
    Endpoint("GET", f"{_REPO}/commits/{{commit_sha}}/pulls", list_pulls_of_commit, PULLS),
    Endpoint("GET", f"{_REPO}/actions/runs", list_runs, ACTIONS),
    Endpoint("GET", f"{_REPO}/actions/runs/{{run_id}}", show_run, ACTIONS),
    Endpoint(
        "POST", f"{_REPO}/actions/runs/{{run_id}}/rerun-failed-jobs", rerun_failed, RERUN, Nothing
    ),
    Endpoint("GET", f"{_REPO}/actions/runs/{{run_id}}/jobs", list_jobs, ACTIONS),
    Endpoint("GET", f"{_REPO}/actions/jobs/{{job_id}}", show_job, ACTIONS),
)
