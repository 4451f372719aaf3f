"""Run a command in a sandbox so that its failures can be read.

The instrument is pytest's own JUnit report, asked for through `PYTEST_ADDOPTS`, which reaches it
behind make, tox or a script as well. It adds a report and changes nothing else. Reports that the
command itself writes into the work tree are collected when it has ended. Where somebody asks which
programs a command starts, it is watched besides.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from secrets import token_hex

from bot.ci.failures import REGISTRY
from bot.ci.failures.base import shortened
from bot.limited_process import Allowance, TooMuch, run_limited
from bot.model import Failure, Observation, StartedProgram
from bot.repair.workspace import programs, written_reports
from bot.repair.workspace.written_reports import WrittenReports
from bot.reporting.reasons import job_target
from sandbox.base import SCRATCH, CommandResult, OutputListener, Sandbox

REPORT = f"{SCRATCH}/fixpoint/junit.xml"
"""In the sandbox: neither work tree nor environment, so that no patch can contain it."""

REPORT_LIMIT = 32 * 2**20
"""Bytes; a report of 100,000 tests has about 20 MiB. A bigger one is deleted unread."""

_LATE = f"{SCRATCH}/fixpoint/late"
_LONGEST_GRACE = 30.0
"""Seconds at most in which an interrupted test runner tells what failed until then."""

_SHARE_OF_GRACE = 0.2
"""Of the time limit: most suites that do not end within the rest never do."""

_INTERRUPTED = """\
mkdir -p $(dirname {late}); rm -f {late}
(
trap '' INT
sleep {seconds:g} || exit
echo late > {late}
read -r _ _ _ _ own _ < /proc/$$/stat
for stat in /proc/[0-9]*/stat; do
  read -r pid _ _ _ group _ < $stat
  case $pid in 1|$PPID|$BASHPID) ;; *) [ "$group" != "$own" ] || kill -INT $pid ;; esac
done
) >/dev/null 2>&1 3>&- & late=$!
trap : INT
{command}
status=$?; {{ kill -KILL $late; wait $late; }} 2>/dev/null
(exit $status)
"""
"""Bash; field 5 of a process's `stat` is its group: https://man7.org/linux/man-pages/man5/proc.5.html.

