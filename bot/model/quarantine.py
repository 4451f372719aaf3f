"""Flaky tests that are kept in quarantine: how each is marked, who owns it, and when that ends."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.model.culprit import RunCounts
from bot.model.flaky import FlakyTest

_NO_RUNS = RunCounts()

DAYS = 30
"""After which a quarantine ends, if the repo config says nothing else."""


class MarkKind(StrEnum):
    """The project's own way to say that a test may fail."""

    XFAIL = "pytest.mark.xfail"
    SKIP_METHOD = "unittest.skip"
    TODO = "todo"
    SKIP = "skip"
    FIXME = "fixme"
    GO_SKIP = "t.Skip"

    @property
    def runs(self) -> bool:
        """Whether the runner still runs a test with this mark."""
        return self in {MarkKind.XFAIL, MarkKind.TODO}


class OwnerSource(StrEnum):
    """How it is known who owns a test."""

    CODEOWNERS = "CODEOWNERS"
    BLAME = "blame"


@dataclass(frozen=True, slots=True)
class CodeOwner:
    """Who looks after a test.

    Attributes:
        names: As CODEOWNERS has them (`@login`, `@org/team`, an address), or the author of most of its lines.
        source: Where that is from.
    """

    names: tuple[str, ...]
    source: OwnerSource


@dataclass(frozen=True, slots=True)
class QuarantineMark:
    """A flaky test, with the mark that was tried in a sandbox.

    Attributes:
        test: What was measured of it.
        path: File that it stands in; empty where that is not known.
        kind: Of the mark; None where there is none that is safe.
        digest: SHA-256 of the file, without the mark, with which it was tried.
        first: Line at which the test begins, from 1; 0 where that is not known.
        last: Its last line.
        whole: Whether all parameters of the test are marked, where one was measured.
        runs: Of the command that shows the failure, or the failing one, with the mark.
        suite: Command of the suite that passed with it as without it.
        why_not: Why there is no mark, as a sentence.
    """

    test: FlakyTest
    path: str = ""
    kind: MarkKind | None = None
    digest: str = ""
    first: int = 0
    last: int = 0
    whole: bool = False
    runs: RunCounts = _NO_RUNS
    suite: str = ""
    why_not: str = ""


class QuarantineState(StrEnum):
    """How far a quarantine came."""

    OPENING = "opening"
    """Issue and pull request are being made."""

    OPEN = "open"
    ENDING = "ending"
    """The pull request that takes the mark away waits to be merged."""

    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Quarantine:
    """A test in quarantine.

    Attributes:
        run_id: Of the run that measured it.
        test: Its id.
        path: Where it stood then; empty without a mark.
        kind: Of the mark; None without one.
        owner: Who looks after it; None where nobody is known.
        until: When it ends, UTC.
        state: How far it came.
        opened_at: UTC.
        issue: Number; None as long as there is none.
        pull: Number of the pull request with the mark; None without one.
        removal: Number of the one that takes the mark away; None as long as there is none.
        repaired_by: Number of a merged pull request of ours that repairs it; None without one.
    """

    run_id: str
    test: str
    path: str
    kind: MarkKind | None
    owner: CodeOwner | None
    until: datetime
    state: QuarantineState
    opened_at: datetime
    issue: int | None = None
    pull: int | None = None
    removal: int | None = None
    repaired_by: int | None = None


_AS_PYTEST_HAS_IT = re.compile(r"\.py(?=::)")


def same_id(test: str) -> str:
    """Return what the ids of a test have in common, by which runners and their reports name it.

    `tests/test_a.py::A::test_b` is `tests.test_a.A::test_b` in a report of pytest's, and
    `tests.test_a.A.test_b` for unittest.
    """
    name, bracket, parameter = test.partition("[")
    plain = _AS_PYTEST_HAS_IT.sub("", name).replace("/", ".").replace("::", ".")
    return f"{plain}{bracket}{parameter}"
