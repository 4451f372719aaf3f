"""Stories of issues without a failing test: a specification, tests for it, wrong fixes, a feature."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.model import Acceptance, Report, RequestKind, Verdict
from bot.reporting.reasons import test_first
from bot.reporting.reasons import verification as of_wrong_fixes
from bot.server.serve import open_server
from bot.settings.environment import load_server_settings
from bot.storage.runs import RunStatus
from tests.fakes.model import Request, Say, Step
from tests.flows.command_line import open_desk
from tests.flows.server_process import PATIENCE, ServerProcess
from tests.flows.test_approval import ended, world_of
from tests.flows.world import World, bash, edit, open_scene, open_world, served

SHOP = """\
\"\"\"Prices.\"\"\"


def shipping(total):
    \"\"\"Free from 50 on.\"\"\"
    return 0 if total > 50 else 5


def total(prices):
    return sum(prices)
"""

TESTS = """\
import unittest

import shop


class ShippingTest(unittest.TestCase):
    def test_small_orders_pay(self):
        self.assertEqual(shop.shipping(10), 5)
"""

SUITE = "sh check.sh"  # what runs behind a script is not tried with other inputs, which takes long

FILES: dict[str, str | bytes] = {
    "shop.py": SHOP,
    "check.sh": "exec python3 -m unittest discover -s tests -t .\n",
    "tests/__init__.py": "",
    "tests/test_shop.py": TESTS,
    ".github/fixpoint.yml": f"setup: 'true'\ntest: {SUITE}\nproposers: [agent]\n",
}

SPECIFICATION = {
    "title": "Shipping is wrong at the edges",
    "points": [
        {
            "expected": "`shipping(50)` is 0.",
            "happens": "It is 5.",
            "see": "Call `shipping(50)`.",
        },
        {
            "expected": "`shipping(-1)` raises `ValueError`.",
            "happens": "It returns 5.",
            "see": "Call `shipping(-1)`.",
        },
        {"expected": "The docstring says so.", "happens": "It says nothing of it.", "see": ""},
    ],
}

FREE = "    def test_free_from_50(self):\n        self.assertEqual(shop.shipping(50), 0)\n"
NEGATIVE = """\
    def test_negative(self):
        with self.assertRaises(ValueError):
            shop.shipping(-1)
"""

FIX = (
    edit('on."""\n', 'on; no total is negative."""\n    if total < 0:\n        raise ValueError(total)\n', "shop.py"),
    edit("total > 50", "total >= 50", "shop.py"),
)  # fmt: skip
DONE = Say("Fifty is free now, and a negative total is refused.")

ROLES = {
    "You turn a report": "specify",
    "You write the tests": "test",
    "You judge whether": "judge",
    "You repair software": "repair",
}


def role_of(request: Request) -> str:
    return next(name for start, name in ROLES.items() if request.system.startswith(start))


def play(**parts: Sequence[Sequence[Step]]) -> Callable[[Request], Step]:
    """Return a script that plays the n-th list of a role in the role's n-th conversation."""
    begun: dict[str, list[str]] = {}

    def answer(request: Request) -> Step:
        role = role_of(request)
        known = begun.setdefault(role, [])
        if request.first not in known:
            known.append(request.first)
        conversations = parts[role]
        steps = conversations[min(known.index(request.first), len(conversations) - 1)]
        return steps[min(request.turn, len(steps)) - 1]

    return answer


def says(value: object) -> Say:
    return Say(json.dumps(value))


def added(*bodies: str) -> Step:
    """The model adds tests to the test file."""
    text = "\n".join(bodies)
    return bash(f"cat >> tests/test_shop.py <<'EOF'\n\n{text}EOF")


def claims(*points: dict[str, object]) -> Say:
    numbered = [{"point": n, **point} for n, point in enumerate(points, 1)]
    return Say(f"Tests for it.\n{json.dumps({'points': numbered})}")


def verdict(*points: Sequence[int]) -> Say:
    return says({"shows_problem": True, "reason": "They do.", "points": points})


