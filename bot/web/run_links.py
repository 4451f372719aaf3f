"""Where GitHub shows what a run is about. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bot.storage.runs import RunRecord

_MOST_CHECKS = 10


@dataclass(frozen=True, slots=True)
class Link:
    """An address, and what is there."""

    text: str
    url: str


def thread_link(run: RunRecord, github_url: str) -> Link | None:
    """Return where the issue, pull request or commit of a run is; None before that is known."""
    base, request = f"{github_url}/{run.repo.full_name}", run.request
    if request.number is not None:
        kind = "pull" if request.is_pull_request else "issues"
        return Link(f"#{request.number}", f"{base}/{kind}/{request.number}")
    if run.head is not None:
        return Link(run.head[:7], f"{base}/commit/{run.head}")
    return None


def links(run: RunRecord, github_url: str) -> tuple[Link, ...]:
    """Return everything else that a person may want to open."""
    return tuple(_links(run, github_url))


def _links(run: RunRecord, github_url: str) -> Iterator[Link]:
    base, request = f"{github_url}/{run.repo.full_name}", run.request
    yield Link("Repository", base)
    if run.head is not None:
        yield Link(f"Commit {run.head[:7]}", f"{base}/commit/{run.head}")
    if run.progress_comment_id is not None and request.number is not None:
        kind = "pull" if request.is_pull_request else "issues"
        place = f"{base}/{kind}/{request.number}#issuecomment-{run.progress_comment_id}"
        yield Link("Progress comment", place)
    if request.failed is not None:
        for check in request.failed.checks[:_MOST_CHECKS]:
            # services choose the addresses of their checks
            if check.url.startswith(("https://", "http://")):
                yield Link(f"Check {check.name}", check.url)
