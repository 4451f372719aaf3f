"""Word what `fixpoint config simulate` found: what would happen, and by which rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Any

from bot.model.risk import Confidence
from bot.reporting.example import example
from bot.reporting.series import series

FAILED_CHECKS = "Failed checks"
PROOF = "Proof card"
COMMAND = "/fix"
PROOF_STARTS = "The pull request would get the check run *Proof*."
REFUSED = "No run would start, and an answer would say why."
IGNORED = "Nothing would happen."


@dataclass(frozen=True, slots=True)
class SimulatedRule:
    """A condition, and whether it holds."""

    text: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Simulated:
    """What would come of one trigger.

    Attributes:
        trigger: What could start something.
        starts: Whether something would start.
        outcome: What would come of it, in a sentence.
        rules: That decide it, in their order: the first that doesn't hold is the reason.
    """

    trigger: str
    starts: bool
    outcome: str
    rules: tuple[SimulatedRule, ...] = ()


_ENDS = {
    Confidence.DIAGNOSE: "a report",
    Confidence.SUGGEST: "the patch in a comment",
    Confidence.DRAFT: "a draft pull request",
    Confidence.PUSH: "a pull request",
}


@example(["lint", "test"], 3, Decimal("1.5"), Confidence.DRAFT, draft=True)
@example([], 1, Decimal(0), Confidence.SUGGEST, draft=True)
def run_starts(
    checks: Sequence[str],
    attempts: int,
    budget_usd: Decimal,
    confidence: Confidence,
    *,
    draft: bool,
) -> str:
    """Say that a run would start, and what it may do and cost."""
    about = f" for {series(checks)}" if checks else ""
    tries = "1 attempt" if attempts == 1 else f"{attempts} attempts"
    ready = confidence is Confidence.DRAFT and not draft
    end = Confidence.PUSH if ready else confidence
    return (
        f"A run would start{about}: at most {tries} and ${budget_usd:.2f} of model calls. What it "
        f"finds would become {_ENDS[end]}."
    )


@example("Automatic runs are not enabled here.")
def nothing(reason: str) -> str:
    """Say that nothing would start, and why."""
    return f"{IGNORED} {reason}"


@example("Waiting for lint.")
def later(reason: str) -> str:
    """Say that it isn't decided yet."""
    return f"Fixpoint would look again later. {reason}"


@example(
    [
        Simulated(
            FAILED_CHECKS,
            starts=False,
            outcome=nothing("Fixpoint has already run on this commit."),
            rules=(
                SimulatedRule("Fixpoint did not open the pull request.", holds=True),
                SimulatedRule("No run has worked on this commit.", holds=False),
            ),
        )
    ]
)
def lines(parts: Sequence[Simulated]) -> str:
    """Return the parts as a terminal shows them."""
    return "\n\n".join("\n".join(_lines(part)) for part in parts)


def _lines(part: Simulated) -> Iterator[str]:
    yield f"{part.trigger}: {part.outcome}"
    yield from (f"  {'✓' if rule.holds else '✗'} {rule.text}" for rule in part.rules)


def as_object(parts: Sequence[Simulated]) -> list[dict[str, Any]]:
    """Return the parts for `--json`."""
    return [asdict(part) for part in parts]
