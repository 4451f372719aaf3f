"""Decide whether a repair is published, and what comes of it where it is not."""

from __future__ import annotations

from dataclasses import dataclass

from bot.model import Report, Verdict
from bot.model.request import FixRequest
from bot.model.risk import Confidence
from bot.reporting.reasons import publication
from bot.runs.briefing import Brief
from bot.runs.publishing.outcome_comment import (
    NotPublished,
    PatchOnly,
    ReportOnly,
)
from bot.runs.publishing.publication import somebodys_branch
from bot.runs.publishing.risk import risks


@dataclass(frozen=True, slots=True)
class HeldPatch:
    """A believed patch that waits for approval, and why."""

    risks: tuple[str, ...]


def unpublished(
    request: FixRequest, brief: Brief, report: Report, *, answerable: bool
) -> NotPublished | ReportOnly | PatchOnly | HeldPatch | None:
    """Return what comes of a repair that is not published, or not yet; None when it is.

    Args:
        request: What was asked for.
        brief: With the repository's rules.
        report: Of the repair.
        answerable: Whether there is a place where a person can approve.
    """
    config = brief.config
    if report.draft:
        return None if _takes_drafts(request, brief) else NotPublished()
    if report.verdict is not Verdict.FIXED:
        return NotPublished()
    if config.confidence is Confidence.DIAGNOSE:
        return ReportOnly()
    if config.confidence is Confidence.SUGGEST:
        return PatchOnly(publication.SUGGESTIONS_ONLY)
    branch = somebodys_branch(request, brief)
    found = risks(report, config.confidence, config.approval.tolerance, onto=branch)
    if not found or brief.is_fork:
        return None
    return HeldPatch(found) if answerable else PatchOnly(found[0])


def _takes_drafts(request: FixRequest, brief: Brief) -> bool:
    """Whether a patch that mends some of the failures may become a draft pull request."""
    return request.redoes is None and brief.config.confidence.publishes and not brief.is_fork
