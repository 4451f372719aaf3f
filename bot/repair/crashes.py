"""Run what a crash hides: a test that takes its runner with it ends the tests behind it unseen.

A panic of Go, a segmentation fault, `os._exit`, an abort of Rust: the runner says nothing of the
tests that it had not come to. They run again without the one that crashes, by their runner's own way
to skip it, and what fails there counts as what fails beside it. Where nothing names that test, but
the runner takes files, as those of JavaScript do, the files run by halves until the one is found,
and then its tests by their names.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce

from bot.ci.failures.console import TELLING
from bot.code.asserted_cases import cases
from bot.code.syntax import parse
from bot.ecosystems.commands.task_runners import Read
from bot.ecosystems.go import GO_TEST
from bot.ecosystems.invocations import Invocation, invocations
from bot.ecosystems.node.select import is_file
from bot.ecosystems.python.select import node_ids
from bot.ecosystems.registry import RUNNERS
from bot.ecosystems.selection import alone, chosen_files, runner_of, runs_apart
from bot.ecosystems.tree import DirectoryTree
from bot.limited_process import TooMuch, run_limited
from bot.model import Failure, Observation, Patch
from bot.model.progress import Noticed
from bot.repair.goal.unabridged_command import direct_tool
from bot.repair.repair_context import RepairContext
from bot.repair.run import Run
from bot.reporting.reasons import job_target
from bot.reporting.reasons import outside_causes as reasons

MOST_CRASHES = 3
"""Tests that are skipped one after the other; each costs a run of the rest."""

MOST_PARTS = 14
"""Runs of some of the test files: enough to find one file among a hundred."""

_HALVES = 2

_CRASHED = re.compile(
    r"panic: |fatal error: |Fatal Python error: |process\.exit called with "
    r"|A jest worker process |Jest worker (?:encountered|ran out of memory)"
    r"|Error: (?:Worker exited unexpectedly|\[vitest-pool\]: Worker |Channel closed)"
)
"""How messages begin of tests that ended their program: Go's, Python's, jest's and vitest's."""

_ONLY_FAILED = re.compile(r"'?test failed'?(?:, (?:exitCode|signal): \S+)?")
"""What Node.js says of a file whose process ended before its tests did."""

_FILE_FAILED = re.compile(r"^ *(?:error: )?'test failed'$", re.MULTILINE)
"""The same in its account, where its message is the error that it ended with."""

_CUT_OFF = (job_target.TEST_DID_NOT_END, job_target.ENDED_IN_TEST)
_DIED = re.compile(
    r"\(signal: \d+|process\.exit called with|[Ww]orker exited unexpectedly|core dumped"
    r"|worker process .{0,20}was terminated|Segmentation fault|heap out of memory|Error: Channel closed"
)
_NO_PROGRAM = (126, 127)
"""How a shell ends whose command can't be run: no test has."""

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
    if seen.ok or seen.timed_out:
        return seen
    paths = await context.source.store.paths(context.prepared.tree)
    read = partial(DirectoryTree.read, DirectoryTree(context.source.directory))
    tests, observe = CutOff(seen, paths, read), partial(_observe, run, context, step)
    if (crash := crashed(seen)) and without(seen.command, (crash,), paths, read):
        return await _one_by_one(run, tests, observe, crash)
    if (files := chosen_files(seen.command, paths, read)) and is_cut_off(seen):
        parts = await by_halves(tests, files, observe)
        parts = await inside_files(tests, parts, files, observe)
        if parts.is_whole:
            _tell_rest(run, [each.test for each in parts.crashes], parts.ended)
            known = {*parts.looked_into, *(each.test for each in parts.crashes)}
            others = tuple(each for each in seen.named if each.test not in known)
            seen = replace(seen, failing=(*others, *parts.crashes))
            return reduce(_joined, parts.ended, seen)
        seen = reduce(_joined, parts.ended, seen)
    if (crash or died(seen)) and not runs_apart(seen.command, read):
        who = "" if files and crash not in files else crash
        _tell(run, reasons.hides_tests(seen.command, who))
    return seen


Observe = Callable[[str, str], Awaitable[Observation]]
"""Runs the second, and names that run by the first."""


