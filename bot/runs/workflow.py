"""The durable shell of a run on GitHub: brief, repair, publish, say so."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import structlog

from bot.ci.evidence import JobEvidence
from bot.errors import (
    DatabaseUnavailable,
    FixpointError,
    RunOutdated,
    StorageError,
)
from bot.github.values import Published
from bot.model import Report, Verdict
from bot.model.request import FixRequest
from bot.model.steps import Steps
from bot.repair.job import Job
from bot.repair.workspace.sandbox_cleanup import PLACES, leftovers, places_of
from bot.reporting import messages
from bot.reporting.answer_instructions import answer_by
from bot.reporting.marker import progress_marker
from bot.reporting.progress_view import ProgressView
from bot.reporting.reasons import run_life
from bot.runs import reruns
from bot.runs.display import RunDisplay
from bot.runs.durability.crash_loop import MOST_INTERRUPTIONS, CountedSteps
from bot.runs.durability.database_outage import Excuses
from bot.runs.durability.outages import outlast
from bot.runs.job_plan import KnownRepair, plan_job
from bot.runs.memory import Remembering
from bot.runs.previous_repair import KnownRepairs
from bot.runs.publishing.approval_requests import ApprovalRequests
from bot.runs.publishing.budget_offer import may_have_as_much_again
from bot.runs.publishing.destination import HeldPatch, unpublished
from bot.runs.publishing.outcome_comment import (
    CouldNotStart,
    Ending,
    LeftBehind,
    NotPublished,
    Offered,
    Outcome,
    PatchOnly,
    Pushed,
    said_of,
)
from bot.runs.publishing.publisher import Publisher
from bot.runs.publishing.quarantines import Quarantines
from bot.runs.publishing.review_answers import ReviewAnswers
from bot.runs.remote_checkout import RemoteCheckout
from bot.runs.reruns import Reruns
from bot.runs.result_history import ResultHistory
from bot.runs.run_traces import TracedRuns
from bot.runs.sandbox_choice import SandboxChoice
from bot.runs.sources import Sources
from bot.runs.start import Beginning
from bot.runs.starting_state import Brief
from bot.runs.test_owners import owners_of
from bot.runs.watched_repair import WatchedRepair
from bot.storage.ledger import Ledger
from bot.storage.runs import RunStore
from bot.telemetry.run_metrics import RunMetrics
from sandbox.base import SandboxError

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class RunParts:
    """What a run goes through, in the order of a run.

    Attributes:
        beginning: Announces it, and says what it is about.
        known: Reads a repair that is made again.
        sources: Fetches the commit.
        repair: Runs the engine.
        publisher: Opens the pull request.
        reruns: Has flaky jobs run again.
        asking: Asks people, and waits for their answers.
        remembering: Keeps what it taught.
        tests: Keeps how its tests ended.
        quarantines: Puts its flaky tests into quarantine.
        answers: Answers a review.
        ending: Says the last words.
    """

    beginning: Beginning
    known: KnownRepairs
    sources: Sources
    repair: WatchedRepair
    publisher: Publisher
    reruns: Reruns
    asking: ApprovalRequests
    remembering: Remembering
    tests: ResultHistory
    quarantines: Quarantines
    answers: ReviewAnswers
    ending: Ending


class FixWorkflow:
    """Carries one request from its acceptance to its last comment; every side effect is a step."""

    def __init__(
        self,
        parts: RunParts,
        runs: RunStore,
        ledger: Ledger,
        steps: Steps,
        sandboxes: SandboxChoice,
        traced: TracedRuns,
        excused: Excuses,
        metrics: RunMetrics,
        *,
        first_wait: float,
    ) -> None:
        self._beginning, self._known, self._sources = parts.beginning, parts.known, parts.sources
        self._watched, self._publisher, self._reruns = parts.repair, parts.publisher, parts.reruns
        self._asking, self._remembering = parts.asking, parts.remembering
        self._answers, self._ending, self._tests = parts.answers, parts.ending, parts.tests
        self._quarantines = parts.quarantines
        self._runs = runs
        self._ledger = ledger
        self._steps = steps
        self._sandboxes = sandboxes
        self._traced = traced
        self._excused = excused
        self._metrics = metrics
        self._first_wait = first_wait

    def view_of(self, run_id: str) -> ProgressView | None:
        """Return how far a run of this process is; None when it is not active here."""
        return self._watched.view_of(run_id)

    async def run(self, request: FixRequest) -> None:
        """Carry the request to its end, or to a question for a person."""
        await self._guarded(request, self._carry)

    async def go_on(self, request: FixRequest) -> None:
        """Carry a run from a person's answer to its end."""
        await self._guarded(request, self._carry_on)

    async def end_withdrawn(self, request: FixRequest) -> None:
        """End a run that was stopped while it waited for its place."""
        await self._guarded(request, self._carry_withdrawn)

    async def end_outdated(self, request: FixRequest) -> None:
        """End a run that an earlier version began and this one can't continue."""
        await self._guarded(request, _refuse_outdated)

    async def _guarded(
        self, request: FixRequest, carry: Callable[[FixRequest], Awaitable[None]]
    ) -> None:
        """Carry a request; nothing that went wrong on the way stays unsaid."""
        bound = structlog.contextvars.bound_contextvars
        with bound(run_id=request.run_id), self._traced.inside(request.run_id):
            begun = await self._runs.begin(request.run_id)
            with bound(delivery_id=begun.delivery_id), self._metrics.in_flight.track_inprogress():
                await self._taken_up(request, carry, interruptions=begun.times - 1)
                await self._traced.over(request.run_id)
                _log.info("run over")

    async def _taken_up(
        self,
        request: FixRequest,
        carry: Callable[[FixRequest], Awaitable[None]],
        *,
        interruptions: int,
    ) -> None:
        _log.info("run taken up", interruptions=interruptions)
        try:
            if interruptions >= MOST_INTERRUPTIONS:
                await self._give_up(request, interruptions)
            else:
                await carry(request)
        except asyncio.CancelledError:  # its server stops; that is not the run's doing
            with contextlib.suppress(StorageError):
                await self._runs.handed_over(request.run_id)
            raise
        except DatabaseUnavailable as error:  # the run goes on once it is back
            _log.warning("run left", problem=str(error))
            self._excused.excuse(request.run_id)
            raise
        except FixpointError as error:
            _log.error("run ended early", problem=str(error))
            await self._end_early(request, str(error))
        except Exception:  # noqa: BLE001 - where bugs end: in the log, and told to people
            _log.exception("run broke")
            await self._end_early(request, None)
        await self._close_ledger(request.run_id)
        await asyncio.to_thread(shutil.rmtree, self._sources.scratch(request), ignore_errors=True)
        await self._ending.forget_tokens(request.repo)

    async def _close_ledger(self, run_id: str) -> None:
        """Take for spent what the run left reserved, however it ended."""
        try:
            await self._ledger.close_run(run_id, {})
        except StorageError as error:  # the next start does it
            _log.warning("ledger not closed", problem=str(error))

    async def _carry(self, request: FixRequest) -> None:
        plain = CountedSteps(self._steps, lambda: self._runs.got_further(request.run_id))
        steps = self._traced.steps(plain)
        shown = await steps("announce", self._beginning.announce, request)
        brief = await steps("brief", self._beginning.brief, request)
        if isinstance(brief, CouldNotStart):
            await steps("say why not", self._ending.refuse, request, shown, brief)
            return
        job = await self._planned(request, brief, steps)
        await self._repair_and_tell(request, brief, job, shown, plain)

    async def _planned(
        self, request: FixRequest, brief: Brief, steps: Steps, agreed: Report | None = None
    ) -> Job:
        """Return the run's job with all that is known before it; see `plan_job`."""
        failed: tuple[JobEvidence, ...] = ()
        good = ""
        if request.original.failed is not None:
            failed = await steps("gather evidence", self._beginning.gather, request, brief)
            good = await steps(
                "look for a green commit", self._beginning.last_green, request, brief
            )
        continued: Report | None = None
        if request.continues is not None:
            continued = await steps("recall", self._asking.recall, request.continues, brief.commit)
        known = await self._known_repair(request, brief, steps)
        caps = self._beginning.caps_of(brief)
        job = plan_job(
            request, brief, failed, caps=caps, continued=continued, agreed=agreed, known=known
        )
        return replace(job, good=good)

    async def _known_repair(
        self, request: FixRequest, brief: Brief, steps: Steps
    ) -> KnownRepair | None:
        """Return the repair that a run makes again; None where it makes none again."""
        if request.redoes is None:
            return None
        checkout = self._sources.checkout(request, brief)
        return await steps("read the repair", self._known.read, request, checkout)

    async def _repair_and_tell(
        self, request: FixRequest, brief: Brief, job: Job, shown: RunDisplay, plain: Steps
    ) -> None:
        """Carry a job to the end of its run, or to a question for a person."""
        steps = self._traced.steps(plain)
        report, outcome = await self._repair_and_publish(request, brief, job, shown, plain)
        if report.asks and _answerable(request, shown):
            act = self._asking.hold_specification
            await steps("ask about the specification", act, request, report, brief, shown)
            return
        checkout = self._sources.checkout(request, brief)
        report = await self._with_history(request, brief, job, report, checkout, steps)
        await steps(
            "remember", self._remembering.keep, request, brief, report, checkout, len(job.earlier)
        )
        if report.verdict is Verdict.STOPPED:
            report, outcome = await self._unless_left(request, report, steps)
        if isinstance(outcome, PatchOnly) and request.redoes is None:
            outcome = await steps("suggest", self._publisher.suggest, request, report, outcome)
        if reruns.is_wanted(request, brief, report):
            said = await steps("run flaky jobs again", self._reruns.begin, request, job.failed)
            report = replace(report, reason=f"{report.reason} {said}")
        if isinstance(outcome, HeldPatch):
            await steps(
                "wait for a person", self._asking.hold, request, report, brief, outcome, shown
            )
            return
        offered = request.redoes is None and not request.only_explains
        offered = offered and _answerable(request, shown)
        if offered and may_have_as_much_again(report, job.limits):
            role = brief.config.who.approve
            offer = await steps("offer more", self._asking.offer, request, job.limits, role)
            outcome = Offered(offer)
        await self._published(request, brief, report, outcome, steps)
        await steps("report", self._ending.conclude, request, report, outcome, shown)
        if request.failed is not None and request.failed.group is not None:
            await steps("tell the pull requests", self._ending.tell_group, request, report)
        if isinstance(outcome, Offered):
            await steps("note since when", self._asking.posted, request.run_id, request, shown)

    async def _with_history(
        self,
        request: FixRequest,
        brief: Brief,
        job: Job,
        report: Report,
        checkout: RemoteCheckout,
        steps: Steps,
    ) -> Report:
        """Return a report with what is known of its tests; keep how they ended, and quarantine some."""
        failed, at = job.failed, await steps("now", _now)
        keeps = brief.config.memory.enabled and not brief.is_fork
        owners: dict[str, str] = {}
        if keeps:
            owners = await steps("owners", owners_of, brief, report, checkout)
        note = self._tests.noted
        report = await steps("tests remembered", note, request, report, failed, at, keeps, owners)
        if report.quarantine:
            propose = self._quarantines.propose
            report = await steps("quarantine", propose, request.repo, brief, report, checkout)
        return report

    async def _carry_on(self, request: FixRequest) -> None:
        plain = CountedSteps(self._steps, lambda: self._runs.got_further(request.run_id))
        steps = self._traced.steps(plain)
        held = await steps("take up again", self._asking.take_up, request)
        report = held.report
        outcome: Outcome
        if report.asks:
            brief = await steps("brief", self._beginning.brief, request)
            if isinstance(brief, CouldNotStart):
                await steps("say why not", self._ending.refuse, request, held.shown, brief)
                return
            job = await self._planned(request, brief, steps, agreed=report)
            await self._repair_and_tell(request, brief, job, held.shown, plain)
            return
        if held.approved:
            brief = await steps("brief", self._beginning.brief, request)
            outcome = await steps("publish", self._publish_held, request, brief, report)
            await self._published(request, brief, report, outcome, steps)
        else:
            report, outcome = await self._unless_left(request, report, steps)
            await self._followed(request, report, outcome, steps)
        await steps("report", self._ending.conclude, request, report, outcome, held.shown)

    async def _published(
        self,
        request: FixRequest,
        brief: Brief | CouldNotStart,
        report: Report,
        outcome: Outcome,
        steps: Steps,
    ) -> None:
        """Have what was published watched, and say so where it is."""
        if isinstance(brief, Brief):
            await steps("have its checks watched", self._publisher.watch, request, brief, outcome)
        if request.redoes is not None:
            await steps("describe it", self._publisher.describe, request, report, outcome)
        await self._followed(request, report, outcome, steps)

    async def _followed(
        self, request: FixRequest, report: Report, outcome: Outcome, steps: Steps
    ) -> None:
        """Remember how it ended, and say so to those who asked for it in a review."""
        remember = self._remembering.published
        await steps("remember where it is", remember, request, report, outcome)
        if request.remarks:
            await steps("answer the review", self._answers.give, request, report, outcome)

    async def _carry_withdrawn(self, request: FixRequest) -> None:
        steps = CountedSteps(self._steps, lambda: self._runs.got_further(request.run_id))
        await steps("say that it was stopped", self._ending.withdraw, request)

    async def _unless_left(
        self, request: FixRequest, report: Report, steps: Steps
    ) -> tuple[Report, Outcome]:
        """Say of a stopped run that its commit is superseded, if it is."""
        if request.failed is None and request.redoes is None:
            return report, NotPublished()
        left = await steps("see whether people moved on", self._publisher.left, request)
        reason = left.reason if isinstance(left, LeftBehind) else report.reason
        return replace(report, reason=reason), left

    async def _publish_held(
        self, request: FixRequest, brief: Brief | CouldNotStart, report: Report
    ) -> Outcome:
        """Publish what a person approved, by the rules that the repository has now."""
        if isinstance(brief, CouldNotStart):
            return PatchOnly(brief.reason)
        brief = replace(brief, commit=report.head)
        return await self._publish(request, brief, report, self._sources.checkout(request, brief))

    async def _give_up(self, request: FixRequest, times: int) -> None:
        """End a run that ended its server each time it was taken up."""
        _log.error("run given up", interruptions=times)
        mark = progress_marker(request)
        text = messages.crashed(request.run_id, times, mark, answer_by(request))
        reason = run_life.interrupted(times)
        await self._last_words(request, text, reason)

    async def _end_early(self, request: FixRequest, reason: str | None) -> None:
        mark = progress_marker(request)
        text = messages.broke(request.run_id, reason, mark, answer_by(request))
        await self._last_words(request, text, reason or run_life.BUG)

    async def _last_words(self, request: FixRequest, text: str, reason: str) -> None:
        """Say them outside of the steps, which come in the order that an earlier process kept."""
        try:
            await outlast(
                lambda: self._ending.end_early(request, text, reason),
                first_wait=self._first_wait,
            )
        except Exception:  # noqa: BLE001 - whatever stops this must not leave the run open for ever
            _log.exception("last words not said")
            await self._ending.close(request, reason)
        places = places_of(len(PLACES)) if request.original.failed else PLACES[:1]
        for name in leftovers(request.run_id, places):
            with contextlib.suppress(SandboxError):  # it goes by its lifetime
                await self._sandboxes.remove(name)

    async def _repair_and_publish(
        self, request: FixRequest, brief: Brief, job: Job, shown: RunDisplay, steps: Steps
    ) -> tuple[Report, Outcome | HeldPatch]:
        checkout, caps = self._sources.checkout(request, brief), self._beginning.caps_of(brief)
        traced, answerable = self._traced.steps(steps), _answerable(request, shown)
        published: tuple[Report, Outcome] | None = None

        async def publish(report: Report) -> str:
            nonlocal published
            if unpublished(request, brief, report, answerable=answerable) is not None:
                return ""
            act = self._publish
            outcome = await traced("publish", act, request, brief, report, checkout)
            published = report, outcome
            return said_of(outcome)

        report = await self._watched(request, brief, job, checkout, caps, shown, steps, publish)
        if published is not None:
            first, outcome = published
            act = self._publisher.say_what_changed
            await traced("say what changed", act, request, first, report, outcome)
            return report, outcome
        held = unpublished(request, brief, report, answerable=answerable)
        if held is not None:
            return report, held
        return report, await traced("publish", self._publish, request, brief, report, checkout)

    async def _publish(
        self, request: FixRequest, brief: Brief, report: Report, checkout: RemoteCheckout
    ) -> Outcome:
        source = await checkout.provide(report.head)
        outcome = await self._publisher.publish(request, brief, report, source.store)
        if isinstance(outcome, Published | Pushed):
            waited = datetime.now(UTC) - request.asked_at
            self._metrics.published(max(0.0, waited.total_seconds()))
        return outcome


def _answerable(request: FixRequest, shown: RunDisplay) -> bool:
    """Whether there is a place where a person can answer: on GitHub, or where they asked."""
    return shown.somewhere or bool(request.asked_through)


async def _now() -> datetime:
    return datetime.now(UTC)


async def _refuse_outdated(_: FixRequest) -> None:
    raise RunOutdated(run_life.STORED_BY_ANOTHER_VERSION)
