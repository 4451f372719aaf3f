"""Check that a program leaves the runner of its tests as it was."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from bot.code.files import is_test_file
from bot.code.syntax import language_of
from bot.model import GuardFinding, Observation, Patch, Severity
from bot.model.guard_rules import found, softened
from bot.repair.verification.clean_room import CleanRoom, WatchKind
from bot.repair.verification.forgery.command_files import source_of
from bot.repair.workspace.programs import Trace
from bot.repair.workspace.runner_watch import RunnerRecord
from bot.reporting.reasons import guards_runs

_RUNNERS = ("_pytest.", "pluggy.", "pluggy:", "unittest.", "unittest:")


@dataclass(frozen=True, slots=True)
class WatchedRun:
    """A run of a command whose runner was watched.

    Attributes:
        observation: The run, or another one where it passes only unwatched.
        findings: What the patch does to the runner.
        trace: What the command started and read; None when that was not watched.
    """

    observation: Observation
    findings: tuple[GuardFinding, ...] = ()
    trace: Trace | None = None


async def observe_runner(
    room: CleanRoom, name: str, command: str, patch: Patch, watch: WatchKind
) -> WatchedRun:
    """Run a command that passes with a patch once more, its test runner watched.

    Where it does not pass while it is watched, it runs again with less of that, and where it passes
    only without, a person is asked to look: a program may behave only there. Where the runner is
    changed, the command runs without the patch as well: plugins and tests may change it too.

    Raises:
        PatchDoesNotApply: When the patch does not fit the tree.
    """
    seen, record, trace = await room.observe_runner(name, command, patch, watch)
    if not seen.ok and trace.programs:  # not every program runs below a filter of calls
        trace = Trace()
        seen, record, _ = await room.observe_runner(f"{name}-runner", command, patch)
    if not seen.ok:
        unwatched = await room.observe(f"{name}-unwatched", command, patch)
        if not unwatched.ok:
            return WatchedRun(unwatched)
        shown = found("runner-changed", guards_runs.fails_when_watched(sorted(seen.failing_ids)))
        return WatchedRun(unwatched, softened([shown], Severity.NEEDS_PERSON))
    golden = reads_of(record, patch.files)
    doubtful = record.changed or record.meanwhile or record.ended < record.began
    if not doubtful and not tests_read(record):
        return WatchedRun(seen, golden, trace)
    _, before, _ = await room.observe_runner(f"{name}-untouched", command, Patch())
    findings = (*findings_of(before, record), *new_reads(before, record, patch.files), *golden)
    return WatchedRun(seen, findings, trace)


def reads_of(record: RunnerRecord, changed: Collection[str]) -> tuple[GuardFinding, ...]:
    """Return the changed files, no programs and not known as data of tests, that tests open themselves."""
    paths = {
        path
        for reader, path in record.reads
        if path in changed and is_test_file(reader) and not is_test_file(path)
        if language_of(path) is None
    }
    return tuple(
        found("test-data-changed", guards_runs.read_by_tests(path), path) for path in sorted(paths)
    )


def tests_read(record: RunnerRecord) -> frozenset[tuple[str, str]]:
    """Return programs that read tests, each with the file that it reads."""
    return frozenset(
        (reader, path)
        for reader, compiled in record.reads
        if is_test_file(path := source_of(compiled)) and not is_test_file(reader)
        if language_of(path) is not None
    )


def new_reads(
    before: RunnerRecord, after: RunnerRecord, changed: Collection[str]
) -> tuple[GuardFinding, ...]:
    """Return findings for programs that read tests with a patch only.

    A script that loads tests loads those that the patch adds as well.
    """
    known = tests_read(before)
    loaders = {reader for reader, _ in known}.difference(changed)
    return tuple(
        found("tests-read", guards_runs.reads_tests(reader, path), reader)
        for reader, path in sorted(tests_read(after) - known)
        if reader not in loaders
    )


def findings_of(before: RunnerRecord, after: RunnerRecord) -> tuple[GuardFinding, ...]:
    """Return what a patch does to the runner of tests.

    Args:
        before: Of a run without the patch.
        after: With it.
    """
    known = before.changed | before.meanwhile
    changed = sorted(after.changed - known)
    runner = [name for name in changed if name.startswith(_RUNNERS)]
    others = [name for name in changed if name not in runner]
    passing = sorted(after.meanwhile - after.changed - known)
    findings = []
    if runner:
        findings.append(found("runner-changed", guards_runs.runner_changed(runner)))
    doubtful = []
    if others:
        doubtful.append(found("runner-changed", guards_runs.library_changed(others)))
    if passing:
        doubtful.append(found("runner-changed", guards_runs.runner_changed_for_a_time(passing)))
    if after.ended < after.began and before.ended == before.began > 0:
        doubtful.append(found("runner-changed", guards_runs.WATCH_ENDED_EARLY))
    return (*findings, *softened(doubtful, Severity.NEEDS_PERSON))
