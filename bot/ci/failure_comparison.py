"""Compare what fails in two places: the same, some of it, something else, or nobody can tell. Pure.

Where both sides name failures, these are compared: see `bot/ci/failure_identity.py`. Where one side
names nothing, the telling lines of the outputs are. Names on one side only are never a match.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from bot.ci.error_lines import (
    levelled,
    speaks_of_an_error,
    telling_lines,
)
from bot.ci.evidence import JobEvidence
from bot.ci.failure_identity import KnownFailures
from bot.ci.failures.work_tree import relative_paths
from bot.ci.network import lacks_network
from bot.model import Failure, Observation

_LAST = 8
"""Telling lines at the end of an output, where the failure that ended the command stands."""

_SHORTEST = 12
"""Characters of a message that are enough to know it again within a line."""


class Likeness(StrEnum):
    """How much of what fails in one place fails in the other, too."""

    SAME = "the same"
    PARTLY = "some of it"
    OTHER = "something else"
    UNKNOWN = "nobody can tell"


@dataclass(frozen=True, slots=True)
class FailureOutput:
    """What one side shows of a failure.

    Attributes:
        named: What a test runner or tool names.
        output: What was printed, or an excerpt of it.
        of_log: Whether a log alone is known, and no report of a test runner.
    """

    named: tuple[Failure, ...]
    output: str
    of_log: bool = False

    @property
    def lines(self) -> dict[str, str]:
        """The messages of what is named and the telling lines of the output: levelled, and as printed."""
        said = {levelled(each.message): each.message for each in self.named if each.message}
        return said | telling_lines(self.output)


@dataclass(frozen=True, slots=True)
class FailureMatch:
    """What two accounts have in common.

    Attributes:
        likeness: The conclusion.
        shared: Failures here that are there, too; empty when only lines could be compared.
        only_there: Ids or lines of the other side that are not seen here.
        only_here: The same of this side.
    """

    likeness: Likeness
    shared: tuple[Failure, ...] = ()
    only_there: tuple[str, ...] = ()
    only_here: tuple[str, ...] = ()

    @property
    def seen(self) -> bool:
        """Whether something of the other side's failure shows here."""
        return self.likeness in {Likeness.SAME, Likeness.PARTLY}


def account_of_log(evidence: JobEvidence) -> FailureOutput:
    """Return what GitHub's log shows."""
    return FailureOutput(evidence.named, evidence.excerpt, of_log=True)


def account_of_run(observation: Observation) -> FailureOutput:
    """Return what an execution here shows."""
    return FailureOutput(observation.named, observation.output)


def compare(there: FailureOutput, here: FailureOutput) -> FailureMatch:
    """Return what of the failure there shows here.

    Args:
        there: The failure that is looked for.
        here: What an execution shows.
    """
    if not there.named and not there.output.strip():
        return FailureMatch(Likeness.UNKNOWN)
    if there.named and here.named:
        return _by_name(there, here)
    return _by_lines(there, here)


def _by_name(there: FailureOutput, here: FailureOutput) -> FailureMatch:
    known, of_log = KnownFailures(here.named), KnownFailures(there.named)
    shared: dict[str, Failure] = {}
    missing: list[str] = []
    for failure in there.named:
        found = known.same(failure, of_log=there.of_log)
        shared.update({other.test: other for other in found})
        if not found:
            missing.append(_told(failure, known))
    likeness = Likeness.PARTLY if missing else Likeness.SAME
    return FailureMatch(
        likeness if shared else Likeness.OTHER,
        tuple(shared.values()),
        tuple(missing),
        tuple(_told(item, of_log) for item in here.named if item.test not in shared),
    )


def _told(failure: Failure, other_side: KnownFailures) -> str:
    """Return a failure's name, with its reason where the other side has one of that name."""
    if failure.message and other_side.named(failure):
        return f"{failure.test}: {failure.message}"
    return failure.test


def _by_lines(there: FailureOutput, here: FailureOutput) -> FailureMatch:
    """Compare by the end of the output there, and not by what is printed on the way to it."""
    wanted, found = there.lines, here.lines
    if not wanted and not there.named:
        return FailureMatch(Likeness.UNKNOWN)
    told = "\n".join(found)
    last = list(wanted)[-_LAST:]
    shared = [line for line in last if line in found or (len(line) >= _SHORTEST and line in told)]
    ends_alike = bool(found) and list(found)[-1] in wanted
    ends_so_too = bool(last) and last[-1] in shared
    half = len(shared) * 2 >= len(last)
    seen = bool(shared) and (ends_alike or half)
    if len(shared) * 2 == len(last) or not speaks_of_an_error(there.output):
        # What comes before the last line may say nothing of what failed.
        seen = seen and (ends_alike or ends_so_too or bool(there.named))
    if lacks_network(here.output) and not lacks_network(there.output):
        seen = seen and last[-1] in shared
    if seen:
        return FailureMatch(Likeness.SAME)
    return FailureMatch(
        Likeness.OTHER,
        only_there=_shown(there, wanted, found),
        only_here=_shown(here, found, wanted),
    )


def _shown(
    account: FailureOutput, own: Mapping[str, str], other: Mapping[str, str]
) -> tuple[str, ...]:
    """Return what a person reads of one side: its names, else its lines that the other has not."""
    names = tuple(failure.test for failure in account.named)
    return names or tuple(relative_paths(own[line]) for line in own if line not in other)
