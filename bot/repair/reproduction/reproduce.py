"""Reproduce the failure before any money is spent; where nothing fails, write a test first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bot.ecosystems.commands.shell import within
from bot.ecosystems.python.tests import variants
from bot.ecosystems.tree import DirectoryTree, tree_of
from bot.model import Cause, Observation, Patch, Reproduction, Verdict
from bot.model.given_test import GivenTest
from bot.model.memory import TriedRepair
from bot.model.progress import Phase, PhaseStarted, Reproduced
from bot.model.specification import RequestKind, kind_of
from bot.repair.goal.issue_words import speaks_of_a_hang
from bot.repair.guards import is_test_file
from bot.repair.job import Job
from bot.repair.loop import only_lacks_network, read_reproduction, verdict_of
from bot.repair.memory.repair_merge import merged_into
from bot.repair.preparation.package_choice import changed_files, member_tests
from bot.repair.preparation.package_date import with_older_packages
from bot.repair.preparation.setup_repair import healed, kept_fresh, still_missing, taken_back
from bot.repair.preparation.surroundings import surroundings_of
from bot.repair.proposers.given_patch import GivenPatch
from bot.repair.repair_context import RepairContext
from bot.repair.reproduction.changed_tests import (
    first_seen,
    touched_tests,
    whole_again,
    words_added,
)
from bot.repair.reproduction.project_evidence import Project, only_lacks_machine, without_evidence
from bot.repair.reproduction.target_failures import Aimed, aim
from bot.repair.run import Concluded, Run
from bot.repair.test_first.specification import specified
from bot.repair.test_first.test_writer import write_failing_test
from bot.repair.test_proof import narrowed
from bot.repair.tests_not_run import without_result
from bot.repair.verification.candidate import without
from bot.repair.workspace.patches import patch_between
from bot.reporting.reasons import failed_jobs, reproduction, test_first
from bot.reporting.reasons import test_first as reasons
from sandbox.git import PatchDoesNotApply

# Somebody gave one with the request, an earlier repair of the same brought them, or the run that this
# one continues wrote them.


async def with_tests(run: Run, context: RepairContext) -> tuple[RepairContext, Patch | None]:
    """Return the context whose failing command runs the tests that are there, and the patch of them.

    Raises:
        Concluded: When the file of a given test is there already, or can't be.
    """
    if run.job.given_test is not None:
        return await _with_given_test(run, context, run.job.given_test)
    if run.job.known_tests is not None:
        return await _with_known_tests(run, context, run.job.known_tests)
    if run.job.written_tests is not None:
        return await _with_written_tests(run, context, run.job.written_tests)
    return context, None


async def _with_given_test(
    run: Run, context: RepairContext, given: GivenTest
) -> tuple[RepairContext, Patch]:
    patch = await run.steps("given test: patch", _patch, context, given)
    if patch is None:
        raise Concluded(Verdict.REFUSED, reasons.can_not_be_added(given.path))
    return await _added(run, context, patch), patch


async def _with_known_tests(
    run: Run, context: RepairContext, known: TriedRepair
) -> tuple[RepairContext, Patch | None]:
    """Add the tests of an earlier repair, unless they don't merge here, or are here already."""
    patch = await run.steps("known tests: patch", _merged, context, known)
    return (context, None) if patch is None else await _added_for_the_same(run, context, patch)


async def _with_written_tests(
    run: Run, context: RepairContext, tests: Patch
) -> tuple[RepairContext, Patch | None]:
    """Add the tests that were written before, on the same commit; they are not asked for again."""
    patch = await run.steps("written tests: patch", _applied, context, tests.data)
    return (context, None) if patch is None else await _added_for_the_same(run, context, patch)


async def _added_for_the_same(
    run: Run, context: RepairContext, patch: Patch
) -> tuple[RepairContext, Patch]:
    """Add tests that show what is asked for now as well."""
    run.known.kind = kind_of(run.job.problem.instructions)
    run.known.specification = run.job.specification
    return await _added(run, context, patch), patch