async def report_of(world: World) -> Report:
    run = await world.run()
    assert run.report is not None, run.reason
    return run.report


@pytest.mark.slow
async def test_a_bug_without_a_test(tmp_path: Path) -> None:
    """Points, a test for each or why not, the second try told what the first left open, wrong fixes."""
    script = play(
        specify=[[says(SPECIFICATION)]],
        test=[
            [added(FREE), claims({"tests": ["test_free_from_50"]})],
            [added(FREE, NEGATIVE), claims({}, {}, {"why_not": "No test reads docstrings."})],
        ],
        judge=[[verdict([1], [], [])], [verdict([1], [2], [])]],
        repair=[[*FIX, DONE]],
    )
    async with open_world(tmp_path, script, files=FILES) as world:
        await world.comment("/fix")
        await world.settled()
        report = await report_of(world)
        assert (report.verdict, report.kind) == (Verdict.FIXED, RequestKind.BUG), report.notes
        assert report.specification is not None
        assert [(point.tests, point.why_not) for point in report.specification.points] == snapshot(
            [
                (("tests.test_shop.ShippingTest.test_free_from_50",), ""),
                (("tests.test_shop.ShippingTest.test_negative",), ""),
                ((), "No test reads docstrings."),
            ]
        )
        assert test_first.test_rejected(1, test_first.points_left([2, 3])) in report.notes
        assert world.model is not None
        told = {request.system[:19]: request.first for request in world.model.requests}
        assert "class ShippingTest" in told["You write the tests"]
        assert "No test shows points 2 and 3" in told["You write the tests"]
        assert "`shipping(-1)` raises" in told["You repair software"]
        [pull] = world.pulls()
        text = world.level(pull.body or "")
        assert text[text.index("### Specification") : text.index("### What was wrong")] == snapshot("""\
### Specification

**Shipping is wrong at the edges**

1. `shipping(50)` is 0.
   - Now: It is 5.
   - To see it: Call `shipping(50)`.
   - Test: `tests.test_shop.ShippingTest.test_free_from_50`
2. `shipping(-1)` raises `ValueError`.
   - Now: It returns 5.
   - To see it: Call `shipping(-1)`.
   - Test: `tests.test_shop.ShippingTest.test_negative`
3. The docstring says so.
   - Now: It says nothing of it.
   - No test: No test reads docstrings.

""")
        shown = [
            line for line in text.splitlines() if line.startswith(("- Wrong fixes", "- Please"))
        ]
        assert shown == snapshot(
            [
                "- Wrong fixes: 3 of 3 caught by the new tests.",
                "- Please check: No test shows point 3 of the specification, so check it by hand: The docstring says so.",
            ]
        )
        verified = report.attempts[-1].verification
        assert verified is not None
        assert [finding.rule for finding in verified.to_check] == ["point-untested"]


VAT = {
    "title": "Add a function for the tax",
    "points": [{"expected": "`vat(100)` is 19.", "happens": "There is no `vat`.", "see": ""}],
}
ANY_VAT = """\
    def test_vat(self):
        self.assertTrue(callable(shop.vat))
"""
EXACT_VAT = """\
    def test_vat(self):
        self.assertEqual([shop.vat(100), shop.vat(0)], [19, 0])
"""
BUILD = (
    bash("printf '\\n\\ndef vat(net):\\n    return net * 19 // 100\\n' >> shop.py"),
    Say("There is a function for the tax now."),
)
REPLACED = bash(
    "python3 - <<'EOF'\nfrom pathlib import Path\nfile = Path('tests/test_shop.py')\n"
    f"file.write_text(file.read_text().replace({ANY_VAT!r}, {EXACT_VAT!r}))\nEOF"
)


