"""How the API shows what continuous integration did: suites, check runs, runs, jobs, statuses."""

from __future__ import annotations

from collections.abc import Sequence

from tests.fakes.github.account_views import Json, node, stamp
from tests.fakes.github.ci_model import ACTIONS, CheckSuite, CommitStatus, Job, WorkflowRun
from tests.fakes.github.git_views import GitViews
from tests.fakes.github.model import CheckRun, Repository

ACTIONS_ID = 15368
"""Id of the App GitHub Actions on github.com."""


class CiViews(GitViews):
    """Adds what runners and services say of commits."""

    def app_of(self, slug: str) -> Json:
        """Show the App that made a check: ours for ""."""
        ours = self.app()
        if slug in {"", ours["slug"]}:
            return ours
        identity = ACTIONS_ID if slug == ACTIONS else sum(slug.encode()) + 20_000
        name = slug.replace("-", " ").title()
        page = f"{self.web}/apps/{slug}"
        return {**ours, "id": identity, "slug": slug, "name": name, "html_url": page}

    def check_run(self, repo: Repository, run: CheckRun) -> Json:
        """Show `check-run`."""
        url = f"{self.repo_url(repo)}/check-runs/{run.id}"
        output = run.fields.get("output") or {}
        page = f"{self.web}/{repo.full_name}/runs/{run.id}"
        return {
            "id": run.id,
            "name": run.fields["name"],
            "node_id": node("CR", run.id),
            "head_sha": run.head_sha,
            "external_id": run.fields.get("external_id", ""),
            "url": url,
            "html_url": page,
            "details_url": run.fields.get("details_url", page),
            "status": run.fields.get("status", "queued"),
            "conclusion": run.fields.get("conclusion"),
            "started_at": stamp(run.started_at),
            "completed_at": stamp(run.completed_at),
            "output": {
                "title": output.get("title"),
                "summary": output.get("summary"),
                "text": output.get("text"),
                "annotations_count": len(run.annotations),
                "annotations_url": f"{url}/annotations",
            },
            "check_suite": {"id": run.suite_id or run.id + 1_000_000},
            "app": self.app_of(run.app),
            "pull_requests": [],
        }

    def annotation(self, repo: Repository, run: CheckRun, sent: Json) -> Json:
        """Show `check-annotation`."""
        optional = ("start_column", "end_column", "title", "raw_details")
        blob = f"{self.web}/{repo.full_name}/blob/{run.head_sha}/{sent['path']}"
        return {**dict.fromkeys(optional), **sent, "blob_href": blob}

    def simple_commit(self, repo: Repository, sha: str) -> Json:
        """Show `simple-commit`."""
        commit = self.git_commit(repo, repo.git.commit(sha))
        return {
            "id": sha,
            "tree_id": commit["tree"]["sha"],
            "message": commit["message"],
            "timestamp": commit["author"]["date"],
            "author": {name: commit["author"][name] for name in ("name", "email")},
            "committer": {name: commit["committer"][name] for name in ("name", "email")},
        }

    def check_suite(self, repo: Repository, suite: CheckSuite) -> Json:
        """Show `check-suite`."""
        url = f"{self.repo_url(repo)}/check-suites/{suite.id}"
        return {
            "id": suite.id,
            "node_id": node("CS", suite.id),
            "head_branch": suite.branch,
            "head_sha": suite.head_sha,
            "status": suite.status,
            "conclusion": suite.conclusion,
            "url": url,
            "before": None,
            "after": suite.head_sha,
            "pull_requests": [],
            "app": self.app_of(suite.app),
            "repository": self.repository(repo),
            "created_at": stamp(suite.created_at),
            "updated_at": stamp(suite.created_at),
            "head_commit": self.simple_commit(repo, suite.head_sha),
            "latest_check_runs_count": suite.runs,
            "check_runs_url": f"{url}/check-runs",
        }

    def workflow_run(self, repo: Repository, run: WorkflowRun) -> Json:
        """Show `workflow-run`."""
        url = f"{self.repo_url(repo)}/actions/runs/{run.id}"
        workflow = f"{self.repo_url(repo)}/actions/workflows/{run.suite_id}"
        return {
            "id": run.id,
            "name": run.name,
            "node_id": node("WFR", run.id),
            "head_branch": run.branch,
            "head_sha": run.head_sha,
            "path": run.path,
            "display_title": run.name,
            "run_number": 1,
            "run_attempt": run.attempt,
            "event": run.event,
            "status": run.status,
            "conclusion": run.conclusion,
            "workflow_id": run.suite_id,
            "check_suite_id": run.suite_id,
            "check_suite_node_id": node("CS", run.suite_id),
            "url": url,
            "html_url": f"{self.web}/{repo.full_name}/actions/runs/{run.id}",
            "pull_requests": [],
            "created_at": stamp(run.created_at),
            "updated_at": stamp(run.created_at),
            "run_started_at": stamp(run.created_at),
            "actor": self.user(repo.owner),
            "triggering_actor": self.user(repo.owner),
            "jobs_url": f"{url}/jobs",
            "logs_url": f"{url}/logs",
            "check_suite_url": f"{self.repo_url(repo)}/check-suites/{run.suite_id}",
            "artifacts_url": f"{url}/artifacts",
            "cancel_url": f"{url}/cancel",
            "rerun_url": f"{url}/rerun",
            "previous_attempt_url": None,
            "workflow_url": workflow,
            "head_commit": self.simple_commit(repo, run.head_sha),
            "repository": self.repository(repo),
            "head_repository": self.repository(repo),
            "referenced_workflows": [
                {"path": path, "sha": sha} for path, sha in run.referenced.items()
            ],
        }

    def workflow(self, repo: Repository, run: WorkflowRun) -> Json:
        """Show the workflow of a run, as webhooks do."""
        return {
            "id": run.suite_id,
            "node_id": node("W", run.suite_id),
            "name": run.name,
            "path": run.path,
            "state": "active",
            "created_at": stamp(run.created_at),
            "updated_at": stamp(run.created_at),
            "url": f"{self.repo_url(repo)}/actions/workflows/{run.suite_id}",
            "html_url": f"{self.web}/{repo.full_name}/blob/{repo.default_branch}/{run.path}",
            "badge_url": f"{self.web}/{repo.full_name}/workflows/{run.name}/badge.svg",
        }

    def job(self, repo: Repository, run: WorkflowRun, job: Job) -> Json:
        """Show `job`."""
        runs = f"{self.repo_url(repo)}/actions/runs/{run.id}"
        started, ended = stamp(job.started_at), stamp(job.completed_at)
        return {
            "id": job.id,
            "run_id": run.id,
            "run_url": runs,
            "run_attempt": run.attempt,
            "node_id": node("J", job.id),
            "head_sha": run.head_sha,
            "head_branch": run.branch,
            "url": f"{self.repo_url(repo)}/actions/jobs/{job.id}",
            "html_url": f"{self.web}/{repo.full_name}/actions/runs/{run.id}/job/{job.id}",
            "status": job.status,
            "conclusion": job.conclusion,
            "created_at": started,
            "started_at": started,
            "completed_at": ended,
            "name": job.name,
            "workflow_name": run.name,
            "steps": [
                {
                    "name": step.name,
                    "number": number,
                    "status": job.status,
                    "conclusion": step.conclusion,
                    "started_at": started,
                    "completed_at": ended,
                }
                for number, step in enumerate(job.steps, start=1)
            ],
            "check_run_url": f"{self.repo_url(repo)}/check-runs/{job.id}",
            "labels": ["ubuntu-latest"],
            "runner_id": 1,
            "runner_name": "GitHub Actions 1",
            "runner_group_id": 2,
            "runner_group_name": "GitHub Actions",
        }

    def status(self, repo: Repository, commit_status: CommitStatus) -> Json:
        """Show `simple-commit-status`."""
        return {
            "id": commit_status.id,
            "node_id": node("SC", commit_status.id),
            "state": commit_status.state,
            "context": commit_status.context,
            "description": commit_status.description,
            "target_url": commit_status.target_url,
            "avatar_url": None,
            "url": f"{self.repo_url(repo)}/statuses/{commit_status.sha}",
            "created_at": stamp(commit_status.created_at),
            "updated_at": stamp(commit_status.created_at),
        }

    def combined(self, repo: Repository, sha: str, statuses: Sequence[CommitStatus]) -> Json:
        """Show `combined-commit-status`, of the newest status of each context."""
        states = {status.state for status in statuses}
        worst = "failure" if states & {"failure", "error"} else "pending"
        return {
            "state": worst if states != {"success"} else "success",
            "statuses": [self.status(repo, status) for status in statuses],
            "sha": sha,
            "total_count": len(statuses),
            "repository": self.repository(repo),
            "commit_url": f"{self.repo_url(repo)}/commits/{sha}",
            "url": f"{self.repo_url(repo)}/commits/{sha}/status",
        }
