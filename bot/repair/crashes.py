"""Run what a crash hides: a test that takes its runner with it ends the tests behind it unseen.

A panic of Go, a segmentation fault, `os._exit`, an abort of Rust: the runner says nothing of the
tests that it had not come to. They run again without the one that crashes, by their runner's own way
to skip it, and what fails there counts as what fails beside it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from bot.ecosystems.commands.invocations import Invocation, invocations
from bot.ecosystems.commands.task_runners import Read
from bot.ecosystems.python.select import node_ids
from bot.ecosystems.selection import GO_TEST, runner_of
from bot.ecosystems.tree import DirectoryTree
from bot.model import Observation, Patch
from bot.model.progress import Noticed
from bot.repair.goal.complete import direct_tool
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run
from bot.reporting.reasons import job_target
from bot.reporting.reasons import outside_causes as reasons

MOST_CRASHES = 3
"""Tests that are skipped one after the other; each costs a run of the rest."""

_CRASHED = re.compile(r"panic: |fatal error: |Fatal Python error: ")
"""How messages begin of tests that ended their program: Go's and Python's."""

_CUT_OFF = (job_target.TEST_DID_NOT_END, job_target.ENDED_IN_TEST)
_DIED = re.compile(
    r"\(signal: \d+|process\.exit called with|[Ww]orker exited unexpectedly|core dumped"
    r"|worker process was terminated|Segmentation fault"
)
_KILLED = 128
"""Of an exit status of a shell: what lies above says which signal ended a program."""

_UNITTEST_WITHOUT = """\
import sys, unittest
names, run = set(sys.argv.pop(1).split()), unittest.TestCase.run
def run_others(self, result=None):
    if self.id() not in names:
        return run(self, result)
    result.startTest(self); result.addSkip(self, "ends its runner"); result.stopTest(self)
unittest.TestCase.run = run_others
unittest.main(module=None)"""


async def with_hidden(
    run: Run, context: RepairContext, seen: Observation, step: str
) -> Observation:
    """Return what a command shows together with what it hides behind tests that end their runner.

    Args:
        run: The run; people are told what ran and what did not.
        context: On the untouched tree.
        seen: The command there.
        step: Names the further runs.
    """
    if seen.ok or seen.timed_out or not (crash := crashed(seen)):
        if died(seen):
            _tell(run, reasons.hides_tests(seen.command))
        return seen
    room, crashes = context.clean_room(run), list[str]()
    paths = await context.source.store.paths(context.prepared.tree)
    read = partial(DirectoryTree.read, DirectoryTree(context.source.directory))
    joined = rest = seen
    while crash and crash not in crashes and len(crashes) < MOST_CRASHES:
        command = without(seen.command, (*crashes, crash), paths, read)
        if command is None:
            break
        crashes.append(crash)
        n = len(crashes)
        name = f"{run.job.run_id}-{step.replace(' ', '-')}-without-{n}"
        rest = await run.steps(f"{step} without {n}", room.observe, name, command, Patch())
        joined = _joined(joined, rest)
        crash = crashed(rest)
    if not crashes or crash or not (rest.ok or rest.named):
        _tell(run, reasons.hides_tests(seen.command, crash or crashes[-1]))
    else:
        behind = [failure.test for failure in rest.failing]
        passed = rest.counts.passed if rest.counts else len(rest.passed)
        _tell(run, reasons.ran_without(crashes, behind, passed))
    return joined


def crashed(seen: Observation) -> str:
    """Return the test that ended its runner before the others had run, or ""."""
    ended = (
        failure
        for failure in seen.named
        if _CRASHED.match(failure.message) or failure.message in _CUT_OFF
    )
    return next((failure.test for failure in ended), "")


def died(seen: Observation) -> bool:
    """Whether a runner ended in the middle, and nobody knows in which test."""
    return seen.exit_code > _KILLED or _DIED.search(seen.output) is not None


def without(command: str, tests: Sequence[str], paths: Sequence[str], read: Read) -> str | None:
    """Return the command that skips these tests, by its runner's own way; None where none is known.

    Args:
        command: Runs them among others; what runs pytest or Go may be behind it.
        tests: Ids as the runner's report has them.
        paths: Of the work tree.
        read: Returns a file of it.
    """
    runners = {runner_of(invocation) for invocation in invocations(command, read)}
    if runners & {"pytest", "py.test"}:
        options = shlex.join(f"--deselect={node}" for node in node_ids(tests, paths))
        return _with_variable("PYTEST_ADDOPTS", options, command)
    if "go" in runners:
        names = [match["name"] for test in tests if (match := GO_TEST.search(test))]
        skip = f"'-skip=^({'|'.join(names)})$'" if names else ""
        return _with_variable("GOFLAGS", skip, command)
    direct = direct_tool(command)
    return _skipping(direct, tests) if direct is not None else None


def _with_variable(variable: str, words: str, command: str) -> str | None:
    """Return a command whose runner has further options, however deep it is; None without any."""
    added = f'export {variable}="${variable} "{shlex.quote(words)}'
    return f"{added}; {command}" if words else None


def _skipping(direct: Invocation, tests: Sequence[str]) -> str | None:
    runner, arguments = runner_of(direct), direct.arguments
    if runner == "cargo":
        skips = [word for test in tests for word in ("--skip", test)]
        place = () if "--" in arguments else ("--",)
        return replace(direct, arguments=(*arguments, *place, "--exact", *skips)).command()
    if runner != "unittest":
        return None
    words = [*direct.prefix, direct.program, *arguments]
    module = words.index("-m")
    front = replace(direct, prefix=tuple(words[: module - 1]), program=words[module - 1])
    others = ("-c", _UNITTEST_WITHOUT, " ".join(tests), *words[module + 2 :])
    return replace(front, arguments=others).command()


def _joined(seen: Observation, rest: Observation) -> Observation:
    """Return an observation that has what another run of the same tests shows besides."""
    known = seen.failing_ids | {seen.command, rest.command}
    more = tuple(failure for failure in rest.failing if failure.test not in known)
    return replace(
        seen,
        failing=(*seen.failing, *more),
        passed=seen.passed | rest.passed,
        skipped=(seen.skipped | rest.skipped) - seen.failing_ids,
    )


def _tell(run: Run, said: str) -> None:
    if said not in run.known.notes:
        run.known.note(said)
        run.listener(Noticed(said))
