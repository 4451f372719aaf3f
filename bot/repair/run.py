"""One run in progress: what it works with, and what it knows so far."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from bot.detect.missing import Remedy
from bot.model import Attempt, Commands, Kind, Reproduction, Specification, Usage, Verdict
from bot.model.deadline import RunLimits
from bot.model.mcp_servers import McpServer
from bot.model.memory import NOTHING_RECALLED, Memory, MergedRepair, Recalled
from bot.model.money.budget import own_balance
from bot.model.money.reservations import Money, OwnReservations, Reservations
from bot.model.progress import Listener
from bot.model.proposers import ProposerTraits
from bot.model.route import Route, Rung, RungRecord
from bot.model.steps import Steps
from bot.repair.changed_texts import ChangedText
from bot.repair.goal.judge import FailureJudge
from bot.repair.goal.set_aside import NOTHING_ASIDE, Aside
from bot.repair.job import ArtifactSource, Job, Source
from bot.repair.proposers.base import AskPerson, Proposer, Task
from bot.repair.symbols.index import SymbolIndex
from bot.repair.test_proof import ProofReviewer, SpecificationApprover, SpecificationAuthor
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.verify import Destination, Verifier
from bot.repair.workspace.environments import Environments
from bot.repair.workspace.leftovers import PLACES
from bot.repair.workspace.preparation import Preparation
from bot.repair.workspace.prepared import Prepared, SetupFailed
from bot.repair.workspace.remembered_setups import RememberedSetups
from bot.repair.workspace.scrubbing import Scrub
from bot.repair.workspace.setup_notes import setup_notes
from bot.repair.workspace.workbench import SandboxWorkbench
from sandbox.base import SandboxProvider


class Concluded(Exception):
    """Leaves the phases with a verdict and one sentence why."""

    def __init__(self, verdict: Verdict, reason: str) -> None:
        super().__init__(reason)
        self.verdict = verdict
        self.reason = reason


class RouteHistory(Protocol):
    """Knows what became of the attempts of earlier runs."""

    async def records(self, repository: str) -> tuple[RungRecord, ...]:
        """Return what became of each rung's attempts in the newest runs of a repository."""
        ...


StandIn = Callable[[], Awaitable[SandboxProvider | None]]
"""Gives another kind of sandbox in place of one that died; None when there is none, or it lives."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What every run of this process works with.

    Attributes:
        sandboxes: The one kind of sandbox that is used.
        proposers: By name, cheapest first.
        reviewer: Says whether a written test shows the problem; None without a model.
        environments: Prepared ones that are kept from run to run; None keeps none.
        scrub: Takes secrets out of what commands print, before it is kept or shown.
        judge: Says which of several failures a problem is about; None without a model.
        remembered_setups: What setups lacked in earlier runs; None remembers nothing.
        artifacts: Brings what earlier jobs of a workflow run uploaded; None where there is no GitHub.
        symbols: What repositories define; None draws no maps.
        ask: Asks a person whether a tool may be used; None where nobody can be asked.
        memory: What earlier runs in its repository tried; None remembers nothing.
        mcp_servers: Whose tools a model gets besides its own.
        stand_in: Where a run starts over whose sandboxes die before it reproduces anything; None
            where it ends then.
        rungs: The configured models, small to large.
        history: What became of the models' attempts in earlier runs; None knows nothing.
        specifier: Says in points what a problem asks that no test shows; None without a model.
        approver: Asks the person who waits here about a specification; None where nobody does.
    """

    sandboxes: SandboxProvider
    proposers: Mapping[str, Proposer]
    reviewer: ProofReviewer | None = None
    environments: Environments | None = None
    scrub: Scrub = str
    judge: FailureJudge | None = None
    remembered_setups: RememberedSetups | None = None
    artifacts: ArtifactSource | None = None
    symbols: SymbolIndex | None = None
    ask: AskPerson | None = None
    mcp_servers: tuple[McpServer, ...] = ()
    stand_in: StandIn | None = None
    rungs: tuple[Rung, ...] = ()
    history: RouteHistory | None = None
    memory: Memory | None = None
    specifier: SpecificationAuthor | None = None
    approver: SpecificationApprover | None = None


