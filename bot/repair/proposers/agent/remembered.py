"""Show a model what earlier runs tried, and what reviewers asked for: bounded, and as data."""

from __future__ import annotations

from bot.model.memory import Lesson, Recalled, Remark, TriedRepair
from bot.model.untrusted import quoted, strip_hidden
from bot.reporting.reasons import memory

_PATCH_CHARACTERS = 3_000
_SUMMARY_CHARACTERS = 800
_FAILURE_CHARACTERS = 800
_REASON_CHARACTERS = 300
_LESSON_CHARACTERS = 500
_REMARK_CHARACTERS = 500
_REMARKS = 3
_ALL_CHARACTERS = 12_000
"""Of all earlier attempts together; what goes beyond is left out, the least like it first."""

_LESSONS = 20


def remembered(recalled: Recalled) -> dict[str, object]:
    """Return the variables of `_memory.j2`."""
    shown: list[dict[str, str]] = []
    size = 0
    for entry in recalled.similar.entries:
        one = _attempt(entry)
        size += sum(map(len, one.values()))
        if size > _ALL_CHARACTERS:
            break
        shown.append(one)
    return {
        "remembered": shown,
        "shared": any(item["place"] for item in shown),
        "lessons": [_lesson(lesson) for lesson in recalled.lessons[-_LESSONS:]],
    }


def _attempt(entry: TriedRepair) -> dict[str, str]:
    signature = entry.signature
    failure = "\n".join(
        filter(None, (signature.message, *signature.frames, f"in {signature.step}"))
    )
    summary, patch, reason = entry.summary.strip(), entry.patch, strip_hidden(entry.reason)
    return {
        "run": entry.run_id,
        "place": "" if entry.origin is None else f" in {entry.origin.full_name}",
        "became": memory.became(entry),
        "failure": quoted("its failure", failure, limit=_FAILURE_CHARACTERS),
        "patch": quoted("its patch", patch.text, limit=_PATCH_CHARACTERS) if patch else "",
        "summary": quoted("its own summary", summary, limit=_SUMMARY_CHARACTERS) if summary else "",
        "remarks": "\n\n".join(map(_remark, entry.remarks[-_REMARKS:])),
        "reason": " ".join(reason.split())[:_REASON_CHARACTERS],
    }


def _remark(remark: Remark) -> str:
    label = f"{memory.occasion(remark.kind)}, by {remark.by}".replace('"', "")
    return quoted(label, strip_hidden(remark.text), limit=_REMARK_CHARACTERS)


def _lesson(lesson: Lesson) -> str:
    label = f"said by {lesson.author}, {lesson.url}".replace('"', "")
    return quoted(label, lesson.text, limit=_LESSON_CHARACTERS)
