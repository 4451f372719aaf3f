"""Run passing patches of one batch against each other: near the tests' inputs, and on their tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bot.model import Attempt, Observation
from bot.repair.attempts.candidates.patch_choice import Crossed
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run
from bot.repair.test_proof import narrowed
from bot.repair.verification.perturbed_inputs import PerturbedInputs, Records
from sandbox.git import PatchDoesNotApply

_UNREADABLE = b"<<<<<<< ((( {{{ \"'\n"
"""What no language takes for a test."""


@dataclass(frozen=True, slots=True)
class _Brought:
    """Test files that a patch brings or changes, as they are with it.

    Attributes:
        author: Number of the attempt.
        files: By path.
        command: That runs them.
        home: How it ends with the attempt's own patch.
    """

    author: int
    files: Mapping[str, bytes]
    command: str
    home: Observation


async def behaviour_of(
    run: Run, context: RepairContext, key: str, passing: Sequence[Attempt]
) -> dict[int, Records]:
    """Return what the failing tests' neighbourhoods show with each patch, by attempt."""
    red = run.known.reproduction.observation if run.known.reproduction is not None else None
    near = PerturbedInputs(context.clean_room(run))
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
    """Return how each patch does with the new tests of the others, by attempt.

    Only tests that the command really runs count.
    """
    brought = [await _brought(run, context, key, item) for item in passing]
    tests = [item for item in brought if item is not None]
    found = {}
    for attempt in passing:
        seen = [
            await run.steps(
                f"{key}: tests of {test.author} with {attempt.n}",
                _observed, run, context, test.command, attempt, test.files, f"{test.author}-{attempt.n}",
            )
            for test in tests
            if test.author != attempt.n
        ]  # fmt: skip
        homes = [test.home for test in tests if test.author != attempt.n]
        passed = sum(map(_passes_as_well, seen, homes))
        found[attempt.n] = Crossed(len(seen), passed)
    return found


async def _brought(run: Run, context: RepairContext, key: str, attempt: Attempt) -> _Brought | None:
    """Return the new tests of an attempt; None where there are none, or no command runs them.

    That a command runs them shows when they are unreadable: then it fails.
    """
    files = await _new_tests(context, attempt)
    if not files:
        return None
    command = narrowed(context.commands, tuple(files)).failing
    name, step = f"{attempt.n}", f"{key}: tests of {attempt.n} at home"
    home = await run.steps(step, _observed, run, context, command, attempt, files, name)
    broken = dict.fromkeys(files, _UNREADABLE)
    step, name = f"{key}: tests of {attempt.n} unreadable", f"{attempt.n}-unreadable"
    unreadable = await run.steps(step, _observed, run, context, command, attempt, broken, name)
    if home is None or _passes_as_well(unreadable, home):
        return None
    return _Brought(attempt.n, files, command, home)


def _passes_as_well(seen: Observation | None, home: Observation) -> bool:
    """Whether a command that passes with a patch, or nearly, does so with another one too."""
    if seen is None or seen.timed_out:
        return False
    return (seen.ok or not home.ok) and seen.failing_ids <= home.failing_ids


async def _new_tests(context: RepairContext, attempt: Attempt) -> Mapping[str, bytes]:
    """Return the test files that a patch brings or changes, as they are with it."""
    changed = attempt.verification.changed_tests if attempt.verification is not None else ()
    if not changed:
        return {}
    store, untouched = context.source.store, context.prepared.tree
    tree = await store.apply(untouched, attempt.proposal.patch.data)
    before, after = await store.files(untouched, changed), await store.files(tree, changed)
    return {path: data for path, data in after.items() if before.get(path) != data}


async def _observed(
    run: Run,
    context: RepairContext,
    command: str,
    attempt: Attempt,
    files: Mapping[str, bytes],
    name: str,
) -> Observation | None:
    """Return how a command ends with a patch and test files; None where the patch doesn't apply."""
    patch, sandbox = attempt.proposal.patch, f"{run.job.run_id}-crossed-{name}"
    try:
        return await context.clean_room(run).observe_with(sandbox, command, patch, files)
    except PatchDoesNotApply:
        return None
