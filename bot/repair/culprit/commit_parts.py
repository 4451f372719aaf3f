"""Find the smallest part of a commit whose undoing makes the failing tests pass there."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from bot.model.culprit import ChangedLines
from bot.repair.culprit.older_commits import States
from bot.repair.harness.driver.delta_debugging import smallest_part
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

    Args:
        items: Which decide together.
        decide: Whether some of them do.
    """
    search = smallest_part(items)
    try:
        part = next(search)
        while True:
            part = search.send(await decide(part))
    except StopIteration as end:
        found: Sequence[Item] = end.value
        return found
