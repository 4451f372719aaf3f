"""What is remembered of earlier runs: how something failed, what was tried, what became of it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Protocol

from bot.model.attempt import Patch
from bot.model.repository import Repo


@dataclass(frozen=True, slots=True)
class FailureSignature:
    """How a failure shows, without what differs between two occurrences of the same.

    Attributes:
        message: The first line that says why, levelled: no numbers, places or times.
        exception: Name of the exception, or rule of a linter or compiler; "" where there is none.
        frames: Innermost first, `path function` or `path`, of the work tree alone.
        step: The command that fails, or check and step of a failed job, levelled.
        tool: What ran in it: `pytest`, `ruff`, `make`, ...
    """

    message: str
    exception: str = ""
    frames: tuple[str, ...] = ()
    step: str = ""
    tool: str = ""

    @property
    def fingerprint(self) -> str:
        """The same for two failures that show the same: 32 hex digits, stable across versions."""
        parts = [self.message, self.exception, list(self.frames), self.step, self.tool]
        written = json.dumps(parts, ensure_ascii=True)
        return hashlib.sha256(written.encode()).hexdigest()[:32]

    @property
    def text(self) -> str:
        """Everything in it, to search in."""
        return "\n".join((self.exception, self.message, *self.frames, self.tool, self.step))


class Became(StrEnum):
    """What became of a patch."""

    REJECTED = "rejected"
    VERIFIED = "verified"
    MERGED = "merged"
    SUPERSEDED = "superseded"
    CLOSED = "closed"
    REVERTED = "reverted"


class RemarkKind(StrEnum):
    """On what occasion somebody said something of a pull request of ours."""

    CHANGES_REQUESTED = "changes_requested"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class Remark:
    """What somebody with write access said of a pull request of ours.

    Attributes:
        kind: The occasion.
        by: Login.
        text: Markdown, bounded and redacted; untrusted.
    """

    kind: RemarkKind
    by: str
    text: str


@dataclass(frozen=True, slots=True)
class TriedRepair:
    """One attempt of an earlier run.

    Attributes:
        id: The run's id and the attempt's number.
        run_id: Of the run.
        signature: Of what it was to mend.
        proposer: Who proposed the patch.
        summary: What was done and why, in the proposer's words (a model's text is data).
        patch: What was tried; empty where it was too large, or held a secret.
        before: The files that the patch changes, as they were: path and content.
        became: What became of it.
        reason: Why it was rejected, as sentences, or "".
        pull_request: Number of the pull request that has it, or None.
        url: Of that pull request, or "".
        commit: The commit that was published, or "".
        merge_commit: The commit by which it was merged, or "".
        model: That wrote it, or None.
        cost_usd: Of the attempt; None when a price is unknown.
        made_at: UTC.
        remarks: What people with write access said of the pull request, oldest first.
        origin: The other repository that shares it; None where it is the reader's own.
    """

    id: str
    run_id: str
    signature: FailureSignature
    proposer: str
    summary: str
    patch: Patch
    before: tuple[tuple[str, bytes], ...]
    became: Became
    made_at: datetime
    reason: str = ""
    pull_request: int | None = None
    url: str = ""
    commit: str = ""
    merge_commit: str = ""
    model: str | None = None
    cost_usd: Decimal | None = Decimal(0)
    remarks: tuple[Remark, ...] = ()
    origin: Repo | None = None


class LessonState(StrEnum):
    """Whether a lesson counts."""

    PROPOSED = "proposed"
    CONFIRMED = "confirmed"


@dataclass(frozen=True, slots=True)
class Lesson:
    """What somebody with write access said about how the repository wants things done.

    Attributes:
        id: 8 hex digits, derived from where it was said.
        text: What was said.
        url: Where.
        author: Login of who said it.
        state: Whether it counts.
        confirmed_by: Login of who confirmed it, or "".
        pull_request: Number of the thread where it was said, or None.
        made_at: UTC.
    """

    id: str
    text: str
    url: str
    author: str
    state: LessonState
    made_at: datetime
    confirmed_by: str = ""
    pull_request: int | None = None


@dataclass(frozen=True, slots=True)
class SimilarAttempts:
    """Attempts at failures like one, the likest first.

    Attributes:
        entries: The attempts.
        embedder: Who made the vectors that were compared besides the words; "" where none were,
            because the service that makes them didn't answer.
    """

    entries: tuple[TriedRepair, ...] = ()
    embedder: str = ""


@dataclass(frozen=True, slots=True)
class Recalled:
    """What is remembered for one failure.

    Attributes:
        same: Merged repairs of the very same failure whose patch is there, newest first.
        elsewhere: Merged repairs of failures that say the same in other places, newest first.
        similar: Attempts at failures like it, the same included.
        lessons: Those that count, oldest first.
    """

    same: tuple[TriedRepair, ...] = ()
    similar: SimilarAttempts = SimilarAttempts()
    lessons: tuple[Lesson, ...] = ()
    elsewhere: tuple[TriedRepair, ...] = ()


NOTHING_RECALLED = Recalled()


@dataclass(frozen=True, slots=True)
class Carried:
    """How a repair's change was made in another place than its own.

    Attributes:
        paths: Files that it changes there.
        renamed: Names that are others there: as they were, and as they are.
    """

    paths: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class MergedRepair:
    """A repair of before, merged into today's tree.

    Attributes:
        source: The repair.
        patch: What it changes in this tree.
        left_out: Files in which a part of it had no room beside newer changes.
        carried: Where else its change was made; None where it is in its own place.
    """

    source: TriedRepair
    patch: Patch
    left_out: tuple[str, ...] = ()
    carried: Carried | None = None


class Memory(Protocol):
    """What one run may know of earlier ones in its repository."""

    async def recall(self, signature: FailureSignature) -> Recalled:
        """Return what is remembered for a failure."""
        ...


@dataclass(frozen=True, slots=True)
class MemoryLimits:
    """How much is kept of one repository.

    Attributes:
        days: After which an attempt of which nothing more was heard is forgotten.
        entries: Attempts that are kept; of more, what became of none goes first, then the oldest.
        lessons: Lessons that are kept.
        shown: Similar attempts that the agent's first prompt shows.
    """

    days: int = 365
    entries: int = 500
    lessons: int = 50
    shown: int = 3


@dataclass(frozen=True, slots=True)
class MemoryCounts:
    """How much is remembered of a repository.

    Attributes:
        by_outcome: Attempts by what became of them.
        lessons: Lessons that count.
    """

    by_outcome: tuple[tuple[Became, int], ...] = field(default=())
    lessons: int = 0
