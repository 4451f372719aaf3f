"""Commands run for real in a sandbox, and read."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.model import TestCounts
from bot.repair.workspace import observe
from sandbox.base import CommandResult, Sandbox, SandboxSpec
from sandbox.bubblewrap import BubblewrapProvider

needs_bwrap = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is missing")
GREEN = '<testsuite><testcase classname="m" name="good"/></testsuite>'
RED = (
    '<testsuite><testcase classname="m" name="bad" file="m.py" line="4">'
    '<failure message="assert 1 == 2">m.py:6: AssertionError</failure></testcase></testsuite>'
)


@pytest.fixture
async def sandbox(tmp_path: Path) -> AsyncIterator[Sandbox]:
    source = tmp_path / "source"
    source.mkdir()
    (source / "red.xml").write_text(RED)
    (source / "green.xml").write_text(GREEN)
    provider = BubblewrapProvider(tmp_path / "sandboxes")
    sandbox = await provider.open(SandboxSpec(name="observed", source=source))
    yield sandbox
    await sandbox.close()
    await provider.close()


def leaving(report: str, status: int = 1) -> str:
    """A command that leaves a report as pytest does where `PYTEST_ADDOPTS` says."""
    return (
        "for word in $PYTEST_ADDOPTS; do case $word in --junitxml=*) place=${word#--junitxml=};; "
        f'esac; done; mkdir -p "${{place%/*}}"; cp {report} "$place"; exit {status}'
    )


@needs_bwrap
async def test_the_report_is_read(sandbox: Sandbox) -> None:
    """Failures come from the report that the command left, with file and line."""
    observation = await observe.observe(sandbox, leaving("red.xml"), timeout=600)
    [found] = observation.failing
    assert (found.test, found.file, found.line) == ("m::bad", "m.py", 6)
    assert (observation.exit_code, observation.counts) == (1, TestCounts(0, 1, 0))


@needs_bwrap
async def test_an_old_report_is_not_believed(sandbox: Sandbox) -> None:
    """A command that leaves no report is not judged by the one before it."""
    await observe.observe(sandbox, leaving("red.xml"), timeout=600)
    observation = await observe.observe(sandbox, "echo 'fatal: no disk' >&2; false", timeout=600)
    assert [(f.test, f.message) for f in observation.failing] == [
        ("echo 'fatal: no disk' >&2; false", "fatal: no disk")
    ]


@needs_bwrap
async def test_a_passing_command(sandbox: Sandbox) -> None:
    """Passed tests are named; nothing fails."""
    observation = await observe.observe(sandbox, leaving("green.xml", 0), timeout=600)
    assert (observation.ok, observation.failing) == (True, ())
    assert observation.passed == {"m::good"}


@needs_bwrap
@pytest.mark.parametrize(
    "trick",
    ["mkfifo $R", "mkdir -p $R/x", "ln -s /etc/passwd $R", "truncate -s 40M $R", ">$R; chmod 0 $R"],
)
async def test_a_report_that_cannot_be_read_is_left_aside(sandbox: Sandbox, trick: str) -> None:
    """Pipes, folders, links and giants in the report's place change nothing."""
    script = f"R={observe.REPORT}; mkdir -p ${{R%/*}}; {trick}; exit 3"
    observation = await observe.observe(sandbox, script, timeout=600)
    assert (observation.exit_code, len(observation.failing)) == (3, 1)


@needs_bwrap
async def test_time_is_up(sandbox: Sandbox) -> None:
    """A command that is ended says so."""
    observation = await observe.observe(sandbox, "echo working; sleep 6000", timeout=0.5)
    assert (observation.timed_out, observation.ok) == (True, False)


@needs_bwrap
async def test_a_command_that_takes_too_long_is_interrupted(sandbox: Sandbox) -> None:
    """So its runner tells what failed until then, and its own exit status stays."""
    told = "import time\ntry:\n    time.sleep(600)\nexcept KeyboardInterrupt:\n    print('told')\n    exit(2)"
    script = f'echo begun; python3 -c "{told}"'
    result = await sandbox.run(observe.interrupted(script, 0.5), timeout=600)
    assert (result.exit_code, result.output) == (2, "begun\ntold\n")
    quick = await sandbox.run(observe.interrupted("echo quick; false", 600), timeout=600)
    assert (quick.exit_code, quick.output) == (1, "quick\n")


@needs_bwrap
async def test_a_command_that_ends_at_once_says_only_its_own(sandbox: Sandbox) -> None:
    """What would have interrupted it has not begun to wait by then."""
    for _ in range(20):
        seen = await observe.observe(sandbox, "false", timeout=600, cut=True)
        assert (seen.exit_code, seen.output) == (1, "")


@needs_bwrap
async def test_what_an_interrupted_command_tells_is_read(sandbox: Sandbox) -> None:
    """The observation says that its time was up, and has the failures until then."""
    late = "mkdir -p /tmp/fixpoint; echo late > /tmp/fixpoint/late"
    command = f"{late}; {leaving('red.xml', 2)}"
    seen = await observe.observe(sandbox, command, timeout=600, cut=True)
    assert seen.timed_out
    assert seen.failing_ids == {"m::bad"}
    assert not (await observe.observe(sandbox, leaving("red.xml"), timeout=600, cut=True)).timed_out


@needs_bwrap
async def test_a_pytest_without_junit_plugin_runs_plainly(sandbox: Sandbox) -> None:
    """When pytest refuses the report's option, the command runs once more without it."""
    command = (
        'test -z "$PYTEST_ADDOPTS" && exit 0; '
        "echo 'error: unrecognized arguments: --junitxml=x'; exit 4"
    )
    assert (await observe.observe(sandbox, command, timeout=600)).ok


def test_the_command_keeps_its_own_name() -> None:
    """What people see is what they typed, not the script around it."""
    result = CommandResult(1, "x" * 200_000, 0, 1.5)
    observation = observe.read("make test", result, ())
    line = f"--- generated xml file: {observe.REPORT} ---"
    assert observe.read("t", CommandResult(1, f"a\n{line}\nb\n", 0, 1), ()).output == "a\nb\n"
    assert (observation.command, observation.seconds) == ("make test", 1.5)
    assert len(observation.output) < observe.OUTPUT_LIMIT + 100
