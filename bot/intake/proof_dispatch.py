"""Act on webhooks about pull requests that may be proved: start proofs, end superseded ones."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from bot.config.proof import ProofSection
from bot.config.values import Proved
from bot.errors import NotPermitted, RepoConfigError
from bot.github.github import GitHub
from bot.github.values import PullRequest
from bot.intake.check_events import ButtonPressed
from bot.intake.proof_policy import LookAtFiles, NotProved, ProofDecision, Prove, decide_proof
from bot.intake.pull_events import HeadLeft, LabelAdded, PullOffered, Reopened
from bot.model.proof_request import EXTERNAL_PREFIX, ProofRequest
from bot.model.repository import Repo
from bot.reporting import proof_check
from bot.reporting.reasons import deliveries as did
from bot.runs.config_file import read_config
from bot.storage.proofs import ProofRecord, ProofState, ProofStore

AboutPull = PullOffered | LabelAdded | HeadLeft | Reopened


class ProofEvents:
    """Takes events of pull requests, and buttons of the check run *Proof*."""

    def __init__(
        self,
        github: GitHub,
        proofs: ProofStore,
        start: Callable[[ProofRequest], Awaitable[None]],
        *,
        default: Proved,
    ) -> None:
        """Describe what events work with.

        Args:
            github: To ask, and to show that a proof is queued.
            proofs: What is remembered of proofs.
            start: Queues one; a second call with the same request changes nothing.
            default: Which pull requests are proved where the repo config does not say.
        """
        self._github = github
        self._proofs = proofs
        self._start = start
        self._default = default

    async def resume(self) -> None:
        """Queue, once more, all that were wanted and are not over."""
        for record in reversed(await self._proofs.active()):
            await self._start(record.request)

    async def look(self, event: AboutPull) -> str:
        """Prove a pull request as it is now, if that is wanted, and nothing that it was before."""
        try:
            return await self._look(event)
        except NotPermitted as error:  # nor will it be when the delivery is tried again
            return did.not_proved(str(error))

    async def _look(self, event: AboutPull) -> str:
        repo, known = event.repo, await self._proofs.of_pull(event.repo, event.number)
        if isinstance(event, HeadLeft) and event.closed:
            return await self._end(known, proof_check.PULL_REQUEST_CLOSED) or did.NOTHING_TO_DO
        pull = await self._github.pull_request(repo, event.number)
        here = [record for record in known if record.request.head == pull.head_sha]
        anew = isinstance(event, PullOffered) and event.retargeted
        outdated = [record for record in known if anew or record not in here]
        ended = await self._end(outdated, proof_check.SUPERSEDED)
        if (
            not anew and (queued := _queued(here)) is not None
        ):  # perhaps by a delivery that failed half-way
            return await self._begin(queued)
        if not anew and any(record.state is not ProofState.STOPPED for record in here):
            return ended or did.PROVED_ALREADY
        decision = await self._decide(repo, pull)
        if not isinstance(decision, Prove):
            return ended or did.not_proved(decision)
        return await self._begin(_request(repo, pull.number, pull.head_sha, len(here)))

    async def _decide(self, repo: Repo, pull: PullRequest) -> Prove | str:
        """Return that it is proved, or why not."""
        try:
            config = (await read_config(self._github, repo, pull.base_ref)).proof
        except RepoConfigError:
            return did.CONFIG_INVALID
        decision = await self._by(config, pull)
        if isinstance(decision, LookAtFiles):
            base = await self._github.branch_head(repo, pull.base_ref)
            compared = await self._github.compared(repo, base, pull.head_sha)
            decision = await self._by(config, pull, compared.files)
        if isinstance(decision, NotProved):
            return decision.why.value
        return Prove()

    async def _by(
        self, config: ProofSection, pull: PullRequest, files: tuple[str, ...] | None = None
    ) -> ProofDecision:
        us = (await self._github.app_identity()).bot_login
        return decide_proof(pull, config, default=self._default, us=us, files=files)

    async def _begin(self, request: ProofRequest) -> str:
        """Queue a proof and show that; doing it twice changes nothing."""
        await self._proofs.create(request)
        try:
            report = proof_check.queued(request)
            check_run = await self._github.create_check_run(request.repo, report)
        except NotPermitted as error:  # a proof that nobody could see
            await self._proofs.over(request.run_id, None, str(error))
            return did.not_proved(str(error))
        await self._proofs.shown_in(request.run_id, check_run)
        await self._start(request)
        return did.proof_started(request.run_id)

    async def _end(self, records: tuple[ProofRecord, ...] | list[ProofRecord], reason: str) -> str:
        """End those that are not over; return what was done, or ""."""
        ended = [
            record.request.run_id
            for record in records
            if await self._proofs.stop(record.request.run_id, reason)
        ]
        return did.proofs_superseded(ended) if ended else ""

    @staticmethod
    def owns(event: ButtonPressed) -> bool:
        """Whether the check run of a button shows a proof."""
        return event.external_id.startswith(EXTERNAL_PREFIX)

    async def pressed(self, event: ButtonPressed) -> str:
        """Prove once more, or stop."""
        if event.app != (await self._github.app_identity()).slug:
            return did.FOREIGN_CHECK
        record = await self._proofs.get(event.external_id.removeprefix(EXTERNAL_PREFIX))
        if record is None or record.request.repo.identity != event.repo.identity:
            return did.NOTHING_TO_DO
        if not (await self._github.permission(event.repo, event.sender)).may_write:
            return did.may_not_ask(event.sender)
        if event.button == "stop":
            await self._proofs.stop(record.request.run_id, proof_check.STOPPED_BY_BUTTON)
            return did.stopping(record.request.run_id)
        return await self._again(event, record.request)

    async def _again(self, event: ButtonPressed, request: ProofRequest) -> str:
        """Prove a head again, whatever the config says: somebody asks for it."""
        known = await self._proofs.of_pull(event.repo, request.number)
        here = [record for record in known if record.request.head == request.head]
        if (queued := _queued(here)) is not None:
            return await self._begin(queued)
        if any(not record.state.is_over for record in here):
            return did.PROVED_ALREADY
        return await self._begin(_request(event.repo, request.number, request.head, len(here)))


def _queued(records: list[ProofRecord]) -> ProofRequest | None:
    """Return what is queued among proofs of one head."""
    queued = (record.request for record in records if record.state is ProofState.QUEUED)
    return next(queued, None)


def _request(repo: Repo, number: int, head: str, turn: int) -> ProofRequest:
    now = datetime.now(UTC)
    return ProofRequest(repo.full_name, repo.installation_id, repo.id, number, head, now, turn)
