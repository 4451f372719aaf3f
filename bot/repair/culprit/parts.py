"""Find the smallest part of a commit whose undoing makes the failing tests pass there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from bot.model.culprit import ChangedLines
from bot.repair.culprit.states import States
from bot.repair.verification.candidate import changes_between
from bot.repair.verification.necessity.units import ChangePart, put_back, units_of
from sandbox.git import ObjectStore

_MOST_HUNKS = 64
"""Of a commit that is taken apart; a larger one is named as a whole."""

_MOST_TRIES = 48
"""Each is a run of the failing tests."""

Item = TypeVar("Item")


async def deciding_lines(
    store: ObjectStore, states: States, before: str, commit: str, tests: frozenset[str]
) -> tuple[ChangedLines, ...]:
    """Return the lines of a commit that decide; none where no part of it does alone.

    Args:
        store: Has both commits.
        states: Runs the failing tests.
        before: The commit without it.
        commit: The commit that broke them.
        tests: Ids of the failing tests.

    Raises:
        BudgetExhausted: When the time is up.
        RunStopped: When somebody stops the run.
    """
    trees = await store.tree_of(before), await store.tree_of(commit)
    changes = await changes_between(store, *trees)
    hunks = [unit for unit in units_of(changes, most=_MOST_HUNKS + 1) if unit.depth == 0]
    if not hunks or len(hunks) > _MOST_HUNKS:
        return ()
    after = {change.path: change.after for change in changes}
    tries = 0

    async def turn_green(undone: Sequence[ChangePart]) -> bool:
        nonlocal tries
        tries += 1
        if tries > _MOST_TRIES:
            return False
        tree = await store.overlaid(trees[1], put_back(undone, after))
        return (await states.run_tree(commit, tree)).passing >= tests

    if not await turn_green(hunks):
        return ()
    left = await smallest(hunks, turn_green)
    return tuple(ChangedLines(hunk.file, hunk.line, hunk.end_line) for hunk in left)


async def smallest(
    items: Sequence[Item], decide: Callable[[Sequence[Item]], Awaitable[bool]]
) -> Sequence[Item]:
    """Return a set of items that decides, none of which can be left out.

    That is the algorithm ddmin: A. Zeller and R. Hildebrandt, Simplifying and Isolating
    Failure-Inducing Input, 2002.

    Args:
        items: Which decide together.
        decide: Whether some of them do.
    """
    left, parts = list(items), 2
    while len(left) > 1:
        size = -(-len(left) // parts)
        chunks = [left[start : start + size] for start in range(0, len(left), size)]
        rests = [
            [item for other in chunks if other is not chunk for item in other] for chunk in chunks
        ]
        found = None
        for some in (*chunks, *(rests if len(chunks) > 2 else ())):  # noqa: PLR2004 - of two, each is the other's rest
            if await decide(some):
                found = some
                break
        if found is not None:
            parts = 2 if found in chunks else max(2, parts - 1)
            left = found
        elif parts >= len(left):
            break
        else:
            parts = min(len(left), parts * 2)
    return left
