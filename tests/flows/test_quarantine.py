"""A flaky test that nobody repaired is marked for a while, with an issue, an owner and an end."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.ci.failures.runners import junit, node_spec
from bot.model import Verdict
from bot.repair.flaky.test_marks import marked, reason_of
from tests.fakes.github import Issue
from tests.flows.test_flaky_checks import open_flaky_world
from tests.flows.world import World

CONFIG = """\
network: on
setup: 'true'
test: node --test
flaky: {quarantine: on, days: 14}
"""
TESTS = """\
import assert from "node:assert";
import { execSync } from "node:child_process";
import { test } from "node:test";

test("asks", () => {
  assert.equal(execSync("bash check.sh").toString().trim(), "green");
});

test("knows", () => {});
"""
NODE = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js isn't installed")
REASON = reason_of(7, datetime(2026, 12, 30, tzinfo=UTC))


async def looks(world: World, *, days: int) -> None:
    """Days later, the server looks at what is in quarantine."""
    assert world.server.desk is not None
    await world.server.desk.quarantines.look(datetime.now(UTC) + timedelta(days=days))


async def merge(world: World, pull: Issue) -> None:
    """Somebody merges a pull request, and GitHub delivers it."""
    await world.deliver(world.github.merged(pull, "ada"))
    await world.settled()


def diff(world: World, pull: Issue) -> list[str]:
    """Return the lines that a pull request changes."""
    assert pull.pull is not None
    text = world.repository.git.text("diff", "-U0", f"main...{pull.pull.head_ref}")
    return [
        line for line in text.splitlines() if line[:1] in "+-" and line[:3] not in {"+++", "---"}
    ]


@pytest.mark.slow
@NODE
async def test_a_flaky_test_in_quarantine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is marked by one pull request, with one issue, and unmarked by another one when that is over."""
    tests = {"web/ask.test.mjs": TESTS, ".github/CODEOWNERS": "web/ @wes\n"}
    async with open_flaky_world(
        tmp_path, monkeypatch, may_rerun=False, config=CONFIG, tests=tests
    ) as world:
        await world.comment("/fix")
        await world.settled()
        run = await world.run()
        assert (run.verdict, run.report and run.report.notes) == (
            Verdict.FLAKY,
            snapshot(
                (
                    "What decides how the flaky tests end was not found out. `node --test` starts neither pytest nor unittest, and only their tests are told apart.",
                    "Quarantine of `asks`: #2; #3 marks it.",
                )
            ),
        )
        [pull] = world.pulls()
        day = f"{datetime.now(UTC) + timedelta(days=14):%Y-%m-%d}"
        plain = 'test("asks", () => {'
        mark = f'test("asks", {{ todo: "flaky until {day}, see #2" }}, () => {{'
        assert diff(world, pull) == [f"-{plain}", f"+{mark}"]
        issue = world.repository.issues[2]
        assert (issue.title, world.level(issue.body or "").replace(day, "DAY")) == snapshot(
            (
                "Flaky test: asks",
                """\
This test both fails and passes on the same commit.

`asks` failed in 2 of 4 runs (95 % interval: 15% to 85%). What decides how it ends was not looked for.

|  |  |
| --- | --- |
| Owner | @wes (CODEOWNERS) |
| Commit | COMMIT |
| Until | DAY |

A pull request marks the test with `todo`. It still runs, and its failures are counted, but fail no check.

On DAY, or once a repair by Fixpoint is merged, a second pull request takes the mark away. To end the quarantine without it, remove the mark, or close this issue.

<!-- fixpoint:run=RUN kind=quarantine-issue-c93e3896 -->
""",
            )
        )
        assert world.level(pull.body or "").replace(day, "DAY") == snapshot("""\
Marks the flaky test `asks` with `todo`. It still runs, and its failures are counted, but fail no check. #2 has the cause.

With the mark, the command that showed the failure passed in 4 of 4 runs, and in `node --test` all other tests ended as before.

Owner: @wes (CODEOWNERS). On DAY, or once a repair by Fixpoint is merged, another pull request takes the mark away.

<!-- fixpoint:run=RUN kind=quarantine-pull-request-c93e3896 -->
""")

        await world.comment("/fix")
        await world.settled()
        assert len(world.repository.issues) == 3
        assert "is already in quarantine (#2)" in str((await world.run()).report)

        await merge(world, pull)
        await looks(world, days=13)
        assert len(world.repository.issues) == 3
        for _ in range(2):
            await looks(world, days=15)
        [removal] = [issue for issue in world.pulls() if issue is not pull]
        assert diff(world, removal) == [f"-{mark}", f"+{plain}"]
        assert world.level(removal.body or "").replace(day, "DAY") == snapshot("""\
Takes the mark away that keeps `asks` in quarantine (#2). It was to last until DAY. The test was not seen to be repaired: it may still be flaky. Comment `/fix flaky` here to have it measured without the mark, or close this pull request to leave the mark where it is.

Owner: @wes (CODEOWNERS).

<!-- fixpoint:run=RUN kind=quarantine-end-c93e3896 -->
""")
        await merge(world, removal)
        for _ in range(2):
            await looks(world, days=15)
        assert (issue.state, len(world.repository.issues)) == ("closed", 4)
        assert [
            world.level(comment.body).replace(day, "DAY") for comment in issue.comments
        ] == snapshot(
            [
                """\
The quarantine was to last until DAY: #4 takes the mark away.

<!-- fixpoint:run=RUN kind=quarantine-ending-c93e3896 -->
""",
                """\
#4 was merged: the test is no longer in quarantine.

<!-- fixpoint:run=RUN kind=quarantine-ended-c93e3896 -->
""",
            ]
        )
        assert world.file("web/ask.test.mjs", "main") == TESTS


