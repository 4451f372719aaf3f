"""Make the report of a run from what it knows at its end."""

from __future__ import annotations

from dataclasses import dataclass

from bot.model import Attempt, Patch, Report, Verdict, suggestion_of
from bot.model.proposers import PROPOSERS
from bot.model.steps import now
from bot.repair.goal.failure_classes import reports_failure
from bot.repair.loop import best_patch, draft_of
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run
from bot.repair.workspace.patches import patch_between
from bot.reporting.reasons import outside_causes, run_life

_HAS_PATCH = frozenset({Verdict.FIXED, Verdict.SUGGESTED, Verdict.IMPROVED})


@dataclass(frozen=True, slots=True)
class End:
    """How a run ended.

    Attributes:
        verdict: Of it.
        reason: As a sentence.
        context: Where it worked; None when it did not come so far.
        sandboxes_failed: Whether a sandbox failed it before anything was reproduced.
    """

    verdict: Verdict
    reason: str
    context: RepairContext | None = None
    sandboxes_failed: bool = False


async def report_of(run: Run, end: End, started: float) -> Report:
    """Return the report of a run that began at that `time.time()`, ends now, and ended so."""
    known, context, verdict, reason = run.known, end.context, end.verdict, end.reason
    accepted = next((attempt for attempt in known.attempts if attempt.accepted), None)
    draft = draft_of(known.attempts, known.reproduction) if verdict is Verdict.IMPROVED else None
    suggested = suggestion_of(known.attempts) if verdict is Verdict.SUGGESTED else None
    patch = (
        accepted.proposal.patch
        if accepted
        else best_patch(known.attempts, run.known.failing_before)
    )
    deaf = _deaf(run)
    if run.job.problem.instructions and deaf:
        known.note(run_life.instructions_unread(deaf))
    unread = bool(deaf) and verdict in _HAS_PATCH and _asks_more(run)
    if unread:
        reason = f"{reason} {run_life.issue_unread(deaf)}"
    if context is not None and known.untouched is not None and patch:
        patch = await _whole_patch(context, known.untouched.tree, patch)
    return Report(
        run_id=run.job.run_id,
        verdict=verdict,
        reason=f"{_why_draft(draft)} {reason}" if draft is not None else reason,
        problem=run.job.problem,
        head=known.head,
        commands=known.commands,
        reproduction=known.reproduction,
        attempts=tuple(known.attempts),
        patch=patch,
        patch_accepted=accepted is not None,
        usage=known.usage,
        seconds=await run.steps("finish", now) - started,
        command_seconds=run.run_limits.held,
        notes=tuple(known.notes),
        draft=draft is not None or bool(suggested and suggested.proposal.reverts),
        kind=known.kind,
        specification=known.specification,
        asks=known.asks,
        what_changed=known.what_changed,
        flaky=known.flaky,
        group=known.group,
        issue_unread=unread,
        quarantine=known.quarantine,
    )


def _deaf(run: Run) -> tuple[str, ...]:
    """Return who was asked where nobody was asked who reads what people write: a model."""
    tried = tuple(dict.fromkeys(run.known.tried))
    readers = [PROPOSERS[name] for name in tried if name in PROPOSERS]
    reads = any(reader.needs_model or reader.is_given for reader in readers) or len(readers) < len(
        tried
    )
    return () if reads else tried


def _asks_more(run: Run) -> bool:
    """Whether the issue may ask for something else than to mend what was seen failing."""
    job, found = run.job, run.known.reproduction
    shown = (job.failed, job.of_flaky, job.given_test, job.known_tests, job.written_tests)
    if any(shown) or job.problem.is_pull_request or run.known.issue_read:
        return False
    if found is None or found.observation is None or found.test_patch is not None:
        return False
    asks = job.problem.title or job.problem.body
    return bool(asks) and not reports_failure(job.problem, found.observation)


def _why_draft(draft: Attempt) -> str:
    left = len(draft.failing_after or ())
    tests = draft.failing_before
    return outside_causes.draft(len(tests) - left, tests)


async def _whole_patch(context: RepairContext, untouched: str, patch: Patch) -> Patch:
    """Return the patch with the test that was written first, when there is one."""
    if context.prepared.tree == untouched:
        return patch
    store = context.source.store
    tree = await store.apply(context.prepared.tree, patch.data)
    return await patch_between(store, untouched, tree)
