"""Tell whether two failures are the same: one test, or one file and rule, for one reason. Pure.

A failure of GitHub's log is looked for here, one of many tests when they run alone, one of a commit
at its base, and one of the untouched tree with a patch. Names alone don't tell: a test that lacks a
module here has the name of the one that found a fault there. What two sides can't print alike is no
part of the identity: where a tool started, lines, numbers, addresses, times, temporary names.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from bot.ci.error_lines import levelled
from bot.ci.failures.work_tree import relative_path
from bot.model import Failure
from bot.model.observation import place_of

_INSTALLED = re.compile(r"^.*(?:site|dist)-packages[./\\]")
_UNSPECIFIC = frozenset({"", "error", "annotation", "listed"})
"""Rules that a tool gives to everything that it finds."""

_ANNOTATION = "annotation"
"""The rule of what an App says of a file: its words are not those of any tool."""

WHOLE = frozenset({"conftest", "pytest"})
"""Ids of what keeps a test runner from starting."""

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+\b")
_RAISED = re.compile(r"^(?:[\w$]+[.:])*(?:[A-Z][\w$]*|[\w$]*(?:Error|Exception)): (?=\S)")
_CUT = re.compile(r" ?(?:\.\.\.|\u2026)$")
_QUOTED = re.compile(r"'([^']+)'")
_MARKS = re.compile(r"^(?:E|>|-|\+|\*|#|\|) +")
"""What runners put in front of a line of their account."""

_SHORTEST_CUT = 12
"""Characters that a cut message still has to have to be known again."""

_MOST_LINES = 400
"""Of an account, at its end."""


class SubjectKind(StrEnum):
    """What a failure is named after."""

    TEST = "test"
    PLACE = "place"


@dataclass(frozen=True, slots=True)
class FailureIdentity:
    """What makes a failure this one and no other.

    Attributes:
        kind: What it is named after.
        path: Its file or module and class, as parts; the first ones depend on where a tool started.
        name: Of the test, or the rule of a tool.
        message: Why it fails, levelled; empty where nobody says.
        coarse: Whether it stands for a whole file that could not be read, imported or started.
    """

    kind: SubjectKind
    path: tuple[str, ...]
    name: str
    message: str
    coarse: bool = False

    @property
    def key(self) -> str:
        """What two failures have in common when they are of one test, or of one file."""
        last = self.path[-1] if self.path else ""
        return last if self.kind is SubjectKind.PLACE else f"{last}::{self.name}"

    def names_same(self, other: FailureIdentity) -> bool:
        """Whether the other is of the same test, or file and rule, as far as both paths go."""
        length = min(len(self.path), len(other.path))
        if self.kind is not other.kind or self.path[-length:] != other.path[-length:]:
            return False
        rules = {self.name, other.name}
        return len(rules) == 1 or (self.kind is SubjectKind.PLACE and bool(rules & _UNSPECIFIC))


def identity_of(failure: Failure) -> FailureIdentity:
    """Return what makes a failure this one."""
    message = levelled(failure.message)
    place = place_of(failure.test)
    if place and failure.file and relative_path(place.file) == failure.file:
        path = _split("/", _INSTALLED.sub("", failure.file))
        return FailureIdentity(SubjectKind.PLACE, path, place.code, message)
    test = stable_name(_INSTALLED.sub("", failure.test))
    head, found, name = test.partition("::")
    if found:
        return FailureIdentity(SubjectKind.TEST, _split(r"[./\\]", head), name, message)
    if not re.fullmatch(r"\w+(?:\.\w+)+", test):
        return FailureIdentity(SubjectKind.TEST, (), test, message, coarse=test in WHOLE)
    *owner, last = test.split(".")  # unittest's `module.Class.test`, or pytest's `folder.module`
    coarse = not owner[-1][0].isupper()
    return FailureIdentity(SubjectKind.TEST, tuple(owner), last, message, coarse=coarse)


def stable_name(test: str) -> str:
    """Return a test's id without what differs from process to process: addresses of objects."""
    return _ADDRESS.sub("#", test)


class KnownFailures:
    """Failures to look others up among."""

    def __init__(self, failures: Iterable[Failure]) -> None:
        self._known: dict[str, list[tuple[FailureIdentity, Failure]]] = defaultdict(list)
        for failure in failures:
            identity = identity_of(failure)
            self._known[identity.key].append((identity, failure))

    def named(self, failure: Failure) -> tuple[Failure, ...]:
        """Return those of the same test, or file and rule, whatever they fail of."""
        return tuple(other for _, _, other in self._named(failure))

    def same(self, failure: Failure, *, of_log: bool = False) -> tuple[Failure, ...]:
        """Return those that are the same failure.

        Args:
            failure: To look for.
            of_log: It was read from a log, and the known ones were not: another line of the same
                account may be the message there.
        """
        return tuple(
            other
            for identity, known, other in self._named(failure)
            if _same_reason(identity, known)
            or (of_log and (_tells(failure, known) or _tells(other, identity)))
        )

    def _named(
        self, failure: Failure
    ) -> Iterator[tuple[FailureIdentity, FailureIdentity, Failure]]:
        identity = identity_of(failure)
        for known, other in self._known.get(identity.key, ()):
            if identity.names_same(known):
                yield identity, known, other


def same_failure(failure: Failure, other: Failure) -> bool:
    """Whether two failures are the same."""
    return bool(KnownFailures((other,)).same(failure))


def others_than(failures: Iterable[Failure], known: Iterable[Failure]) -> tuple[Failure, ...]:
    """Return the failures that are none of the known ones, each of which accounts for one."""
    left = Counter(known)
    among, found = KnownFailures(left), list[Failure]()
    for failure in failures:
        account = next((each for each in among.same(failure) if left[each]), None)
        if account is None:
            found.append(failure)
        else:
            left[account] -= 1
    return tuple(found)


def _same_reason(first: FailureIdentity, second: FailureIdentity) -> bool:
    """Whether two failures of one name are so for one reason, as far as both sides give any.

    A runner, its report and a log may cut a message, or leave out the type of what was raised.
    """
    if first.kind is SubjectKind.PLACE and _ANNOTATION in {first.name, second.name}:
        return True
    if not (first.message and second.message):
        known = first.message == second.message or first.name not in _UNSPECIFIC
        return first.name == second.name and known
    if _agree(first.message, second.message):
        return True
    if first.kind is SubjectKind.PLACE:  # versions of one tool word it differently
        quoted = set(_QUOTED.findall(first.message))
        specific = first.name == second.name and first.name not in _UNSPECIFIC
        return specific and bool(quoted) and quoted == set(_QUOTED.findall(second.message))
    return False


def _agree(one: str, other: str) -> bool:
    """Whether two levelled messages differ in nothing but a type, or in where they were cut."""
    if one == other or _RAISED.sub("", one) == other or _RAISED.sub("", other) == one:
        return True
    for cut, whole in ((one, other), (other, one)):
        front = _CUT.sub("", cut)
        if front != cut and len(front) >= _SHORTEST_CUT and whole.startswith(front):
            return True
    return False


def _tells(failure: Failure, other: FailureIdentity) -> bool:
    """Whether a test's account has a line that says what another one's message does."""
    if other.kind is SubjectKind.PLACE:
        return False
    lines = failure.detail.strip().split("\n")[-_MOST_LINES:]
    said = (levelled(_MARKS.sub("", line.strip())) for line in lines)
    return any(line and _agree(line, other.message) for line in said)


def _split(separators: str, path: str) -> tuple[str, ...]:
    return tuple(part for part in re.split(separators, path) if part not in {"", ".", ".."})
