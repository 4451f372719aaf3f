"""Part failures that have another cause than those that a problem leads to. Pure.

What fails together is taken for one fault until something that was seen tells otherwise. Words of a
problem, and what a model makes of them, say where to look; they part nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from bot.ci.failure_identity import KnownFailures
from bot.code.files import is_test_file
from bot.model import Failure, Observation, OtherFailure, OtherKind
from bot.reporting.reasons import outside_causes as reasons


def excused_by_age(
    seen: Observation, then: Observation, tests: Collection[str], commit: str
) -> dict[str, OtherFailure]:
    """Return the failures that an older commit has too, by id.

    Args:
        seen: The failing command at the commit to repair.
        then: The same at the older one, in the same environment.
        tests: Those of `seen` that may be excused.
        commit: The older one, 40 hex digits.
    """
    known = KnownFailures(then.failing)
    return {
        failure.test: OtherFailure(failure.test, OtherKind.OLD, reasons.old(commit[:7]))
        for failure in seen.failing
        if failure.test in tests and known.same(failure)
    }


_RAISED = re.compile(r"^(?:[\w$]+[.:])*(?P<name>[A-Z][\w$]*)(?::|$)")


def parted_by_place(
    seen: Observation, meant: Collection[str], doubted: Collection[str]
) -> dict[str, OtherFailure]:
    """Return the doubted failures that raise another exception in another file of the program.

    One of the two is not enough: one fault is often met by several exceptions, and by one in
    several places. A test that compares has no place in the program.

    Args:
        seen: What fails.
        meant: Ids of what the problem leads to.
        doubted: Ids of the others.
    """
    known = [_raised(failure) for failure in seen.failing if failure.test in meant]
    if not known or not all(known):
        return {}
    names, places = ({each[n] for each in known if each} for n in (0, 1))
    found = {}
    for failure in seen.failing:
        raised = _raised(failure) if failure.test in doubted else None
        if raised and raised[0] not in names and raised[1] not in places:
            cause = reasons.raised_elsewhere(*raised)
            found[failure.test] = OtherFailure(failure.test, OtherKind.UNRELATED, cause)
    return found


def runs_apart(test: str) -> OtherFailure:
    """Return a failure whose test runs nothing of what the tests of the problem run."""
    return OtherFailure(test, OtherKind.UNRELATED, reasons.RUNS_OTHER_CODE)


def _raised(failure: Failure) -> tuple[str, str] | None:
    """Return an exception's name, and the file of the program in which it was raised."""
    match = _RAISED.match(failure.message)
    if match is None or not failure.file or is_test_file(failure.file):
        return None
    return match["name"], failure.file
