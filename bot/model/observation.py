"""What a command showed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

_PLACE = re.compile(
    r"(?:\./(?P<bare>[^:]+)|(?P<file>[^:\s][^:]*?(?:\.\w+|(?=:\d)))(?::\d+)?): (?P<code>\S+)"
)


class DiagnosticId(NamedTuple):
    """What a tool's id says: the file that it names, and the code of what it found there."""

    file: str
    code: str


def place_of(test: str) -> DiagnosticId | None:
    """Return file and code of a failure's id `path:line: code`; None where it names a test.

    Every edit moves the line, so that it is left out.
    """
    found = _PLACE.fullmatch(test)
    if found is None:
        return None
    return DiagnosticId(found["bare"] or found["file"], found["code"])


def names_test(failure_id: str) -> bool:
    """Whether a failure's id names a test, and not what a tool or a hook of pre-commit reports."""
    return place_of(failure_id) is None and not failure_id.startswith("pre-commit: ")


@dataclass(frozen=True, slots=True)
class Failure:
    """One failing test, or one error of a compiler or linter.

    Attributes:
        test: The test's id in its runner's own words (`pkg.mod.Class::test_name` for pytest,
            `example.com/pkg.TestX/sub` for go, ...); for a tool's error `path:line: code`; of a whole
            file `path: code`, with `./` before a name that no suffix tells from a test's.
        file: Path relative to the work tree, or None.
        line: 1-based, or None.
        message: The first line that says why.
        detail: The runner's own account: traceback, diff of expected and actual; may be cut.
        column: 1-based, or None where a tool names none.
    """

    test: str
    file: str | None = None
    line: int | None = None
    message: str = ""
    detail: str = ""
    column: int | None = None


@dataclass(frozen=True, slots=True)
class TestCounts:
    """How many tests a command ran, by outcome; all None-free because unknown means no counts."""

    __test__ = False  # not a pytest class

    passed: int
    failed: int
    skipped: int


@dataclass(frozen=True, slots=True)
class StartedProgram:
    """A program that a command started, itself or through others.

    Attributes:
        file: Its path in the sandbox.
        arguments: What it was given, its own name first.
        folder: Where it ran: relative to the work tree (empty for its root), else absolute.
        by: Index of the program that started it, or became it; None for the first.
        on_path: Whether the command's shell finds it by its plain name.
    """

    file: str
    arguments: tuple[str, ...]
    folder: str = ""
    by: int | None = None
    on_path: bool = False


@dataclass(frozen=True, slots=True)
class Observation:
    """One execution of a command in a sandbox, read.

    Attributes:
        command: What was run, as a person would type it.
        exit_code: See `sandbox.base.CommandResult`.
        failing: What failed, in the runner's order; empty when it passed or can't be read.
        passed: Ids of tests that passed, when the runner reports them one by one.
        skipped: Ids of skipped tests, likewise.
        counts: Tests by outcome, or None when the runner does not say.
        output: Head and tail of what it printed.
        seconds: Wall time.
        timed_out: Its time was up.
        written: Paths that it left new or changed in the work tree; empty when nobody looked.
        order: In which order its tests ran, as a sentence; empty when nobody asked.
        programs: What it started, in order; empty when nobody watched, or nobody could.
        refused: Hosts that it asked for and could not reach, as far as that is known.
        others: What failed besides, and no patch of this run has to mend.
        tolerated: Those of `skipped` that ran and failed, as a mark lets them: `xfail`, `todo`.
    """

    command: str
    exit_code: int
    failing: tuple[Failure, ...] = ()
    passed: frozenset[str] = frozenset()
    skipped: frozenset[str] = frozenset()
    counts: TestCounts | None = None
    output: str = ""
    seconds: float = 0.0
    timed_out: bool = False
    written: tuple[str, ...] = ()
    order: str = ""
    programs: tuple[StartedProgram, ...] = ()
    refused: tuple[str, ...] = ()
    others: tuple[Failure, ...] = ()
    tolerated: frozenset[str] = frozenset()

    @property
    def ok(self) -> bool:
        """Whether the command passed, apart from what no patch has to mend."""
        if self.exit_code == 0:
            return True
        return bool(self.others) and not self.failing and not self.timed_out

    @property
    def asks_for_more(self) -> bool:
        """Whether it fails although every test that it ran passed, as a check of coverage does."""
        tests_passed = bool(self.passed) or (self.counts is not None and self.counts.passed > 0)
        return tests_passed and not (self.ok or self.timed_out or self.named or self.others)

    @property
    def failing_ids(self) -> frozenset[str]:
        """Ids of everything that failed."""
        return frozenset(failure.test for failure in self.failing)

    @property
    def named(self) -> tuple[Failure, ...]:
        """The failures that a runner or tool names, and not the command as a whole."""
        return tuple(failure for failure in self.failing if failure.test != self.command)
