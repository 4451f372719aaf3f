"""What `fixpoint verify` says of a patch: for people, and as one JSON object."""

from __future__ import annotations

import json
from collections.abc import Iterator

from bot.model import Attempt, GuardFinding, OtherFailure, Report, Severity, Verification
from bot.reporting.figures import count, duration
from bot.reporting.json_report import finding_part
from bot.reporting.outcome import outcome
from bot.reporting.plain import printable

_LINE = 500
_WEIGHT = {
    Severity.REJECT: "Rejected",
    Severity.NEEDS_PERSON: "Please check",
    Severity.NOTE: "Note",
}


def as_json(report: Report) -> str:
    """Return one object; docs/verification.md has its keys."""
    verification = _verification(report)
    target = verification.target if verification is not None else None
    observed = report.reproduction.observation if report.reproduction is not None else None
    said = {
        "accepted": report.patch_accepted,
        "reason": reason(report),
        "command": observed.command if observed is not None else None,
        "failing_before": sorted(observed.failing_ids) if observed is not None else [],
        "exit_code": target.exit_code if target is not None else None,
        "runs": verification.runs if verification is not None else (),
        "failing": sorted(target.failing_ids) if target is not None else [],
        "new_failures": [one.test for one in verification.new_failures] if verification else [],
        "changed_tests": verification.changed_tests if verification is not None else (),
        "restored": verification.restored if verification is not None else (),
        "guard_findings": [finding_part(one) for one in verification.findings]
        if verification is not None
        else [],
        "others": [{"test": one.test, "cause": one.cause} for one in _others(report)],
        "remarks": remarks(verification) if verification is not None else [],
        "seconds": round(report.seconds, 3),
    }
    return json.dumps(said, indent=2)


def as_text(report: Report) -> str:
    """Return the result for a person at a terminal; nothing in it is a control sequence."""
    return "\n".join(printable(line, _LINE) for line in _lines(report))


def reason(report: Report) -> str:
    """Return why a patch is accepted or not, as plain words."""
    attempt = _attempt(report)
    if report.patch_accepted or attempt is None:
        return report.reason
    return outcome(attempt)


def remarks(verification: Verification) -> list[str]:
    """Return how a patch was verified, one sentence each."""
    said = [*verification.remarks]
    if len(verification.runs) > 1:
        passed = sum(not code for code in verification.runs)
        runs = count(len(verification.runs), "run")
        said.insert(0, f"The failing command passed in {passed} of {runs} with the patch.")
    if verification.suite is not None and verification.suite.order:
        said.append(f"Full test suite: {verification.suite.order}")
    if verification.uncompared:
        said.append(verification.uncompared)
    return said


def _lines(report: Report) -> Iterator[str]:
    yield f"{'Accepted' if report.patch_accepted else 'Rejected'}: {reason(report).rstrip('.')}."
    verification = _verification(report)
    if verification is not None:
        for finding in sorted(verification.findings, key=_rank):
            yield _finding(finding)
        for failure in verification.new_failures:
            yield f"New failure: {failure.test}"
        yield from remarks(verification)
    yield from report.notes
    yield duration(report.seconds)


def _rank(finding: GuardFinding) -> int:
    return list(Severity).index(finding.severity)


def _finding(finding: GuardFinding) -> str:
    place = ""
    if finding.file is not None:
        place = f" {finding.file}:{finding.line}" if finding.line else f" {finding.file}"
    return f"{_WEIGHT[finding.severity]} [{finding.rule}]{place}: {finding.message}"


def _others(report: Report) -> tuple[OtherFailure, ...]:
    return report.reproduction.others if report.reproduction is not None else ()


def _attempt(report: Report) -> Attempt | None:
    return report.attempts[-1] if report.attempts else None


def _verification(report: Report) -> Verification | None:
    attempt = _attempt(report)
    return attempt.verification if attempt is not None else None
