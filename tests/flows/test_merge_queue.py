"""Stories of a merge queue whose group fails: who is the cause, and who is told that they are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.model import Verdict
from tests.fakes.github.merge_queue import QueuedPull
from tests.flows.failing_commit import runner_log
from tests.flows.test_flaky_checks import CI as TURNS_CI
from tests.flows.test_flaky_checks import open_flaky_world
from tests.flows.world import World, open_world

CI = """\
name: CI
on: [push, pull_request, merge_group]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - name: Check
        run: python3 -m unittest -v
"""

TESTS = """\
import os
import unittest

import shop


class Shop(unittest.TestCase):
    def test_total(self):
        self.assertEqual(shop.total([1, 2]), 3)

    def test_names(self):
        self.assertEqual(shop.names(), sorted(shop.names()))

    def test_now_and_then(self):
        if os.path.exists("flaky"):
            self.assertGreater(os.urandom(1)[0], 120)
"""

SHOP = """\
import pathlib


def total(prices):
    return sum(prices)


def names():
    return [path.stem for path in sorted(pathlib.Path("names").glob("*.txt"))]
"""

FLAKY = """\
======================================================================
FAIL: test_now_and_then (test_shop.Shop.test_now_and_then)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/home/runner/work/app/app/test_shop.py", line 16, in test_now_and_then
    self.assertGreater(os.urandom(1)[0], 120)
AssertionError: 7 not greater than 120

"""

TOTAL = """\
======================================================================
FAIL: test_total (test_shop.Shop.test_total)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/home/runner/work/app/app/test_shop.py", line 9, in test_total
    self.assertEqual(shop.total([1, 2]), 3)
AssertionError: 4 != 3

"""


def files(checks: str = "merge_groups: true", **more: str) -> dict[str, str | bytes]:
    """Return a shop whose config has that section `checks`."""
    config = f"checks: {{settle: 0, {checks}}}\n"
    own = {".github/fixpoint.yml": config, ".github/workflows/ci.yml": CI}
    return {**own, "shop.py": SHOP, "test_shop.py": TESTS, "names/a.txt": "", **more}


def log_of(output: str) -> bytes:
    """Return the log of a job whose tests said that."""
    return runner_log("python3 -m unittest -v", f"{output}Ran 3 tests in 0.001s\n\nFAILED\n")


async def queued(world: World, *changes: dict[str, str | bytes | None]) -> list[QueuedPull]:
    """Open a pull request for each change, and add them to the merge queue one after the other."""
    entries: list[QueuedPull] = []
    for n, change in enumerate(changes):
        world.state.push(world.repository, f"work-{n}", change, author="wes")
        pull = world.state.open_pull_request(
            world.repository, "wes", f"Change {n}", head=f"work-{n}"
        )
        entry, event = world.github.queued(pull, entries[-1] if entries else None)
        await world.deliver(event)
        entries.append(entry)
    return entries


async def fails(world: World, entry: QueuedPull, output: str = TOTAL) -> None:
    """The check of a queue's commit fails, and GitHub takes the pull request out of the queue."""
    run = world.state.ci.workflow_run(
        world.repository, entry.head, entry.branch, event="merge_group"
    )
    check = world.state.ci.job(
        world.repository, run, "test", conclusion="failure", log=log_of(output)
    )
    for event in world.github.check_events(world.repository, check):
        await world.deliver(event)
    await world.deliver(world.github.dequeued(entry, "dequeued"))
    await world.settled()


def told(world: World, entry: QueuedPull) -> list[str]:
    """Return what our check runs say on the pull request itself."""
    return [
        world.shown(check)
        for check in world.our_checks(world.head(f"work-{entry.issue.number - 2}"))
    ]


BROKEN = SHOP.replace("sum(prices)", "sum(prices) + 1")


def note(name: str) -> dict[str, str | bytes | None]:
    """Return a change that breaks nothing."""
    return {f"names/{name}.txt": ""}


