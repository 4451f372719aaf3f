"""Read how the checks of a commit stand: check runs, commit statuses, workflow runs.

All three are asked, because none knows everything. A service that is no App has statuses only. A
workflow whose later jobs wait for earlier ones shows them as check runs when they begin, but is
itself under way all the time.
"""

from __future__ import annotations

import asyncio

from bot.github.check_values import Check, CommitChecks
from bot.github.client import Connection
from bot.github.reading import Json


async def read_checks(connection: Connection, sha: str) -> CommitChecks:
    """Ask GitHub how the checks of a commit stand."""
    runs, status, workflows = await asyncio.gather(
        connection.get_all("/commits/{sha}/check-runs", items="check_runs", sha=sha),
        connection.get_all("/commits/{sha}/status", items="statuses", sha=sha),
        connection.get_all("/actions/runs?head_sha={sha}", items="workflow_runs", sha=sha),
    )
    of_suite: dict[int | None, int] = {run["check_suite_id"]: run["id"] for run in workflows}
    return CommitChecks(
        checks=(*(_of_run(run, of_suite) for run in runs), *(_of_status(item) for item in status)),
        running=tuple(run["name"] or "" for run in workflows if run["status"] != "completed"),
    )


def _of_run(run: Json, of_suite: dict[int | None, int]) -> Check:
    suite = (run["check_suite"] or {}).get("id")
    return Check(
        name=run["name"],
        app=(run["app"] or {}).get("slug", ""),
        conclusion=run["conclusion"] if run["status"] == "completed" else None,
        check_run_id=run["id"],
        workflow_run_id=of_suite.get(suite),
        url=run["html_url"] or "",
    )


def _of_status(status: Json) -> Check:
    return Check(
        name=status["context"],
        conclusion=None if status["state"] == "pending" else status["state"],
        url=status["target_url"] or "",
    )
