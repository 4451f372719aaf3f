"""What the stand-in says of checks is as GitHub describes it."""

from __future__ import annotations

from pathlib import Path

from tests.fakes.github import GitHubState
from tests.fakes.github import ci_events as events
from tests.fakes.github.conformance import check_event
from tests.fakes.github.views import Views


def test_webhooks_of_checks_are_as_github_describes(tmp_path: Path) -> None:
    """Every event that a failing check causes has the fields that GitHub promises."""
    state = GitHubState(tmp_path)
    repo = state.add_repository("acme/app", {"a.txt": "a\n"})
    state.install("acme")
    views = Views(state, "http://api", "http://web")
    sha = repo.git.resolve("main")
    assert sha is not None
    run = state.ci.workflow_run(repo, sha, "main")
    check = state.ci.job(repo, run, "lint", conclusion="failure")
    [suite] = [check_suite for check_suite in state.ci.suites(repo, sha) if check_suite.runs]
    status = state.ci.status(repo, sha, "ci/other", "failure")
    state.push(repo, "work", {"a.txt": "b\n"})
    pull = state.open_pull_request(repo, "ada", "Work", head="work")
    label = state.label(repo, "auto")
    ada = state.account("ada")
    for event in (
        events.check_run_event(views, repo, check),
        events.check_run_event(views, repo, check, "requested_action", sender=ada, button="fix"),
        events.check_suite_event(views, repo, suite),
        events.workflow_run_event(views, repo, run),
        events.workflow_job_event(views, repo, run, run.jobs[0]),
        events.status_event(views, repo, status),
        events.labeled_event(views, pull, label, ada, "labeled"),
    ):
        check_event(event)
