"""Work through what people say of our pull requests: requests, and what may hold for all work to come."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal

from bot.config.repo_config import RepoConfig
from bot.github.github import GitHub
from bot.github.values import RemarkAtLine
from bot.intake.addressee import as_commands, is_for_us, without_mention
from bot.intake.answered_mail import without_answered_mail
from bot.intake.check_dispatch import read_default_config, read_memory_section
from bot.intake.commands import Fix, may_hold_command
from bot.intake.comment_dispatch import CommentEvents
from bot.intake.comment_values import CommentCreated
from bot.intake.review_events import Reviewed
from bot.model.memory import Lesson, LessonState
from bot.model.repository import Repo
from bot.reporting import memory_messages as messages
from bot.reporting import review_replies
from bot.reporting.marker import marker
from bot.reporting.reasons import deliveries as did
from bot.runs.review_feedback import PeopleSaid
from bot.storage.lessons import LessonStore, lesson_id
from bot.storage.runs import RunRecord, RunStatus, RunStore

# What holds in general is only proposed; people decide what is kept.

LONGEST = 500
"""Characters of a remark that can be a rule."""

_SHORTEST_WORDS = 3

_WHO = r"(?:we|our|this (?:repo|repository|project|codebase|package)|here,? we)"
_WHAT = (
    r"(?:use|prefer|avoid|don'?t|do not|never|always|only|require|follow|keep|name|write|support)s?"
)
_GENERAL = re.compile(
    rf"\b{_WHO}\b[^.!?\n]{{0,60}}?\b{_WHAT}\b"
    r"|\b(?:our|the project'?s) (?:convention|style|style guide|policy|rule)s?\b",
    re.IGNORECASE,
)
"""Who speaks of the project speaks of all of it."""

_ALWAYS = re.compile(
    r"(?:(?:please|and|also|but)\b,? ?)*"
    r"(?:never\b(?! mind)|always\b|prefer\b|avoid\b"
    r"|(?:don['\u2019]?t|do not) (?!(?:worry|forget|bother|you|mind|merge|think|know|see|we|i)\b)"
    r"|use \S[^,;\n]{0,80}(?: instead of | rather than | over |, (?:and )?not ))"
    r"|(?=.{0,200}?\b(?:should|must|may|can) (?:never|always)\b)",
    re.IGNORECASE,
)
"""A sentence that says what to do or not to do, without an exception."""

_PLACE = re.compile(
    r"\b(?:this|that|these|those|it|its|here|there|above|below|line|yet|now)\b", re.IGNORECASE
)
"""What such a sentence is about in one place, so that it need not hold in another."""

_SENTENCES = re.compile(r"(?<=[.!?:;])\s+|\n")
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


def reads_as_rule(text: str) -> bool:
    """Return whether a remark sounds as if it held in general: "we use X here", "don't touch Y"."""
    words = _CODE.sub("", text[: LONGEST + 1]).strip()
    if len(text) > LONGEST or words.endswith("?"):
        return False
    return _GENERAL.search(words) is not None or any(
        _is_order(sentence) for sentence in _SENTENCES.split(words)
    )


def _is_order(sentence: str) -> bool:
    is_long_enough = len(sentence.split()) >= _SHORTEST_WORDS
    return (
        is_long_enough and _ALWAYS.match(sentence) is not None and _PLACE.search(sentence) is None
    )


MOST_REMARKS = 30
_LONGEST_REQUEST = 8_000


@dataclass(frozen=True, slots=True)
class RequestedChanges:
    """What a review asks for.

    Attributes:
        text: As instructions, "" for nothing.
        remarks: Ids of the review comments whose words are in the text.
    """

    text: str
    remarks: tuple[int, ...]


def requested_changes(body: str, remarks: Sequence[RemarkAtLine]) -> RequestedChanges:
    """Return a review's own text, then each remark with its place, as many as there is room for."""
    text, held = body.strip()[:_LONGEST_REQUEST], []
    for remark in remarks[:MOST_REMARKS]:
        longer = "\n\n".join(filter(None, (text, f"{_place(remark)}: {remark.body.strip()}")))
        if len(longer) > _LONGEST_REQUEST:
            break
        text = longer
        held.append(remark.id)
    return RequestedChanges(text, tuple(held))


def _place(remark: RemarkAtLine) -> str:
    return remark.path if remark.line is None else f"{remark.path}:{remark.line}"


class Waits(Exception):
    """A delivery is to be taken up once something else is over; the text says what."""


