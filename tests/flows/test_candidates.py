"""Which model is asked, and several attempts side by side: the stories."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest

from bot.model import Usage, Verdict
from bot.model.money.accounts import AccountScope
from bot.model.route import ModelStrength
from bot.reporting.reasons import attempts as reasons
from tests.fakes.model import Call, Request, Say, Step
from tests.flows.server_process import PATIENCE, ServerProcess
from tests.flows.world import FILES, RIGHT, WRONG, attempts, bash, edit, open_scene, open_world


@pytest.mark.slow
async def test_a_model_that_finds_nothing_is_followed_by_a_larger_one(tmp_path: Path) -> None:
    """The pull request says which model each attempt asked, and why."""
    asked: list[str] = []
    played = attempts([Say("I don't see it.")], RIGHT)

    def script(request: Request) -> Step:
        asked.append(request.model)
        return played(request)

    async with open_world(tmp_path, script) as world:
        await world.comment("/fix")
        await world.settled()
        [pull] = world.pulls()
        told = "- Attempt 2 asked claude-opus-5-5: claude-sonnet-5-5 left no patch."
        assert told in (pull.body or "")
        report = (await world.run()).report
        assert report is not None
        routes = [attempt.route.strength for attempt in report.attempts if attempt.route]
    assert routes == [ModelStrength.DEFAULT, ModelStrength.STRONGER]
    assert asked == ["claude-sonnet-5-5", *["claude-opus-5-5"] * 3]


CONFIG = "setup: 'true'\ntest: sh check.sh\nproposers: [agent]\ncandidates: 3\n"
THREE = {**FILES, ".github/fixpoint.yml": CONFIG}
VERBOSE: list[Step] = [
    Call(
        "str_replace_based_edit_tool",
        {"command": "create", "path": "app.txt", "file_text": "right\nand more\n"},
    ),
    Say("I wrote more than was needed."),
]


def asker(request: Request) -> str:
    """Return which of three attempts asks: by its model, and by where it was told to begin."""
    if "the first value that is wrong" in request.text:
        return "cause"
    return "larger" if "opus" in request.model else "default"


class ThreeScripts:
    """A script for each of three attempts, whose answers can be held back.

    Attributes:
        asked: How often each turn of each attempt was asked for.
    """

    def __init__(self, **scripts: list[Step]) -> None:
        self.asked: Counter[tuple[str, int]] = Counter()
        self._scripts = scripts
        self._held: dict[tuple[str, int], tuple[asyncio.Event, asyncio.Event]] = {}

    async def __call__(self, request: Request) -> Step:
        who, turn = asker(request), request.turn
        self.asked[who, turn] += 1
        if (who, turn) in self._held:
            met, free = self._held[who, turn]
            met.set()
            await free.wait()
        steps = self._scripts[who]
        return steps[min(turn, len(steps)) - 1]

    def hold(self, who: str, turn: int) -> None:
        """Let this turn wait."""
        self._held[who, turn] = asyncio.Event(), asyncio.Event()

    async def reached(self, who: str, turn: int) -> None:
        """Wait until a model is asked for this turn."""
        await asyncio.wait_for(self._held[who, turn][0].wait(), PATIENCE)

    def let_go(self, who: str, turn: int) -> None:
        """Answer it."""
        self._held.pop((who, turn))[1].set()


CLAMP: dict[str, str | bytes] = {
    "app.py": "def clamp(x):\n    return x\n",
    "test_app.py": (
        "import unittest\n\nfrom app import clamp\n\n\n"
        "class TestClamp(unittest.TestCase):\n"
        "    def test_large(self):\n        self.assertLess(clamp(12), 12)\n\n"
        "    def test_small(self):\n        self.assertEqual(clamp(3), 3)\n"
    ),
    ".github/fixpoint.yml": (
        "setup: 'true'\ntest: python3 -m unittest -v test_app\nproposers: [agent]\ncandidates: 3\n"
    ),
}


def clamped(expression: str) -> list[Step]:
    """Return the steps of a model that lets the function return this."""
    return [edit("return x", f"return {expression}", "app.py"), Say("It is bounded now.")]


@pytest.mark.exhaustive
async def test_of_several_patches_that_pass_the_one_is_taken_that_behaves_like_most(
    tmp_path: Path,
) -> None:
    """They differ between 10 and 12, where no test looks; all are shown, and all are paid for."""
    script = ThreeScripts(
        default=clamped("x if x < 12 else 10"),
        larger=clamped("min(x, 10)"),
        cause=clamped("10 if x > 10 else x"),
    )
    async with open_world(tmp_path, script, files=CLAMP) as world:
        await world.comment("/fix")
        await world.settled()
        report = (await world.run()).report
        assert report is not None
        first, *_ = report.attempts
        taken = report.accepted_attempt
        assert first.passes
        assert taken is not None
        assert taken.n in {2, 3}
        assert taken.standing is not None
        assert first.standing is not None
        assert first.standing.why == reasons.preferred(taken.n, reasons.AGREES)
        assert 0 < taken.standing.inputs == taken.standing.agreed > first.standing.agreed
        [pull] = world.pulls()
        shown = (pull.body or "").partition("Made side by side:\n\n")[2].partition("\n\n")[0]
        assert [row.split(" | ")[:4] for row in shown.splitlines()[2:]] == [
            ["| 1", "`claude-sonnet-5-5`", "", "its own choice"],
            ["| 2", "`claude-opus-5-5`", "", "its own choice"],
            ["| 3", "`claude-sonnet-5-5`", "", "the first wrong value"],
        ]
        assert report.usage == sum((attempt.proposal.usage for attempt in report.attempts), Usage())
        [run] = [
            balance for balance in report.balances if balance.account.scope is AccountScope.RUN
        ]
        assert (run.spent.usd, run.reserved.usd) == (report.usage.cost_usd, Decimal(0))


@pytest.mark.exhaustive
async def test_the_tests_that_one_brings_are_tried_on_the_others(tmp_path: Path) -> None:
    """A patch that passes all it was verified with, and not the other's new test, is not taken."""
    check = "grep -qx right app.txt && for one in tests/*.sh; do sh $one || exit 1; done"
    files = {
        "app.txt": "wrong\n",
        "check.sh": check,
        "tests/there.sh": "test -s app.txt\n",
        ".github/fixpoint.yml": CONFIG.replace("candidates: 3", "candidates: 2"),
    }
    brings = {
        "command": "create",
        "path": "tests/size.sh",
        "file_text": 'test "$(wc -l < app.txt)" = 1\n',
    }
    larger = [Call("str_replace_based_edit_tool", brings), *RIGHT]
    async with open_world(
        tmp_path, ThreeScripts(default=VERBOSE, larger=larger), files=files
    ) as world:
        await world.comment("/fix")
        await world.settled()
        report = (await world.run()).report
        assert report is not None
        first, second = report.attempts
        assert first.passes
        assert second.accepted
        assert first.standing is not None
        assert (first.standing.tests, first.standing.passed) == (1, 0)
        assert first.standing.why == reasons.preferred(2, reasons.PASSES_TESTS)
        [pull] = world.pulls()
        assert "| 0 of 1 |" in (pull.body or "")


