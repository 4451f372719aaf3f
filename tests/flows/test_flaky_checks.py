"""A check fails, and the same command is red and green on one commit."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import MappingProxyType

import pytest
from inline_snapshot import snapshot

from bot.model import Verdict
from tests.fakes.github.ci_model import Step
from tests.flows.failing_commit import FILES, runner_log
from tests.flows.gate import answer, asked, registry, say
from tests.flows.world import RIGHT, World, attempts, open_world

SCRIPT = "python3 -m unittest -q test_turn"
CI = f"""\
on: [push]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - name: Check
        run: {SCRIPT}
"""
TEST = """\
import subprocess
import unittest


class Turn(unittest.TestCase):
    def test_green(self):
        said = subprocess.run(["bash", "check.sh"], stdout=subprocess.PIPE).stdout
        self.assertEqual(said.strip(), b"green")
"""
CONFIG = "network: on\nproposers: [agent]\nchecks: {auto: all, settle: 0, rerun_flaky: true}\n"


@asynccontextmanager
async def open_flaky_world(
    root: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    may_rerun: bool,
    config: str = CONFIG,
    ci: str = CI,
    tests: Mapping[str, str] = MappingProxyType({"test_turn.py": TEST}),
) -> AsyncIterator[World]:
    """Open a world whose check asks a service that says red and green by turns."""
    count = 0

    async def by_turns(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal count
        count += 1
        await asked(reader)
        say("red" if count % 2 else "green", writer)
        await writer.wait_closed()

    async with await asyncio.start_server(by_turns, "127.0.0.1", 0) as service:
        port = service.sockets[0].getsockname()[1]
        for name, value in registry(port).items():
            monkeypatch.setenv(name, value)
        files = {
            **FILES,
            ".github/workflows/ci.yml": ci,
            ".github/fixpoint.yml": config,
            "check.sh": f"echo $({answer(port)})\n",
            **tests,
        }
        async with open_world(root, attempts(RIGHT), files=files) as world:
            if may_rerun:
                for installation in world.state.installations.values():
                    installation.permissions["actions"] = "write"
            yield world


async def fails(world: World) -> None:
    """The job fails at GitHub, which tells of it."""
    steps = [Step("Set up job", "success"), Step("Check", "failure")]
    await world.check_ends("test", log=runner_log(SCRIPT, "Connection reset"), steps=steps)
    await world.settled()


@pytest.mark.slow
async def test_flaky_jobs_run_once_more(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The verdict has the counts and costs nothing; GitHub runs the jobs again; the end is told."""
    async with open_flaky_world(tmp_path, monkeypatch, may_rerun=True) as world:
        await fails(world)
        run = await world.run()
        assert (run.verdict, run.reason) == snapshot(
            (
                Verdict.FLAKY,
                "`test`: `python3 -m unittest -q test_turn` failed in 2 of 4 runs on the same commit. GitHub is re-running the failed jobs on the same commit.",
            )
        )
        assert world.model is not None
        assert world.model.requests == []
        assert run.report is not None
        assert run.report.flaky is not None
        (unknown,) = run.report.flaky.tests
        assert (unknown.test, unknown.causes) == ("test_turn.Turn.test_green", ())
        assert (unknown.alone.failed, unknown.alone.passed) == (10, 10)
        shown = world.shown(world.our_checks()[0])
        assert "Unknown: failed in 10 of 20 runs" in shown
        [workflow] = world.repository.workflow_runs.values()
        assert (workflow.attempt, workflow.status) == (2, "queued")
        await world.check_ends("test", "success")
        await world.until_said("passed on re-run")
        assert world.shown(world.our_checks()[0]).splitlines()[:6] == snapshot(
            [
                "Fixpoint: neutral: Flaky: passed on re-run [Retry]",
                "",
                "Fixpoint has finished. Not fixed: the failure is flaky (0 attempts, N s, $0).",
                "",
                "The failed jobs passed on re-run.",
                "",
            ]
        )


@pytest.mark.exhaustive
async def test_what_may_not_run_again_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the permission the verdict stands; people run the job again, which starts no run."""
    async with open_flaky_world(tmp_path, monkeypatch, may_rerun=False) as world:
        await fails(world)
        run = await world.run()
        assert run.verdict is Verdict.FLAKY
        assert run.reason == snapshot(
            "`test`: `python3 -m unittest -q test_turn` failed in 2 of 4 runs on the same commit. Could not re-run the failed jobs. The App's installation on acme/app does not grant actions: write. Request it in the App's settings, then accept it and select the repository in the installation's settings."
        )
        await fails(world)
        assert len(await world.server.runs.list()) == 1
