"""Write outcomes as a Markdown table, with medians."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import median

from bench.case_outcome import Outcome

_HEADER = (
    "| case | mode | verdict | attempts | failing tests right | patch only source "
    "| is the repair | s | s in commands | s harness |\n"
    "| --- | --- | --- | ---: | --- | --- | --- | ---: | ---: | ---: |"
)


def table(outcomes: Iterable[Outcome]) -> str:
    """Return one row for each run, and the faults below."""
    rows = [_HEADER, *map(_row, outcomes)]
    faults = [f"- {o.case}, {o.mode}: {fault}" for o in outcomes for fault in o.faults]
    return "\n".join([*rows, "", *faults])


def summary(outcomes: Sequence[Outcome]) -> str:
    """Return, for each mode, how many runs are right, and the medians of those with a report."""
    return "\n".join(
        _mode_summary(mode, [o for o in outcomes if o.mode == mode])
        for mode in dict.fromkeys(outcome.mode for outcome in outcomes)
    )


def _row(outcome: Outcome) -> str:
    patched = outcome.mode == "scripted"
    cells = (
        outcome.case,
        outcome.mode,
        outcome.verdict or "none",
        str(outcome.attempts),
        _yes(outcome.failing_right),
        _yes(outcome.only_source) if patched else "",
        _yes(outcome.same_effect) if patched else "",
        f"{outcome.seconds:.1f}",
        f"{outcome.command_seconds:.1f}",
        f"{outcome.harness_seconds:.1f}",
    )
    return f"| {' | '.join(cells)} |"


def _yes(value: bool) -> str:  # noqa: FBT001 - it is what is written
    return "yes" if value else "NO"


def _mode_summary(mode: str, outcomes: Sequence[Outcome]) -> str:
    right = sum(not outcome.faults for outcome in outcomes)
    told = f"{mode}: {right} of {len(outcomes)} right"
    reported = [outcome for outcome in outcomes if outcome.verdict]
    if not reported:
        return told

    def middle(seconds: Callable[[Outcome], float]) -> str:
        return f"{median(map(seconds, reported)):.1f} s"

    return (
        f"{told}; median {middle(lambda o: o.seconds)}, of it "
        f"{middle(lambda o: o.command_seconds)} in commands and "
        f"{middle(lambda o: o.harness_seconds)} in the harness"
    )
