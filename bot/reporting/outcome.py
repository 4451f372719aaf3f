"""Say in a few plain words what became of an attempt."""

from __future__ import annotations

from bot.model import Attempt, Observation, Severity, Verification
from bot.model.observation import names_test, place_of
from bot.reporting.figures import count, failures
from bot.reporting.plain import printable


def outcome(attempt: Attempt) -> str:
    """Return what became of an attempt, as plain text."""
    assurance = attempt.proposal.assurance
    if attempt.doubtful:
        likely = f" ({assurance.probability:.0%} likely to be right)" if assurance else ""
        return f"passes, but is only suggested{likely}"
    if attempt.standing is not None and attempt.passed_over:
        return f"passes, but {attempt.standing.why}"
    if attempt.verification is not None:
        return verification_outcome(attempt.verification)
    why = printable(attempt.proposal.ended.rstrip("."), 120)
    return f"no patch: {why}" if why else "no patch"


def verification_outcome(verification: Verification) -> str:
    """Return what a verification says, as plain text."""
    if verification.accepted:
        return "accepted"
    if verification.problem:
        return f"not accepted: {printable(verification.problem.rstrip('.'), 160)}"
    target = verification.target
    if target is None:
        return "not verified"
    if not target.ok:
        return _still_failing(target)
    if verification.new_failures:
        return f"breaks {count(len(verification.new_failures), 'other test')}"
    rejecting = [
        finding.message for finding in verification.findings if finding.severity is Severity.REJECT
    ]
    return f"rejected: {printable(' '.join(rejecting).rstrip('.'), 160)}"


def failing(attempt: Attempt) -> str:
    """Return what `before_after` counts."""
    problems = bool(attempt.failing_before) and not any(map(names_test, attempt.failing_before))
    return "problems" if problems else "failing tests"


def before_after(attempt: Attempt) -> str:
    """Return failures before and with the patch: `3 → 0`; words where nobody counts them.

    Those that fail only with it are told apart, `3 → 1 and 2 new`: another tool may have come to
    its turn.
    """
    before = "passes" if attempt.passed_before else "fails"
    if attempt.failing_before:
        before = str(len(attempt.failing_before))
    target = attempt.verification.target if attempt.verification is not None else None
    if target is None:
        return f"{before} → not run"
    if target.timed_out:
        return f"{before} → timed out"
    if target.ok:
        return f"{before} → {'0' if attempt.failing_before else 'passes'}"
    known = {place_of(test) or test for test in attempt.failing_before}
    left = [each for each in target.named if (place_of(each.test) or each.test) in known]
    new = len(target.named) - len(left)
    if not known or not new:
        return f"{before} → {len(target.named) or 'fails'}"
    return f"{before} → {len(left)} and {new} new"


def _still_failing(target: Observation) -> str:
    if target.timed_out:
        return "timed out"
    if ids := [failure.test for failure in target.named]:
        tests = all(map(names_test, ids))
        return f"still fails ({count(len(ids), 'test') if tests else failures(ids)})"
    return "still fails"