@pytest.mark.exhaustive
async def test_a_feature_whose_test_accepts_anything(tmp_path: Path) -> None:
    """The wrong fixes find the test out, it is strengthened once, and the fix is verified by the new one."""
    script = play(
        specify=[[says(VAT)]],
        test=[[added(ANY_VAT), Say("A test.")], [REPLACED, Say("It compares the tax now.")]],
        judge=[[verdict([1])]],
        repair=[BUILD],
    )
    async with open_world(tmp_path, script, files=FILES) as world:
        await world.comment("/fix add a function for the tax")
        await world.settled()
        report = await report_of(world)
        assert (report.verdict, report.kind) == (Verdict.FIXED, RequestKind.FEATURE), report.notes
        assert of_wrong_fixes.STRENGTHENED in report.notes
        [pull] = world.pulls()
        assert pull.title == snapshot("Add: a function for the tax")
        text = world.level(pull.body or "")
        assert text[: text.index("### What was changed")] == snapshot("""\
**Added:** a function for the tax

**Cause and change:** There is a function for the tax now.

**Proof:** A new test that failed on the original commit passes with this patch (2 tests passed) in a clean sandbox that its author can't reach.

Fixes #1

| Proof |  |  |
| --- | --- | --- |
| The tests show the change | shown | 1 test that failed before passes with the patch, in 3 clean sandboxes. |
| Nothing else broke | shown | The failing command is the whole suite, and passes. |
| Faults that the tests notice | shown | The tests notice 6 of 6 faults planted in the changed lines. |
| Each part is needed | shown | 2 parts of the change were put back, one at a time, and a test failed each time. |
| The tests are stable | shown | The failing command passed in 3 of 3 runs with the patch. |

<details>
<summary>Evidence, attempts and notes</summary>

### Specification

**Add a function for the tax**

1. `vat(100)` is 19.
   - Now: There is no `vat`.
   - Test: `tests.test_shop.ShippingTest.test_vat`

### What was missing

No test showed the problem, so one was written; it fails on the untouched tree.

- `tests.test_shop.ShippingTest.test_vat` at `tests/test_shop.py:11`: `AttributeError: module 'shop' has no attribute 'vat'`

<details>
<summary>Test runner output</summary>

`tests.test_shop.ShippingTest.test_vat`

```
Traceback (most recent call last):
  File "/workspace/tests/test_shop.py", line 11, in test_vat
    self.assertEqual([shop.vat(100), shop.vat(0)], [19, 0])
                      ^^^^^^^^
AttributeError: module 'shop' has no attribute 'vat'
```

</details>

""")
        assert [line for line in text.splitlines() if line.startswith("- Wrong fixes")] == snapshot(
            ["- Wrong fixes: 3 of 3 caught by the new tests."]
        )
        assert pull.pull is not None
        assert "assertEqual([shop.vat(100)" in (
            world.file("tests/test_shop.py", pull.pull.head_ref) or ""
        )
        assert world.model is not None
        asked = [request.first for request in world.model.requests if "too weak" in request.first]
        assert asked[0].count("wrong fix ") == 3


@pytest.mark.exhaustive
async def test_a_weak_test_needs_a_person(tmp_path: Path) -> None:
    """What is no better after one round is said, and a person has to look."""
    script = play(
        specify=[[says(VAT)]],
        test=[[added(ANY_VAT), Say("A test.")], [Say("It is strong enough.")]],
        judge=[[verdict([1])]],
        repair=[BUILD],
    )
    async with open_world(tmp_path, script, files=FILES) as world:
        await world.comment("/fix add a function for the tax")
        await world.settled()
        report = await report_of(world)
        assert report.acceptance is Acceptance.AFTER_APPROVAL
        verified = report.attempts[-1].verification
        assert verified is not None
        assert [finding.rule for finding in verified.to_check] == ["tests-weak"]
        [pull] = world.pulls()
        checks = [line for line in (pull.body or "").splitlines() if "Please check" in line]
        assert checks == snapshot(
            [
                "- Please check: The new tests also pass with all 3 wrong fixes that were made from this patch, at `shop.py:14`, so they hardly show that it is right."
            ]
        )
        assert of_wrong_fixes.not_strengthened(of_wrong_fixes.NO_BETTER) in report.notes


