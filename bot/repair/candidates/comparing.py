"""Run passing patches of one batch against each other: near the tests' inputs, and on their tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bot.model import Attempt, Observation
from bot.repair.candidates.choice import Crossed
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run
from bot.repair.verification.neighbourhood import Records
from bot.repair.verification.perturbed_inputs import PerturbedInputs
from sandbox.git import PatchDoesNotApply


async def behaviour_of(
    run: Run, context: RepairContext, key: str, passing: Sequence[Attempt]
) -> dict[int, Records]:
    """Return what the failing tests' neighbourhoods show with each patch, by attempt."""
    red = run.known.reproduction.observation if run.known.reproduction is not None else None
    store, tree = context.source.store, context.prepared.tree
    near = PerturbedInputs(context.clean_room(run), store, tree)
    found = {}
    for attempt in passing:
        green = attempt.verification.target if attempt.verification is not None else None
        if red is not None and green is not None:
            found[attempt.n] = await run.steps(
                f"{key}: behaviour of {attempt.n}",
                near.behaviour, f"{run.job.run_id}-near-{attempt.n}", attempt.proposal.patch, red, green,
            )  # fmt: skip
    return found


async def crossed(
    run: Run, context: RepairContext, key: str, passing: Sequence[Attempt]
) -> dict[int, Crossed]:
    """Return how each patch does with the new tests of the others, by attempt."""
    tests = {one.n: await _new_tests(context, one) for one in passing}
    found = {}
    for attempt in passing:
        seen = [
            await run.steps(
                f"{key}: tests of {other} with {attempt.n}",
                _tried, run, context, attempt, files, f"{other}-{attempt.n}",
            )
            for other, files in tests.items()
            if other != attempt.n and files
        ]  # fmt: skip
        found[attempt.n] = Crossed(len(seen), sum(seen))
    return found


async def _new_tests(context: RepairContext, attempt: Attempt) -> Mapping[str, bytes]:
    """Return the test files that a patch brings or changes, as they are with it."""
    changed = attempt.verification.changed_tests if attempt.verification is not None else ()
    if not changed:
        return {}
    store, untouched = context.source.store, context.prepared.tree
    tree = await store.apply(untouched, attempt.proposal.patch.data)
    before, after = await store.files(untouched, changed), await store.files(tree, changed)
    return {path: data for path, data in after.items() if before.get(path) != data}


async def _tried(
    run: Run, context: RepairContext, attempt: Attempt, files: Mapping[str, bytes], name: str
) -> bool:
    """Whether the failing command passes with a patch and the new tests of another attempt."""
    room, command = context.clean_room(run), context.commands.failing
    try:
        seen: Observation = await room.observe_with(
            f"{run.job.run_id}-crossed-{name}", command, attempt.proposal.patch, files
        )
    except PatchDoesNotApply:
        return False
    return seen.ok
