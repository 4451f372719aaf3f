"""What people read when a run waits for them, and what becomes of it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bot.model import Report
from bot.model.offer import Offer
from bot.reporting.evidence import changed_files, diffstat
from bot.reporting.figures import cap, count, duration
from bot.reporting.markdown import Section, bullets, code, details, essential, fence, fit
from bot.reporting.marker import signed
from bot.reporting.proof import cause, proof
from bot.reporting.prose import line


def waiting(report: Report, risks: Sequence[str], role: str, until: datetime, mark: str) -> str:
    """Say what was found, why it is not published, and how to answer.

    Args:
        report: Of a run whose patch is believed.
        risks: Why a person must approve, each as a sentence.
        role: The least role that may.
        until: When the run ends without an answer, UTC.
        mark: The hidden marker, last line of the comment.
    """
    sections = [
        essential(
            "**A patch passes, and waits for a person before it is published.**\n\n"
            f"{bullets(map(line, risks))}"
        ),
        essential(
            f"`/fix approve` publishes it, `/fix reject` ends the run. Approving takes the role "
            f"{code(role)}. Without an answer the run ends on {until:%Y-%m-%d at %H:%M} UTC."
        ),
        Section((f"{cause(report)}**Proof:** {proof(report)}",), rank=8),
        Section((f"{diffstat(report.patch)}: {changed_files(report.patch)}",), rank=7),
        Section(
            (details("Show the patch", fence(report.patch.text, "diff", limit=30_000)),), rank=1
        ),
        essential(f"{mark}\n"),
    ]
    return fit(sections)


def answered(by: str, *, approved: bool, mark: str) -> str:
    """Say that an answer was heard."""
    what = "approved: the run goes on" if approved else "rejected: the run ends"
    return signed(f"{code(by)} {what}.", mark)


def more(offer: Offer) -> str:
    """Say what an approval would let a run go on with, and who may give it."""
    limits = offer.limits
    parts = [] if limits.cost_usd is None else [cap(limits.cost_usd)]
    parts += [] if limits.tokens is None else [count(limits.tokens, "token")]
    parts += [count(limits.attempts, "attempt"), duration(limits.seconds)]
    return (
        f"`/fix approve` goes on from here with as much again: {', '.join(parts)}. It takes the "
        f"role {code(offer.role)}. The offer ends on {offer.until:%Y-%m-%d at %H:%M} UTC."
    )


def still_waiting(mark: str) -> str:
    """Say that the run waits for an answer."""
    return signed(
        "A patch passes, and waits for a person: `/fix approve` publishes it, `/fix reject` ends "
        "the run.",
        mark,
    )


def nothing_waits(mark: str) -> str:
    """Say that there is nothing to answer."""
    return signed("No run waits for an approval here.", mark)


def spent(role: str, mark: str) -> str:
    """Say who may start a run where the last one spent its budget."""
    return signed(
        "The last run here spent its budget. As much again takes the role "
        f"{code(role)} in this repository, or more: `/fix approve` goes on from there while the "
        "offer stands, `/fix retry` starts over.",
        mark,
    )


def may_not_approve(role: str, mark: str) -> str:
    """Say who may approve."""
    return signed(
        f"Approving takes the role {code(role)} in this repository, or more. "
        "`/fix reject` ends the run.",
        mark,
    )


def diagnosis(report: Report, mark: str) -> str:
    """Tell the cause and what would repair it, where the repository wants no patch."""
    sections = [
        essential(
            "**Diagnosed.** A patch passes; this repository's `confidence` is `diagnose`, so it "
            "is not shown."
        ),
        Section((f"{cause(report)}**Proof:** {proof(report)}",), rank=8),
        Section((f"It changes {changed_files(report.patch)} ({diffstat(report.patch)}).",), rank=7),
        essential(f"{mark}\n"),
    ]
    return fit(sections)
