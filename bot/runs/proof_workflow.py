"""The durable shell of a proof on GitHub: see what it is about, prove, show the card."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

import structlog

from bot.config.proof import ProofSection
from bot.config.repo_config import RepoConfig
from bot.errors import (
    DatabaseUnavailable,
    FixpointError,
    NotPermitted,
    RepoConfigError,
    RunEnded,
    StorageError,
)
from bot.github.github import GitHub
from bot.github.refusals import Gone
from bot.github.values import PullRequest
from bot.health.services import Services
from bot.model import Limits, Problem
from bot.model.check_report import CheckReport
from bot.model.deadline import StopSign
from bot.model.proof_card import ProofCard, RowKind
from bot.model.proof_request import ProofRequest
from bot.model.quota import Urgency
from bot.model.steps import Steps
from bot.proof.prove import prove
from bot.proof.setting_up import ProvenChange, other_side
from bot.redaction import Redactor
from bot.repair.job import Job
from bot.repair.preparation.config import configured_job
from bot.repair.tools import Tools
from bot.repair.workspace.sandbox_cleanup import leftovers
from bot.reporting import proof_check
from bot.reporting.reasons import run_life
from bot.runs.config_file import read_config
from bot.runs.display import if_allowed
from bot.runs.durability.crash_loop import MOST_INTERRUPTIONS, CountedSteps
from bot.runs.durability.database_outage import Excuses
from bot.runs.durability.outages import outlast
from bot.runs.live_comment import KeptUp
from bot.runs.progress_log import ProgressLog
from bot.runs.sandbox_choice import SandboxChoice, SandboxOfRun
from bot.runs.service_notes import ServiceNotes
from bot.runs.sources import Sources
from bot.storage.last_words import LastWords, StoredComment
from bot.storage.proofs import ProofStore
from sandbox.base import SandboxError

STOP_POLL_SECONDS = 1.0

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ProofBrief:
    """What a proof starts from.

    Attributes:
        pull: The pull request.
        commit: Its head.
        trusted: Where it and its base parted: what it is compared with.
        config: Of its base branch, which it can't change.
        problem: The issue that it closes, or what it says itself.
    """

    pull: PullRequest
    commit: str
    trusted: str
    config: RepoConfig
    problem: Problem

    @property
    def is_fork(self) -> bool:
        """Whether the commit belongs to somebody else's repository."""
        return self.pull.is_fork

    def job(self, request: ProofRequest) -> Job:
        """Return the job: no model, and of a fork nothing that reaches further than registries."""
        limits = Limits(seconds=self.config.proof.seconds)
        job = configured_job(request.run_id, self.problem, limits, self.config)
        job = replace(
            job,
            proposers=(),
            repository=request.repository,
            identity=request.repo.identity,
            is_fork=self.is_fork,
        )
        return replace(job, network=False, hosts=()) if self.is_fork else job


@dataclass(frozen=True, slots=True)
class NotNow:
    """Nothing is proved, for a reason in a sentence; `left` if nobody needs it any more."""

    reason: str
    left: bool = False


@dataclass(frozen=True, slots=True)
class ProvingParts:
    """What proofs work with.

    Attributes:
        github: To read the pull request, and to show the card.
        proofs: What is remembered of them.
        words: Keep the ends of check runs from late edits.
        sources: Fetch the commits.
        sandboxes: Where they work.
        services: What they depend on.
        redactor: Takes secrets out of what leaves them.
        edit_seconds: Between two times that a growing card is shown.
        first_wait: Seconds to wait at an outage of GitHub's.
    """

    github: GitHub
    proofs: ProofStore
    words: LastWords
    sources: Sources
    sandboxes: SandboxChoice
    services: Services
    redactor: Redactor
    edit_seconds: float
    first_wait: float


