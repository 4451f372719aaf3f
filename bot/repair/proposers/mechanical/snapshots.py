"""Stale snapshots, only where the repository's configuration allows to rewrite them."""

from __future__ import annotations

import re

from bot.ecosystems.invocations import Invocation
from bot.repair.proposers.mechanical.fix import FixCommand, FixStage
from bot.reporting.reasons import mechanical

_SAID = re.compile(r"snapshot", re.IGNORECASE)
_DIFFERS = re.compile(
    r"snapshot\b.{0,120}\b(?:mismatched|failed|does not match|doesn't match)|\bsnapshots? failed",
    re.IGNORECASE,
)
_SYRUPY = re.compile(r"^[ \t]*\d+ snapshots? failed|--snapshot-update", re.MULTILINE)


def differ(output: str) -> bool:
    """Whether a test runner says that a snapshot is not what a test makes."""
    return _DIFFERS.search(output) is not None


def fixes_for(steps: tuple[Invocation, ...], output: str) -> tuple[FixCommand, ...]:
    """Return the updates of snapshots that the output complains about."""
    if not _SAID.search(output):
        return ()
    found = []
    for step in steps:
        why = mechanical.SNAPSHOT_DIFFERS
        match step.tool:
            case "pytest" | "py.test":
                option = "--snapshot-update" if _SYRUPY.search(output) else "--inline-snapshot=fix"
                command = step.command(step.program, *step.arguments, option)
            case "jest" | "vitest":
                command = step.command(step.program, *step.arguments, "-u")
            case "cargo":
                command = f"INSTA_UPDATE=always {step.command()}"
            case _:
                continue
        found.append(FixCommand(command, why, FixStage.GENERATE))
    return tuple(found)
