"""A run's prepared tree, with everything to change and verify it."""

from __future__ import annotations

from dataclasses import dataclass

from bot.model import Commands, Observation
from bot.model.route import Route
from bot.repair.changed_texts import ChangedText
from bot.repair.goal.excluded_failures import NOTHING_ASIDE, Aside
from bot.repair.job import Source
from bot.repair.proposers.base import Task
from bot.repair.run import Run
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.destination import Destination
from bot.repair.verification.verify import Verifier
from bot.repair.workspace.preparation import Preparation
from bot.repair.workspace.setup_result import Prepared
from bot.repair.workspace.workbench import SandboxWorkbench


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
        red: What its failing command showed, where the run has reproduced other jobs besides; else None.
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
    red: Observation | None = None

    def verifier(self, run: Run) -> Verifier:
        """Return what verifies patches against the prepared tree."""
        return Verifier(
            self.clean_room(run),
            run.job.rules,
            destination=Destination(self.source.head, (run.known.untouched or self.prepared).tree),
        )

    def clean_room(self, run: Run, *, seconds: float | None = None) -> CleanRoom:
        """Return where commands run on the prepared tree, each in its own sandbox and so long at most."""
        return CleanRoom(
            self.preparation.open,
            self.source.store,
            self.prepared.tree,
            run_limits=run.run_limits,
            listener=run.listener,
            command_seconds=seconds or run.job.limits.observation_seconds,
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
            lead=known.lead,
            texts=self.texts,
            clues=known.clues,
            ask=run.tools.ask,
            recalled=known.recalled,
            again=known.again,
            flaky=known.flaky_goal,
            reverts=known.reverts or (),
            mcp_servers=run.tools.mcp_servers,
            reservations=run.reservations,
            stopped=run.run_limits.stopped,
        )