@dataclass(slots=True)
class RunState:
    """What the run found out so far: the report is made of it."""

    head: str = ""
    commands: Commands | None = None
    untouched: Prepared | None = None
    reproduction: Reproduction | None = None
    attempts: list[Attempt] = field(default_factory=list)
    tried: list[str] = field(default_factory=list)
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
    kind: Kind = Kind.BUG
    specification: Specification | None = None
    asks: bool = False

    @property
    def failing_before(self) -> frozenset[str]:
        """Ids that fail on the untouched tree."""
        if self.reproduction is None or self.reproduction.observation is None:
            return frozenset()
        return self.reproduction.observation.failing_ids

    def note(self, *notes: str) -> None:
        """Add what a person should know, once."""
        self.notes.extend(note for note in notes if note not in self.notes)

    def spend(self, usage: Usage) -> None:
        """Add what a model call cost."""
        self.usage += usage


@dataclass(frozen=True, slots=True)
class Run:
    """Everything that a phase of one run needs."""

    job: Job
    tools: Tools
    steps: Steps
    listener: Listener
    run_limits: RunLimits
    known: RunState
    reservations: Reservations = field(default_factory=OwnReservations)

    @property
    def ladder(self) -> tuple[ProposerTraits, ...]:
        """The proposers of this run, cheapest first; only a model can build a feature."""
        known, wanted = self.tools.proposers, self.job.proposers
        named = (one.traits for name, one in known.items() if wanted is None or name in wanted)
        adds = self.known.kind is Kind.FEATURE
        asked = (one for one in named if one.needs_model or not adds)
        return tuple(one for one in asked if not one.recalls or self.known.again)

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


@dataclass(frozen=True, slots=True)
class RepairContext:
    """A run's prepared tree, with everything to change and verify it.

    Attributes:
        source: The commit.
        commands: How it is set up and tested.
        prepared: The tree that attempts start from.
        preparation: Opens sandboxes on it.
        guidance: The repository's own instructions for agents, or "".
        beside: Those of the other failed jobs: what repairs this one must pass there too.
        recent: Lines that were changed lately, as path and number.
        aside: What fails besides, and no patch has to mend.
        texts: Those of programs that were changed lately.
        untested: The same before tests were written on it; None where none were.
    """

    source: Source
    commands: Commands
    prepared: Prepared
    preparation: Preparation
    guidance: str = ""
    beside: tuple[RepairContext, ...] = ()
    recent: frozenset[tuple[str, int]] = frozenset()
    aside: Aside = NOTHING_ASIDE
    texts: tuple[ChangedText, ...] = ()
    untested: RepairContext | None = None

    def verifier(self, run: Run) -> Verifier:
        """Return what verifies patches against the prepared tree."""
        return Verifier(
            self.clean_room(run),
            self.source.store,
            self.prepared.tree,
            run.job.rules,
            destination=Destination(self.source.head, (run.known.untouched or self.prepared).tree),
        )

    def clean_room(self, run: Run) -> CleanRoom:
        """Return where commands run on the prepared tree, each in its own sandbox."""
        return CleanRoom(
            self.preparation.open,
            self.source.store,
            self.prepared.tree,
            run_limits=run.run_limits,
            listener=run.listener,
            command_seconds=run.job.limits.observation_seconds,
            scrub=run.tools.scrub,
            aside=self.aside,
        )

    def workbench(self, run: Run, name: str) -> SandboxWorkbench:
        """Return an attempt's own sandbox on the prepared tree."""
        return SandboxWorkbench(
            f"{run.job.run_id}-{name}",
            self.preparation.open,
            self.source.store,
            self.prepared.tree,
            run_limits=run.run_limits,
            listener=run.listener,
            command_seconds=run.job.limits.command_seconds,
            scrub=run.tools.scrub,
            aside=self.aside,
        )

    def task(
        self, run: Run, n: int, *, route: Route | None = None, write_test: bool = False
    ) -> Task:
        """Return the work of attempt `n`."""
        known, job = run.known, run.job
        if known.reproduction is None:
            raise RuntimeError("an attempt needs a reproduction")
        return Task(
            n=n,
            problem=job.problem,
            commands=self.commands,
            reproduction=known.reproduction,
            earlier=tuple(known.attempts),
            limits=job.limits,
            spent=known.usage,
            deadline=run.run_limits.deadline,
            route=route or Route(),
            rungs=run.rungs,
            recovery=job.recovery,
            write_test=write_test,
            specification=known.specification,
            model=job.model,
            effort=job.effort,
            guidance=self.guidance,
            protected=job.rules.protected,
            requested=job.rules.requested,
            allow_snapshots=job.allow_snapshots,
            search=job.search,
            tool_rules=job.tool_rules,
            repository_map=known.repository_map or "",
            recent=self.recent,
            texts=self.texts,
            clues=known.clues,
            ask=run.tools.ask,
            recalled=known.recalled,
            again=known.again,
            mcp_servers=run.tools.mcp_servers,
            reservations=run.reservations,
            stopped=run.run_limits.stopped,
        )
