"""What a server does besides answering: runs, deliveries, commits, sweeps."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

from bot.background import in_background
from bot.github.github import GitHub
from bot.intake.approval_answers import Approvals
from bot.intake.check_dispatch import CheckEvents
from bot.intake.comment_dispatch import CommentEvents
from bot.intake.dispatch import Dispatcher
from bot.intake.onboarding import Onboarding
from bot.intake.pending_commits import Settler
from bot.intake.proof_dispatch import ProofEvents
from bot.intake.reconcile import Reconciler
from bot.intake.redelivery import MissedDeliveries
from bot.intake.review_dispatch import ReviewEvents
from bot.intake.router import Router
from bot.intake.superseded_commits import LeftHeads
from bot.model.proof_request import ProofRequest
from bot.redaction import Redactor
from bot.runs.admission import Admission
from bot.runs.display import Display
from bot.runs.merged_pulls import MergedPulls
from bot.runs.publishing.quarantine_ends import QuarantineEnds
from bot.runs.queue_notices import QueueNotices
from bot.runs.review_feedback import PeopleSaid
from bot.runs.waiting_times import Timing
from bot.runs.workflow import FixWorkflow
from bot.server.housekeeping import (
    Housekeeping,
    TidySandboxes,
    keep_mirrors_tidy,
    keep_sandboxes_tidy,
)
from bot.server.limits import Sweeps
from bot.server.membership import Membership
from bot.settings.environment import Proofs
from bot.storage.journal import Journal
from bot.storage.stores import Stores
from bot.web.webhooks.sender import WebhookSender

LOOK_AGAIN = 4
"""How many times `FIXPOINT_RETRY_SECONDS` checks that still run are left alone at first."""


@dataclass(frozen=True, slots=True)
class Shared:
    """What the parts of a server have in common."""

    timing: Timing
    sweeps: Sweeps
    github: GitHub
    stores: Stores
    display: Display
    journal: Journal
    admission: Admission
    membership: Membership
    approvals: Approvals
    redactor: Redactor
    prove: Callable[[ProofRequest], Awaitable[None]]
    proved: Proofs
    onboarding: Onboarding


@dataclass(frozen=True, slots=True)
class Desk:
    """What works through deliveries and commits, and looks for what was missed."""

    dispatcher: Dispatcher
    settler: Settler
    reconciler: Reconciler
    proofs: ProofEvents
    quarantines: QuarantineEnds

    def wake(self) -> None:
        """Say that there may be something to do."""
        self.dispatcher.wake()
        self.settler.wake()

    async def stop(self) -> None:
        """Take nothing more up."""
        await self.dispatcher.stop()
        await self.settler.stop()


@asynccontextmanager
async def open_desk(
    shared: Shared, workflow: FixWorkflow, sandboxes: TidySandboxes
) -> AsyncIterator[Desk]:
    """Work through what any server stored, and do the sweeps while they are this one's duty."""
    sweeps, stores, github = shared.sweeps, shared.stores, shared.github
    start, wait = shared.admission.start, shared.timing.retry_seconds
    server_id, turn = shared.membership.id, shared.membership.leading.wait
    missed = MissedDeliveries(github, stores.deliveries, every=sweeps.missed_seconds)
    left = LeftHeads(github, stores.runs, shared.approvals)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(in_background(partial(shared.approvals.keep_looking, turn)))
        again = LOOK_AGAIN * wait
        settler = await stack.enter_async_context(
            Settler(
                github, stores, start, left, shared.display, server_id=server_id, first_wait=again
            )
        )
        quarantines = QuarantineEnds(github, stores.quarantines, stores.runs)
        merged = MergedPulls(github, stores, shared.redactor)
        said = PeopleSaid(github, stores.pull_memory, shared.redactor)
        checks = CheckEvents(
            github,
            stores,
            shared.approvals,
            left,
            settler.wake,
            merged,
            said,
            quarantines,
            settle=again,
        )
        comments = CommentEvents(github, stores, start, shared.approvals, workflow.view_of, checks)
        reviews = ReviewEvents(github, stores.lessons, stores.runs, said, comments)
        proofs = ProofEvents(github, stores.proofs, shared.prove, default=shared.proved.value)
        await proofs.resume()
        dispatcher = await stack.enter_async_context(
            Dispatcher(
                stores.deliveries,
                shared.admission.resume,
                Router(github, stores.names, comments, checks, reviews, proofs, shared.onboarding),
                reviews.waits,
                server_id=server_id,
                signals=stores.events.signals,
                first_wait=wait,
            )
        )

        def wake() -> None:
            dispatcher.wake()
            settler.wake()

        reconciler = Reconciler(
            github,
            stores,
            wake,
            shared.display,
            every=sweeps.reconcile_seconds,
            requests=sweeps.reconcile_requests,
        )
        sender = WebhookSender(stores, first_wait=wait, page_of=shared.display.page_of)
        await stack.enter_async_context(
            in_background(
                partial(missed.keep_looking, turn),
                partial(reconciler.keep_looking, turn),
                partial(quarantines.keep_looking, turn),
                partial(_when_leading, turn, sender.keep_sending),
                partial(Housekeeping(stores, shared.journal).keep_tidy, turn),
                partial(keep_mirrors_tidy, sweeps.mirrors, sweeps.mirrors_bytes),
                partial(keep_sandboxes_tidy, sandboxes),
            )
        )
        every = shared.timing.edit_seconds
        notices = QueueNotices(stores, shared.display, shared.admission.wake, every=every)
        await stack.enter_async_context(in_background(partial(notices.keep_telling, turn)))
        yield Desk(dispatcher, settler, reconciler, proofs, quarantines)


async def _when_leading(
    turn: Callable[[], Awaitable[object]], work: Callable[[], Coroutine[None, None, None]]
) -> None:
    """Do it once the sweeps are this server's duty, which they are until its end."""
    await turn()
    await work()
