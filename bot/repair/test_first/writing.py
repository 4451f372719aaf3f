"""Have failing tests written for a problem that no test shows yet, and prove that they show it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.model import (
    Attempt,
    Cause,
    Observation,
    Patch,
    Proposal,
    Reproduction,
    Specification,
    Verification,
)
from bot.model.progress import Noticed, Phase, PhaseStarted, Specified
from bot.repair.attempts.repository_map import map_repository
from bot.repair.goal.issue_words import words_of
from bot.repair.proposers.base import Proposer, Task
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run
from bot.repair.test_first.coverage import covered, open_points, read_claims
from bot.repair.test_first.near_tests import candidates, nearest
from bot.repair.test_proof import (
    MOST_TRIES,
    WrittenTestReview,
    narrowed,
    new_failures,
    objection,
    test_files,
)
from bot.repair.workspace.leftovers import RETESTED, TESTED
from bot.repair.workspace.patching import patch_between
from bot.reporting.reasons import agent, test_first


@dataclass(frozen=True, slots=True)
class WrittenTests:
    """Tests that fail on the untouched tree for the reason that the problem gives.

    Attributes:
        context: The prepared tree with the tests on top; its failing command runs them.
        reproduction: The red run.
        specification: With the tests that show each point; None where there is none.
    """

    context: RepairContext
    reproduction: Reproduction
    specification: Specification | None


async def write_failing_test(
    run: Run, author: Proposer, context: RepairContext, green: Observation
) -> WrittenTests | str:
    """Return the context with tests on top, or why there are none, as a sentence.

    Args:
        run: The run.
        author: Writes the tests.
        context: On the untouched tree.
        green: The failing command's passing run there.
    """
    rejected: list[Attempt] = []
    reason = ""
    near = await near_tests(run, context)
    await map_repository(run, context, author.traits)
    for n in range(1, MOST_TRIES + 1):
        run.listener(PhaseStarted(Phase.WRITE_TEST, attempt=n))
        task = context.task(run, n, write_test=True)
        task = replace(task, earlier=tuple(rejected), near_tests=near)
        proposal = await ask_for_tests(run, author, context, task)
        result = await proven(run, context, proposal, green.failing_ids, n)
        if isinstance(result, WrittenTests):
            return result
        reason = result
        rejected.append(_rejection(n, author, proposal, reason))
        run.listener(Noticed(test_first.test_rejected(n, reason)))
        run.known.note(test_first.test_rejected(n, reason))
    return reason


async def near_tests(run: Run, context: RepairContext) -> dict[str, str]:
    """Return tests of the project to write others like, by path."""
    store, words = context.source.store, words_of(run.job.problem)
    paths = candidates(await store.paths(context.prepared.tree), words)
    files = await store.files(context.prepared.tree, paths) if paths else {}
    return nearest({path: files[path] for path in paths if path in files}, words)


def _rejection(n: int, author: Proposer, proposal: Proposal, reason: str) -> Attempt:
    """Return the try as an attempt for the next try to learn from; it is not counted."""
    return Attempt(
        n,
        author.traits.name,
        proposal,
        Verification(None, problem=reason),
        failing_before=(),
        seconds=0.0,
    )


async def ask_for_tests(run: Run, author: Proposer, context: RepairContext, task: Task) -> Proposal:
    """Return what the author wrote for a task, reduced to test files."""
    workbench = context.workbench(run, f"write-test-{task.n}")
    steps = workbench.remembering(run.steps)
    async with workbench.attended(lasting=steps.lasting):
        proposal: Proposal = await author.propose(
            task, workbench, steps, run.listener, run.known.spend
        )
    run.known.note(*proposal.notes)
    if proposal.used:
        run.known.note(agent.try_used(task.n, proposal.used))
    step = f"write test {task.n}: keep tests"
    tests = await run.steps(step, _only_tests, context, proposal.patch)
    return replace(proposal, patch=tests)


async def _only_tests(context: RepairContext, patch: Patch) -> Patch:
    store, base = context.source.store, context.prepared.tree
    tree = await store.apply(base, patch.data)
    return await patch_between(store, base, tree, test_files(patch))


async def proven(
    run: Run, context: RepairContext, proposal: Proposal, before: frozenset[str], n: int
) -> WrittenTests | str:
    """Return the proof that tests show the problem, or why they don't, as a sentence.

    Args:
        run: The run.
        context: On the untouched tree.
        proposal: The tests, and what their author says of them.
        before: Ids of what fails there without them.
        n: Which try of the run, from 1; the last one may leave points open.
    """
    patch = proposal.patch
    if not patch:
        return test_first.NOT_WRITTEN
    commands = narrowed(context.commands, patch.files)
    room = context.clean_room(run)
    red = await run.steps(
        f"write test {n}: run on the untouched tree",
        room.observe, f"{run.job.run_id}-red-{n}", commands.failing, patch,
    )  # fmt: skip
    against = objection(red, before)
    if against is not None:
        return against
    fresh = new_failures(red, before)
    review = await _reviewed(run, fresh, patch, n)
    if review is not None and not review.shows:
        return test_first.another_failure(review.reason)
    shown = _shown(run, fresh, review, proposal)
    if shown is not None and n < MOST_TRIES and (left := open_points(shown)):
        return test_first.points_left([number for number, _ in left])
    if shown is not None:
        run.listener(Specified(shown))
    kind = TESTED if n <= MOST_TRIES else RETESTED
    prepared = await run.steps(
        f"write test {n}: keep", context.preparation.add, patch, context.prepared, kind
    )
    context.preparation.use(prepared, on_top=patch)
    reproduction = Reproduction(
        Cause.REAL,
        red,
        reason=test_first.SHOWS_PROBLEM,
        runs=(red.exit_code,),
        test_patch=patch,
    )
    tested = replace(context, commands=commands, prepared=prepared, untested=context)
    return WrittenTests(tested, reproduction, shown)


async def _reviewed(run: Run, red: Observation, patch: Patch, n: int) -> WrittenTestReview | None:
    """Return what a second conversation says of the tests; None where there is no model."""
    if run.tools.reviewer is None:
        return None
    step, job = f"write test {n}: judge", run.job
    act, specification = run.tools.reviewer.shows_problem, run.known.specification
    review = await run.steps(step, act, job.problem, red, patch, specification, run.money(step))
    run.known.spend(review.usage)
    return review


def _shown(
    run: Run, red: Observation, review: WrittenTestReview | None, proposal: Proposal
) -> Specification | None:
    """Return the specification with the tests that show each of its points."""
    specification = run.known.specification
    if specification is None:
        return None
    judged = review.points if review is not None else ()
    return covered(specification, red.failing_ids, judged, read_claims(proposal.summary))