JUST_ABOVE = """\
import unittest

from app import clamp


class TestMore(unittest.TestCase):
    def test_just_above(self):
        self.assertEqual(clamp(11), 10)
"""


@pytest.mark.exhaustive
@pytest.mark.parametrize(("suite", "standing"), [("", (1, 0)), (" test_app", (0, 0))])
async def test_a_new_test_counts_only_where_it_runs(
    tmp_path: Path, suite: str, standing: tuple[int, int]
) -> None:
    """The failing command names another module, so the suite runs it, unless it names one too."""
    brings = {"command": "create", "path": "test_more.py", "file_text": JUST_ABOVE}
    larger = [Call("str_replace_based_edit_tool", brings), *clamped("min(x, 10)")]
    script = ThreeScripts(default=clamped("x if x < 12 else 9"), larger=larger)
    config = (
        f"setup: 'true'\ntest: python3 -m unittest -v{suite}\nproposers: [agent]\ncandidates: 2\n"
    )
    files = {**CLAMP, ".github/fixpoint.yml": config}
    async with open_world(tmp_path, script, files=files) as world:
        await world.comment("/fix --test 'python3 -m unittest -v test_app'")
        await world.settled()
        report = (await world.run()).report
        assert report is not None
        first, second = report.attempts
        assert first.standing is not None
        assert (first.standing.tests, first.standing.passed) == standing
        assert second.accepted == (standing == (1, 0))