@pytest.mark.slow
async def test_a_person_agrees_with_the_specification_first(tmp_path: Path) -> None:
    """Nothing else is spent before; a restarted server knows the points, and asks for them no more."""
    config = f"{FILES['.github/fixpoint.yml']!s}spec: approve\n"
    script = play(
        specify=[[says(VAT)]],
        test=[[added(EXACT_VAT), Say("A test.")]],
        judge=[[verdict([1])]],
        repair=[BUILD],
    )
    files = {**FILES, ".github/fixpoint.yml": config}
    async with open_scene(tmp_path, script, files=files) as scene:
        settings = load_server_settings(scene.variables(tmp_path / "data"))
        assert scene.model is not None
        async with open_server(settings) as server, served(server) as web:
            world = world_of(scene, server, web, settings)
            await world.comment("/fix add a function for the tax")
            await world.settled()
            assert (await world.run()).status is RunStatus.WAITING
            assert world.said() == snapshot(
                [
                    """\
**A specification is waiting for approval.**

Add a function for the tax

1. `vat(100)` is 19.
   - Now: There is no `vat`.

`/fix approve ID` continues with tests for these points and the feature; `/fix reject ID` ends the run. Approving requires the role `maintain` or higher. Without an answer, the request expires on DAY at TIME UTC.

<!-- fixpoint:run=RUN kind=progress -->
"""
                ]
            )
            assert len(scene.model.requests) == 1
        async with open_server(settings) as server, served(server) as web:
            world = world_of(scene, server, web, settings)
            await world.comment("/fix approve", by="wes")
            await world.settled()
            assert (await world.run()).status is RunStatus.WAITING
            await world.comment("/fix approve")
            run = await ended(world)
            assert run.verdict is Verdict.FIXED, run.reason
            report = await report_of(world)
            assert test_first.approved("ada") in report.notes
            assert report.usage.calls == len(scene.model.requests) == 6
            assert report.specification is not None
            assert report.specification.points[0].tests
            assert len(world.pulls()) == 1
            await world.comment("/fix add a function for the tax")
            await world.settled()
            await world.comment("/fix reject", by="wes")
            run = await ended(world)
            assert (run.verdict, run.reason) == (Verdict.STOPPED, test_first.rejected("wes"))
            told = [text for text in world.said() if "### Specification" in text]
            assert told
            assert test_first.NO_TEST not in told[-1]


@pytest.mark.exhaustive
async def test_a_retry_waits_for_its_own_answer(tmp_path: Path) -> None:
    """What was said to the run before does not count; it goes on after `/fix approve`."""
    script = play(
        specify=[[says(VAT)], [says(VAT)]],
        test=[[added(EXACT_VAT), Say("A test.")]],
        judge=[[verdict([1])]],
        repair=[BUILD],
    )
    config = f"{FILES['.github/fixpoint.yml']!s}spec: approve\n"
    files = {**FILES, ".github/fixpoint.yml": config}
    async with open_world(tmp_path, script, files=files) as world:
        await world.comment("/fix add a function for the tax")
        await world.settled()
        await world.comment("/fix reject")
        first = await ended(world)
        await world.comment("/fix retry")
        await world.settled()
        again = await world.run()
        assert (again.status, first.id != again.id) == (RunStatus.WAITING, True)
        await world.comment("/fix approve")
        run = await ended(world)
        assert (run.id, run.verdict) == (again.id, Verdict.FIXED), run.reason
        assert test_first.approved("ada") in (await report_of(world)).notes
        assert len(world.pulls()) == 1


