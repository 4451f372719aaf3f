"""Why a patch should be believed, in the sentences that pull requests and comments share."""

from __future__ import annotations

from bot.model import Attempt, Observation, Report, RequestKind, Verification
from bot.reporting.figures import count
from bot.reporting.prose import line, opening


def attempt_of(report: Report) -> Attempt | None:
    """Return the attempt that the report's patch comes from."""
    return report.accepted_attempt or next(
        (attempt for attempt in report.attempts if attempt.proposal.patch == report.patch), None
    )


def observation_of(report: Report) -> Observation | None:
    """Return what the failing command did on the untouched commit."""
    return report.reproduction.observation if report.reproduction is not None else None


def change(report: Report, limit: int = 400) -> str:
    """Return the proposer's own first paragraph as a line, or nothing."""
    attempt = attempt_of(report)
    return opening(attempt.proposal.summary, limit=limit) if attempt is not None else ""


def story(report: Report) -> str:
    """Return cause and change, and the proof below, for a comment that has a patch."""
    return "\n\n".join(filter(None, [cause(report), f"**Proof:** {proof(report)}"]))


def cause(report: Report) -> str:
    """Return what was wrong and what was changed, behind its name, or nothing."""
    said = change(report)
    return f"**Cause and change:** {said}" if said else ""


def proof(report: Report) -> str:
    """Return in one or two sentences how the patch was verified, or that it was not."""
    attempt = attempt_of(report)
    verification = attempt.verification if attempt is not None else None
    if report.draft and not report.reverts:
        return report.reason
    seen = report.patch_accepted or report.reverts
    if not seen or verification is None or verification.target is None:
        return "none. This patch is not verified; do not merge it as is."
    counts = verification.target.counts
    passed = f" ({count(counts.passed, 'test')} passed)" if counts is not None else ""
    if report.kind is RequestKind.CHANGE:
        text = f"No test shows this change. The tests pass with it{passed} in a clean sandbox"
        return f"{text} that its author can't reach. {suite_proof(verification)}".strip()
    before = "The failing command passes"
    if report.reproduction is not None and report.reproduction.test_patch is not None:
        before = "A new test that failed on the original commit passes"
    text = f"{before} with this patch{passed} in a clean sandbox that its author can't reach."
    return f"{text} {suite_proof(verification)}".strip()


def ran_none(seen: Observation) -> bool:
    """Whether a runner says that it ran no test, so that none can have passed."""
    return seen.counts is not None and not seen.counts.passed + seen.counts.failed


def suite_proof(verification: Verification) -> str:
    """Return what the whole suite showed, as a sentence; nothing where it was not run."""
    if verification.uncompared or verification.suite is None or ran_none(verification.suite):
        return line(verification.uncompared)
    if verification.suite.ok and not verification.suite.others:
        return "The full test suite passes."
    return "The full test suite has no new failures."