@pytest.mark.exhaustive
async def test_killed_in_the_middle_of_several_attempts(tmp_path: Path) -> None:
    """Nothing that was done is done again, nothing is lost, and one pull request is there."""
    once: list[Step] = [bash("echo x >> ~/times"), bash("wc -l < ~/times"), *RIGHT]
    script = ThreeScripts(default=once, larger=WRONG, cause=[*once[:2], *VERBOSE])
    script.hold("default", 2)
    script.hold("cause", 4)
    async with open_scene(tmp_path, script, files=THREE) as scene:
        server = ServerProcess(scene.variables(tmp_path / "data"), tmp_path)
        async with server.running():
            event = scene.github.comment(scene.issue, "ada", "/fix")
            assert (await scene.github.deliver(event, server.webhook)).status_code == 202
            await script.reached("default", 2)
            await script.reached("cause", 4)
            await server.kill()
            script.let_go("default", 2)
            script.let_go("cause", 4)
            await server.start()
            await scene.until(lambda: bool(scene.pulls()))
            await server.logged("run over")
        assert scene.repaired() == "right\n"
        assert scene.model is not None
        times = [
            result.text
            for request in scene.model.requests
            if request.turn == 3 and asker(request) != "larger"
            for result in request.results
        ]
        assert set(times) == {"1\n(exit code 0)"}
    # Nobody held the larger model: on a busy machine it too may have been at a call.
    larger = {turn: script.asked.pop(("larger", turn)) for turn in (1, 2)}
    assert sum(larger.values()) <= 3
    assert script.asked == {
        **{("default", turn): 1 for turn in range(1, 6)},
        ("default", 2): 2,
        **{("cause", turn): 1 for turn in range(1, 5)},
        ("cause", 4): 2,
    }


@pytest.mark.slow
async def test_attempts_that_want_a_tool_ask_once(tmp_path: Path) -> None:
    """Another tool is another question, and an answer to one of them leaves the other open."""
    files = {**THREE, ".github/fixpoint.yml": f"{CONFIG}tools: {{write: ask}}\n"}
    script = ThreeScripts(default=RIGHT, larger=RIGHT[1:], cause=RIGHT)
    async with open_world(tmp_path, script, files=files) as world:
        await world.comment("/fix")
        await world.until(lambda: sum("asks to use" in text for text in world.said()) == 2)
        asked = "\n".join(comment.body for comment in world.issue.comments)
        for question in dict.fromkeys(re.findall(r"/fix approve ([0-9a-f]{6})", asked)):
            await world.comment(f"/fix approve {question}")
        await world.settled()
        run = await world.run()
        assert (run.verdict, world.repaired()) == (Verdict.FIXED, "right\n"), run.reason
        assert sum("asks to use" in text for text in world.said()) == 2


@pytest.mark.slow
async def test_the_rest_is_stopped_once_a_patch_is_believed(tmp_path: Path) -> None:
    """Two leave the same patch; the third, still thinking, is stopped, and what it may cost is paid."""
    script = ThreeScripts(default=RIGHT, larger=RIGHT, cause=RIGHT)
    script.hold("cause", 2)
    async with open_world(tmp_path, script, files=THREE) as world:
        await world.comment("/fix")
        await script.reached("cause", 2)
        await world.settled()
        script.let_go("cause", 2)
        assert world.repaired() == "right\n"
        report = (await world.run()).report
        assert report is not None
        taken, _, stopped = sorted(report.attempts, key=lambda item: not item.accepted)
        assert stopped.proposal.ended == reasons.stopped(taken.n)
        [run] = [
            balance for balance in report.balances if balance.account.scope is AccountScope.RUN
        ]
        assert (run.spent.usd, run.reserved.usd) == (report.usage.cost_usd, Decimal(0))
        assert report.usage == sum((attempt.proposal.usage for attempt in report.attempts), Usage())
        assert not list(tmp_path.rglob(f"{report.run_id}-agent-2*")), "its sandbox is gone"