@pytest.mark.exhaustive
async def test_an_extended_run_keeps_its_specification_and_tests(tmp_path: Path) -> None:
    """The budget ends in the repair; after `/fix approve`, nobody is asked again what is wanted."""
    script = play(
        specify=[[says(VAT)]],
        test=[[added(EXACT_VAT), Say("A test.")]],
        judge=[[verdict([1])]],
        repair=[[bash(f"echo {n}") for n in range(60)], BUILD],
    )
    config = f"{FILES['.github/fixpoint.yml']!s}spec: approve\nbudget_usd: 0.08\n"
    files = {**FILES, ".github/fixpoint.yml": config}
    async with open_world(tmp_path, script, files=files) as world:
        await world.comment("/fix add a function for the tax")
        await world.settled()
        await world.comment("/fix approve")
        first = await ended(world)
        assert first.verdict is Verdict.BUDGET_SPENT, first.reason
        await world.comment("/fix approve")
        await world.settled()
        run = await world.run()
        assert (run.id != first.id, run.verdict) == (True, Verdict.FIXED), run.reason
        report = await report_of(world)
        assert [attempt.n for attempt in report.attempts] == [1, 2]
        assert test_first.approved("ada") in report.notes
        assert report.specification is not None
        assert report.specification.points[0].tests == ("tests.test_shop.ShippingTest.test_vat",)
        assert world.model is not None
        asked = Counter(role_of(request) for request in world.model.requests)
        assert (asked["specify"], asked["judge"]) == (1, 1)


async def test_no_tests_are_written_where_the_config_wants_none(tmp_path: Path) -> None:
    """`test_first: false`: the run ends where nothing fails, and asks no model."""
    config = f"{FILES['.github/fixpoint.yml']!s}test_first: false\n"
    files = {**FILES, ".github/fixpoint.yml": config}
    async with open_world(tmp_path, play(), files=files) as world:
        await world.comment("/fix add a function for the tax")
        await world.settled()
        run = await world.run()
        assert run.verdict is Verdict.NOT_REPRODUCED
        assert run.reason.endswith("and this repository's config has `test_first: false`.")


class Held:
    """A script that waits when a role is asked for the first time, until the server was killed."""

    def __init__(self, script: Callable[[Request], Step], *roles: str) -> None:
        self.met = {role: asyncio.Event() for role in roles}
        self.asked: Counter[str] = Counter()
        self._script = script

    async def __call__(self, request: Request) -> Step:
        role = role_of(request)
        self.asked[f"{role} {request.turn}"] += 1
        if role in self.met and not self.met[role].is_set():
            self.met[role].set()
            await asyncio.sleep(PATIENCE)
        return self._script(request)


@pytest.mark.exhaustive
async def test_killed_between_specification_and_tests(tmp_path: Path) -> None:
    """What was written is not paid for again; only the call that was under way is."""
    script = Held(
        play(
            specify=[[says(VAT)]],
            test=[[added(EXACT_VAT), Say("A test.")]],
            judge=[[says({"shows_problem": False, "reason": "No."})]],
            repair=[BUILD],
        ),
        "test",
        "judge",
    )
    async with open_scene(tmp_path, script, files=FILES) as scene:
        server = ServerProcess(scene.variables(tmp_path / "data"), tmp_path)
        async with server.running():
            event = scene.github.comment(scene.issue, "ada", "/fix add a function for the tax")
            await scene.github.deliver(event, server.webhook)
            for role in ("test", "judge"):
                await asyncio.wait_for(script.met[role].wait(), PATIENCE)
                await server.kill()
                await server.start()
            await server.logged("run over")
    assert script.asked == snapshot(
        Counter({"specify 1": 1, "test 1": 3, "test 2": 2, "judge 1": 3})
    )


async def test_a_specification_in_a_pipe(tmp_path: Path) -> None:
    """It is printed; `spec: approve` says what to do where nobody can be asked."""
    config = f"{FILES['.github/fixpoint.yml']!s}spec: approve\n"
    script = play(specify=[[says(VAT)]])
    files = {**FILES, ".github/fixpoint.yml": config}
    async with open_desk(tmp_path, script, files=files) as desk:
        assert desk.model is not None
        done = await desk.fix("--add", "a function for the tax")
        assert (done.code, done.out) == (2, "")
        shown = done.err[done.err.index("feature:") :].splitlines()
        assert shown[:3] == snapshot(
            [
                "feature: Add a function for the tax",
                "              1. `vat(100)` is 19.",
                "              Now: There is no `vat`.",
            ]
        )
        assert test_first.NO_TERMINAL in " ".join(done.err.split())
        assert len(desk.model.requests) == 1
