"""Why a test sometimes fails and sometimes passes on the same tree: what was changed, and what decided."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from bot.model.culprit import RunCounts

SHOWN = 20
"""Runs of the command that shows a failure, all of which have to fail."""

_NO_RUNS = RunCounts()

_Z = 1.959963984540054
"""Quantile of the normal distribution for a confidence of 95 %."""


class FlakyClass(StrEnum):
    """What a test's outcome depends on.

    The order-dependent ones as in A. Shi et al., iFixFlakies, 2019; the others as in O. Parry et al., A
    Survey of Flaky Tests, 2021.
    """

    VICTIM = "victim"
    """It passes alone, and fails after another test: the polluter."""

    BRITTLE = "brittle"
    """It fails alone, and passes after another test: the state-setter."""

    NON_IDEMPOTENT = "non-idempotent"
    """It passes, and fails when it runs again, in the same process or after an earlier one."""

    SEED = "seed-dependent"
    """The seed decides: of random numbers, or of Python's hashes and with them the order of sets."""

    TIME = "time-dependent"
    """The clock, the date or the time zone decides."""

    ENVIRONMENT = "environment-dependent"
    """A setting of the machine decides: locale, encoding, umask, where temporary files lie, the order of
    folders."""

    CONCURRENCY = "concurrency-dependent"
    """The order decides in which threads get on, or what else runs: the same test, or who has its port."""

    NETWORK = "network-dependent"
    """It decides whether there is a network, or how fast that is."""

    RESOURCE = "resource-dependent"
    """It decides how much the process gets: of a processor, of processors, of open files."""

    UNKNOWN = "unknown"
    """It both fails and passes, and nothing that was changed decides."""


@dataclass(frozen=True, slots=True)
class LeftState:
    """Something that a test leaves behind.

    Attributes:
        kind: `environment variable`, `module attribute`, `class attribute`, `default argument`, `files`,
            `fixtures`, `working directory`, and so on.
        name: Which one; empty where there is one only.
        before: What it was.
        after: What it is then; empty if it is gone.
        file: That changed it last, relative to the work tree; empty if that was not seen.
        line: Of it, from 1; 0 likewise.
    """

    kind: str
    name: str
    before: str = ""
    after: str = ""
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class LineOrigin:
    """The commit that last changed a line.

    Attributes:
        file: Of the line, relative to the work tree.
        line: Its number, from 1.
        commit: Its hash.
        author: Who made it.
        date: Its day, as ISO 8601.
    """

    file: str
    line: int
    commit: str
    author: str
    date: str


@dataclass(frozen=True, slots=True)
class FlakyCause:
    """What makes a test fail, or pass.

    Attributes:
        flaky_class: Of what kind.
        others: Ids of the polluters or the state-setters, which decide together.
        also: Ids of others, each of which does the same.
        changed: What was changed for it, as the shell has it: `TZ=Asia/Kolkata`; empty for an order.
        command: Shows the failure every time.
        red: Runs of it.
        contrast: The command without that, with which the test passes.
        green: Runs of that.
        state: What was put back alone, and turned the outcome.
        seen: What else was seen to stay behind, where no part of the state is known to decide.
        message: Of the failure.
        file: Where the test fails, relative to the work tree; empty if unknown.
        line: Of it; 0 if unknown.
        origin: Of the line that changes the state, or else of the line where the test fails; None if the
            history does not tell.
    """

    flaky_class: FlakyClass
    others: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    changed: str = ""
    command: str = ""
    red: RunCounts = _NO_RUNS
    contrast: str = ""
    green: RunCounts = _NO_RUNS
    state: tuple[LeftState, ...] = ()
    seen: tuple[LeftState, ...] = ()
    message: str = ""
    file: str = ""
    line: int = 0
    origin: LineOrigin | None = None

    @property
    def place(self) -> tuple[str, int]:
        """File and line of what changes the state, or else of where the test fails."""
        seen = ((state.file, state.line) for state in self.state if state.file and state.line)
        return next(seen, (self.file, self.line))

    @property
    def is_shown(self) -> bool:
        """Whether its command failed every time, and the contrast passed every time."""
        return bool(self.red.failed and self.green.passed) and not (
            self.red.passed or self.green.failed
        )


@dataclass(frozen=True, slots=True)
class FlakyTest:
    """A test that both fails and passes.

    Attributes:
        test: Its id.
        alone: Runs of it alone, as things are.
        causes: What decides, each shown by its command.
        unproven: Causes whose command did not fail every time.
    """

    test: str
    alone: RunCounts
    causes: tuple[FlakyCause, ...] = ()
    unproven: tuple[FlakyCause, ...] = ()

    @property
    def is_flaky(self) -> bool:
        """Whether it was seen to fail and to pass on the same tree."""
        return bool(self.causes) or (self.alone.failed > 0 < self.alone.passed)


@dataclass(frozen=True, slots=True)
class FlakyFindings:
    """The answer to: which tests are flaky, and why?

    Attributes:
        tests: Those that both fail and pass.
        unconfirmed: Those for which something seemed to decide, and no command shows it every time.
        looked_at: How many tests were asked about.
        suite: How many there are.
        steady_red: Ids of tests that failed in every run.
        ruled_out: What was changed and made no difference.
        untried: What could not be tried, as sentences.
        executions: Tests that were run in all.
        seconds: Wall time that it took.
    """

    tests: tuple[FlakyTest, ...] = ()
    unconfirmed: tuple[FlakyTest, ...] = ()
    looked_at: int = 0
    suite: int = 0
    steady_red: tuple[str, ...] = ()
    ruled_out: tuple[str, ...] = ()
    untried: tuple[str, ...] = ()
    executions: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class FlakyQuestion:
    """Which tests are asked about.

    Attributes:
        tests: Their ids; empty for all.
        shown: How often a command has to fail to be called one that shows the failure every time.
        seconds: For finding what decides; showing it comes on top.
    """

    tests: tuple[str, ...] = ()
    shown: int = SHOWN
    seconds: float = 600.0


@dataclass(frozen=True, slots=True)
class FlakyGoal:
    """What a repair of a flaky test has to mend.

    Attributes:
        test: Id of the test.
        cause: What decides how it ends; its command failed every time.
        suite: Runs all tests.
        more: Other causes of the same test, which are mended besides where that is possible.
    """

    test: str
    cause: FlakyCause
    suite: str = ""
    more: tuple[FlakyCause, ...] = ()


def interval(failed: int, runs: int) -> tuple[float, float]:
    """Return between which rates the true one lies, with a confidence of 95 %.

    E. B. Wilson, Probable Inference, the Law of Succession, and Statistical Inference, 1927.
    """
    if not runs:
        return 0.0, 1.0
    rate, spread = failed / runs, _Z * _Z / runs
    middle = (rate + spread / 2) / (1 + spread)
    half = _Z * math.sqrt(rate * (1 - rate) / runs + spread / (4 * runs)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)
