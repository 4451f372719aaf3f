"""A report says since which commit the tests fail, and how that is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.model import Verdict
from tests.flows import failing_commit as failing
from tests.flows.failing_commit import failing_commit
from tests.flows.gate import Gate
from tests.flows.held_script import HeldScript
from tests.flows.server_process import ServerProcess
from tests.flows.test_restart import ask
from tests.flows.world import WHY, World, attempts, edit, open_scene, open_world

NOTES = 6
FILES = {
    "app.js": "right\n",
    "check.sh": failing.CHECK.replace("app.txt", "app.js"),
    ".github/workflows/ci.yml": failing.CI,
}
CONFIG = "setup: 'true'\ntest: sh check.sh\n"
CHECK = """\
#!/bin/sh
grep -qx right app.py && exit 0
echo "FAILED checks.sh::app - app.py says $(cat app.py)"
exit 1
"""


def first_prompt(world: World) -> str:
    """Return what a model was told first."""
    assert world.model is not None
    return world.model.requests[0].first


@pytest.mark.slow
async def test_a_pull_request_with_a_green_base_is_its_own_culprit(tmp_path: Path) -> None:
    """Of its commits, the one is named that broke the check; the model is told, and people are."""
    async with open_world(
        tmp_path, attempts([edit("wrong", "right", "app.js"), WHY]), files=FILES
    ) as world:
        failing_commit(world, {"note.txt": "a\n"})
        culprit = failing_commit(world, {"app.js": "wrong\n"}).sha
        commit = failing_commit(world, {"note.txt": "b\n"})
        said = failing.SAID.replace("app.txt", "app.js")
        commit.job_fails(log=failing.runner_log("sh check.sh", said))
        await commit.repaired()
        run = await world.run()
        assert run.report is not None
        assert run.report.what_changed is not None
        [found] = run.report.what_changed.culprits
        assert (found.event.name, found.certainty) == (culprit, "proven")
        assert [(part.file, part.first) for part in found.lines] == [("app.js", 1)]
        [ours] = [pull for pull in world.pulls() if pull is not commit.pull]
        assert f"**What changed:** commit {culprit}" in (ours.body or "")
        assert "**Proven:** the tests fail in" in (ours.body or "")
        assert culprit[:12] in first_prompt(world)
        assert "-right\n+wrong" in first_prompt(world)


def _history(world: World) -> str:
    """Make commits on the default branch, one of which breaks the check; return that one."""
    culprit = ""
    for n in range(NOTES):
        world.state.push(world.repository, "main", {f"note{n}.txt": ""})
        if n == NOTES // 2:
            culprit = world.state.push(world.repository, "main", {"app.py": "wrong\n"})
    return culprit


@pytest.mark.exhaustive
async def test_a_report_without_a_repair_says_it_as_well(tmp_path: Path) -> None:
    """An issue on the default branch: the walk goes back along its history."""
    config = f"{CONFIG}proposers: [mechanical]\n"
    files = {"app.py": "right\n", "check.sh": CHECK, ".github/fixpoint.yml": config}
    async with open_world(tmp_path, None, files=files) as world:
        culprit = _history(world)
        await world.comment("/fix")
        await world.settled()
        run = await world.run()
        assert run.verdict is Verdict.GAVE_UP
        [report] = world.said()
        assert (
            f"**What changed:** commit {culprit}" in report or "**What changed:** commit" in report
        )
        assert "How that is known" in report


@pytest.mark.slow
async def test_nobody_looks_where_it_is_turned_off(tmp_path: Path) -> None:
    """`explain: false`: the report has no such section."""
    config = f"{CONFIG}explain: false\n"
    files = {"app.py": "right\n", "check.sh": CHECK, ".github/fixpoint.yml": config}
    async with open_world(tmp_path, None, files=files) as world:
        _history(world)
        await world.comment("/fix")
        await world.settled()
        assert "What changed" not in "".join(world.said())


@pytest.mark.slow
async def test_a_server_that_is_killed_in_the_middle_goes_on(tmp_path: Path) -> None:
    """What ran at other commits does not run again, and the same commit is named."""
    async with Gate() as gate:
        passes = gate.command("""at'"$(cat n.cfg)"'""")
        check = CHECK.replace("#!/bin/sh", f"{passes} || exit 2")
        config = "setup: 'true'\ntest: bash check.sh\nnetwork: on\n"
        files = {"app.py": "right\n", "n.cfg": "0\n", "check.sh": check}
        files[".github/fixpoint.yml"] = config
        script = HeldScript([edit("wrong", "right", "app.py"), WHY])
        async with open_scene(tmp_path, script, files=dict(files)) as scene:
            pushed = [
                scene.state.push(
                    scene.repository,
                    "main",
                    {"n.cfg": f"{n}\n", "app.py": "right\n" if n < 4 else "wrong\n"},
                )
                for n in range(1, 8)
            ]
            server = ServerProcess(scene.variables(tmp_path / "data") | gate.variables, tmp_path)
            try:
                await server.start()
                await gate.close("at5")
                await ask(scene, server)
                await gate.reached("at5")
                await server.kill()
                await gate.deserted("at5")
                await gate.open("at5")
                await server.start()
                await scene.until(lambda: bool(scene.pulls()))
            finally:
                await server.kill()
            assert f"**What changed:** commit {pushed[3]}" in (scene.pulls()[0].body or "")
            assert gate.passed.count("at6") == 1
            assert "at5" in gate.passed


@pytest.mark.slow
async def test_explain_alone_is_answered_with_one_comment(tmp_path: Path) -> None:
    """`/fix explain`: the event and its proof in one comment, and no pull request; no model is asked."""
    files = {"app.py": "right\n", "check.sh": CHECK, ".github/fixpoint.yml": CONFIG}
    script = attempts([edit("wrong", "right", "app.py"), WHY])
    async with open_world(tmp_path, script, files=files) as world:
        culprit = _history(world)
        await world.comment("/fix explain")
        await world.settled()
        run = await world.run()
        assert run.verdict is Verdict.EXPLAINED
        [answer] = world.said()
        assert answer.startswith("**What changed:** commit")
        assert "**Next:** To have it fixed, comment `/fix`." in answer
        assert (run.reason or "").startswith(f"Caused by commit {culprit[:12]}")
        assert not world.pulls()
        assert world.model is not None
        assert not world.model.requests


GENERATOR = """\
import pathlib, sys
want = "".join(sorted(open("words.txt")))
if "--check" not in sys.argv:
    pathlib.Path("index.txt").write_text(want)
elif pathlib.Path("index.txt").read_text() != want:
    sys.exit("index.txt is stale")
"""


@pytest.mark.exhaustive
async def test_a_repair_is_published_before_it_is_known_what_changed(tmp_path: Path) -> None:
    """The pull request is opened at once, and says what changed as soon as that is known."""
    files = {
        "words.txt": "b\na\n",
        "index.txt": "a\nb\n",
        "gen.py": GENERATOR,
        ".github/fixpoint.yml": "setup: 'true'\ntest: python3 gen.py --check\n",
    }
    async with open_world(tmp_path, None, files=files) as world:
        culprit = ""
        for n in range(NOTES):
            world.state.push(world.repository, "main", {f"note{n}.txt": ""})
            if n == NOTES // 2:
                culprit = world.state.push(world.repository, "main", {"words.txt": "b\na\nc\n"})
        await world.comment("/fix")
        await world.settled()
        run = await world.run()
        assert run.verdict is Verdict.FIXED
        [opened] = [
            each
            for each in world.state.exchanges
            if (each.method, each.path.rpartition("/")[2]) == ("POST", "pulls")
        ]
        assert "What changed" not in str(opened.request)
        [pull] = world.pulls()
        assert f"**What changed:** commit {culprit}" in (pull.body or "")