@dataclass(frozen=True, slots=True)
class CutOff:
    """What a command showed that did not run all of its tests, and the tree where it ran.

    Attributes:
        seen: What it showed.
        paths: Of the tree.
        read: Returns a file of it.
    """

    seen: Observation
    paths: Sequence[str]
    read: Read


@dataclass(frozen=True, slots=True)
class SeparateResults:
    """What test files show apart from each other.

    Attributes:
        crashes: Files, or tests of them, that end their runner.
        ended: What the others came to.
        is_whole: Whether these are all.
        looked_into: Files of which the tests stand among these.
    """

    crashes: tuple[Failure, ...]
    ended: tuple[Observation, ...]
    is_whole: bool
    looked_into: tuple[str, ...] = ()


async def _observe(
    run: Run, context: RepairContext, step: str, how: str, command: str
) -> Observation:
    name = f"{run.job.run_id}-{step.replace(' ', '-')}-{how.replace(' ', '-')}"
    room = context.clean_room(run)
    return await run.steps(f"{step} {how}", room.observe, name, command, Patch())


async def _one_by_one(run: Run, tests: CutOff, observe: Observe, crash: str) -> Observation:
    """Leave out one test after the other that ends its runner."""
    seen, crashes = tests.seen, list[str]()
    joined = rest = seen
    while crash and crash not in crashes and len(crashes) < MOST_CRASHES:
        command = without(seen.command, (*crashes, crash), tests.paths, tests.read)
        if command is None:
            break
        crashes.append(crash)
        rest = await observe(f"without {len(crashes)}", command)
        joined = _joined(joined, rest)
        crash = crashed(rest)
    if crash or not (rest.ok or rest.named):
        _tell(run, reasons.hides_tests(seen.command, crash or crashes[-1]))
    else:
        _tell_rest(run, crashes, (rest,))
    return joined


async def by_halves(tests: CutOff, files: Sequence[str], observe: Observe) -> SeparateResults:
    """Run test files in parts, and halve each part that comes to no end, down to one file.

    Args:
        tests: What was shown.
        files: Those that its command runs.
        observe: Runs a command, and is told which part it is.
    """
    seen = tests.seen
    known = {each.test: each for each in seen.named if each.test in files and _ends_run(each)}
    rest = tuple(file for file in files if file not in known)
    if known and seen.counts:  # its workers have run the others
        return SeparateResults(tuple(known.values()), (), is_whole=False)
    parts: list[Sequence[str]] = [rest] if known and rest else _halves(rest)
    found = await _halved(tests, parts, observe, is_known=bool(known))
    crashes = (*known.values(), *found.crashes)
    return SeparateResults(crashes, found.ended, is_whole=bool(crashes and rest) and found.is_whole)


async def _halved(
    tests: CutOff, parts: list[Sequence[str]], observe: Observe, *, is_known: bool, file: str = ""
) -> SeparateResults:
    """Run parts, and the halves of each that comes to no end.

    Args:
        tests: What was shown.
        parts: Files, or tests of one file.
        observe: Runs a command, and is told which part it is.
        is_known: Whether it is certain that one of them is the reason.
        file: Where they are, if they are tests.
    """
    crashes, ended, runs = list[Failure](), list[Observation](), 0
    while parts and runs < MOST_PARTS:
        command = alone(tests.seen.command, parts[0], tests.paths, tests.read)
        if command is None:
            break
        part, *parts = parts
        runs += 1
        found = await observe(f"part {runs}", command)
        if not is_cut_off(found):
            ended.append(found)
        elif len(part) == 1:
            crashes.append(_of_part(part[0], found, file or part[0]))
        else:
            parts += _halves(part)
            if runs == _HALVES and not (is_known or ended or died(found)):
                break  # no file alone is the reason
    return SeparateResults(tuple(crashes), tuple(ended), is_whole=not parts)


def _halves(files: Sequence[str]) -> list[Sequence[str]]:
    middle = (len(files) + 1) // 2
    return [half for half in (files[:middle], files[middle:]) if half]


