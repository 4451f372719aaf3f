"""Compare what fails in two places: the same, some of it, something else, or nobody can tell. Pure.

Lines and folders differ between a merge commit on a runner and its head in a sandbox, so a
compiler's or linter's error is known by its file with its rule or message, and a test by its name
with as much of its path as both sides print. Where one side names nothing, the telling lines of
the outputs are compared. Names on one side only are never a match.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bot.ci.evidence import JobEvidence
from bot.ci.failures.work_tree import relative_paths
from bot.ci.network import lacks_network
from bot.ci.subjects import Subject, subject_of
from bot.ci.telling import levelled, speaks_of_an_error, telling_lines
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
class Account:
    """What one side shows of a failure.

    Attributes:
        named: What a test runner or tool names.
        output: What was printed, or an excerpt of it.
    """

    named: tuple[Failure, ...]
    output: str

    @property
    def lines(self) -> dict[str, str]:
        """The messages of what is named and the telling lines of the output: levelled, and as printed."""
        said = {levelled(each.message): each.message for each in self.named if each.message}
        return said | telling_lines(self.output)


@dataclass(frozen=True, slots=True)
class Comparison:
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


def account_of_log(evidence: JobEvidence) -> Account:
    """Return what GitHub's log shows."""
    return Account(evidence.named, evidence.excerpt)


def account_of_run(observation: Observation) -> Account:
    """Return what an execution here shows."""
    return Account(observation.named, observation.output)


def compare(there: Account, here: Account) -> Comparison:
    """Return what of the failure there shows here.

    Args:
        there: The failure that is looked for.
        here: What an execution shows.
    """
    if not there.named and not there.output.strip():
        return Comparison(Likeness.UNKNOWN)
    if there.named and here.named:
        return _by_name(there.named, here.named)
    return _by_lines(there, here)


def _by_name(there: Sequence[Failure], here: Sequence[Failure]) -> Comparison:
    known: dict[str, list[tuple[Subject, Failure]]] = defaultdict(list)
    for failure in here:
        subject = subject_of(failure)
        known[subject.key].append((subject, failure))
    shared: dict[str, Failure] = {}
    missing: list[str] = []
    for failure in there:
        subject = subject_of(failure)
        found = [
            other
            for candidate, other in known[subject.key]
            if subject.matches(candidate) and not _for_another_reason(failure, other, subject)
        ]
        shared.update({other.test: other for other in found})
        if not found:
            missing.append(failure.test)
    likeness = Likeness.PARTLY if missing else Likeness.SAME
    return Comparison(
        likeness if shared else Likeness.OTHER,
        tuple(shared.values()),
        tuple(missing),
        tuple(failure.test for failure in here if failure.test not in shared),
    )


def _by_lines(there: Account, here: Account) -> Comparison:
    """Compare by the end of the output there, and not by what is printed on the way to it."""
    wanted, found = there.lines, here.lines
    if not wanted and not there.named:
        return Comparison(Likeness.UNKNOWN)
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
        return Comparison(Likeness.SAME)
    return Comparison(
        Likeness.OTHER,
        only_there=_shown(there, wanted, found),
        only_here=_shown(here, found, wanted),
    )


def _shown(account: Account, own: Mapping[str, str], other: Mapping[str, str]) -> tuple[str, ...]:
    """Return what a person reads of one side: its names, else its lines that the other has not."""
    names = tuple(failure.test for failure in account.named)
    return names or tuple(relative_paths(own[line]) for line in own if line not in other)


# Exceptions that say what a machine lacks, and little about the code.
_ABOUT_THE_MACHINE = frozenset(
    {"ModuleNotFoundError", "ImportError", "FileNotFoundError", "PermissionError", "OSError"}
)
_EXCEPTION = re.compile(r"\b(?P<name>[A-Z]\w*(?:Error|Exception))\b")
_QUOTED = re.compile(r"'([^']+)'")


def _for_another_reason(there: Failure, here: Failure, subject: Subject) -> bool:
    """Whether two failures of one name differ in why: a file that can't be imported, no network."""
    account = f"{there.message}\n{there.detail}"
    if not account.strip():
        return False
    if lacks_network(f"{here.message}\n{here.detail}") and not lacks_network(account):
        return True
    why, known = _EXCEPTION.search(here.message), _EXCEPTION.search(there.message)
    if why is None or known is None:
        return False
    if not subject.coarse and why["name"] not in _ABOUT_THE_MACHINE:
        return False
    if why["name"] != known["name"]:
        return why["name"] not in account
    return _disjoint(_QUOTED.findall(there.message), _QUOTED.findall(here.message))


def _disjoint(one: Iterable[str], other: Iterable[str]) -> bool:
    first, second = ({levelled(text) for text in texts} for texts in (one, other))
    return bool(first) and bool(second) and not first & second
