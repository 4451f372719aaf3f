"""Run the engine for a request on GitHub: its progress is shown, and a person may stop it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

from bot.errors import RunStopped, UsageError
from bot.health.services import Services
from bot.model import Report, Verdict
from bot.model.culprit import KnownReleases
from bot.model.deadline import BY_A_PERSON, StopSign
from bot.model.memory import Memory
from bot.model.money.caps import Caps, charged
from bot.model.money.reservations import Reservations
from bot.model.progress import Listener, RunFinished, silent, together
from bot.model.proposers import PROPOSERS
from bot.model.request import FixRequest
from bot.model.steps import Steps
from bot.redaction import Redactor
from bot.repair.engine import Publish, repair
from bot.repair.job import ArtifactSource, Job
from bot.repair.proposers.base import AskPerson
from bot.repair.tools import Tools
from bot.reporting.answer_instructions import answer_by
from bot.reporting.marker import progress_marker
from bot.reporting.progress_view import ProgressView
from bot.reporting.reasons import run_life
from bot.runs.display import Display, RunDisplay
from bot.runs.event_recorder import Recorder
from bot.runs.live_comment import ProgressComment
from bot.runs.progress_log import ProgressLog
from bot.runs.remote_checkout import RemoteCheckout
from bot.runs.sandbox_choice import SandboxChoice, SandboxOfRun
from bot.runs.service_notes import ServiceNotes
from bot.runs.starting_state import Brief
from bot.storage.ledger import Ledger
from bot.storage.ledger_reservations import open_reservations
from bot.storage.route_history import StoredRouteHistory
from bot.storage.runs import RunStore
from bot.telemetry.place import here
from sandbox.base import SandboxError

STOP_POLL_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class RunTools:
    """What a run has beside the tools of its server.

    Attributes:
        artifacts: What the jobs of a request uploaded.
        asking: How people are asked whether a tool may be used; None where nobody can be.
        memory: What is known of earlier runs; None where nothing is wanted.
        history: How routes fared.
        releases: What is known of releases that broke repositories; None where nothing is wanted.
    """

    artifacts: Callable[[FixRequest], ArtifactSource]
    asking: Callable[[FixRequest, Brief, StopSign], AskPerson | None]
    memory: Callable[[FixRequest, Brief], Memory | None]
    history: StoredRouteHistory
    releases: Callable[[FixRequest, Brief], KnownReleases | None]

    def added_to(self, tools: Tools, request: FixRequest, brief: Brief, stopped: StopSign) -> Tools:
        """Return a server's tools with those of a run."""
        return replace(
            tools,
            artifacts=self.artifacts(request),
            ask=self.asking(request, brief, stopped),
            history=self.history,
            memory=self.memory(request, brief),
            releases=self.releases(request, brief),
        )


@dataclass(frozen=True, slots=True)
class ServedRepair:
    """Runs the engine in a sandbox that works, and says what happened to services meanwhile."""

    sandboxes: SandboxChoice
    services: Services
    tools: RunTools

    async def __call__(
        self,
        request: FixRequest,
        brief: Brief,
        job: Job,
        checkout: RemoteCheckout,
        steps: Steps,
        listener: Listener,
        stopped: StopSign,
        reservations: Reservations,
        publish: Publish,
    ) -> Report:
        """Run it to its report."""
        told = ServiceNotes(listener, asks_models=_asks_models(job))
        with self.services.heard(told):
            told.begin(self.services)
            try:
                tools = await SandboxOfRun(self.sandboxes, told, steps, stopped).begin()
            except (RunStopped, SandboxError) as error:
                report = _not_begun(request, brief, error)
                listener(RunFinished(report))
            else:
                tools = self.tools.added_to(tools, request, brief, stopped)
                report = await repair(
                    job, tools, checkout, steps, listener, stopped, reservations, publish
                )
        return replace(report, notes=(*report.notes, *told.kept))