async def _added(run: Run, context: RepairContext, patch: Patch) -> RepairContext:
    commands = context.commands
    if run.job.failing is None and run.job.only_known_tests_fail:
        commands = narrowed(commands, patch.files)
    prepared = await run.steps("given test: keep", context.preparation.add, patch, context.prepared)
    context.preparation.use(prepared, on_top=patch)
    run.known.commands = commands
    return replace(context, commands=commands, prepared=prepared)


def shown_by(found: Reproduction, patch: Patch, job: Job) -> Reproduction:
    """Return the reproduction with the tests that show it: given, or of an earlier repair."""
    if job.given_test is not None:
        whence = reasons.GIVEN
    elif job.known_tests is not None:
        whence = reasons.of_repair(job.known_tests.pull_request or 0)
    else:
        whence = reasons.OF_RUN
    return replace(found, test_patch=patch, reason=f"{whence} {found.reason}")


async def _patch(context: RepairContext, given: GivenTest) -> Patch | None:
    if await context.source.store.show(context.prepared.tree, given.path) is not None:
        return None
    return await _applied(context, given.as_diff())


async def _applied(context: RepairContext, diff: bytes) -> Patch | None:
    store, base = context.source.store, context.prepared.tree
    try:
        tree = await store.apply(base, diff)
    except PatchDoesNotApply:
        return None
    return await patch_between(store, base, tree)


async def _merged(context: RepairContext, known: TriedRepair) -> Patch | None:
    store, base = context.source.store, context.prepared.tree
    merged = await merged_into(store, base, known)
    if merged is None or merged.left_out or merged.tree == base:
        return None
    return await patch_between(store, base, merged.tree)


_MOST_WAYS = 2
"""Further runs of a suite that passes; each costs as much as the first."""


async def reproduce(run: Run, context: RepairContext) -> RepairContext:
    """Reproduce the failure; return the context that attempts start from."""
    context, given = await with_tests(run, await kept_fresh(run, context))
    context, seen = await first_seen(run, context)
    context, seen = await _seen_healed(run, context, seen)
    context, seen = await whole_again(run, context, seen)
    seen = await _with_registries(run, context, seen)
    older = await with_older_packages(run, context, seen)
    if older is not None:
        context, seen = await _seen_healed(run, *older)
    context, seen = await _in_another_way(run, context, seen)
    runs = [seen]
    aimed: Aimed | None = None
    _let_a_feature_show(run, seen)
    if not runs[0].ok and (runs[0].named or not runs[0].timed_out):  # no second wait for a hang
        aimed = await aim(run, context, runs[0])
        context, runs = aimed.context, [*aimed.runs]
        if len(runs) > 1 and runs[-1].ok:
            runs += [await _observe(run, context, n) for n in (3, 4)]
    found = _concluded(runs, aimed, may_hang=_may_hang(run))
    if found.cause is Cause.REAL:
        found = await _with_evidence(run, context, found, aimed)
    run.known.reproduction = found
    if given is not None:
        if runs[0].ok:
            raise Concluded(Verdict.NOT_REPRODUCED, test_first.given_test_passes(runs[0].command))
        found = run.known.reproduction = shown_by(found, given, run.job)
    if found.cause is Cause.NOT_REPRODUCED and runs[0].ok:
        context = await _test_first(run, context, runs[0])
        found = run.known.reproduction = replace(run.known.reproduction, others=found.others)
    run.listener(Reproduced(found))
    verdict = verdict_of(found.cause)
    if verdict is not None:
        raise Concluded(verdict, found.reason)
    if not runs[0].ok and found.observation is not None and run.job.problem.is_pull_request:
        from bot.repair.reproduction.checks.base_commit import note_base

        await note_base(run, context, found.observation)
    return context


def _let_a_feature_show(run: Run, seen: Observation) -> None:
    """End a run that is to add something to a project whose tests don't come to a result.

    Raises:
        Concluded: When that is so.
    """
    if not run.adds_feature or seen.ok or seen.named:
        return
    reason = reproduction.hides_a_feature(seen.command)
    run.known.reproduction = Reproduction(Cause.NOT_REPRODUCED, seen, reason=reason)
    raise Concluded(Verdict.NOT_REPRODUCED, reason)