class ReviewEvents:
    """Takes requests out of reviews and comments, and proposes lessons from our own pull requests."""

    def __init__(
        self,
        github: GitHub,
        lessons: LessonStore,
        runs: RunStore,
        people: PeopleSaid,
        comments: CommentEvents,
    ) -> None:
        self._github = github
        self._lessons = lessons
        self._runs = runs
        self._people = people
        self._comments = comments

    async def take(self, event: Reviewed, delivery_id: str) -> str:
        """Do what a review asks for; return what that was.

        Raises:
            Waits: When it asks for changes while another run works on the pull request.
        """
        us = await self._github.app_identity()
        event = replace(event, said=commands_behind_name(event.said, us.slug))
        said = event.said
        if may_hold_command(said.comment.body):
            return await self._comments.take(said, delivery_id)
        is_rule = reads_as_rule(said.comment.body)
        wanted = event.review is not None or is_rule
        ours = said.thread.author == us.bot_login
        if not ours or said.sender.is_bot or said.thread.locked or not wanted:
            return did.NOTHING_TO_DO
        if not await self._may_write(said):
            return did.may_not_ask(said.sender.login)
        if event.review is not None:
            config = await self._config(said)
            asked = await self._requested(event, event.review, config, us.slug)
            if asked is not None:
                return await self._revise(said, delivery_id, asked, config)
        return await self._propose(event) if is_rule else did.NOTHING_TO_DO

    async def take_remark(self, said: CommentCreated, delivery_id: str) -> str:
        """Do what a comment without a command asks for on one of our own pull requests.

        Raises:
            Waits: When it asks for changes while another run works on the pull request.
        """
        if not said.thread.is_open:
            return await self._after_the_end(said)
        us, body = await self._github.app_identity(), said.comment.body
        if not is_for_us(body, us.slug, every=True):
            return did.NOTHING_TO_DO
        if not await self._may_write(said):
            return did.may_not_ask(said.sender.login)
        config = await self._config(said)
        if not is_for_us(body, us.slug, every=config.reviews == "all"):
            return did.NOTHING_TO_DO
        asked = requested_changes(without_mention(body, us.slug), ())
        await self._people.asked(said.repo, said.thread.number, said.sender.login, asked.text)
        return await self._revise(said, delivery_id, asked, config)

    async def _after_the_end(self, said: CommentCreated) -> str:
        """Note what may be the reason why a pull request was closed: GitHub's own button posts it last."""
        if await self._may_write(said):
            author = said.sender.login
            await self._people.after_the_end(
                said.repo, said.thread.number, author, said.comment.body
            )
        return did.NOTHING_TO_DO

    async def _config(self, said: CommentCreated) -> RepoConfig:
        """Return the repo config, or the default one: the run says what is wrong with a bad one."""
        return await read_default_config(self._github, said.repo) or RepoConfig()

    async def _may_write(self, said: CommentCreated) -> bool:
        return (await self._github.permission(said.repo, said.sender.login)).may_write

    async def _requested(
        self, event: Reviewed, review: int, config: RepoConfig, slug: str
    ) -> RequestedChanges | None:
        """Return what a review asks us for; None for one that only comments and isn't meant for us."""
        said = event.said
        listed = await self._github.review_comments(said.repo, said.thread.number, review)
        remarks = [
            replace(line, body=without_answered_mail(line.body))
            for line in listed
            if line.by == said.sender.login
        ]
        words = "\n\n".join([said.comment.body, *(remark.body for remark in remarks)])
        every = config.reviews == "all"
        if not event.wants_changes and not every and not is_for_us(words, slug, every=False):
            return None
        wanted = requested_changes(said.comment.body, remarks)
        wanted = replace(wanted, text=without_mention(wanted.text, slug))
        await self._people.asked(said.repo, said.thread.number, said.sender.login, wanted.text)
        return wanted

    async def _revise(
        self,
        said: CommentCreated,
        delivery_id: str,
        wanted: RequestedChanges,
        config: RepoConfig,
    ) -> str:
        """Start a run on the same branch for what people ask for, unless the config wants none."""
        if config.reviews is False or not said.thread.is_open or not wanted.text:
            return did.NOTHING_TO_DO
        if others := await self._others(said):
            await self._say_that_it_waits(said, others)
            raise Waits(did.REVIEW_WAITS)
        said = replace(said, comment=replace(said.comment, remarks=wanted.remarks))
        return await self._comments.ask(said, delivery_id, Fix(wanted.text))

    async def waits(self, said: CommentCreated) -> bool:
        """Whether a run that is something else's works on the pull request of what was said."""
        return bool(await self._others(said))

    async def _others(self, said: CommentCreated) -> tuple[RunRecord, ...]:
        active = await self._runs.active(said.repo, said.thread.number)
        return tuple(run for run in active if run.request.comment_id != said.comment.id)

    async def _say_that_it_waits(self, said: CommentCreated, others: tuple[RunRecord, ...]) -> None:
        """Say so once, whatever becomes of it."""
        asks = any(run.status is RunStatus.WAITING for run in others)
        what: Literal["review", "comment"] = "review" if said.comment.in_review else "comment"
        mark = marker(f"{what}-{said.comment.id}", "waits")
        text = review_replies.waits(what, said.sender.login, mark, asks=asks)
        await self._github.post_comment(said.repo, said.thread.number, text, mark)

    async def _propose(self, event: Reviewed) -> str:
        """Propose a lesson, and ask in the pull request whether it shall be kept."""
        said, comment = event.said, event.said.comment
        section = await read_memory_section(self._github, said.repo)
        if not section.enabled or not section.lessons:
            return did.NOTHING_TO_DO
        lesson = Lesson(
            id=lesson_id(said.repo, comment.id),
            text=" ".join(comment.body.split()),
            url=comment.url,
            author=said.sender.login,
            state=LessonState.PROPOSED,
            made_at=datetime.now(UTC),
            pull_request=said.thread.number,
        )
        await self._lessons.propose(said.repo, lesson, comment.id, section.limits.lessons)
        if await self._lessons.of_comment(said.repo, comment.id) is None:
            return did.NOTHING_TO_DO
        await self._ask(said.repo, said.thread.number)
        return did.lesson_proposed(lesson.id)

    async def _ask(self, repo: Repo, number: int) -> None:
        """Ask once per pull request: a later proposal is added to the question."""
        listed = await self._lessons.of_pull_request(repo, number)
        proposed = tuple(lesson for lesson in listed if lesson.state is LessonState.PROPOSED)
        mark = marker(f"lessons-{number}", "lessons")
        text = messages.proposed(proposed, mark)
        comment = await self._github.post_comment(repo, number, text, mark)
        await self._github.edit_comment(repo, comment, text)


def commands_behind_name(said: CommentCreated, slug: str) -> CommentCreated:
    """Return what was said, less what it answers, with commands behind our name as commands."""
    comment = said.comment
    return replace(said, comment=replace(comment, body=as_commands(comment.body, slug)))