@pytest.mark.slow
async def test_the_cause_is_named_and_the_others_are_told(tmp_path: Path) -> None:
    """Each pull request of the group gets a check run, and no comment; a flaky test names nobody."""
    async with open_world(tmp_path, files=files(flaky="yes\n")) as world:
        entries = await queued(
            world, note("b"), note("c"), {"shop.py": BROKEN}, note("d"), note("e")
        )
        await fails(world, entries[-1], FLAKY + TOTAL)
        run = await world.run()
        assert run.verdict is Verdict.EXPLAINED, run.reason
        assert run.report is not None
        assert run.report.group is not None
        assert [cause.entries for cause in run.report.group.causes] == [(2,)]
        [own] = told(world, entries[2])
        assert own.startswith(
            "Merge group: neutral: The merge group fails with this pull request\n"
        )
        for place in (0, 1, 3, 4):
            [other] = told(world, entries[place])
            assert other.startswith(
                "Merge group: neutral: The merge group fails with #4, not with this pull request\n"
            )
            assert "It can be added to the queue again." in other
        assert all(world.said(entry.issue) == [] for entry in entries)


@pytest.mark.slow
async def test_a_group_of_one_is_held_against_its_base(tmp_path: Path) -> None:
    """What its checks say with it and without it stands in the check run of the pull request."""
    async with open_world(tmp_path, files=files()) as world:
        [entry] = await queued(world, {"shop.py": BROKEN})
        await fails(world, entry)
        assert told(world, entry) == snapshot(
            [
                """\
Merge group: neutral: The merge group fails with this pull request

`test_shop.Shop.test_total` fails in 7 of 7 runs of the group, and passes in 8 of 8 runs of its base.\
"""
            ]
        )
        assert [world.shown(check) for check in world.our_checks(entry.head)] == snapshot(
            [
                """\
Fixpoint: neutral: The cause is known [Retry]

**The cause is known.** `test_shop.Shop.test_total` fails in 7 of 7 runs of the group, and passes in 8 of 8 runs of its base.

**What changed:** commit COMMIT (Change 0 (`#2`)) by wes on DAY. **Proven:** the tests fail in 7 of 7 runs with it and pass in 8 of 8 runs without it.

<details>
<summary>How that is known</summary>

- Since `RUN`: `test_shop.Shop.test_total`

| State | Tests |
| --- | --- |
| `the whole group` | failed in 7 runs |
| `the base alone` | passed in 8 runs |

Looked for N s.

</details>

The group: #2.

<!-- fixpoint:run=RUN kind=progress -->\
"""
            ]
        )


@pytest.mark.slow
async def test_a_group_begins_behind_what_was_merged(tmp_path: Path) -> None:
    """An entry behind one whose checks fail as well starts nothing; the first of them does."""
    async with open_world(tmp_path, files=files()) as world:
        entries = await queued(world, note("b"), {"shop.py": BROKEN}, note("c"))
        await world.deliver(world.github.dequeued(entries[0], "merged"))
        world.repository.git.set_reference("refs/heads/main", entries[0].head)
        await fails(world, entries[1])
        run = await world.run()
        assert run.request.failed is not None
        assert run.request.failed.group is not None
        assert [entry.number for entry in run.request.failed.group.entries] == [3]
        assert run.request.failed.group.base == entries[0].head
        await fails(world, entries[2])
        assert len(await world.server.runs.list()) == 1
        [said] = told(world, entries[1])
        assert "fails with this pull request" in said


TURN = """\
======================================================================
FAIL: test_green (test_turn.Turn.test_green)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "/home/runner/work/app/app/test_turn.py", line 8, in test_green
    self.assertEqual(said.strip(), b"green")
AssertionError: b'red' != b'green'

"""


@pytest.mark.exhaustive
async def test_a_group_that_fails_now_and_then_blames_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test comes and goes on the same commit: each pull request may be added again."""
    config = "network: on\nchecks: {settle: 0, merge_groups: true}\n"
    ci = TURNS_CI.replace("[push]", "[push, merge_group]")
    async with open_flaky_world(
        tmp_path, monkeypatch, may_rerun=False, config=config, ci=ci
    ) as world:
        entries = await queued(world, note("b"), note("c"))
        await fails(world, entries[-1], TURN)
        run = await world.run()
        assert run.verdict is Verdict.FLAKY, run.reason
        for entry in entries:
            [said] = told(world, entry)
            assert said.startswith(
                "Merge group: neutral: The failure of the merge group comes and goes\n"
            )
            assert "It can be added to the queue again." in said


async def test_nothing_is_looked_into_unless_the_config_says_so(tmp_path: Path) -> None:
    """Merge groups are off at first, whatever else starts runs."""
    async with open_world(tmp_path, files=files("auto: all")) as world:
        [entry] = await queued(world, {"shop.py": BROKEN})
        await fails(world, entry)
        assert await world.server.runs.list() == ()
        assert world.our_checks() == []