async def inside_files(
    tests: CutOff, parts: SeparateResults, files: Sequence[str], observe: Observe
) -> SeparateResults:
    """Look for the tests that end their runner in the files that do.

    A file that ends it without any of its tests stays as it is, and so does one whose tests have
    names that only exist while it runs.
    """
    crashes, ended, looked_into = list[Failure](), [*parts.ended], list[str]()
    only = [_of_part(files[0], tests.seen, files[0])] if len(files) == 1 else []
    for n, crash in enumerate(parts.crashes or only, start=1):
        command = alone(tests.seen.command, (crash.test,), tests.paths, tests.read)
        command = command or tests.seen.command
        names = await _names(tests, command, crash.test) if n <= MOST_CRASHES else ()
        inside = replace(tests, seen=replace(tests.seen, command=command))
        found = await _by_name(inside, names, crash.test, partial(_inside, n, observe))
        if found is None:
            crashes += [crash] if parts.crashes else []
            continue
        crashes += found.crashes
        ended += found.ended
        looked_into.append(crash.test)
    others_ran = tests.seen.counts is not None and len(looked_into) == len(parts.crashes)
    is_whole = parts.is_whole or (bool(looked_into) and others_ran)
    return SeparateResults(tuple(crashes), tuple(ended), is_whole, tuple(looked_into))


async def _inside(n: int, observe: Observe, how: str, command: str) -> Observation:
    return await observe(f"file {n} {how}", command)


async def _names(tests: CutOff, command: str, file: str) -> tuple[str, ...]:
    """Return what a command's runner calls the tests of a file, none where it can't choose by name."""
    started = invocations(command, tests.read)
    runner = RUNNERS.get(runner_of(started[-1])) if started else None
    if runner is None or runner.named is None:
        return ()
    path = posixpath.join(started[-1].folder, file)
    try:
        titles = await run_limited(_titles, path, tests.read(path) or "")
    except TooMuch:
        return ()
    return tuple(dict.fromkeys(runner.named(file, each) for each in titles))


def _titles(path: str, text: str) -> list[tuple[str, ...]]:
    """Return the titles of a file's tests, each behind those of the blocks around it."""
    syntax = parse(path, text.encode())
    return [tuple(name.split(" > ")) for name in cases(syntax)] if syntax is not None else []


async def _by_name(
    tests: CutOff, names: Sequence[str], file: str, observe: Observe
) -> SeparateResults | None:
    """Return what the tests of a file come to, or None where none of them is what ends its runner."""
    nothing = [f"{name} but none" for name in names[:1]]
    control = alone(tests.seen.command, nothing, tests.paths, tests.read) if names else None
    if control is None or is_cut_off(await observe("without tests", control)):
        return None
    parts = _halves(names)
    found = await _halved(tests, parts, observe, is_known=True, file=file)
    return found if found.crashes and found.is_whole else None


def _of_part(name: str, seen: Observation, file: str) -> Failure:
    """Return the failure of a file or test that ends its runner, with what that said last."""
    first = seen.failing[0]
    tells = TELLING.search(first.message) and not _ONLY_FAILED.fullmatch(first.message)
    message = first.message if tells else job_target.ENDED_IN_TEST
    return replace(first, test=name, file=file, line=None, message=message)


def is_cut_off(seen: Observation) -> bool:
    """Whether a runner that says in the end what became of its tests came to no end."""
    silent = seen.counts is None and not seen.named and seen.exit_code not in _NO_PROGRAM
    is_dead = (seen.counts is None and died(seen)) or any(map(_ends_run, seen.named))
    return not seen.ok and (silent or is_dead)


def crashed(seen: Observation) -> str:
    """Return the test that ended its runner before the others had run, or ""."""
    return next((each.test for each in seen.named if _ends_run(each)), "")


def _ends_run(failure: Failure) -> bool:
    message = failure.message
    if _ONLY_FAILED.fullmatch(message) or _FILE_FAILED.search(failure.detail):
        return is_file(failure.test)
    return _CRASHED.match(message) is not None or message in _CUT_OFF


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


def _tell_rest(run: Run, crashes: Sequence[str], rest: Sequence[Observation]) -> None:
    """Say what the tests came to that a crash had hidden."""
    failing = [each.test for seen in rest for each in seen.failing]
    passed = sum(seen.counts.passed if seen.counts else len(seen.passed) for seen in rest)
    _tell(run, reasons.ran_without(crashes, failing, passed))


def _tell(run: Run, said: str) -> None:
    if said not in run.known.notes:
        run.known.note(said)
        run.listener(Noticed(said))
