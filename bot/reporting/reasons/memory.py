"""What is remembered of earlier runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import assert_never

from bot.model import Patch
from bot.model.memory import (
    Became,
    Carried,
    FailureSignature,
    Lesson,
    LessonState,
    MergedRepair,
    RemarkKind,
    SimilarAttempts,
    TriedRepair,
)
from bot.model.repository import Repo
from bot.reporting.example import example
from bot.reporting.figures import count
from bot.reporting.markdown import code
from bot.reporting.series import series

_ENTRY = TriedRepair(
    id="3fa9c1d20b7e-1",
    run_id="3fa9c1d20b7e",
    signature=FailureSignature("KeyError: 'knot'", "KeyError"),
    proposer="agent",
    summary="",
    patch=Patch(),
    before=(),
    became=Became.MERGED,
    made_at=datetime(2026, 1, 1, tzinfo=UTC),
    pull_request=12,
)
_OWN = replace(_ENTRY, became=Became.VERIFIED)
_CARRIED = MergedRepair(
    _ENTRY, Patch(), (), Carried(("shop/basket.py",), (("cart", "basket"), ("total_of", "sum_of")))
)
_LESSON = Lesson(
    id="3fa9c1d2",
    text="We use pathlib here.",
    url="https://github.com/acme/app/pull/12#discussion_r1",
    author="ada",
    state=LessonState.CONFIRMED,
    made_at=datetime(2026, 1, 1, tzinfo=UTC),
)


@example(_ENTRY)
@example(replace(_ENTRY, origin=Repo("acme/lib", 1)))
def source(entry: TriedRepair) -> str:
    """Where an earlier attempt comes from, as the middle of a sentence."""
    where = "" if entry.origin is None else f" of {code(entry.origin.full_name)}"
    return f"run {code(entry.run_id)}{where} ({became(entry)})"


@example(RemarkKind.CHANGES_REQUESTED)
@example(RemarkKind.CLOSED)
def occasion(kind: RemarkKind) -> str:
    """When somebody said something of a pull request."""
    match kind:
        case RemarkKind.CHANGES_REQUESTED:
            return "changes requested"
        case RemarkKind.CLOSED:
            return "said when it was closed"
        case _:
            assert_never(kind)


@example(_ENTRY)
@example(replace(_ENTRY, became=Became.SUPERSEDED))
def became(entry: TriedRepair) -> str:
    """What became of an earlier attempt."""
    elsewhere = "" if entry.origin is None else entry.origin.full_name
    where = f" in {elsewhere}#{entry.pull_request}" if entry.pull_request is not None else ""
    match entry.became:
        case Became.REJECTED:
            return "rejected"
        case Became.VERIFIED:
            return f"verified{where}"
        case Became.MERGED:
            return f"merged{where}"
        case Became.SUPERSEDED:
            return f"changed{where} before it was merged"
        case Became.CLOSED:
            return f"closed{where} without being merged"
        case Became.REVERTED:
            return f"merged{where} and later reverted"
        case _:
            assert_never(entry.became)


@example(MergedRepair(_ENTRY, Patch()))
@example(MergedRepair(_OWN, Patch()))
@example(_CARRIED)
def known(repair: MergedRepair) -> str:
    """The failure was repaired before, here or elsewhere, or a pull request that repairs it is done again."""
    entry = repair.source
    if repair.carried is not None:
        return (
            f"A failure that reads the same was fixed before by {source(entry)}. "
            f"The lines that its patch changed are in {_paths(repair.carried.paths)}, too."
        )
    if entry.became is Became.VERIFIED:
        return f"The patch of #{entry.pull_request} is tried first."
    return f"The same failure was fixed before by {source(entry)}."


@example(_ENTRY)
def trying(entry: TriedRepair) -> str:
    return f"Trying the patch of {source(entry)}."


@example(MergedRepair(_ENTRY, Patch()))
@example(MergedRepair(_OWN, Patch()))
@example(MergedRepair(_OWN, Patch(), ("app/prices.py",)))
@example(_CARRIED)
def applied(repair: MergedRepair) -> str:
    """An earlier patch makes the failing command pass: the summary of the attempt."""
    entry, carried, rest = repair.source, repair.carried, ""
    if carried is not None:
        return (
            f"A failure that reads the same was fixed before, by {source(entry)}. "
            f"The same change was made in {_paths(carried.paths)}{_names(carried)}."
        )
    if repair.left_out:
        files = _paths(repair.left_out)
        rest = f" Parts of it that conflict with newer changes in {files} were left out."
    if entry.became is Became.VERIFIED:
        return f"The patch of #{entry.pull_request} was merged into the new commit.{rest}"
    return (
        f"The same failure was fixed before, by {source(entry)}. "
        f"Its patch was applied again, with a three-way merge.{rest}"
    )


def _names(carried: Carried) -> str:
    names = [f"{code(is_now)} for {code(was)}" for was, is_now in carried.renamed]
    return f", with {series(names, most=5)}" if names else ""


def _paths(paths: Sequence[str]) -> str:
    return series([code(path) for path in paths], most=5)


@example(_ENTRY)
def conflicts(entry: TriedRepair) -> str:
    return f"The patch of {source(entry)} conflicts with this commit."


@example(_ENTRY)
def is_there(entry: TriedRepair) -> str:
    return f"This commit already contains the patch of {source(entry)}."


@example(_ENTRY)
def fails_still(entry: TriedRepair) -> str:
    return f"The failing command still fails with the patch of {source(entry)}."


@example(SimilarAttempts((_ENTRY,), "ngrams-1024-3"))
@example(SimilarAttempts((_ENTRY,)))
def shown_attempts(similar: SimilarAttempts) -> str:
    """The model was shown earlier attempts, found in one way or two."""
    shown = series([source(entry) for entry in similar.entries], most=5)
    found = count(len(similar.entries), "earlier attempt")
    by = "words alone, because the embedding service did not answer"
    if similar.embedder:
        by = f"words and by vectors ({code(similar.embedder)})"
    return f"Shown to the model: {found} at similar failures: {shown}. Found by {by}."


@example([_LESSON])
def shown_lessons(lessons: Sequence[Lesson]) -> str:
    """The model was shown lessons."""
    shown = series([code(lesson.id) for lesson in lessons], most=10)
    return f"Shown to the model: {count(len(lessons), 'lesson')} from reviews ({shown})."