class ProofWorkflow:
    """Carries one proof from its request to its card; every side effect is a step."""

    def __init__(self, parts: ProvingParts, steps: Steps) -> None:
        self._parts = parts
        self._github, self._proofs = parts.github, parts.proofs
        self._steps = steps
        self._excused = Excuses(parts.proofs)

    async def run(self, request: ProofRequest) -> None:
        """Carry a proof to its end; nothing that went wrong on the way stays unsaid."""
        with structlog.contextvars.bound_contextvars(run_id=request.run_id):
            begun = await self._proofs.begin(request.run_id)
            _log.info("proof taken up", interruptions=begun - 1)
            try:
                if begun > MOST_INTERRUPTIONS:
                    await self._end_early(request, run_life.interrupted(begun - 1))
                else:
                    await self._carry(request)
            except asyncio.CancelledError:  # its server stops; that is not the proof's doing
                with contextlib.suppress(StorageError):
                    await self._proofs.handed_over(request.run_id)
                raise
            except DatabaseUnavailable as error:  # the proof goes on once it is back
                _log.warning("proof left", problem=str(error))
                self._excused.excuse(request.run_id)
                raise
            except FixpointError as error:
                _log.error("proof ended early", problem=str(error))
                await self._end_early(request, str(error))
            except Exception:  # noqa: BLE001 - where bugs end: in the log, and told to people
                _log.exception("proof broke")
                await self._end_early(request, run_life.BUG)
            scratch = self._parts.sources.scratch(request)
            await asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True)
            _log.info("proof over")

    async def _carry(self, request: ProofRequest) -> None:
        steps = CountedSteps(self._steps, lambda: self._proofs.got_further(request.run_id))
        check_run = await steps("show", self._show, request)
        brief = await steps("brief", self._brief, request)
        if isinstance(brief, NotNow):
            await steps("say why not", self._not_now, request, check_run, brief)
            return
        stopped = StopSign()
        async with self._watched(request, stopped), self._growing(request, check_run) as growing:
            card, why = await self._prove(request, brief, steps, stopped, growing)
        await steps("tell", self._tell, request, check_run, brief.config.proof, card, why)

    async def _show(self, request: ProofRequest) -> int:
        """Return the check run of a proof, made if need be."""
        report = proof_check.queued(request)
        check_run = await self._github.create_check_run(request.repo, report)
        await self._proofs.shown_in(request.run_id, check_run)
        await self._proofs.working(request.run_id)
        return check_run

    async def _brief(self, request: ProofRequest) -> ProofBrief | NotNow:
        """Return what the proof has to know. Nothing of it comes from the head."""
        repo = request.repo
        pull = await self._github.pull_request(repo, request.number)
        if pull.state != "open":
            return NotNow(proof_check.PULL_REQUEST_CLOSED, left=True)
        if pull.head_sha != request.head:
            return NotNow(proof_check.SUPERSEDED, left=True)
        base = await self._github.branch_head(repo, pull.base_ref)
        try:
            config = await read_config(self._github, repo, base)
            parted = (await self._github.compared(repo, base, request.head)).parted
        except RepoConfigError as error:
            return NotNow(" ".join(error.problems))
        except Gone:
            return NotNow(proof_check.NO_COMMON_HISTORY)
        problem = await self._problem(request, pull)
        return ProofBrief(pull, request.head, parted, config, problem)

    async def _problem(self, request: ProofRequest, pull: PullRequest) -> Problem:
        """Return the issue that a pull request closes, else what it says itself."""
        numbers = [int(name[1:]) for name in pull.closes if name.startswith("#")]
        title, body, number = pull.title, pull.body, pull.number
        for linked in numbers[:1]:
            with contextlib.suppress(Gone):  # people mistype
                issue = await self._github.issue(request.repo, linked)
                title, body, number = issue.title, issue.body, issue.number
        problem = Problem(title=title, body=body, number=number)
        return self._parts.redactor.frozen(problem)

    async def _prove(
        self,
        request: ProofRequest,
        brief: ProofBrief,
        steps: Steps,
        stopped: StopSign,
        growing: _GrowingCard,
    ) -> tuple[ProofCard | None, str]:
        """Return the card, and why it is not a whole one: a sentence, or ""."""
        told = ServiceNotes(ProgressLog(), asks_models=False)
        job = brief.job(request)
        change = ProvenChange(job, brief.trusted, request.head, brief.config.proof.seconds)
        checkout = self._parts.sources.checkout(request, brief)
        with self._parts.services.heard(told):
            try:
                choice = SandboxOfRun(self._parts.sandboxes, told, steps, stopped)
                tools = _without_models(await choice.begin())
                card = await prove(
                    change, tools, checkout, steps, ProgressLog(), stopped, growing.grown
                )
            except (RunEnded, SandboxError) as error:
                await self._forget_sandboxes(request)
                return growing.card, str(error)
        return self._parts.redactor.frozen(card), stopped.reason if stopped.is_set() else ""

    @asynccontextmanager
    async def _watched(self, request: ProofRequest, stopped: StopSign) -> AsyncIterator[None]:
        """Stop the proof, while the block lasts, once it has to, on whichever server that was heard."""

        async def watch() -> None:
            while not stopped.is_set():
                reason = await self._proofs.why_to_stop(request.run_id)
                if reason is not None:
                    stopped.stop(reason)
                await asyncio.sleep(STOP_POLL_SECONDS)

        task = asyncio.create_task(watch())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    @asynccontextmanager
    async def _growing(self, request: ProofRequest, check_run: int) -> AsyncIterator[_GrowingCard]:
        """Show the card, while the block lasts, as it grows."""

        async def show() -> None:
            report = proof_check.under_way(request, growing.card)
            update = self._github.update_check_run
            await update(request.repo, check_run, report, Urgency.PROGRESS)

        async with KeptUp(show, self._parts.edit_seconds) as kept_up:
            growing = _GrowingCard(request, self._proofs, self._parts.redactor, kept_up)
            kept_up.changed()
            yield growing

    async def _tell(
        self,
        request: ProofRequest,
        check_run: int,
        config: ProofSection,
        card: ProofCard | None,
        why: str,
    ) -> None:
        """Show how it ended, and keep the card."""
        left = await self._proofs.why_to_stop(request.run_id)
        if left is not None:
            report = proof_check.superseded(request, left, card)
        elif card is None:
            report = proof_check.without_card(request, why)
        else:
            required = _required(config)
            if why:
                card, required = replace(card, notes=(*card.notes, why)), None
            report = proof_check.over(request, card, required=required)
        await self._last_words(request, check_run, report)
        await self._proofs.over(request.run_id, card, left or why, stopped=left is not None)

    async def _not_now(self, request: ProofRequest, check_run: int, why: NotNow) -> None:
        """Say why nothing is proved."""
        say = proof_check.superseded if why.left else proof_check.without_card
        report = say(request, why.reason)
        await self._last_words(request, check_run, report)
        await self._proofs.over(request.run_id, None, why.reason, stopped=why.left)

    async def _last_words(self, request: ProofRequest, check_run: int, report: CheckReport) -> None:
        said = StoredComment(request.run_id, request.repo, None, "", check_run, report)
        await self._parts.words.say(said)
        await if_allowed(self._github.update_check_run(request.repo, check_run, report))

    async def _end_early(self, request: ProofRequest, reason: str) -> None:
        """Say so outside of the steps, which come in the order that an earlier process kept."""
        reason = self._parts.redactor.text(reason)
        try:
            await outlast(
                lambda: self._say_early(request, reason), first_wait=self._parts.first_wait
            )
        except NotPermitted as error:
            _log.warning("no check run", problem=str(error))
            await self._proofs.over(request.run_id, None, str(error))
        except Exception:  # noqa: BLE001 - whatever stops this must not leave the proof open for ever
            _log.exception("last words not said")
            await self._proofs.over(request.run_id, None, reason)
        await self._forget_sandboxes(request)

    async def _say_early(self, request: ProofRequest, reason: str) -> None:
        check_run = await self._show(request)
        await self._not_now(request, check_run, NotNow(reason))

    async def _forget_sandboxes(self, request: ProofRequest) -> None:
        """Remove what a proof that did not come to its end left; what can't be removed expires."""
        names = (request.run_id, other_side(request.run_id))
        for name in (left for run_id in names for left in leftovers(run_id)):
            with contextlib.suppress(SandboxError):
                await self._parts.sandboxes.remove(name)


class _GrowingCard:
    """A card as far as it is there."""

    def __init__(
        self, request: ProofRequest, proofs: ProofStore, redactor: Redactor, shown: KeptUp
    ) -> None:
        self.card: ProofCard | None = None
        self._request = request
        self._proofs = proofs
        self._redactor = redactor
        self._shown = shown

    async def grown(self, card: ProofCard) -> None:
        """Keep a card that has a row more, and have it shown."""
        self.card = self._redactor.frozen(card)
        await self._proofs.grown(self._request.run_id, self.card)
        self._shown.changed()


def _required(config: ProofSection) -> frozenset[RowKind] | None:
    return frozenset(config.required) if config.conclusion == "required" else None


def _without_models(tools: Tools) -> Tools:
    """Return what a proof works with: nothing that asks a model, or a person."""
    return Tools(
        tools.sandboxes,
        {},
        environments=tools.environments,
        scrub=tools.scrub,
        remembered_setups=tools.remembered_setups,
        stand_in=tools.stand_in,
    )
