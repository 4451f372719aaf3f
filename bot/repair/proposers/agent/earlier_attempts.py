"""Tell a model of an attempt that was rejected: its patch, why, and what the tests said."""

from __future__ import annotations

from bot.model import (
    Attempt,
    Observation,
    Severity,
    Verification,
)
from bot.model.untrusted import quoted
from bot.repair.proposers.agent.observations import describe
from bot.repair.proposers.agent.prompt_data import (
    in_line,
    patch_as_data,
)
from bot.reporting.reasons import assurance as how_sure

_SUMMARY_CHARACTERS = 2_000
_FINDINGS_CHARACTERS = 4_000
_EVIDENCE_CHARACTERS = 8_000


def variables_of(attempt: Attempt, before: Observation | None) -> dict[str, object]:
    """Return the variables of one rejected attempt in `earlier.j2`.

    Args:
        attempt: What was tried.
        before: The failing command without it.
    """
    proposal = attempt.proposal
    return {
        "n": attempt.n,
        "proposer": attempt.proposer,
        "patch": patch_as_data(f"patch of attempt {attempt.n}", proposal.patch),
        "summary": quoted("its own summary", proposal.summary, limit=_SUMMARY_CHARACTERS)
        if proposal.summary
        else "",
        "findings": quoted("its notes", proposal.findings, limit=_FINDINGS_CHARACTERS)
        if proposal.findings
        else "",
        "reasons": _reasons(attempt),
        "failure": _evidence(attempt.verification, before),
    }


def _reasons(attempt: Attempt) -> list[str]:
    """Return why the attempt was rejected, each as one sentence."""
    reasons = (
        [f"It ended early: {in_line(attempt.proposal.ended)}"] if attempt.proposal.ended else []
    )
    verification = attempt.verification
    if verification is None:
        reasons.append(
            "It was not verified." if attempt.proposal.patch else "There was no change to verify."
        )
        return reasons
    if attempt.doubtful and attempt.proposal.assurance is not None:
        reasons.append(in_line(how_sure.hint(attempt.proposal.assurance)))
    reasons += [in_line(how_sure.unconfirmed(guess)) for guess in verification.unconfirmed]
    if verification.problem:
        reasons.append(f"It could not be accepted: {in_line(verification.problem)}")
    if verification.target is not None and not verification.target.ok:
        reasons.append("The failing command still fails with it in a clean sandbox; see below.")
    if verification.new_failures:
        count = len(verification.new_failures)
        others = "1 other test fail" if count == 1 else f"{count} other tests fail"
        reasons.append(f"It makes {others}; see below.")
    reasons.extend(
        ("" if finding.severity is Severity.REJECT else "Besides: ") + in_line(finding.message)
        for finding in verification.findings
    )
    return reasons


def _evidence(verification: Verification | None, before: Observation | None) -> str:
    if verification is None:
        return ""
    shown = verification.target
    if shown is not None and shown.ok:
        shown = verification.suite if verification.new_failures else None
    if shown is None:
        return ""
    text = describe(shown, before)
    if verification.new_failures:
        names = "\n".join(f"- {new.test}" for new in verification.new_failures)
        text = f"Newly failing:\n{names}\n\n{text}"
    return quoted("test output with its patch", text, limit=_EVIDENCE_CHARACTERS)