async def _seen_healed(
    run: Run, context: RepairContext, seen: Observation
) -> tuple[RepairContext, Observation]:
    """Return the context with what the failing command misses, and what it shows there."""
    while (better := await healed(run, context, seen, run.known.detected)) is not None:
        # a suite that could not begin before may now take too long
        better, shown = await first_seen(run, better)
        if taken_back(run, context, seen, shown):
            break
        context, seen = better, shown
    return context, seen


async def _ways(context: RepairContext) -> tuple[str, ...]:
    """Return further commands that run tests of the same setup."""
    commands, whole = context.commands, DirectoryTree(context.source.directory)
    if not commands.folder and "node" in commands.ecosystems:
        changed = await changed_files(context.source, context.source.trusted)
        member = member_tests(whole, changed)
        return (member,) if member else ()
    front = within(commands.folder, ":").removesuffix(":")
    tree = tree_of(whole, commands.folder)
    return tuple(front + way for way in variants(tree, commands.failing.removeprefix(front)))


async def _in_another_way(
    run: Run, context: RepairContext, seen: Observation
) -> tuple[RepairContext, Observation]:
    """Return what fails when the tests run as the project runs them besides, if they pass so far.

    The whole suite stays what it is.
    """
    commands = context.commands
    if not seen.ok or run.known.detected is None or run.job.test or run.job.failing:
        return context, seen
    room = context.clean_room(run)
    for n, command in enumerate((await _ways(context))[:_MOST_WAYS], 1):
        run.listener(PhaseStarted(Phase.REPRODUCE, detail=command))
        name = f"{run.job.run_id}-reproduce-way-{n}"
        other = await run.steps(f"reproduce way {n}", room.observe_writes, name, command)
        if other.named and not other.ok:
            commands = replace(commands, failing=command)
            run.known.commands = commands
            run.known.note(reproduction.fails_in_another_way(seen.command, command))
            return replace(context, commands=commands), other
    return context, seen


async def _with_registries(run: Run, context: RepairContext, seen: Observation) -> Observation:
    """Return what the failing command shows with the registries in reach, if it asked for them."""
    preparation, command = context.preparation, context.commands.failing
    if preparation.online or not only_lacks_network(seen):
        return seen
    preparation.reach_registries()
    run.known.note(reproduction.registries_reached(command))
    run.listener(PhaseStarted(Phase.REPRODUCE, detail=failed_jobs.run_with_registries(command)))
    name = f"{run.job.run_id}-reproduce-online"
    room = context.clean_room(run)
    return await run.steps("reproduce online", room.observe_writes, name, command)


def _may_hang(run: Run) -> bool:
    """Whether a command that does not end can be the failure, and not only be slow.

    It is where somebody says so, names the command, or has a patch for it. Else a test that does not
    end alone either shows it; a suite whose tests go on passing does not.
    """
    is_given = run.who(lambda item: item.is_given) is not None
    return is_given or bool(run.job.failing) or speaks_of_a_hang(run.job.problem)


def _concluded(runs: list[Observation], aimed: Aimed | None, *, may_hang: bool) -> Reproduction:
    """Return the conclusion of the runs, with what is no part of the repair."""
    seen = read_reproduction(runs, may_hang=may_hang)
    if aimed is None:
        return seen
    if aimed.whole is not None:  # the last run shows it, alone
        seen = replace(read_reproduction(runs[:0:-1]), runs=seen.runs, whole=aimed.whole)
    return replace(
        seen, others=aimed.goal.others, undecided=aimed.goal.undecided or bool(aimed.goal.doubted)
    )


async def _with_evidence(
    run: Run, context: RepairContext, found: Reproduction, aimed: Aimed | None
) -> Reproduction:
    """Return the conclusion, which is another one where nothing of the project shows in the failure."""
    seen = found.observation
    if seen is None or aimed is None or seen.ok:
        return found
    if not aimed.goal.named and not run.job.failed:
        reason = only_lacks_machine(seen, await surroundings_of(context))
        if reason:
            return replace(found, cause=Cause.INFRASTRUCTURE, reason=reason)
    if seen.timed_out:
        return found
    if missing := still_missing(run, context, seen):
        reason = reproduction.lacks(seen.command, missing)
    else:
        paths = await context.source.store.paths(context.prepared.tree)
        project = Project(paths, DirectoryTree(context.source.directory).read)
        reason = without_evidence(seen, aimed.trace, project)
    return replace(found, cause=Cause.INFRASTRUCTURE, reason=reason) if reason else found


