"""How repairs turned out, as lines and as a table."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Result:
    """How one repair turned out.

    Attributes:
        subject: What was to be repaired.
        by: `fixpoint` or `fixkit`.
        plausible: A patch passes every test.
        equal: The patched program answers like the right one.
        seconds: Wall time, from start to end.
        cpu: Processor time, all processes together, in seconds.
        patch: As a diff, or "".
        why: What was said where nothing was found.
        probability: That the patch is right, as the search estimated it.
        witnesses: What that comes from.
        suggested: The search was not sure enough of the patch to call it a repair.
    """

    subject: str
    by: str
    plausible: bool
    equal: bool
    seconds: float
    cpu: float
    patch: str
    why: str = ""
    probability: float | None = None
    witnesses: Mapping[str, float] | None = None
    suggested: bool = False

    def line(self) -> str:
        """Return it as one line."""
        word = "equal" if self.equal else "plausible" if self.patch else "not fixed"
        word = f"{word}?" if self.suggested else word
        likely = "" if self.probability is None else f" ({self.probability:.2f})"
        told = _changed(self.patch) if self.patch else self.why
        return f"{self.by:8} {self.subject:28} {word:10} {self.seconds:6.1f} s {self.cpu:6.1f} cpu s{likely}  {told[:150]}"


def row(name: str, results: Sequence[Result]) -> str:
    """Return the figures of a set as a row of a Markdown table."""
    seconds = sorted(result.seconds for result in results)
    ninth = seconds[min(len(seconds) - 1, int(0.9 * len(seconds)))]
    plausible = sum(result.plausible for result in results)
    equal = sum(result.equal and not result.suggested for result in results)
    suggested = [result for result in results if result.suggested]
    right = sum(result.equal for result in suggested)
    return (
        f"| {name} | {len(results)} | {plausible} ({plausible / len(results):.0%}) | "
        f"{equal} ({equal / len(results):.0%}) | {right} of {len(suggested)} | {statistics.median(seconds):.1f} | {ninth:.1f} | "
        f"{statistics.median(result.cpu for result in results):.1f} |"
    )


HEAD = """\
| Set | faults | plausible | equal | suggested: equal | median s | 90 % within s | median CPU s |
|---|--:|--:|--:|--:|--:|--:|--:|"""


def _changed(patch: str) -> str:
    lines = [
        line for line in patch.splitlines() if line[:1] in "+-" and line[:3] not in {"+++", "---"}
    ]
    return " | ".join(line[0] + line[1:].strip() for line in lines)
