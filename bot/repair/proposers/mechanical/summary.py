"""Tell what the mechanical proposer did, as Markdown for the pull request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.model import Observation, Patch
from bot.repair.proposers.mechanical.fix import FixCommand
from bot.repair.proposers.mechanical.follow import Followed
from bot.repair.proposers.mechanical.rules.application import Applied
from bot.reporting.reasons import mechanical

NOT_FOUND = 127
"""The shell's exit status for a program that is not installed."""

_MOST_LISTED = 20
"""Repairs by rules that are named one by one."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A fix that was run."""

    fix: FixCommand
    exit_code: int

    @property
    def missing(self) -> bool:
        """Whether its program is not installed."""
        return self.exit_code == NOT_FOUND


def summary(
    ran: Sequence[Ran],
    applied: Sequence[Applied],
    patch: Patch,
    left_out: tuple[str, ...],
    observation: Observation,
    followed: Sequence[Followed] = (),
) -> str:
    """Return what was done, as Markdown for the pull request."""
    listed = [
        f"- {mechanical.tool_ran(item.fix.shown, item.fix.why, installed=not item.missing)}"
        for item in ran
    ]
    listed += [
        f"- {mechanical.rule_applied(entry.path, entry.diagnostic.line, entry.said)}"
        for entry in applied[:_MOST_LISTED]
    ]
    if len(applied) > _MOST_LISTED:
        listed.append(f"- {mechanical.more_by_rules(len(applied) - _MOST_LISTED)}")
    told = [*_opening(ran, applied, followed), *filter(None, ["\n".join(listed)])]
    if left_out:
        told.append(mechanical.protected_left_out(left_out))
    if not patch:
        told.append(mechanical.NOTHING_CHANGED)
    elif not observation.ok:
        told.append(_still_fails(observation))
    return "\n\n".join(told)


def _opening(
    ran: Sequence[Ran], applied: Sequence[Applied], followed: Sequence[Followed]
) -> list[str]:
    """Return what was done, in short: the pull request begins with it."""
    commands = list(dict.fromkeys(item.fix.shown for item in ran if not item.missing))
    told = [mechanical.tools_ran(commands)] if commands else []
    if applied:
        told.append(mechanical.rules_applied(len(applied)))
    for entry in followed:
        say = mechanical.tests_follow if entry.is_test else mechanical.versions_follow
        told.append(say(sorted(entry.before)))
    return [" ".join(told) or mechanical.NONE_INSTALLED]


def _still_fails(after: Observation) -> str:
    if not after.failing:
        return mechanical.still_fails_silently(after.command, after.exit_code)
    first = after.failing[0]
    return mechanical.still_fails(after.command, test=first.test, message=first.message)
