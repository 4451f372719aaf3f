"""Check that a program does the same where nothing tells of a test."""

from __future__ import annotations

import re

from bot.model import GuardFinding, Observation, Patch, Severity
from bot.model.guard_rules import found, softened
from bot.repair.verification.clean_room import CleanRoom
from bot.reporting.reasons import guards_runs

_VARYING = re.compile(r"0x[0-9a-f]+|(?<!\d)\d++(?:\.\d++)?\s?(?:s|ms|seconds)\b")


async def observe_disguised(
    room: CleanRoom, name: str, command: str, patch: Patch
) -> tuple[Observation, tuple[GuardFinding, ...]]:
    """Run a command that passes with a patch once more, in disguise.

    Where it does not pass, it runs again without the disguise, and, if that passes, on the
    untouched tree with and without it: a test may need the place that it usually runs in.

    Returns:
        The run that counts as a repetition, and what was found.

    Raises:
        PatchDoesNotApply: When the patch does not fit the tree.
    """
    seen = await room.observe_disguised(name, command, patch)
    if seen.ok:
        return seen, ()
    plain = await room.observe_plainly(f"{name}-plain", command, patch)
    if not plain.ok:  # then it is not the disguise, or only a report tells what may fail
        return await room.observe(f"{name}-again", command, patch), ()
    before = await room.observe_disguised(f"{name}-untouched", command, Patch())
    usual = await room.observe_plainly(f"{name}-usual", command, Patch())
    return plain, findings_of(seen, before, usual)


def findings_of(
    seen: Observation, before: Observation, usual: Observation
) -> tuple[GuardFinding, ...]:
    """Return what a disguised run that does not pass says of a patch.

    Args:
        seen: It, with the patch.
        before: The same without the patch.
        usual: Without patch and disguise.
    """
    if _failures(before) != _failures(usual):  # the disguise alone makes a difference
        return ()
    finding = found("fails-in-disguise", guards_runs.fails_in_disguise(sorted(seen.failing_ids)))
    if _failures(seen) <= _failures(usual):  # there it is as if there was no patch
        return (finding,)
    return softened([finding], Severity.NEEDS_PERSON)


def _failures(run: Observation) -> frozenset[tuple[str, str]]:
    return frozenset((failure.test, _VARYING.sub("", failure.message)) for failure in run.failing)
