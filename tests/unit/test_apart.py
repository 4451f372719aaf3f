"""Work on other people's data, done in a process apart."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
from functools import partial

import pytest

from bot.ci.workflow.spec.document import WorkflowUnreadable, read_workflow
from bot.limited_process import Allowance, TooMuch, run_limited
from bot.limited_process.fork_server_client import FORK_SERVER

SHORT = Allowance(seconds=1)


async def test_what_it_returns_and_raises_comes_back() -> None:
    assert await run_limited(json.loads, '{"a": [1]}') == {"a": [1]}
    assert await run_limited(partial(int, base=16), "ff") == 255
    with pytest.raises(WorkflowUnreadable, match="has no `jobs`"):
        await run_limited(read_workflow, "ci.yml", "on: push")
    with pytest.raises(RuntimeError, match="ValueError: invalid literal"):
        await run_limited(int, "no number")


async def test_the_event_loop_turns_while_a_pattern_backtracks() -> None:
    """It would keep every thread of the process waiting."""
    turns = 0
    work = asyncio.create_task(run_limited(re.match, r"(a*)*b", "a" * 40, allowance=SHORT))
    while not work.done():
        await asyncio.sleep(0.01)
        turns += 1
    with pytest.raises(TooMuch, match="more than 1 s"):
        await work
    assert turns > 1


async def test_memory_and_nesting_end_as_well() -> None:
    with pytest.raises(TooMuch, match="1024 MiB"):
        await run_limited(bytes, 2**31)
    with pytest.raises(TooMuch):
        await run_limited(json.loads, "[" * 100_000)


async def test_there_is_no_environment() -> None:
    """What reads other people's data has nothing to give away."""
    assert os.getenv("PATH")
    assert await run_limited(os.getenv, "PATH") is None


@pytest.mark.slow
async def test_it_starts_again_after_it_was_killed() -> None:
    await run_limited(int, "1")
    process = FORK_SERVER._process
    assert process is not None
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert await run_limited(int, "2") == 2


async def test_large_data_goes_both_ways() -> None:
    data = os.urandom(8 * 2**20)
    assert await run_limited(bytes, data) == data
