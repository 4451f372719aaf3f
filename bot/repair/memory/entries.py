"""Turn the report of a run into what is kept of its attempts. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

from bot.model import Attempt, Patch, Report
from bot.model.culprit import Certainty, EventKind, KnownRelease
from bot.model.memory import Became, FailureSignature, TriedRepair
from bot.redaction import Redactor
from bot.repair.memory.signature import signature_of
from bot.reporting.outcome import outcome


def entry_id(report: Report, attempt: Attempt) -> str:
    """Return the id of what is kept of an attempt: the same whenever it is kept."""
    return f"{report.run_id}-{attempt.n}"


def tried_in(report: Report, redactor: Redactor, *, earlier: int = 0) -> tuple[TriedRepair, ...]:
    """Return what is kept of a run: its attempts that left a patch.

    Args:
        report: Of the run.
        redactor: Takes secrets out of texts; a patch that holds one is not kept.
        earlier: How many of the attempts are those of the run that it continues.
    """
    signature = None if report.reproduction is None else signature_of(report.reproduction)
    if signature is None:
        return ()
    return tuple(_entries(report, redactor.frozen(signature), redactor, earlier))


def _entries(
    report: Report, signature: FailureSignature, redactor: Redactor, earlier: int
) -> Iterator[TriedRepair]:
    for attempt in report.attempts[earlier:]:
        proposal = attempt.proposal
        if not proposal.patch:
            continue
        entry = TriedRepair(
            id=entry_id(report, attempt),
            run_id=report.run_id,
            signature=signature,
            proposer=attempt.proposer,
            summary=proposal.summary,
            patch=without_secrets(proposal.patch, redactor),
            before=(),
            became=Became.VERIFIED if attempt.accepted else Became.REJECTED,
            made_at=attempt.started or datetime.now(UTC),
            reason="" if attempt.accepted else outcome(attempt),
            model=proposal.model,
            cost_usd=proposal.usage.cost_usd,
        )
        yield redactor.frozen(entry)


def broken_releases(report: Report) -> tuple[KnownRelease, ...]:
    """Return the releases that are proven to have broken the tests, with what the repair followed."""
    accepted = next((attempt for attempt in report.attempts if attempt.accepted), None)
    followed = accepted.proposal.followed if accepted is not None else ()
    culprits = report.what_changed.culprits if report.what_changed is not None else ()
    return tuple(
        KnownRelease(
            item.event.name, item.event.before, item.event.after, followed, item.event.registry
        )
        for item in culprits
        if item.certainty is Certainty.PROVEN
        and item.event.kind is EventKind.RELEASE
        and item.event.before
        and item.event.after
    )


def without_secrets(patch: Patch, redactor: Redactor) -> Patch:
    """Return the patch, or one of which only its size is known where it holds a secret."""
    text = patch.text
    return patch if redactor.text(text) == text else replace(patch, data=b"")


def plain_files(files: dict[str, bytes], redactor: Redactor) -> tuple[tuple[str, bytes], ...]:
    """Return files in the order of their names; none of them where one holds a secret."""
    texts = [content.decode("utf-8", "replace") for content in files.values()]
    if any(redactor.text(text) != text for text in texts):
        return ()
    return tuple(sorted(files.items()))
