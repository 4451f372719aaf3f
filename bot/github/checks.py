"""Check runs: how those of a commit stand, and ours as they show a run.

How a commit stands is asked in three places, because none knows everything. A service that is no App
has statuses only. A workflow whose later jobs wait for earlier ones shows them as check runs when they
begin, but is itself under way all the time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from bot.github.check_values import Check, CommitChecks
from bot.github.client import Connection, ensure
from bot.github.payloads import Json
from bot.model.check_report import Annotation, CheckReport


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


ANNOTATIONS = 50
"""Annotations that GitHub takes in one request; it appends those of later ones.

https://docs.github.com/en/rest/checks/runs
"""


async def create_check_run(connection: Connection, report: CheckReport, app_slug: str) -> int:
    """Return the id of the check run with that external id, creating it if it is not there."""

    async def find() -> int | None:
        runs = await connection.get_all(
            "/commits/{commit}/check-runs?filter=all&check_name={name}",
            items="check_runs",
            commit=report.head_sha,
            name=report.name,
        )
        return next((run["id"] for run in runs if _is(run, report, app_slug)), None)

    async def create() -> int:
        first = replace(report, annotations=report.annotations[:ANNOTATIONS])
        answer = await connection.post(
            "/check-runs", {"head_sha": report.head_sha, **check_body(first)}
        )
        check_run = int(answer["id"])
        await _append(connection, check_run, report, start=ANNOTATIONS)
        return check_run

    return await ensure(find, create, connection.patience)


async def update_check_run(connection: Connection, check_run: int, report: CheckReport) -> None:
    """Make the check run say what the report says; annotations come on top of those there."""
    first = replace(report, annotations=report.annotations[:ANNOTATIONS])
    await connection.patch("/check-runs/{check_run}", check_body(first), check_run=check_run)
    await _append(connection, check_run, report, start=ANNOTATIONS)


async def change_summary(
    connection: Connection, check_run: int, change: Callable[[str], str]
) -> None:
    """Change what a check run says first, and nothing else of it: its buttons stay."""
    answer = await connection.get("/check-runs/{check_run}", check_run=check_run)
    output = {key: answer["output"].get(key) or "" for key in ("title", "summary", "text")}
    output["summary"] = change(output["summary"])
    body = {"output": {key: text for key, text in output.items() if text}}
    await connection.patch("/check-runs/{check_run}", body, check_run=check_run)


def check_body(report: CheckReport) -> dict[str, Any]:
    """Return the JSON of a check run, without its commit."""
    output: dict[str, Any] = {"title": report.title, "summary": report.summary}
    if report.text:
        output["text"] = report.text
    if report.annotations:
        output["annotations"] = [_annotation(entry) for entry in report.annotations]
    body: dict[str, Any] = {
        "name": report.name,
        "external_id": report.external_id,
        "status": report.status,
        "output": output,
    }
    if report.conclusion is not None:
        body["conclusion"] = report.conclusion
    if report.details_url is not None:
        body["details_url"] = report.details_url
    if report.actions or report.conclusion is not None:  # the buttons of a run go with its end
        body["actions"] = [
            {
                "label": action.label,
                "description": action.description,
                "identifier": action.identifier,
            }
            for action in report.actions
        ]
    return body


async def _append(
    connection: Connection, check_run: int, report: CheckReport, *, start: int
) -> None:
    for at in range(start, len(report.annotations), ANNOTATIONS):
        part = replace(report, annotations=report.annotations[at : at + ANNOTATIONS])
        await connection.patch("/check-runs/{check_run}", check_body(part), check_run=check_run)


def _annotation(annotation: Annotation) -> dict[str, Any]:
    body: dict[str, Any] = {
        "path": annotation.path,
        "start_line": annotation.start_line,
        "end_line": annotation.end_line,
        "annotation_level": annotation.level,
        "message": annotation.message,
    }
    if annotation.title:
        body["title"] = annotation.title
    return body


def _is(run: dict[str, Any], report: CheckReport, app_slug: str) -> bool:
    return run["external_id"] == report.external_id and (run["app"] or {}).get("slug") == app_slug
