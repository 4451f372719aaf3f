"""Replies about what is remembered of a repository."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from bot.model import Patch
from bot.model.memory import Became, FailureSignature, Lesson, LessonState, TriedRepair
from bot.reporting.example import example
from bot.reporting.figures import count
from bot.reporting.markdown import bullets, code
from bot.reporting.marker import marker, signed
from bot.reporting.prose import line
from bot.reporting.reasons.memory import became, occasion
from bot.reporting.series import series

_MARK = marker("3fa9c1d20b7e", "example")
_AT = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)
_LESSON = Lesson(
    "3fa9c1d2",
    "We use pathlib here.",
    "https://github.com/acme/app/pull/12#discussion_r1",
    "ada",
    LessonState.CONFIRMED,
    _AT,
    "wes",
    12,
)
_ENTRY = TriedRepair(
    "3fa9c1d20b7e-1",
    "3fa9c1d20b7e",
    FailureSignature("KeyError: 'knot'", "KeyError"),
    "agent",
    "",
    Patch(),
    (),
    Became.MERGED,
    _AT,
    pull_request=12,
)


@example([_LESSON], [_ENTRY], {Became.MERGED: 1, Became.REJECTED: 2}, _MARK, enabled=True)
@example([], [], {}, _MARK, enabled=False)
def memory(
    lessons: Sequence[Lesson],
    entries: Sequence[TriedRepair],
    counts: Mapping[Became, int],
    mark: str,
    *,
    enabled: bool,
) -> str:
    """Say what is remembered."""
    parts = [] if enabled else ["Memory is off in this repository (`memory.enabled`)."]
    if not lessons and not entries:
        parts.append("Nothing is remembered of this repository.")
        return signed("\n\n".join(parts), mark)
    if lessons:
        parts.append(f"**Lessons from reviews**\n\n{bullets(map(_lesson, lessons))}")
    if entries:
        told = series([f"{counts[item]} {item.value}" for item in Became if counts.get(item)])
        parts.append(f"**Attempts:** {told}. The newest:\n\n{bullets(map(_entry, entries))}")
    parts.append(
        "To forget one of these, comment `/fix forget ID`; to forget all, `/fix forget all`."
    )
    return signed("\n\n".join(parts), mark)


@example([_LESSON], _MARK)
def proposed(lessons: Sequence[Lesson], mark: str) -> str:
    """Ask whether lessons shall be kept."""
    if not lessons:
        return signed("Nothing is proposed as a lesson any more.", mark)
    asked = "this" if len(lessons) == 1 else "these"
    text = (
        f"Should Fixpoint remember {asked} for later runs in this repository?\n\n"
        f"{bullets(map(_lesson, lessons))}\n\n"
        "To keep it, comment `/fix remember`, or answer that review comment with it. "
        "To discard it, comment `/fix forget ID`. What nobody confirms isn't used."
    )
    return signed(text, mark)


@example([_LESSON], _MARK)
def confirmed(lessons: Sequence[Lesson], mark: str) -> str:
    """Say that lessons count from now on."""
    text = f"Remembered for later runs:\n\n{bullets(map(_lesson, lessons))}"
    return signed(text, mark)


@example(_MARK)
def nothing_proposed(mark: str) -> str:
    """Say that there is nothing to confirm."""
    text = (
        "No lesson is proposed here. To have Fixpoint remember something, comment "
        "`/fix remember: <what to remember>`."
    )
    return signed(text, mark)


@example(50, _MARK)
def no_room(most: int, mark: str) -> str:
    """Say that there are too many lessons."""
    text = f"Not remembered: this repository already has {count(most, 'lesson')}. "
    return signed(f"{text}Forget one with `/fix forget ID` first; `/fix memory` lists them.", mark)


@example(_MARK)
def is_off(mark: str) -> str:
    """Say that the repository wants nothing remembered."""
    return signed("Not remembered: memory is off in this repository (`memory.enabled`).", mark)


@example(["3fa9c1d2"], 1, 0, _MARK)
@example([], 1, 3, _MARK)
@example(["3fa9c1d2"], 0, 0, _MARK)
@example(["3fa9c1d2", "3fa9c1d20b7e-1"], 0, 0, _MARK)
def forgotten(ids: Sequence[str], lessons: int, entries: int, mark: str) -> str:
    """Say what was forgotten; without IDs, that was all."""
    if not lessons and not entries:
        listed = " or ".join(map(code, ids))
        named = f"Nothing has the ID {listed}" if ids else "Nothing is remembered here"
        return signed(f"{named}. `/fix memory` shows what is remembered.", mark)
    told = [count(lessons, "lesson")] if lessons else []
    told += [count(entries, "attempt")] if entries else []
    return signed(f"Forgotten: {series(told)}.", mark)


def _lesson(lesson: Lesson) -> str:
    state = "" if lesson.state is LessonState.CONFIRMED else " (proposed)"
    where = f" ([source]({lesson.url}))" if lesson.url.startswith(("https://", "http://")) else ""
    said = line(lesson.text, limit=500)
    return f"{code(lesson.id)}{state}: {said} Said by {code(lesson.author)}{where}."


def _entry(entry: TriedRepair) -> str:
    shown = code(entry.signature.message, limit=120) if entry.signature.message else "a failure"
    said = "".join(
        f"; {occasion(remark.kind)}: {line(remark.text, limit=160)}"
        for remark in entry.remarks[-1:]
    )
    return f"{code(entry.run_id)}, {entry.made_at:%Y-%m-%d}: {shown}, {line(became(entry))}{said}"
