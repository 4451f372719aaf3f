"""What the API tells of what is remembered of a repository."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from bot.model.memory import Lesson, TriedRepair
from bot.reporting.json_report import cost_value


class _Told(BaseModel):
    model_config = ConfigDict(frozen=True)


class LessonPart(_Told):
    """What a reviewer said that may hold for all work."""

    id: str = Field(description="8 hex digits.")
    state: Literal["proposed", "confirmed"] = Field(description="Only confirmed ones are used.")
    text: str = Field(description="What was said.")
    author: str = Field(description="Login of who said it.")
    confirmed_by: str | None = Field(description="Login of who confirmed it; null before that.")
    url: str = Field(description="Where it was said; may be empty.")
    made_at: datetime = Field(description="UTC.")


class TriedPart(_Told):
    """An attempt of an earlier run."""

    id: str = Field(description="The run's id and the attempt's number.")
    run: str = Field(description="Id of the run.")
    made_at: datetime = Field(description="UTC.")
    outcome: Literal["rejected", "verified", "merged", "closed", "reverted"] = Field(
        description="What became of it."
    )
    pull_request: int | None = Field(description="That has it; null without one.")
    message: str = Field(description="Of the failure, without numbers, times and places.")
    exception: str = Field(description="Or a linter's rule; may be empty.")
    frames: tuple[str, ...] = Field(description="Innermost first, of the repository alone.")
    step: str = Field(description="The failing command, or check and step.")
    tool: str = Field(description="What ran in it.")
    proposer: str = Field(description="Who proposed the patch.")
    model: str | None = Field(description="That wrote it; null without one.")
    cost_usd: float | None = Field(description="US dollars; null when a price is unknown.")
    files: tuple[str, ...] = Field(description="That the patch changes.")


class MemoryPart(_Told):
    """What is remembered of a repository."""

    lessons: tuple[LessonPart, ...] = Field(description="Oldest first.")
    attempts: tuple[TriedPart, ...] = Field(description="Newest first, at most `limit`.")


def lesson_part(lesson: Lesson) -> LessonPart:
    """Return a lesson as the API tells it."""
    return LessonPart(
        id=lesson.id,
        state=lesson.state.value,
        text=lesson.text,
        author=lesson.author,
        confirmed_by=lesson.confirmed_by or None,
        url=lesson.url,
        made_at=lesson.made_at,
    )


def tried_part(entry: TriedRepair) -> TriedPart:
    """Return an attempt as the API tells it."""
    signature = entry.signature
    return TriedPart(
        id=entry.id,
        run=entry.run_id,
        made_at=entry.made_at,
        outcome=entry.became.value,
        pull_request=entry.pull_request,
        message=signature.message,
        exception=signature.exception,
        frames=signature.frames,
        step=signature.step,
        tool=signature.tool,
        proposer=entry.proposer,
        model=entry.model,
        cost_usd=cost_value(entry.cost_usd),
        files=entry.patch.files,
    )
