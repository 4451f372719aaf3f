"""What GitHub shows of a failed job is held against what fails here: paths, messages, annotations."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.model import Cause, Verdict
from bot.reporting import reruns
from bot.reporting.reasons import outside_causes
from tests.fakes.github.ci_model import Step
from tests.flows.failing_commit import FILES, failing_commit, runner_log
from tests.flows.world import World, open_world

CHECK = """\
#!/bin/sh
# Prints absolute paths, as many tools do, and no failure that a parser knows.
grep -qx right app.txt && exit 0
echo "checking 2 files"
echo "reading app.txt"
echo "$PWD/app.txt: says $(head -n 1 app.txt), which is not right"
exit 1
"""
CONFIG = "proposers: [mechanical]\nchecks: {auto: all, settle: 0, rerun_flaky: true}\n"
HERE = {**FILES, "check.sh": CHECK, ".github/fixpoint.yml": CONFIG}


@pytest.mark.slow
async def test_a_runners_paths_are_those_of_the_work_tree(tmp_path: Path) -> None:
    """Those of Windows, too; the same words about another file are another failure."""
    said = "checking 2 files\nreading app.txt\n{}: says {}, which is not right\n"
    runners = {
        "windows": (r"D:\a\app\app\app.txt", Cause.REAL),
        "another": ("/home/runner/work/app/app/lib.txt", Cause.NOT_REPRODUCED),
    }
    async with open_world(tmp_path, files=HERE) as world:
        for word, (path, expected) in runners.items():
            commit = failing_commit(world, {"app.txt": f"{word}\n"})
            commit.job_fails(log=runner_log("sh check.sh", said.format(path, word)))
            await commit.repaired()
            run = await world.run()
            assert run.report is not None
            assert run.report.reproduction is not None
            assert run.report.reproduction.cause is expected, (word, run.reason)
        assert "`app.txt: says another, which is not right`" in run.reason
        assert "`lib.txt: says another, which is not right`" in run.reason


@pytest.mark.slow
async def test_annotations_tell_why_a_job_has_no_log(tmp_path: Path) -> None:
    """An account that did not pay, a lost runner: no sandbox is opened; what may pass is run again."""
    async with open_world(tmp_path, files=HERE) as world:
        for installation in world.state.installations.values():
            installation.permissions["actions"] = "write"
        unpaid = await ends_with(
            world,
            "The job was not started because recent account payments have failed or your spending "
            "limit needs to be increased.",
        )
        assert unpaid == f"`test`: {outside_causes.BILLING}"
        lost = await ends_with(
            world, "The hosted runner lost communication with the server. Verify the machine."
        )
        assert lost == f"`test`: {outside_causes.RUNNER_DISCONNECTED} {reruns.begun()}"
        again = [run.attempt for run in world.repository.workflow_runs.values()]
        assert again == [1, 2]
        await world.check_ends("test", "success")
        await world.until_said("passed on re-run")


async def ends_with(world: World, annotation: str) -> str:
    """A job of a new commit ends with nothing but an annotation; return why the run ended."""
    runs = len(await world.server.runs.list())
    sha = world.state.push(world.repository, "main", {"log.txt": annotation})
    workflow = world.state.ci.workflow_run(world.repository, sha, "main", name="CI")
    check = world.state.ci.job(
        world.repository, workflow, "test", conclusion="failure", steps=list[Step]()
    )
    check.annotations.append(
        {
            "path": ".github",
            "start_line": 1,
            "end_line": 1,
            "annotation_level": "failure",
            "message": annotation,
        }
    )
    for event in world.github.check_events(world.repository, check):
        await world.deliver(event)
    await world.until_started(runs + 1)
    await world.settled()
    run = await world.run()
    assert run.verdict is Verdict.INFRASTRUCTURE
    assert run.report is not None
    assert run.report.commands is None
    return run.reason or ""