The watcher is killed, not asked to end: until it has put the shell's traps away, it would run them.
"""

_SHORTEST_CUT = 60.0
"""Seconds of a time limit below which nothing is interrupted."""

OUTPUT_LIMIT = 60_000
"""Characters of output that an observation keeps for people and models."""

READING = Allowance(seconds=60, memory=2 * 2**30)
"""For output and reports of one command: 200,000 tests take some 10 s."""

# `xunit1` is the family with file and line; the option is known since pytest 4.2 and ignored
# before, when that family was the only one.
_PYTEST_OPTIONS = f"--junitxml={REPORT} -o junit_family=xunit1"
# Read by `written_reports.pack`.
_STARTED = written_reports.STARTED
_BEGIN = (
    f"{{ mkdir -p {posixpath.dirname(_STARTED)}; rm -rf {_STARTED}; : >{_STARTED}; }} 2>/dev/null"
)
_PACKING_SECONDS = 60.0
# What pytest says about a report that the person did not ask for.
_OWN_LINE = re.compile(rf"^-+ generated xml file: {REPORT} -+\n", re.MULTILINE)
# pytest's exit status for a command line that it can't use.
_USAGE_ERROR = 4


@dataclass(frozen=True, slots=True)
class Instrumented:
    """A command made readable.

    Attributes:
        script: What the shell runs: the command, and around it the care for old reports.
        environment: Variables that it needs.
        reports: Paths of the JUnit files that it may leave in the sandbox.
    """

    script: str
    environment: dict[str, str]
    reports: tuple[str, ...]


def interrupted(command: str, seconds: float) -> str:
    """Return a command that is interrupted after some time, as by Ctrl-C: pytest then reports.

    The signal goes to what the command started, and not to the shell around it.
    """
    return _INTERRUPTED.format(late=_LATE, seconds=seconds, command=command)


def instrument(command: str, pytest_options: str = "") -> Instrumented:
    """Return how to run a command so that its test runner leaves a report.

    A report of an earlier command is removed first, one that can't be read whole at the end (by a
    trap, so that the command's exit status stays its own).
    """
    unreadable = f"! -type f -o ! -readable -o -size +{REPORT_LIMIT // 1024}k"
    exists = f"[ -e {REPORT} ] || [ -L {REPORT} ]"
    trap = f"{{ {exists}; }} && find {REPORT} {unreadable} 2>/dev/null | xargs rm -rf"
    begin = f"{{ {exists}; }} && rm -rf {REPORT}; {_BEGIN}; trap '{trap}' EXIT"
    return Instrumented(
        script=f"{begin}\n{command}",
        environment={"PYTEST_ADDOPTS": f"{_PYTEST_OPTIONS} {pytest_options}".rstrip()},
        reports=(REPORT,),
    )


def spoiled(result: CommandResult) -> bool:
    """Whether the instrument itself made the command fail (`-p no:junitxml`, pytest before 3)."""
    told = "unrecognized arguments: --junitxml" in result.output
    return told and result.exit_code in {2, _USAGE_ERROR}


def read(
    command: str,
    result: CommandResult,
    reports: tuple[bytes, ...],
    written: WrittenReports | None = None,
) -> Observation:
    """Return what a finished command says.

    Args:
        command: As a person would type it.
        result: How it ended.
        reports: JUnit files that it was asked for.
        written: Those that it wrote by itself.
    """
    from bot.ci.failures import registry

    written = written or WrittenReports()
    found = registry.read(
        result.output,
        reports=reports,
        as_printed=written.as_printed,
        others=written.others,
        failed=not result.ok,
        command=command,
    )
    return replace(
        _unread(command, result),
        failing=found.failing,
        passed=found.passed,
        skipped=found.skipped,
        tolerated=found.tolerated,
        counts=found.counts,
    )


async def read_apart(
    command: str,
    result: CommandResult,
    reports: tuple[bytes, ...],
    *,
    record: bytes = b"",
    pack: tuple[bytes, str] | None = None,
    allowance: Allowance = READING,
) -> Observation:
    """Return what `read` does and the programs of a record, read in a process apart.

    `pack` is what `written_reports.pack` left, and its mark.

    Where that takes too much, the observation names no tests, and of a failure only that.
    """
    try:
        seen, started = await run_limited(
            partial(_all_of, command, result, reports, record, pack),
            allowance=allowance,
            imports=REGISTRY,
        )
    except TooMuch as error:
        why = Failure(command, message=job_target.not_read(str(error)))
        return replace(_unread(command, result), failing=() if result.ok else (why,))
    return replace(seen, programs=started)


def _all_of(
    command: str,
    result: CommandResult,
    reports: tuple[bytes, ...],
    record: bytes,
    pack: tuple[bytes, str] | None,
) -> tuple[Observation, tuple[StartedProgram, ...]]:
    written = written_reports.unpack(*pack) if pack else None
    return read(command, result, reports, written), programs.read_record(record)


def _unread(command: str, result: CommandResult) -> Observation:
    """Return what is known of a command without reading what it says."""
    return Observation(
        command=command,
        exit_code=result.exit_code,
        output=shortened(_OWN_LINE.sub("", result.output), OUTPUT_LIMIT),
        seconds=result.seconds,
        timed_out=result.timed_out,
        refused=result.refused,
    )


async def observe(
    sandbox: Sandbox,
    command: str,
    *,
    timeout: float,
    on_output: OutputListener | None = None,
    pytest_options: str = "",
    watch: bool = False,
    wrap: Callable[[str], str] = str,
    report: bool = True,
    cut: bool = False,
) -> Observation:
    """Run a command in the work tree and read its failures; raises what `Sandbox.run` raises.

    Args:
        sandbox: Where.
        command: As a person would type it.
        timeout: Seconds.
        on_output: See `Sandbox.run`.
        pytest_options: For the pytest that the command may run.
        watch: Whether the observation is to tell which programs it started.
        wrap: Makes of the command the shell text that runs it.
        report: Whether to ask for a report; without it, the output says what failed.
        cut: Whether a command that takes too long is interrupted before it is ended, so that its
            test runner tells what failed until then.
    """
    if watch:
        await sandbox.write_file(programs.watcher_path(), programs.watcher())
    ran = programs.watched(command) if watch else wrap(command)
    cut = cut and timeout > _SHORTEST_CUT
    if cut:
        until = timeout - min(_LONGEST_GRACE, _SHARE_OF_GRACE * timeout)
        ran = interrupted(ran, until)
        pytest_options = f"{_stacks_after(until / 4)} {pytest_options}".rstrip()
    instrumented = instrument(ran, pytest_options) if report else Instrumented(ran, {}, ())
    result = await sandbox.run(
        instrumented.script,
        timeout=timeout,
        environment=instrumented.environment,
        on_output=on_output,
    )
    if spoiled(result):
        result = await sandbox.run(command, timeout=timeout, on_output=on_output)
        return await read_apart(command, result, ())
    left = [await _left(sandbox, path) for path in instrumented.reports]
    reports = tuple(report for report in left if report)
    record = await _left(sandbox, programs.record_path()) if watch else b""
    pack = await _packed(sandbox) if report and not reports else None
    if cut and not result.timed_out and await _left(sandbox, _LATE):
        result = replace(result, timed_out=True)
    return await read_apart(command, result, reports, record=record, pack=pack)


async def _packed(sandbox: Sandbox) -> tuple[bytes, str] | None:
    """Return the reports that the last command wrote by itself, packed, and what parts them."""
    mark = f"fixpoint-{token_hex(16)} "
    packing = await sandbox.run(written_reports.pack(mark), timeout=_PACKING_SECONDS)
    packed = await _left(sandbox, written_reports.PACKED) if packing.ok else b""
    return (packed, mark) if packed else None


def _stacks_after(seconds: float) -> str:
    """Return the option with which pytest shows where a test is that takes longer; 5.0 has it first."""
    return f"-o faulthandler_timeout={seconds:.0f}"


async def _left(sandbox: Sandbox, path: str) -> bytes:
    try:
        return await sandbox.read_file(path)
    except (FileNotFoundError, IsADirectoryError):
        return b""
