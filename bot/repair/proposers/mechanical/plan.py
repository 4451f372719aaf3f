"""Decide which fix modes to run, from the project's configuration and the failing command."""

from __future__ import annotations

from bot.repair.detect.invocations import invocations
from bot.repair.detect.scripts import Read
from bot.repair.model import Observation
from bot.repair.proposers.mechanical import (
    configured,
    fix_modes,
    generated,
    lock_files,
    named_tools,
    snapshots,
)
from bot.repair.proposers.mechanical.fix import Fix


def plan(
    command: str, observation: Observation | None, read: Read, *, allow_snapshots: bool
) -> tuple[Fix, ...]:
    """Return the fixes to run, in order, none twice.

    Args:
        command: The failing command.
        observation: How it failed; None when it never ran.
        read: Returns a configuration file's text, or None.
        allow_snapshots: Whether snapshots may be rewritten.
    """
    steps = invocations(command, read)
    output = _text(observation)
    found = [*lock_files.fixes_for(steps, output), *generated.before_git_diff(steps)]
    for step in steps:
        fixes = (fix_modes.fix_for(step), generated.checks_itself(step))
        found += [fix for fix in fixes if fix]
        found += configured.fixes_for(step, read)
    found += generated.named_in_output(output, read)
    if allow_snapshots:
        found += snapshots.fixes_for(steps, output)
    found = found or [*generated.own_repair(command, read)]
    found = found or [*named_tools.fixes_for(observation, read)]
    unique: dict[str, Fix] = {}
    for fix in found:
        unique.setdefault(fix.command, fix)
    return tuple(sorted(unique.values(), key=lambda fix: fix.stage))


def _text(observation: Observation | None) -> str:
    if observation is None:
        return ""
    details = "\n".join(failure.detail for failure in observation.failing)
    return f"{observation.output}\n{details}"
