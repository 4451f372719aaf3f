"""Endpoints that lead to what jobs left: their logs and artifacts, in a storage on another host."""

from __future__ import annotations

import io
import zipfile

from tests.fakes.github.ci_model import Artifact, Job, WorkflowRun
from tests.fakes.github.endpoint import Call, Endpoint, Needs, Refusal, Reply, not_found

ACTIONS: Needs = ({"actions": "read"},)


def job_log(call: Call) -> Reply:
    """Lead to a job's log; there is none any more where GitHub dropped it."""
    job = _job(call)
    if job.log is None:
        raise not_found()
    return _lead(call, f"log-{job.id}", job.log)


def run_logs(call: Call) -> Reply:
    """Lead to a zip with the logs of a run's jobs."""
    run = _run(call)
    if run.archive is not None:
        return _lead(call, f"logs-{run.id}", run.archive)
    logs = {f"{n}_{job.name}.txt": job.log for n, job in enumerate(run.jobs) if job.log is not None}
    if not logs:
        raise Refusal(410, "Gone")
    return _lead(call, f"logs-{run.id}", zipped(logs))


def list_artifacts(call: Call) -> Reply:
    """List what a run left."""
    run = _run(call)
    return call.page(run.artifacts, lambda item: _shown(call, run, item), key="artifacts")


def artifact(call: Call) -> Reply:
    """Lead to an artifact."""
    wanted = call.number("artifact_id")
    for run in call.repo.workflow_runs.values():
        for item in run.artifacts:
            if item.id == wanted and item.content is not None:
                return _lead(call, f"artifact-{item.id}", item.content)
            if item.id == wanted:
                raise Refusal(410, "Artifact has expired")
    raise not_found()


def zipped(files: dict[str, bytes]) -> bytes:
    """Return a zip of files by name."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return data.getvalue()


def _lead(call: Call, name: str, content: bytes) -> Reply:
    call.state.storage[name] = content
    return Reply(302, None, {"Location": f"{call.views.storage}/{name}?sig=once"})


def _shown(call: Call, run: WorkflowRun, one: Artifact) -> dict[str, object]:
    url = f"{call.views.repo_url(call.repo)}/actions/artifacts/{one.id}"
    return {
        "id": one.id,
        "node_id": f"A_{one.id}",
        "name": one.name,
        "size_in_bytes": len(one.content or b""),
        "url": url,
        "archive_download_url": f"{url}/zip",
        "expired": one.content is None,
        "created_at": run.created_at.isoformat(),
        "updated_at": run.created_at.isoformat(),
        "expires_at": None,
        "digest": None,
    }


def _run(call: Call) -> WorkflowRun:
    run = call.repo.workflow_runs.get(call.number("run_id"))
    if run is None:
        raise not_found()
    return run


def _job(call: Call) -> Job:
    wanted = call.number("job_id")
    for run in call.repo.workflow_runs.values():
        for job in run.jobs:
            if job.id == wanted:
                return job
    raise not_found()


_ACTIONS = "/repos/{owner}/{repo}/actions"

ENDPOINTS = (
    Endpoint("GET", f"{_ACTIONS}/jobs/{{job_id}}/logs", job_log, ACTIONS),
    Endpoint("GET", f"{_ACTIONS}/runs/{{run_id}}/logs", run_logs, ACTIONS),
    Endpoint("GET", f"{_ACTIONS}/runs/{{run_id}}/artifacts", list_artifacts, ACTIONS),
    Endpoint("GET", f"{_ACTIONS}/artifacts/{{artifact_id}}/zip", artifact, ACTIONS),
)