class WatchedRepair:
    """Repairs with a progress comment, a ledger and a listener for `/fix stop`."""

    def __init__(
        self,
        display: Display,
        runs: RunStore,
        ledger: Ledger,
        record: Callable[[FixRequest], Recorder],
        served: ServedRepair,
        redactor: Redactor,
        *,
        edit_seconds: float,
    ) -> None:
        self._display = display
        self._runs = runs
        self._ledger = ledger
        self._record = record
        self._served = served
        self._redactor = redactor
        self._edit_seconds = edit_seconds
        self._comments: dict[str, ProgressComment] = {}

    def view_of(self, run_id: str) -> ProgressView | None:
        """Return how far a run of this process is; None when it is not active here."""
        comment = self._comments.get(run_id)
        return comment.view if comment else None

    async def __call__(
        self,
        request: FixRequest,
        brief: Brief,
        job: Job,
        checkout: RemoteCheckout,
        caps: Caps,
        shown: RunDisplay,
        steps: Steps,
        publish: Publish,
    ) -> Report:
        """Run the engine to its report, which is redacted and says how the accounts stand.

        `publish` is called in between, for a repair of which it is not known yet what changed.

        Raises:
            FixpointError: When the database or GitHub fails for good.
        """
        mark = progress_marker(request)

        async def edit(text: str) -> None:
            await self._display.progress(request, shown, text)

        started = await steps("look at the clock", _utc_now)
        view = ProgressView(
            request.run_id, started, job.limits, only_explains=request.only_explains
        )
        stopped = StopSign()
        reservations = await open_reservations(
            self._ledger,
            request.run_id,
            partial(charged, request, job.limits, caps),
        )
        watch = asyncio.create_task(self._watch_for_stop(request.run_id, stopped))
        try:
            async with (
                ProgressComment(
                    view,
                    mark,
                    edit,
                    by=answer_by(request),
                    every=self._edit_seconds,
                    redactor=self._redactor,
                ) as comment_listener,
                self._record(request) as recorder,
            ):
                self._comments[request.run_id] = comment_listener
                traced = here() or silent
                listener = together(recorder, traced, comment_listener, ProgressLog())

                async def publish_first(report: Report) -> str:
                    return await publish(self._told(request, brief, report))

                report = await self._served(
                    request, brief, job, checkout, steps, listener, stopped, reservations,
                    publish_first,
                )  # fmt: skip
        except UsageError as error:
            report = _refused(request, brief, str(error))
        finally:
            watch.cancel()
            self._comments.pop(request.run_id, None)
        balances = await steps("close the ledger", reservations.close)
        return replace(self._told(request, brief, report), balances=balances)

    def _told(self, request: FixRequest, brief: Brief, report: Report) -> Report:
        """Return a report as people may read it, with what was noted outside of the engine."""
        notes = (*report.notes, *brief.notes, *_approved_of(request))
        return replace(self._redactor.frozen(report), notes=notes)

    async def _watch_for_stop(self, run_id: str, stopped: StopSign) -> None:
        """Set the event once the run has to stop, on whichever server that was heard."""
        while not stopped.is_set():
            reason = await self._runs.why_to_stop(run_id)
            if reason is not None:
                stopped.stop(reason or BY_A_PERSON)
            await asyncio.sleep(STOP_POLL_SECONDS)


def _approved_of(request: FixRequest) -> tuple[str, ...]:
    if request.continues is None:
        return ()
    return (run_life.budget_extended(request.actor, request.continues),)


def _asks_models(job: Job) -> bool:
    """Whether any proposer of the run asks a model."""
    return any(
        traits.needs_model and (job.proposers is None or name in job.proposers)
        for name, traits in PROPOSERS.items()
    )


def _not_begun(request: FixRequest, brief: Brief, error: RunStopped | SandboxError) -> Report:
    stopped = isinstance(error, RunStopped)
    verdict = Verdict.STOPPED if stopped else Verdict.INFRASTRUCTURE
    return replace(_refused(request, brief, str(error)), verdict=verdict)


def _refused(request: FixRequest, brief: Brief, reason: str) -> Report:
    return Report(
        run_id=request.run_id,
        verdict=Verdict.REFUSED,
        reason=reason,
        problem=brief.problem,
        head=brief.commit,
    )


async def _utc_now() -> datetime:
    return datetime.now(UTC)
