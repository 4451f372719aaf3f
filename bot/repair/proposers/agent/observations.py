"""Render what a test command showed, for a model: the failures first, bounded."""

from __future__ import annotations

from bot.model import Failure, Observation
from bot.model.untrusted import clip, reveal_hidden

_DETAILED = 12
_LISTED = 60
_DETAIL_CHARACTERS = 2_000
_OUTPUT_CHARACTERS = 8_000
_SHORT_OUTPUT_CHARACTERS = 1_500
_COUNTED_OUTPUT_CHARACTERS = 500
"""Of tests that pass and were counted: what is left to see are warnings and the runner's last line."""


def describe(observation: Observation, before: Observation | None = None) -> str:
    """Return the outcome, each failure with its message, and what changed since `before`.

    Times are left out, so that the same outcome reads the same.
    """
    parts = [_headline(observation)]
    if before is not None and before.command == observation.command:
        parts.append(_progress(observation, before))
    parts.append(describe_failures(observation))
    return "\n\n".join(part for part in parts if part)


def describe_failures(observation: Observation) -> str:
    """Return the failures one by one; the raw output where none could be read."""
    if not observation.failing:
        most = _room(observation)
        output = clip(reveal_hidden(observation.output).strip(), most)
        return f"Output:\n{output}" if output else "It printed nothing."
    detailed = [_in_detail(failure) for failure in observation.failing[:_DETAILED]]
    listed = [f"- {failure.test}" for failure in observation.failing[_DETAILED:_LISTED]]
    if listed:
        detailed.append("Also failing:\n" + reveal_hidden("\n".join(listed)))
    if (unlisted := len(observation.failing) - _LISTED) > 0:
        detailed.append(f"… and {unlisted} more.")
    return "\n\n".join(detailed)


def _room(observation: Observation) -> int:
    if not observation.ok:
        return _OUTPUT_CHARACTERS
    return _COUNTED_OUTPUT_CHARACTERS if observation.counts else _SHORT_OUTPUT_CHARACTERS


def _headline(observation: Observation) -> str:
    if observation.timed_out:
        outcome = "timed out and was stopped"
    elif observation.ok:
        outcome = "passed"
    else:
        outcome = f"failed with exit code {observation.exit_code}"
    counts = observation.counts
    tests = (
        f": {counts.failed} failed, {counts.passed} passed, {counts.skipped} skipped"
        if counts
        else ""
    )
    return f"`{observation.command}` {outcome}{tests}."


def _progress(now: Observation, before: Observation) -> str:
    new = [failure.test for failure in now.failing if failure.test not in before.failing_ids]
    still = len(now.failing_ids & before.failing_ids)
    if not before.failing:
        return ""
    if not new and still == len(before.failing_ids):
        return "The same failures as before any change."
    sentence = f"Failures before any change: {len(before.failing_ids)}; still failing: {still}."
    if new:
        names = reveal_hidden(", ".join(new[:_DETAILED]))
        sentence += f" Newly failing: {names}{' …' if new[_DETAILED:] else ''}."
    return sentence


def _in_detail(failure: Failure) -> str:
    place = f" ({failure.file}:{failure.line})" if failure.file and failure.line else ""
    lines = [f"- {failure.test}{place}"]
    if failure.message and failure.message not in failure.detail:
        lines.append(failure.message)
    if failure.detail:
        lines.append(failure.detail.strip("\n"))
    return clip(reveal_hidden("\n  ".join("\n".join(lines).split("\n"))), _DETAIL_CHARACTERS)
