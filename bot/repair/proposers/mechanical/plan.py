"""Decide which fix modes to run: by what the failing command started, by configuration, by output."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from bot.ci.failure_identity import SubjectKind, identity_of
from bot.ecosystems.commands.task_runners import Read
from bot.ecosystems.invocations import Invocation, invocations
from bot.model import Observation
from bot.repair.proposers.mechanical import (
    configured,
    fix_modes,
    generated,
    lock_files,
    named_tools,
    snapshots,
)
from bot.repair.proposers.mechanical.fix import FixCommand, FixStage
from bot.repair.proposers.mechanical.process_tree import SeenTool, seen_tools
from bot.reporting.reasons import mechanical
from sandbox.base import WORKSPACE


def plan(
    command: str,
    observation: Observation | None,
    read: Read,
    *,
    allow_snapshots: bool,
    inner: bool = False,
    root: str = WORKSPACE,
) -> tuple[FixCommand, ...]:
    """Return the fixes to run, in order, none twice.

    A tool that was seen running is used as it was started; configuration tells of those that an
    earlier failure kept from starting.

    Args:
        command: The failing command.
        observation: How it failed; None when it never ran.
        read: Returns a configuration file's text, or None.
        allow_snapshots: Whether snapshots may be rewritten.
        inner: Whether tools that another one started are taken too: hooks of pre-commit.
        root: The work tree's folder in the sandbox.
    """
    steps = invocations(command, read)
    output = _text(observation)
    tools = seen_tools(observation.programs, root) if observation is not None else ()
    seen = [tool for tool in tools if inner or not tool.inner]
    found = [*lock_files.fixes_for(steps, output), *generated.before_git_diff(steps)]
    found += _of_seen(seen)
    for step in steps:
        fixes = (_unseen(step, tools), generated.checks_itself(step))
        found += [fix for fix in fixes if fix]
        found += configured.fixes_for(step, observation, read)
    found += generated.fixing_target(steps, read)
    found += generated.named_in_output(output, read)
    if allow_snapshots:
        found += snapshots.fixes_for(steps, output)
    if not found and not _only_tests(observation):
        found = [*generated.own_repair(command, read)]
    found = found or [*named_tools.fixes_for(observation, read)]
    unique: dict[str, FixCommand] = {}
    for fix in found:
        unique.setdefault(fix.command, fix)
    return tuple(sorted(unique.values(), key=lambda fix: fix.stage))


def _of_seen(tools: Sequence[SeenTool]) -> Iterator[FixCommand]:
    for tool in tools:
        fix = fix_modes.fix_for(tool.invocation)
        if fix is not None:
            yield replace(fix, why=mechanical.seen(tool.invocation.tool, tool.through))


def _unseen(step: Invocation, seen: Sequence[SeenTool]) -> FixCommand | None:
    """Return a tool's fix mode unless the same mode of the tool was seen running."""
    fix = fix_modes.fix_for(step)
    if fix is None or (step.tool, fix.stage) in {_mode(tool.invocation) for tool in seen}:
        return None
    return fix


def _mode(invocation: Invocation) -> tuple[str, FixStage | None]:
    fix = fix_modes.fix_for(invocation)
    return invocation.tool, fix.stage if fix is not None else None


def _only_tests(observation: Observation | None) -> bool:
    """Whether tests failed and nothing else: what formats the sources is no repair of them."""
    if observation is None or observation.counts is None or not observation.named:
        return False
    return all(identity_of(each).kind is SubjectKind.TEST for each in observation.named)


def _text(observation: Observation | None) -> str:
    if observation is None:
        return ""
    details = "\n".join(failure.detail for failure in observation.failing)
    return f"{observation.output}\n{details}"
