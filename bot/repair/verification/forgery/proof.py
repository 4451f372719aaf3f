"""Must the tests be able to fail? What shows that a pass is genuine."""

from __future__ import annotations

from bot.code.files import test_paths
from bot.model import GuardFinding, Observation
from bot.model.guard_rules import PatchRules, found
from bot.repair.verification.candidate import TestEdits, without
from bot.repair.verification.clean_room import CleanRoom, WatchKind
from bot.repair.verification.criteria import PatchEvidence, Proved
from bot.repair.verification.forgery.disguised_rerun import observe_disguised
from bot.repair.verification.forgery.forged_results import HonestyTest
from bot.repair.verification.forgery.restored_files import PutBackTest, reads_matter
from bot.repair.verification.forgery.runner_integrity import WatchedRun, observe_runner
from bot.repair.verification.forgery.shell_check_test import ShellCheckTest, is_shell_check
from bot.repair.verification.repetition import REPEATS
from bot.reporting.reasons import guards_runs


async def genuine_results(room: CleanRoom, _: PatchRules, evidence: PatchEvidence) -> Proved:
    """Run the tests so that they must fail."""
    return Proved(await HonestyTest(room).findings(evidence))


async def passes_again(
    room: CleanRoom, evidence: PatchEvidence, alone: PatchEvidence
) -> tuple[Observation, tuple[GuardFinding, ...], WatchedRun]:
    """Run the failing command in disguise, without the patch's own tests, and then watched."""
    command, name = evidence.question.failing, evidence.name
    second, told = await observe_disguised(room, f"{name}-2", command, alone.patch)
    reads = reads_matter(evidence.patch.files) or is_shell_check(evidence.red)
    watch = WatchKind.READS if reads else WatchKind.STARTS
    last = f"{name}-{REPEATS}"
    return second, told, await observe_runner(room, last, command, evidence.patch, watch)


async def restored_files(room: CleanRoom, rules: PatchRules, evidence: PatchEvidence) -> Proved:
    """Put the files back that say how the tests run."""
    return Proved(await PutBackTest(room, rules.requested).findings(evidence))


async def failing_check(room: CleanRoom, _: PatchRules, evidence: PatchEvidence) -> Proved:
    """Make a check fail that names no test."""
    return Proved(await ShellCheckTest(room).findings(evidence))


async def original_tests(room: CleanRoom, _: PatchRules, evidence: PatchEvidence) -> Proved:
    """Run the tests as they were, where a request changes them."""
    patch, question = evidence.patch, evidence.question
    tests = test_paths(patch.files)
    if question.edits is not TestEdits.REQUESTED or not tests:
        return Proved()
    as_they_were = await without(room.store, room.base_tree, patch, tests)
    run = await room.observe(f"{evidence.name}-original", question.failing, as_they_were)
    if run.ok:
        return Proved()
    said = guards_runs.original_tests_fail(sorted(run.failing_ids))
    return Proved((found("original-test-fails", said),))
