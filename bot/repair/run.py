"""One run in progress: what it is asked, and what it knows so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.ecosystems.missing import Remedy
from bot.model import (
    Attempt,
    Commands,
    Observation,
    Proposal,
    Reproduction,
    RequestKind,
    Specification,
    Usage,
    Verdict,
)
from bot.model.culprit import Certainty, EventKind, EventLead, StateResults, WhatChanged
from bot.model.deadline import RunLimits
from bot.model.flaky import FlakyFindings, FlakyGoal
from bot.model.memory import NOTHING_RECALLED, MergedRepair, Recalled
from bot.model.merge_group import GroupFinding
from bot.model.money.budget import own_balance
from bot.model.money.reservations import Money, OwnReservations, Reservations
from bot.model.progress import Listener
from bot.model.proposers import ProposerTraits
from bot.model.quarantine import QuarantineMark
from bot.model.route import Rung
from bot.model.specification import kind_of
from bot.model.steps import Steps
from bot.repair.job import Commits, Job
from bot.repair.proposers.base import Proposer
from bot.repair.tools import Tools
from bot.repair.workspace.sandbox_cleanup import PLACES
from bot.repair.workspace.setup_notes import setup_notes
from bot.repair.workspace.setup_result import Prepared, SetupFailed

if TYPE_CHECKING:
    from bot.repair.repair_context import RepairContext


class Concluded(Exception):
    """Leaves the phases with a verdict and one sentence why."""

    def __init__(self, verdict: Verdict, reason: str, context: RepairContext | None = None) -> None:
        """Take the prepared tree, too, where others are to go on with it."""
        super().__init__(reason)
        self.verdict = verdict
        self.reason = reason
        self.context = context


def _nobody(usage: Usage, /) -> None:
    """Tell nobody."""
    del usage


@dataclass(frozen=True, slots=True)
class Explanation:
    """How far a run has come with the question what changed.

    Attributes:
        known: What the ways of looking found that are over.
        job: Which of several failed jobs is asked about, from 0.
        looks: Which ways of looking are over, of that job.
        seconds: That the question took so far.
        is_over: Whether nothing is left to ask.
    """

    known: WhatChanged = field(default_factory=WhatChanged)
    job: int = 0
    looks: tuple[int, ...] = ()
    seconds: float = 0.0
    is_over: bool = False


@dataclass(slots=True)
class RunState:
    """What the run found out so far: the report is made of it."""

    head: str = ""
    commands: Commands | None = None
    untouched: Prepared | None = None
    setup_seconds: float = 0.0
    in_setup: bool = False
    reproduction: Reproduction | None = None
    endless: Observation | None = None
    narrowed: bool = False
    issue_read: bool = False
    attempts: list[Attempt] = field(default_factory=list)
    tried: list[str] = field(default_factory=list)
    not_looked: list[str] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    notes: list[str] = field(default_factory=list)
    clues: str = ""
    detected: Commands | None = None
    remedies: list[Remedy] = field(default_factory=list)
    healing_rounds: int = 0
    places: tuple[str, ...] = PLACES[:1]
    repository_map: str | None = None
    recalled: Recalled = NOTHING_RECALLED
    again: tuple[MergedRepair, ...] = ()
    what_changed: WhatChanged | None = None
    explanation: Explanation = Explanation()
    group: GroupFinding | None = None
    seen_at: dict[tuple[str, int], StateResults] = field(default_factory=dict)
    flaky: FlakyFindings | None = None
    flaky_goal: FlakyGoal | None = None
    quarantine: tuple[QuarantineMark, ...] = ()
    lead: EventLead | None = None
    reverts: tuple[Proposal, ...] | None = None
    kind: RequestKind = RequestKind.BUG
    specification: Specification | None = None
    asks: bool = False
    on_spent: Callable[[Usage], None] = _nobody

    @property
    def failing_before(self) -> frozenset[str]:
        """Ids that fail on the untouched tree."""
        if self.reproduction is None or self.reproduction.observation is None:
            return frozenset()
        return self.reproduction.observation.failing_ids

    @property
    def named_before(self) -> tuple[str, ...]:
        """Those of them that a runner or tool names, in its order."""
        seen = self.reproduction.observation if self.reproduction is not None else None
        return tuple(failure.test for failure in seen.named) if seen is not None else ()

    def note(self, *notes: str) -> None:
        """Add what a person should know, once."""
        self.notes.extend(note for note in notes if note not in self.notes)

    def spend(self, usage: Usage) -> None:
        """Add what a model call cost, and tell who wants to know what the run used so far."""
        self.usage += usage
        self.on_spent(self.usage)


@dataclass(frozen=True, slots=True)
class Run:
    """Everything that a phase of one run needs; `commits` is where other commits come from."""

    job: Job
    tools: Tools
    steps: Steps
    listener: Listener
    run_limits: RunLimits
    known: RunState
    reservations: Reservations = field(default_factory=OwnReservations)
    commits: Commits | None = None

    @contextmanager
    def setting_up(self) -> Iterator[None]:
        """Count the seconds of a setup; one that the body's exception ends stays marked as begun."""
        began, self.known.in_setup = self.run_limits.held, True
        try:
            yield
            self.known.in_setup = False
        finally:
            self.known.setup_seconds += self.run_limits.held - began

    @property
    def ladder(self) -> tuple[ProposerTraits, ...]:
        """The proposers of this run, cheapest first; where nothing is broken, models alone."""
        known, wanted = self.tools.proposers, self.job.proposers
        redoes = self.job.known_repair is not None
        named = (
            proposer.traits
            for name, proposer in known.items()
            if wanted is None or name in wanted or (redoes and proposer.traits.recalls)
        )
        adds = self.known.kind is not RequestKind.BUG
        asked = (
            traits
            for traits in named
            if traits.needs_model or not adds or (redoes and traits.recalls)
        )
        found = self.known.lead.found if self.known.lead is not None else WhatChanged()
        has_commit = any(
            culprit.certainty is Certainty.PROVEN and culprit.event.kind is EventKind.COMMIT
            for culprit in found.culprits
        )
        of_flaky = self.known.flaky_goal is not None
        return tuple(
            traits
            for traits in asked
            if (not traits.recalls or self.known.again)
            and (not traits.answers_release or found.has_release)
            and (not traits.undoes or has_commit)
            and (traits.mends_flaky or traits.needs_model if of_flaky else not traits.mends_flaky)
        )

    @property
    def adds_feature(self) -> bool:
        """Whether something new is asked for, of which there is no test, no patch and no check yet."""
        job = self.job
        shown = (job.failed, job.given_test, job.written_tests, job.known_repair, job.known_tests)
        given = self.who(lambda item: item.is_given) is not None
        return (
            kind_of(job.problem.instructions) is RequestKind.FEATURE
            and not given
            and not any(shown)
        )

    @property
    def rungs(self) -> tuple[Rung, ...]:
        """The models to choose from, small to large; none where the choice is made already."""
        return self.tools.rungs if self.job.routing and self.job.model is None else ()

    def who(self, wanted: Callable[[ProposerTraits], bool]) -> Proposer | None:
        """Return the first proposer of this run that has a trait, or None."""
        names = (traits.name for traits in self.ladder if wanted(traits))
        return next((self.tools.proposers[name] for name in names), None)

    def setup_notes(self, prepared: Prepared | SetupFailed) -> tuple[str, ...]:
        """Return what a person should know of a setup."""
        filters = self.tools.sandboxes.filters_indexes
        return setup_notes(self.job, prepared, filters_indexes=filters)

    def money(self, call: str) -> Money:
        """Return what a model call of that name is paid from."""
        return Money(
            self.reservations,
            call,
            own_balance(self.job.limits, self.known.usage),
            self.run_limits.stopped,
        )