async def _observe(run: Run, context: RepairContext, n: int) -> Observation:
    return await run.steps(
        f"reproduce {n}",
        context.clean_room(run).observe,
        f"{run.job.run_id}-reproduce-{n}", context.commands.failing, Patch(),
    )  # fmt: skip


async def _test_first(run: Run, context: RepairContext, green: Observation) -> RepairContext:
    """Nothing fails yet: have a failing test written, or say what is missing."""
    given = run.who(lambda item: item.is_given)
    if isinstance(given, GivenPatch):
        run.known.reproduction = await _tests_of_the_patch(run, context, given.patch, green)
        return context
    problem, command = run.job.problem, context.commands.failing
    if not (problem.title or problem.body or problem.instructions):
        raise Concluded(Verdict.NOT_REPRODUCED, reproduction.nothing_described(command))
    author = run.who(lambda item: item.writes_tests)
    silent = without_result(await touched_tests(context.source), green)
    shown = reproduction.shows_nothing(command, len(green.others), is_known=not silent)
    if not run.job.test_first and run.job.may_change and author is not None:
        return _change(run, context, green, "")
    if not run.job.test_first:
        raise _not_shown(reproduction.does_not_write_tests(shown), silent)
    if author is None and run.adds_feature:
        raise Concluded(Verdict.NOT_REPRODUCED, reproduction.FEATURE_WITHOUT_TEST)
    if author is None:
        raise _not_shown(reproduction.no_test_author(shown), silent)
    run.known.kind = kind_of(problem.instructions)
    await specified(run)
    written = await write_failing_test(run, author, context, green)
    if isinstance(written, str) and run.job.may_change:
        return _change(run, context, green, written)
    if isinstance(written, str):
        raise _not_shown(reproduction.no_failing_test(shown, written), silent)
    run.known.reproduction, run.known.commands = written.reproduction, written.context.commands
    run.known.specification = written.specification
    return written.context


def _not_shown(reason: str, silent: Sequence[str]) -> Concluded:
    """Return how a run ends in which nothing of the problem fails, with what did not run."""
    told = reproduction.no_result(silent) if silent else ""
    return Concluded(Verdict.NOT_REPRODUCED, f"{reason} {told}".rstrip())


def _change(run: Run, context: RepairContext, green: Observation, why: str) -> RepairContext:
    """Go on without a failing test, as what passes has to pass in the end."""
    run.known.kind = RequestKind.CHANGE
    reason = reproduction.no_test_shows_change(green.command, why)
    run.known.reproduction = Reproduction(Cause.REAL, green, reason=reason, runs=(green.exit_code,))
    return context


async def _tests_of_the_patch(
    run: Run, context: RepairContext, patch: Patch, green: Observation
) -> Reproduction:
    """Return how the tests that a patch adds fail without the rest of it."""
    store, base = context.source.store, context.prepared.tree
    others = tuple(file for file in patch.files if not is_test_file(file))
    try:
        tests = await without(store, base, patch, others)
    except PatchDoesNotApply as error:
        reason = reproduction.tests_do_not_apply(green.command, str(error))
        raise Concluded(Verdict.NOT_REPRODUCED, reason) from error
    silent = without_result(await touched_tests(context.source), green)
    shown = reproduction.shows_nothing(
        green.command, len(green.others), "without the patch", is_known=not silent
    )
    if not tests:
        raise _not_shown(reproduction.patch_without_test(shown), silent)
    red = await context.clean_room(run).observe(
        f"{run.job.run_id}-tests", context.commands.failing, tests
    )
    if red.ok:
        silent = without_result(words_added(tests.data), red)
        why = reproduction.tests_not_run if silent else reproduction.tests_prove_nothing
        raise _not_shown(why(shown), silent)
    return Reproduction(
        Cause.REAL,
        red,
        reason=reproduction.TESTS_OF_PATCH_FAIL,
        runs=(red.exit_code,),
        test_patch=tests,
    )
