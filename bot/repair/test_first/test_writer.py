"""Have failing tests written for a problem that no test shows yet, and prove that they show it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from types import MappingProxyType

from bot.code.syntax import language_of
from bot.model import (
    Attempt,
    Cause,
    Observation,
    Patch,
    Point,
    Proposal,
    Reproduction,
    Specification,
    Verification,
)
from bot.model.answers import json_objects
from bot.model.progress import Noticed, Phase, PhaseStarted, Specified
from bot.repair.attempts.repository_map import map_repository
from bot.repair.goal.issue_words import IssueWords, words_of
from bot.repair.guards import is_test_file
from bot.repair.proposers.base import Proposer, Task
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run
from bot.repair.test_proof import (
    MOST_TRIES,
    WrittenTestReview,
    narrowed,
    new_failures,
    objection,
    test_files,
)
from bot.repair.workspace.patches import patch_between
from bot.repair.workspace.sandbox_cleanup import RETESTED, TESTED
from bot.reporting.reasons import agent, test_first

MOST_READ = 80
"""Test files that are read to choose from."""

_SHOWN = 2
_LINES = 80
_LONGEST = 200_000
_PART = re.compile(r"[a-z]{3,}")
_NO_WORDS = frozenset({"test", "tests", "spec", "specs", "testing", "unit", "src", "lib"})


def candidates(paths: Sequence[str], words: IssueWords) -> tuple[str, ...]:
    """Return the test programs that are worth reading, those first whose paths say most.

    Args:
        paths: Of the work tree.
        words: Of the problem.
    """
    named = _parts(" ".join((*words.identifiers, *words.words)))
    tests = [path for path in paths if is_test_file(path) and _is_program(path)]
    ranked = sorted(tests, key=lambda path: (-len(_parts(path) & named), len(path), path))
    return tuple(ranked[:MOST_READ])


def nearest(files: Mapping[str, bytes], words: IssueWords) -> dict[str, str]:
    """Return the beginnings of the files that name most of what the problem names, by path.

    Args:
        files: In the order in which their paths recommend them.
        words: Of the problem.
    """
    ranked = []
    for place, (path, data) in enumerate(files.items()):
        if not data.strip() or len(data) > _LONGEST:
            continue
        text = data.decode("utf-8", "replace")
        names = sum(name in text for name in words.identifiers)
        ranked.append((-names, place, path, text))
    return {path: _beginning(text) for _, _, path, text in sorted(ranked)[:_SHOWN]}


def _beginning(text: str) -> str:
    return "\n".join(text.splitlines()[:_LINES])


def _parts(text: str) -> frozenset[str]:
    return frozenset(_PART.findall(text.lower())) - _NO_WORDS


def _is_program(path: str) -> bool:
    named = PurePosixPath(path).name not in {"conftest.py", "__init__.py"}
    return named and language_of(path) is not None


_REASON_CHARACTERS = 300


@dataclass(frozen=True, slots=True)
class Claims:
    """What the author of tests says of them, by number of the point, from 1.

    Attributes:
        tests: Names of tests.
        why_not: Why there is none.
    """

    tests: Mapping[int, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    why_not: Mapping[int, str] = field(default_factory=lambda: MappingProxyType({}))


def read_claims(summary: str) -> Claims:
    """Return what the last JSON object of a summary claims that has points; nothing else counts."""
    for candidate in json_objects(summary):
        points = candidate.get("points")
        if isinstance(points, list):
            told = [point for point in points if isinstance(point, dict)]
            return Claims(
                {n: _names(item) for item in told if (n := _number(item)) and _names(item)},
                {n: why for item in told if (n := _number(item)) and (why := _why_not(item))},
            )
    return Claims()


def covered(
    specification: Specification,
    failing: Iterable[str],
    judged: Sequence[Sequence[str]],
    claims: Claims,
) -> Specification:
    """Return the specification with the tests that show each point, or why none does.

    What the reviewer says goes before what the author claims. All tests are about a sole point.

    Args:
        specification: What was asked.
        failing: Ids of the new tests, which fail.
        judged: For each point, what the reviewer named; may be shorter.
        claims: Of the author.
    """
    known = sorted(failing)
    points = []
    for n, point in enumerate(specification.points, 1):
        tests = tuple(test for test in known if n <= len(judged) and test in judged[n - 1])
        if not judged:
            tests = _named(claims.tests.get(n, ()), known)
        if not tests and len(specification.points) == 1:
            tests = tuple(known)
        why_not = "" if tests else claims.why_not.get(n, "")
        points.append(replace(point, tests=tests, why_not=why_not))
    return specification.with_points(tuple(points))


def open_points(specification: Specification) -> tuple[tuple[int, Point], ...]:
    """Return the points, with their numbers, that no test shows although nothing says why."""
    return tuple(pair for pair in specification.untested if not pair[1].why_not)


def _named(names: Iterable[str], known: Sequence[str]) -> tuple[str, ...]:
    """Return the tests that names mean: a runner's ids end with what people call a test."""
    ends = {re.split(r"::|[./ ]", name.partition("[")[0])[-1] for name in names}
    return tuple(
        test for test in known if re.split(r"::|[./ ]", test.partition("[")[0])[-1] in ends
    )


def _number(claim: Mapping[str, object]) -> int | None:
    number = claim.get("point")
    return number if type(number) is int else None


def _names(claim: Mapping[str, object]) -> tuple[str, ...]:
    tests = claim.get("tests")
    return tuple(test for test in tests if isinstance(test, str)) if isinstance(tests, list) else ()


def _why_not(claim: Mapping[str, object]) -> str:
    said = claim.get("why_not")
    return " ".join(said.split())[:_REASON_CHARACTERS] if isinstance(said, str) else ""


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
