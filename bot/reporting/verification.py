"""What `fixpoint verify` says of a patch: for people, and as one JSON object."""

from __future__ import annotations

import json
from collections.abc import Iterator

from bot.model import Acceptance, Attempt, OtherFailure, Report, Verification
from bot.reporting.figures import count, duration
from bot.reporting.finding_lines import before_use, finding_lines
from bot.reporting.json_evidence import mutants_part
from bot.reporting.json_report import accepted_value, finding_part
from bot.reporting.outcome import outcome
from bot.reporting.plain import printable
from bot.reporting.reasons import verification as reasons

_LINE = 500
_MOST_SETUP_LINES = 20
_RESULT = {
    Acceptance.YES: "Accepted",
    Acceptance.AFTER_APPROVAL: "Accepted after approval",
    Acceptance.NO: "Rejected",
}


def as_json(report: Report) -> str:
    """Return one object; docs/verification.md has its keys."""
    verification = _verification(report)
    target = verification.target if verification is not None else None
    observed = report.reproduction.observation if report.reproduction is not None else None
    said = {
        "accepted": accepted_value(report.acceptance),
        "reason": reason(report),
        "command": observed.command if observed is not None else None,
        "failing_before": sorted(observed.failing_ids) if observed is not None else [],
        "exit_code": target.exit_code if target is not None else None,
        "runs": verification.runs if verification is not None else (),
        "failing": sorted(target.failing_ids) if target is not None else [],
        "new_failures": [failure.test for failure in verification.new_failures]
        if verification
        else [],
        "changed_tests": verification.changed_tests if verification is not None else (),
        "restored": verification.restored if verification is not None else (),
        "guard_findings": [finding_part(finding) for finding in verification.findings]
        if verification is not None
        else [],
        "others": [{"test": failure.test, "cause": failure.cause} for failure in _others(report)],
        "mutants": mutants_part(verification.mutants) if verification is not None else None,
        "remarks": remarks(verification) if verification is not None else [],
        "seconds": round(report.seconds, 3),
    }
    return json.dumps(said, indent=2)


def as_text(report: Report) -> str:
    """Return the result for a person at a terminal; nothing in it is a control sequence."""
    return "\n".join(printable(line, _LINE) for line in _lines(report))


def unverified(report: Report) -> str:
    """Return why nothing can be said of a patch: what happened, what was missing, what setup said."""
    setup = report.reproduction.setup_output if report.reproduction is not None else ""
    lines = (
        f"The patch could not be verified. {report.reason}",
        *report.notes,
        *(f"| {line}" for line in setup.rstrip().splitlines()[-_MOST_SETUP_LINES:]),
    )
    return "\n".join(printable(line, _LINE) for line in lines)


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
    if verification.mutants is not None:
        said.append(reasons.caught(verification.mutants))
    return said


def _lines(report: Report) -> Iterator[str]:
    yield f"{_RESULT[report.acceptance]}: {reason(report).rstrip('.')}."
    if report.acceptance is Acceptance.AFTER_APPROVAL:
        yield before_use(len(report.to_check))
    verification = _verification(report)
    if verification is not None:
        yield from finding_lines(verification.findings)
        for failure in verification.new_failures:
            yield f"New failure: {failure.test}"
        yield from remarks(verification)
    yield from report.notes
    yield duration(report.seconds)


def _others(report: Report) -> tuple[OtherFailure, ...]:
    return report.reproduction.others if report.reproduction is not None else ()


def _attempt(report: Report) -> Attempt | None:
    return report.attempts[-1] if report.attempts else None


def _verification(report: Report) -> Verification | None:
    attempt = _attempt(report)
    return attempt.verification if attempt is not None else None
