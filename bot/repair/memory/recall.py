"""Recall what earlier runs tried at the failure that was reproduced, before anything is spent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise

from bot.code.files import is_test_file
from bot.limited_process import TooMuch, run_limited
from bot.model.hunks import NOWHERE, Hunk, file_hunks
from bot.model.memory import (
    NOTHING_RECALLED,
    Carried,
    FailureSignature,
    Memory,
    MergedRepair,
    Recalled,
    TriedRepair,
)
from bot.model.progress import Noticed
from bot.repair.loop import Try
from bot.repair.memory.renamed_code import (
    Renaming,
    changes,
    is_mostly_kept,
    is_word,
    renamed,
    tokens,
    unified,
)
from bot.repair.memory.repair_merge import merged_into
from bot.repair.memory.signature import signature_of
from bot.repair.memory.similar_repairs import near_files
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run
from bot.repair.workspace.patches import patch_between
from bot.reporting.reasons import memory as said
from sandbox.git import ObjectStore

# The code may have been moved or copied since, or its file renamed, and names in it may be others: the
# lines around and those that go are compared token by token, under one renaming for the whole patch.

MOST_PLACES = 3
"""Places of one patch that are tried."""

MOST_BYTES = 250_000
"""Of such a file."""

_MOST_CHANGED = 4
"""Files that a patch changes; one that changes more is not carried over."""

_MOST_FITS = 5
"""Places of one file's change that are looked at, while those of the others are looked for."""

_FEWEST_WORDS = 4
"""Different words in the lines that are compared: fewer stand in many places by chance."""

