"""What commands and jobs say is read beside the event loop, and only so long."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from bot.ci.evidence import CheckAnnotation, JobEvidence
from bot.ci.evidence_reader import (
    Collected,
    understand,
    understand_apart,
)
from bot.limited_process import Allowance
from bot.model.request import FailedCheck
from bot.repair.workspace.observe import read, read_apart
from bot.repair.workspace.programs import read_record
from sandbox.base import CommandResult

NO_ROOM = Allowance(seconds=1, memory=2**20)
CASES = "".join(f'<testcase classname="m" name="t{n}"/>' for n in range(20_000))
REPORT = f'<testsuite>{CASES}<testcase name="bad"><failure/></testcase></testsuite>'.encode()
RED = CommandResult(exit_code=1, output="2 failed\n", omitted=0, seconds=1.0, timed_out=False)
CHECK = FailedCheck("tests", app="github-actions")
LOG = "".join(
    f"2026-01-01T00:00:00.0000000Z FAILED test_a.py::test_{n} - boom\n" for n in range(9000)
)


async def test_the_event_loop_turns_while_a_report_is_read() -> None:
    """Tens of thousands of tests take seconds."""
    turns = 0
    reading = asyncio.create_task(read_apart("pytest", RED, (REPORT,)))
    while not reading.done():
        await asyncio.sleep(0.001)
        turns += 1
    assert turns > 5
    assert await reading == read("pytest", RED, (REPORT,))


async def test_a_report_that_takes_too_much_is_a_result() -> None:
    """The run goes on with what the exit status says."""
    seen = await read_apart("pytest", RED, (REPORT,), allowance=NO_ROOM)
    [failure] = seen.failing
    assert failure.test == "pytest"
    assert failure.message.startswith("Its output and test report could not be read. Reading it")
    assert (seen.passed, seen.counts, seen.output) == (frozenset(), None, "2 failed\n")
    green = await read_apart("pytest", replace(RED, exit_code=0), (REPORT,), allowance=NO_ROOM)
    assert green.ok
    assert green.failing == ()


async def test_a_log_that_takes_too_much_is_told_of() -> None:
    """What GitHub's API says of the check still counts."""
    bare = JobEvidence(CHECK, remarks=(CheckAnnotation("a.py", 3, "failure", "boom"),))
    told = Collected(log=LOG, reports=(REPORT,))
    assert await understand_apart(bare, told) == understand(bare, told)
    unread = await understand_apart(bare, told, allowance=NO_ROOM)
    assert [failure.message for failure in unread.failing] == ["boom"]
    [missing] = unread.missing
    assert missing.startswith("The job's log and test reports could not be read.")


def test_a_record_of_programs_that_is_nested_ends_there() -> None:
    """The command may have written it."""
    assert read_record(b"[" * 100_000) == ()
