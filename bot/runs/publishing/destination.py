"""Decide whether a repair is published, and what comes of it where it is not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from bot.code.files import test_paths
from bot.model import GuardFinding, Patch, Report, Severity, Verdict
from bot.model.hunks import file_hunks
from bot.model.request import FixRequest
from bot.model.risk import Confidence, Tolerance
from bot.redaction import TOKEN_SHAPES
from bot.repair.guards.requested import REQUESTED
from bot.reporting.reasons import publication
from bot.reporting.reasons import revert as reverting
from bot.runs.publishing.outcome_comment import (
    NotPublished,
    PatchOnly,
    ReportOnly,
)
from bot.runs.publishing.publication import somebodys_branch
from bot.runs.starting_state import Brief

_DEPENDENCIES = re.compile(
    r"""^(?:
        requirements.*\.(?:txt|in) | constraints.*\.txt | pyproject\.toml | setup\.(?:py|cfg)
      | Pipfile(?:\.lock)? | (?:poetry|uv|pdm)\.lock | environment\.ya?ml
      | package\.json | package-lock\.json | npm-shrinkwrap\.json | yarn\.lock | pnpm-lock\.yaml
      | Cargo\.(?:toml|lock) | go\.(?:mod|sum|work) | Gemfile(?:\.lock)? | .*\.gemspec
      | composer\.(?:json|lock) | pom\.xml | build\.gradle(?:\.kts)? | \.npmrc | pip\.conf
    )$""",
    re.VERBOSE,
)
"""Files that settle what is installed, and from where."""

_AUTOMATION = (".github/", ".gitlab-ci.yml", ".circleci/", ".pre-commit-config.yaml")
"""What runs automatically as soon as it is pushed, perhaps with a repository's credentials."""

_MOST_PLACES = 3
"""Places of credentials that are named."""


def risks(
    report: Report, confidence: Confidence, tolerance: Tolerance, *, onto: str = ""
) -> tuple[str, ...]:
    """Return why the believed patch of a run must not be published before a person approves.

    Args:
        report: Of the run.
        confidence: How far the repository lets results go; `push` approves of pushing in advance.
        tolerance: What may be deleted.
        onto: Somebody's branch that would get a commit, or "".

    Returns:
        A sentence for each reason; none where results are not published anyway.
    """
    if not confidence.publishes:
        return ()
    found = [*_of_paths(report.patch), *_of_deletions(report.patch, tolerance)]
    if onto and confidence is not Confidence.PUSH:
        found.append(publication.onto_your_branch(onto))
    found += _of_requested(report)
    found += [
        publication.looks_like_a_credential(place)
        for place in secret_places(report.patch)[:_MOST_PLACES]
    ]
    if confidence is Confidence.PUSH:
        found += [
            finding.message
            for finding in _findings(report)
            if finding.severity is Severity.NEEDS_PERSON
        ]
        if report.left_open:
            found.append(publication.leaves_open([fact.text for fact in report.left_open]))
    return tuple(dict.fromkeys(found))


def secret_places(patch: Patch) -> tuple[str, ...]:
    """Return the places, `path:line`, where a patch adds what looks like a credential."""
    return tuple(
        f"{path}:{number}"
        for path, number, line in _added_lines(patch)
        if any(shape.search(line) for shape in TOKEN_SHAPES)
    )


def is_dependency_file(path: str) -> bool:
    """Whether a path settles what is installed."""
    return _DEPENDENCIES.match(PurePosixPath(path).name) is not None


def _of_paths(patch: Patch) -> Iterator[str]:
    automation = [path for path in patch.files if path.startswith(_AUTOMATION)]
    if automation:
        yield publication.changes_automation(automation)
    dependencies = [path for path in patch.files if is_dependency_file(path)]
    if dependencies:
        yield publication.changes_dependencies(dependencies)


def _of_requested(report: Report) -> Iterator[str]:
    """Yield what is protected and was asked for, whatever severity the repository gives that."""
    for finding in _findings(report):
        if finding.rule == REQUESTED and not (finding.file or "").startswith(_AUTOMATION):
            yield finding.message


def _of_reverts(report: Report, tolerance: Tolerance) -> tuple[str, ...]:
    """Return why a person must approve of what takes back somebody's commit."""
    if not report.reverts:
        return ()
    found = [
        *_of_paths(report.patch),
        *(
            finding.message
            for finding in _findings(report)
            if finding.severity is Severity.NEEDS_PERSON
        ),
    ]
    if report.patch.removed > tolerance.reverted_lines:
        lines, most = report.patch.removed, tolerance.reverted_lines
        found.append(reverting.takes_back_much(lines, most=most))
    return tuple(dict.fromkeys(found))


def _of_flaky_tests(report: Report) -> tuple[str, ...]:
    """Return why a person must approve of a repair that changes a flaky test, or one beside it."""
    tests = test_paths(report.patch.files) if report.flaky is not None else ()
    return (publication.changes_flaky_tests(tests),) if tests else ()


def _findings(report: Report) -> tuple[GuardFinding, ...]:
    attempt = report.accepted_attempt or report.suggested_attempt
    if attempt is None or attempt.verification is None:
        return ()
    return attempt.verification.findings


def _of_deletions(patch: Patch, tolerance: Tolerance) -> Iterator[str]:
    files = len(re.findall(r"^deleted file mode ", patch.text, re.MULTILINE))
    if files > tolerance.deleted_files:
        yield publication.deletes_files(files, most=tolerance.deleted_files)
    lines = patch.removed - patch.added
    if lines > tolerance.deleted_lines:
        yield publication.deletes_lines(lines, most=tolerance.deleted_lines)


def _added_lines(patch: Patch) -> Iterator[tuple[str, int, str]]:
    """Yield path, number and text of each line that a patch adds."""
    for hunks in file_hunks(patch.text):
        path = hunks.after.strip('"').removeprefix("b/")
        for hunk in hunks.hunks:
            number = hunk.new_start
            for sign, text in hunk.lines:
                if sign == "+":
                    yield path, number, text
                number += sign != "-"


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
        return _of_a_draft(request, brief, report, answerable=answerable)
    if report.verdict is not Verdict.FIXED:
        return NotPublished()
    if config.confidence is Confidence.DIAGNOSE:
        return ReportOnly()
    if config.confidence is Confidence.SUGGEST:
        return PatchOnly(publication.SUGGESTIONS_ONLY)
    branch = somebodys_branch(request, brief)
    found = risks(report, config.confidence, config.approval.tolerance, onto=branch)
    if config.flaky.repair != "push":
        found = (*found, *_of_flaky_tests(report))
    if not found or (brief.is_fork and not brief.lent):
        return None
    return HeldPatch(found) if answerable else PatchOnly(found[0])


def _of_a_draft(
    request: FixRequest, brief: Brief, report: Report, *, answerable: bool
) -> NotPublished | HeldPatch | None:
    taken = _of_reverts(report, brief.config.approval.tolerance)
    if not _takes_drafts(request, brief) or (taken and not answerable):
        return NotPublished()
    return HeldPatch(taken) if taken else None


def _takes_drafts(request: FixRequest, brief: Brief) -> bool:
    """Whether a patch that mends some of the failures may become a draft pull request."""
    return request.redoes is None and brief.config.confidence.publishes and not brief.is_fork