def test_pytest_runs_a_marked_test(tmp_path: Path) -> None:
    """Whether it fails or passes, the suite passes: also where xfail is strict, and for a TestCase."""
    text = "import unittest\n\nclass Shop(unittest.TestCase):\n    def test_open(self):\n        self.assertTrue({})\n"
    (tmp_path / "pytest.ini").write_text("[pytest]\nxfail_strict = true\n")
    for value, told in (("False", "1 xfailed"), ("True", "1 xpassed")):
        test = "test_shop.Shop::test_open"
        data = marked(
            "test_shop.py", text.format(value).encode(), "test_shop.py::Shop::test_open", REASON
        ).data
        (tmp_path / "test_shop.py").write_bytes(data)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        command += ["--junitxml=report.xml", "-o", "junit_family=xunit1", "test_shop.py"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, told in done.stdout) == (0, True), done.stdout
        seen = junit.parse((tmp_path / "report.xml").read_bytes())
        assert seen is not None
        assert (test in seen.tolerated, test in seen.passed) == (value == "False", value == "True")


@NODE
def test_node_runs_a_marked_test(tmp_path: Path) -> None:
    """A `todo` of node:test runs and may fail; another test that fails still fails the suite."""
    text = 'import test from "node:test";\ntest("opens", () => { throw new Error("closed"); });\n'
    data = marked("a.test.mjs", text.encode(), "opens", REASON).data
    (tmp_path / "a.test.mjs").write_bytes(data)
    environ = {"PATH": os.environ["PATH"]}

    def run() -> subprocess.CompletedProcess[str]:
        command = ["node", "--test", "--test-reporter=spec", "a.test.mjs"]
        return subprocess.run(
            command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False
        )

    done = run()
    assert (done.returncode, "todo 1" in done.stdout) == (0, True), done.stdout
    seen = node_spec.parse(done.stdout)
    assert seen is not None
    assert seen.tolerated == {"opens"}
    assert not seen.failing
    (tmp_path / "a.test.mjs").write_bytes(data + text.splitlines()[1].encode())
    assert run().returncode == 1
