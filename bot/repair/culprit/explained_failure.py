"""What is to be explained, and what every way of looking for it works with."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from bot.errors import BudgetExhausted
from bot.model import Observation
from bot.model.culprit import SECONDS, Certainty, Culprit, WhatChanged
from bot.repair.job import Commits
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run

NOTHING_KNOWN = WhatChanged()


class LookCutShort(Exception):
    """The time was up before a way of looking came to its end.

    Attributes:
        found: What it found until then.
    """

    def __init__(self, found: WhatChanged) -> None:
        super().__init__("The time was up before the end.")
        self.found = found


@dataclass(frozen=True, slots=True)
class ExplainedFailure:
    """A failure, and what people know of the time before it.

    Attributes:
        red: What the failing command showed on the untouched tree.
        tests: Ids of the failing tests that are to be explained; empty if the failure has no name.
        good: Commit that is said to be green; empty where nobody says.
        seconds: For the whole explanation.
        at_most: Seconds that it may take where a release is likely; as many, if 0.
        job: Of which of several failed jobs, from 0.
    """

    red: Observation
    tests: tuple[str, ...]
    good: str = ""
    seconds: float = SECONDS
    at_most: float = 0.0
    job: int = 0


@dataclass(slots=True)
class LookTime:
    """Until when somebody looks, as `time.time()` counts; and how long that may become."""

    until: float
    latest: float


@dataclass(frozen=True, slots=True)
class Looking:
    """What a way of looking works with.

    Attributes:
        run: Of it.
        context: Where the failure was seen, with the command that shows it.
        commits: Where other commits come from.
        question: What is to be explained.
        time: When the looking ends.
        known: What the ways before found.
    """

    run: Run
    context: RepairContext
    commits: Commits
    question: ExplainedFailure
    time: LookTime
    known: WhatChanged = NOTHING_KNOWN

    async def check(self) -> None:
        """Raise `BudgetExhausted` when the time is up: as a step, so that a restarted run goes the same way.

        Raises:
            RunStopped: When somebody stops the run.
        """
        await self.run.steps("explain: time", self._check)

    async def require(self, seconds: float) -> None:
        """Raise `BudgetExhausted` unless there is time for what takes so many seconds, as far as one knows.

        Raises:
            RunStopped: When somebody stops the run.
        """
        await self.run.steps("explain: time for it", self._check, seconds)

    def take_all_time(self) -> None:
        """Go on for as long as the question may take at most: what is looked for is a repair as well."""
        self.time.until = self.run.run_limits.deadline = self.time.latest

    async def _check(self, seconds: float = 0.0) -> None:
        self.run.run_limits.check()
        if time.time() > self.time.until:
            raise BudgetExhausted("The time for the explanation is up.")
        if time.time() + seconds > self.time.until:
            raise BudgetExhausted("Too little time was left to install packages as of other days.")

    @asynccontextmanager
    async def closing(self, close: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
        """Close in the end; a lasting run that is cancelled finds again what it made."""
        left = False
        try:
            yield
        except asyncio.CancelledError:
            left = self.run.steps.lasting
            raise
        finally:
            if not left:
                await close()

    @property
    def unexplained(self) -> tuple[str, ...]:
        """The failing tests that no culprit so far is proven to explain."""
        proven = {
            test
            for culprit in self.known.culprits
            if culprit.certainty is Certainty.PROVEN
            for test in culprit.tests
        }
        return tuple(test for test in self.question.tests if test not in proven)

    @property
    def is_done(self) -> bool:
        """Whether nothing is left that another way could explain."""
        surely = any(culprit.certainty is Certainty.PROVEN for culprit in self.known.culprits)
        is_named = (
            bool(self.question.tests) or not self.question.job
        )  # else it is another failure's
        return surely and is_named and not self.unexplained


Look = Callable[[Looking], Awaitable[WhatChanged]]
"""A way of looking: returns what it found, and nothing of what was known before.

Raises `LookCutShort` when the time is up before that.
"""


def added(known: WhatChanged, found: WhatChanged) -> WhatChanged:
    """Return what is known with what another way found; where two explain the same, the surer one leads.

    What is proven to explain tests of several jobs is one culprit.
    """
    culprits: dict[object, Culprit] = {}
    for culprit in sorted((*known.culprits, *found.culprits), key=_unsure):
        event = culprit.event
        key = (event.kind, event.name, event.after, culprit.certainty)
        same = culprits.get(key)
        tests = {*culprit.tests, *(same.tests if same else ())}
        culprits[key] = replace(same or culprit, tests=tuple(sorted(tests)))
    return replace(
        known,
        culprits=tuple(culprits.values()),
        ruled_out=(*known.ruled_out, *found.ruled_out),
        points=(*known.points, *found.points),
    )


def _unsure(culprit: Culprit) -> int:
    return [*Certainty].index(culprit.certainty)
