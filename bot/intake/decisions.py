"""What a comment can lead to: values that the policy returns and the server acts on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from bot.intake.commands import Command, MemoryCommand
from bot.intake.comment_values import CommentEvent
from bot.model.questions import Question, Unmeant
from bot.model.request import FixRequest


@dataclass(frozen=True, slots=True)
class CommandCandidate:
    """A person's comment with a command that should be answered, if the person may ask."""

    event: CommentEvent
    command: Command


class IgnoredReason(StrEnum):
    """Why nothing happens; for the log."""

    NO_COMMAND = "no command"
    NOTHING_NEW = "no new command"
    OURSELVES = "own comment"
    BOT = "comment by a bot"
    LOCKED = "locked conversation"
    UNREADABLE = "takes too long to read"


@dataclass(frozen=True, slots=True)
class Ignore:
    """Nothing happens, and nobody is told."""

    reason: IgnoredReason


@dataclass(frozen=True, slots=True)
class StartRun:
    """Start a run."""

    request: FixRequest


class ReplyKind(StrEnum):
    """What a person is told who asked for no run."""

    HELP = "help"
    STATUS = "status"


@dataclass(frozen=True, slots=True)
class CommentReply:
    """Tell the person something; `run_id` names the active run or, without one, is None."""

    kind: ReplyKind
    run_id: str | None = None


@dataclass(frozen=True, slots=True)
class StopRun:
    """Ask the active run to stop."""

    run_id: str


@dataclass(frozen=True, slots=True)
class Switch:
    """Switch automatic runs of the pull request on or off."""

    on: bool


@dataclass(frozen=True, slots=True)
class AnswerRun:
    """Continue the run that asked with this answer."""

    question: Question
    approved: bool


@dataclass(frozen=True, slots=True)
class EndWaiting:
    """End the active run, which waits for an answer, whatever it asks."""

    run_id: str


@dataclass(frozen=True, slots=True)
class AskMemory:
    """Show or change what is remembered of the repository."""

    command: MemoryCommand


class Refusal(StrEnum):
    """Why a person does not get what was asked for."""

    NO_PERMISSION = "no permission"
    BAD_COMMAND = "bad command"
    ALREADY_RUNNING = "already running"
    NOTHING_TO_STOP = "nothing to stop"
    NOT_ANSWERED = "answers no question"
    MAY_NOT_APPROVE = "may not approve"
    SPENT = "budget used up"
    STOPPED_SINCE = "stopped by a later comment"


@dataclass(frozen=True, slots=True)
class Refuse:
    """Tell the person why not.

    Attributes:
        refusal: Why.
        detail: For `BAD_COMMAND` the sentence about it, for `ALREADY_RUNNING` the run's id,
            for `NO_PERMISSION` the least role that may ask, for `MAY_NOT_APPROVE` and `SPENT`
            approve, for `NOT_ANSWERED` the id that was named.
        why: For `NOT_ANSWERED`.
        questions: That are open, where an answer is for none of them.
    """

    refusal: Refusal
    detail: str = ""
    why: Unmeant = Unmeant.NONE_OPEN
    questions: tuple[Question, ...] = ()


Decision = AskMemory | StartRun | CommentReply | StopRun | AnswerRun | EndWaiting | Switch | Refuse
