"""Lead a delivery to what does what it asks for: one table, from the type of its event."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from bot.errors import MalformedPayload
from bot.github.github import GitHub
from bot.intake.check_dispatch import CheckEvents
from bot.intake.check_events import ButtonPressed, ChecksFailed
from bot.intake.comment_dispatch import CommentEvents
from bot.intake.comment_policy import Identity, screen
from bot.intake.comment_values import CommentCreated, CommentEdited, CommentEvent
from bot.intake.decisions import Ignore, IgnoredReason
from bot.intake.events import Event, Pinged, RepositoryRenamed, Unhandled, parse_event
from bot.intake.onboarding import Installed, Onboarding
from bot.intake.proof_dispatch import ProofEvents
from bot.intake.pull_events import (
    BranchPushed,
    GroupMerged,
    GroupQueued,
    HeadLeft,
    LabelAdded,
    PullOffered,
    Reopened,
)
from bot.intake.review_dispatch import ReviewEvents, commands_behind_name
from bot.intake.review_events import Reviewed
from bot.model.repository import Repo
from bot.reporting.reasons import deliveries as did
from bot.storage.deliveries import Delivery
from bot.storage.names import NameStore


@dataclass(frozen=True, slots=True)
class Malformed:
    """A payload that this version can't read; `why` is a sentence."""

    why: str


@dataclass(frozen=True, slots=True)
class ClaimedDelivery:
    """A delivery that was read, once, for whoever works on it.

    Attributes:
        delivery: As it is stored.
        event: What its payload tells.
        thread: Name of what must not be overtaken: its thread, or itself where it has none.
    """

    delivery: Delivery
    event: Event | Malformed
    thread: str

    @property
    def comment(self) -> CommentEvent | None:
        """What somebody wrote, in a review or outside; None for other events."""
        return _comment_of(self.event)


def read_delivery(delivery: Delivery) -> ClaimedDelivery:
    """Return a delivery with what its payload tells. Never raises."""
    event: Event | Malformed
    try:
        event = parse_event(delivery.event, delivery.payload)
    except MalformedPayload as error:
        event = Malformed(str(error))
    comment = _comment_of(event)
    thread = delivery.id if comment is None else f"{comment.repo.identity}#{comment.thread.number}"
    return ClaimedDelivery(delivery, event, thread)


def _comment_of(event: Event | Malformed) -> CommentEvent | None:
    said = event.said if isinstance(event, Reviewed) else event
    return said if isinstance(said, CommentCreated | CommentEdited) else None


Handler = Callable[[Any, str], Awaitable[str]]
"""Does what an event asks for, given the id of its delivery; returns what that was."""


class _InRepository(Protocol):
    """An event that happened in a repository."""

    @property
    def repo(self) -> Repo: ...


E = TypeVar("E", bound=_InRepository)
Row = tuple[type, Handler]


class Router:
    """The table that leads from the type of an event to its handler."""

    def __init__(
        self,
        github: GitHub,
        names: NameStore,
        comments: CommentEvents,
        checks: CheckEvents,
        reviews: ReviewEvents,
        proofs: ProofEvents,
        onboarding: Onboarding,
    ) -> None:
        """Describe who does what.

        Args:
            github: Knows our own name.
            names: Hears what repositories are called now.
            comments: Does what commands ask for.
            checks: Acts on checks, buttons, pull requests and pushes.
            reviews: Does what people ask for without a command.
            proofs: Has pull requests proved.
            onboarding: Introduces us to new repositories.
        """
        self._github = github
        self._names = names
        self._comments = comments
        self._reviews = reviews
        self._checks, self._proofs = checks, proofs
        self.handlers: Mapping[type, Handler] = dict(
            (
                self._delivered(CommentCreated, self._comment),
                self._delivered(CommentEdited, comments.take),
                self._delivered(Reviewed, reviews.take),
                self._event(ChecksFailed, checks.failed),
                self._event(ButtonPressed, self._pressed),
                self._event(GroupQueued, checks.queued),
                self._event(GroupMerged, checks.group_merged),
                self._event(PullOffered, proofs.look),
                self._event(LabelAdded, _both(checks.labelled, proofs.look)),
                self._event(HeadLeft, _both(checks.left, proofs.look)),
                self._event(Reopened, _both(checks.reopened, proofs.look)),
                self._event(BranchPushed, checks.pushed),
                (RepositoryRenamed, self._renamed),
                (Installed, onboarding.take),
                (Pinged, _nothing),
                (Unhandled, _nothing),
                (Malformed, _malformed),
            )
        )

    async def take(self, claimed: ClaimedDelivery) -> str:
        """Do what a delivery asks for; return what that was.

        Raises:
            Waits: When it asks for changes while another run works on the pull request.
        """
        return await self.handlers[type(claimed.event)](claimed.event, claimed.delivery.id)

    def _event(self, kind: type[E], act: Callable[[E], Awaitable[str]]) -> Row:
        return self._delivered(kind, lambda event, _: act(event))

    def _delivered(self, kind: type[E], act: Callable[[E, str], Awaitable[str]]) -> Row:
        async def handle(event: E, delivery_id: str) -> str:
            await self._names.seen(event.repo)
            return await act(event, delivery_id)

        return kind, handle

    async def _comment(self, event: CommentCreated, delivery_id: str) -> str:
        """Do what a command asks for; on our own pull requests, people need none."""
        us = Identity((await self._github.app_identity()).slug)
        said = commands_behind_name(event, us.slug)
        is_ours = said.thread.author == us.login
        if is_ours and screen(said, us) == Ignore(IgnoredReason.NO_COMMAND):
            return await self._reviews.take_remark(said, delivery_id)
        return await self._comments.take(said, delivery_id)

    async def _pressed(self, event: ButtonPressed) -> str:
        """Lead a button to what made its check run."""
        act = self._proofs if self._proofs.owns(event) else self._checks
        return await act.pressed(event)

    async def _renamed(self, event: RepositoryRenamed, _: str) -> str:
        return did.RENAMED if await self._names.seen(event.repo) else did.NOTHING_TO_DO


def _both(
    first: Callable[[E], Awaitable[str]], then: Callable[[E], Awaitable[str]]
) -> Callable[[E], Awaitable[str]]:
    """Return what does two things, one after the other, and says what both were."""

    async def act(event: E) -> str:
        return " ".join(dict.fromkeys([await first(event), await then(event)]))

    return act


async def _nothing(*_: object) -> str:
    return did.NOTHING_TO_DO


async def _malformed(event: Malformed, _: str) -> str:
    return did.malformed(event.why)