_TRIMS = (0, 1, 2)
"""Lines around a change that may differ, at either end: what stood beside it may stand elsewhere."""


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """What a patch changes in one file."""

    path: str
    hunks: tuple[Hunk, ...]


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A patch's change in other places.

    Attributes:
        files: Those that it changes, with what they are then.
        carried: How it differs from the patch.
    """

    files: tuple[tuple[str, str], ...]
    carried: Carried


@dataclass(frozen=True, slots=True)
class _Fit:
    """Where all hunks of a file's change fit.

    Attributes:
        path: Of the file.
        text: The file as it is then.
        renaming: As far as it is known then.
        distance: In lines, from where the change was in its own file.
    """

    path: str
    text: str
    renaming: Renaming
    distance: int


def readable(files: Mapping[str, bytes]) -> dict[str, str]:
    """Return the files that are text, in their order."""
    texts = {path: data.decode("utf-8", "replace") for path, data in files.items()}
    return {path: text for path, text in texts.items() if text.encode() == files[path]}


def changes_of(patch: str) -> tuple[ChangedFile, ...]:
    """Return what a patch changes in files that are there; what it adds as a whole is left out.

    Returns nothing for one that deletes, or changes what is no text: neither can be made elsewhere.
    """
    found = list(file_hunks(patch))
    if any(not hunks.hunks or not hunks.after.startswith("b/") for hunks in found):
        return ()
    return tuple(
        ChangedFile(hunks.after.removeprefix("b/"), hunks.hunks)
        for hunks in found
        if hunks.before != NOWHERE
    )


def elsewhere(patch: str, files: Mapping[str, str]) -> tuple[Elsewhere, ...]:
    """Return the places where a patch's change can be made, the likest first.

    What it changes in tests is left out: they are about its own place.

    Args:
        patch: As git writes it.
        files: To look in, the nearest first; with those that it changes, as far as they are there.
    """
    parts = [file for file in changes_of(patch) if not is_test_file(file.path)]
    if not 0 < len(parts) <= _MOST_CHANGED:
        return ()
    found: dict[tuple[tuple[str, str], ...], Elsewhere] = {}
    for trim in _TRIMS:
        ways = [fits for fits in islice(_ways(parts, files, {}, trim), _MOST_FITS) if fits]
        for fits in sorted(ways, key=lambda fits: len(changes(fits[-1].renaming))):
            made = {fit.path: fit.text for fit in fits}
            carried = Carried(tuple(made), changes(fits[-1].renaming))
            texts = tuple(made.items())
            found.setdefault(texts, Elsewhere(texts, carried))
    return tuple(found.values())[:MOST_PLACES]


def _ways(
    parts: Sequence[ChangedFile], files: Mapping[str, str], known: Renaming, trim: int
) -> Iterator[tuple[_Fit, ...]]:
    """Yield ways to make the changes of all files; one that was made already is left alone."""
    if not parts:
        yield ()
        return
    first, rest = parts[0], parts[1:]
    for fit in islice(_fits(first, files, known, trim), _MOST_FITS):
        for others in _ways(rest, {**files, fit.path: fit.text}, fit.renaming, trim):
            yield (fit, *others)
    if _is_there(first, files):
        yield from _ways(rest, files, known, trim)


def _fits(
    part: ChangedFile, files: Mapping[str, str], known: Renaming, trim: int
) -> Iterator[_Fit]:
    hunks = [_trimmed(hunk, trim) for hunk in part.hunks]
    words = {word for hunk in hunks for line in hunk.old for word in tokens(line) if is_word(word)}
    if len(words) < _FEWEST_WORDS or any(not "".join(hunk.old).strip() for hunk in hunks):
        return
    for path, text in files.items():
        # cheap, and true of every file that fits: at most half of the names are others
        if 2 * sum(word in text for word in words) >= len(words):
            found = _fits_in(path, text, hunks, known)
            yield from sorted(found, key=lambda fit: (len(changes(fit.renaming)), fit.distance))


def _fits_in(path: str, text: str, hunks: Sequence[Hunk], known: Renaming) -> Iterator[_Fit]:
    """Yield where all hunks fit, in their order: the first one at each place that has its lines."""
    lines = text.split("\n")
    read = [tokens(line) for line in lines]
    for start, began in _places(hunks[0], lines, read, 0, known):
        places: list[tuple[int, Renaming]] = [(start, began)]
        for before, hunk in pairwise(hunks):
            at, renaming = places[-1]
            behind = [*_places(hunk, lines, read, at + len(before.old), renaming)]
            due = at + hunk.start - before.start
            places += sorted(behind, key=lambda place: abs(place[0] - due))[:1]
        renaming = places[-1][1]
        if len(places) == len(hunks) and is_mostly_kept(renaming):
            made, done = list[str](), 0
            for hunk, (at, _) in zip(hunks, places, strict=True):
                made += [*lines[done:at], *_rewritten(hunk, lines[at:], renaming)]
                done = at + len(hunk.old)
            after = "\n".join([*made, *lines[done:]])
            yield _Fit(path, after, renaming, abs(start + 1 - hunks[0].start))


def _places(
    hunk: Hunk,
    lines: Sequence[str],
    read: Sequence[tuple[str, ...]],
    first: int,
    known: Renaming,
) -> Iterator[tuple[int, Renaming]]:
    """Yield where the old lines of a hunk stand from a line on, with what the renaming is then."""
    wanted = [tokens(line) for line in hunk.old]
    for start in range(first, len(lines) - len(wanted) + 1):
        renaming = _renaming(wanted, read[start : start + len(wanted)], known)
        if renaming is not None and _shift(hunk.old, lines[start:]) is not None:
            yield start, renaming


def _renaming(
    wanted: Sequence[tuple[str, ...]], there: Sequence[tuple[str, ...]], known: Renaming
) -> Renaming | None:
    """Return the renaming under which some lines read as others do; None where there is none."""
    for old, new in zip(wanted, there, strict=True):
        more = unified(old, new, known)
        if more is None:
            return None
        known = more
    return known


def _shift(old: Sequence[str], lines: Sequence[str]) -> tuple[str, str] | None:
    """Return what the lines are indented by at both places; None where they differ in more."""
    pairs = [(_indent(a), _indent(b)) for a, b in zip(old, lines, strict=False) if a.strip()]
    was, now = min(pairs, key=lambda pair: len(pair[0]))
    fits = all(a.startswith(was) and b == now + a.removeprefix(was) for a, b in pairs)
    return (was, now) if fits else None


def _rewritten(hunk: Hunk, lines: Sequence[str], renaming: Renaming) -> Iterator[str]:
    """Yield the new lines of a hunk as they read at its place; what it leaves, as it is there."""
    was, now = _shift(hunk.old, lines) or ("", "")
    end = "\r" if lines[0].endswith("\r") else ""
    at = 0
    for sign, text in hunk.lines:
        if sign == "+":
            inner = text.removesuffix("\r")
            moved = now + inner.removeprefix(was) if inner.strip() else inner
            yield renamed(moved, renaming) + end
            continue
        if sign == " ":
            yield lines[at]
        at += 1


def _trimmed(hunk: Hunk, most: int) -> Hunk:
    """Return a hunk with up to so many lines less of what it leaves as it is, at either end.

    Where it only adds, those alone say where: it stays as it is.
    """
    lines, start = list(hunk.lines), hunk.start
    if all(sign != "-" for sign, _ in lines):
        return hunk
    for _ in range(most):
        if lines[0][0] == " ":
            lines.pop(0)
            start += 1
        if lines[-1][0] == " ":
            lines.pop()
    return Hunk(tuple(lines), start)


def _is_there(part: ChangedFile, files: Mapping[str, str]) -> bool:
    """Return whether a file has the new lines of its change."""
    text = f"\n{files.get(part.path, '')}\n"
    return all("\n" + "\n".join(hunk.new) + "\n" in text for hunk in part.hunks)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


@dataclass(frozen=True, slots=True)
class _Found:
    """What is remembered, and what of it can be tried again.

    Attributes:
        recalled: All of it.
        again: Repairs that merge into the tree.
        notes: Why others don't.
    """

    recalled: Recalled
    again: tuple[MergedRepair, ...]
    notes: tuple[str, ...]


async def recall(run: Run, context: RepairContext) -> None:
    """Have the run know what is remembered for its failure; a restarted run knows the same."""
    memory, reproduction = run.tools.memory, run.known.reproduction
    signature = None if reproduction is None else signature_of(reproduction)
    known = run.job.known_repair
    if signature is None or (memory is None and known is None):
        return
    store, tree = context.source.store, context.prepared.tree
    found = await run.steps("recall", _found, known, memory, signature, store, tree)
    run.known.recalled, run.known.again = found.recalled, found.again
    run.known.note(*found.notes)
    for repair in found.again[:1]:
        run.listener(Noticed(said.known(repair)))


async def _found(
    known: TriedRepair | None,
    memory: Memory | None,
    signature: FailureSignature,
    store: ObjectStore,
    tree: str,
) -> _Found:
    recalled = NOTHING_RECALLED if memory is None else await memory.recall(signature)
    again: list[MergedRepair] = []
    notes: list[str] = []
    own = (*(() if known is None else (known,)), *recalled.same)
    for entry in own:
        merged = await _merged(entry, store, tree)
        if isinstance(merged, str):
            notes.append(merged)
        elif all(merged.patch != repair.patch for repair in again):
            again.append(merged)
    if all(repair.left_out for repair in again):
        again += await _carried_over((*own, *recalled.elsewhere), signature, store, tree)
    return _Found(recalled, tuple(again), tuple(notes))


async def _merged(entry: TriedRepair, store: ObjectStore, tree: str) -> MergedRepair | str:
    """Return an earlier repair merged into a tree, or why there is nothing to try."""
    merged = await merged_into(store, tree, entry)
    if merged is None:
        return said.conflicts(entry)
    if merged.tree == tree:
        return said.conflicts(entry) if merged.left_out else said.is_there(entry)
    return MergedRepair(entry, await patch_between(store, tree, merged.tree), merged.left_out)


async def _carried_over(
    entries: Sequence[TriedRepair], signature: FailureSignature, store: ObjectStore, tree: str
) -> list[MergedRepair]:
    """Return the changes of earlier repairs, made in other places that have the lines they changed."""
    paths = await store.paths(tree) if entries else ()
    found: list[MergedRepair] = []
    for entry in entries:
        near = near_files(paths, entry.patch.files, signature)
        contents = await store.files(tree, near, longest=MOST_BYTES)
        try:
            places = await run_limited(elsewhere, entry.patch.text, readable(contents))
        except TooMuch:
            continue
        for place in places:
            after = await store.overlaid(tree, {path: text.encode() for path, text in place.files})
            patch = await patch_between(store, tree, after)
            if patch and all(patch != repair.patch for repair in found):
                found.append(MergedRepair(entry, patch, carried=place.carried))
    return found[:MOST_PLACES]


def recalled_notes(run: Run, move: Try) -> tuple[str, ...]:
    """Return what a model was shown from memory, for the report."""
    found = run.known.recalled
    if not move.proposer.needs_model or found == NOTHING_RECALLED:
        return ()
    similar = (said.shown_attempts(found.similar),) if found.similar.entries else ()
    lessons = (said.shown_lessons(found.lessons),) if found.lessons else ()
    return similar + lessons
