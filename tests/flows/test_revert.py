"""What takes a commit back: the smallest part, merged into what came later, and never called a repair."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.commands.cli import NOT_FIXED
from bot.model import Verdict
from bot.storage.runs import RunStatus
from tests.flows.command_line import Desk, open_desk
from tests.flows.world import World, open_world

CONFIG = "setup: 'true'\ntest: python3 -m unittest -q\nproposers: [revert]\n"
SOUND = """\
LIMIT = 3


def twice(n):
    return n * 2


def label(n):
    return f"{n}"
"""
TESTS = """\
import unittest

from numbers_ import label, twice


class Numbers(unittest.TestCase):
    def test_twice(self):
        self.assertEqual(twice(4), 8)

    def test_label(self):
        self.assertEqual(label(4), "4")
"""
FILES = {".github/fixpoint.yml": CONFIG, "numbers_.py": SOUND, "test_numbers.py": TESTS}

# Two changes, of which one is wrong: only that one is taken back.
SHORTENED = SOUND.replace("LIMIT = 3", "LIMIT = 5").replace(
    "    return n * 2\n", "    if n > LIMIT:\n        return LIMIT\n    return n * 3 - 1\n"
)


def _commit(desk: Desk, subject: str, **files: str) -> str:
    for name, text in files.items():
        (desk.repository / f"{name}.py").write_text(text, "utf-8")
    desk.git("add", "--all")
    desk.git("commit", "--quiet", f"--message={subject}")
    return desk.git("rev-parse", "HEAD")


async def test_the_smallest_part_is_taken_back_and_only_suggested(tmp_path: Path) -> None:
    """What else the commit changed stays, and so does what came later in the same file."""
    async with open_desk(tmp_path, files=FILES) as desk:
        culprit = _commit(desk, "Stop at a limit", numbers_=SHORTENED)
        later = SHORTENED.replace('f"{n}"', 'f"{n}".strip()')
        _commit(desk, "Strip labels", numbers_=later)
        done = await desk.fix("--json")
        assert done.code == NOT_FIXED, done.err
        report = json.loads(done.out)
        assert report["verdict"] == "suggested"
        assert report["patch"].count("\n-") == 2, report["patch"]  # with the file's own `---`
        assert "-    return n * 3 - 1\n+    return n * 2\n" in report["patch"]
        [attempt] = report["attempts"]
        assert attempt["proposer"] == "revert"
        assert culprit[:12] in attempt["summary"]
        assert "Ada" in attempt["summary"]
        assert "takes back what somebody wanted" in report["reason"]


async def test_what_was_moved_since_is_taken_back_where_it_is_now(tmp_path: Path) -> None:
    """The file has another name, and other lines changed in it, since the commit."""
    files = FILES | {
        "numbers_.py": "from rules import label, twice\n\n__all__ = ['label', 'twice']\n",
        "rules.py": SOUND,
    }
    async with open_desk(tmp_path, files=files) as desk:
        _commit(desk, "Stop at a limit", rules=SHORTENED)
        desk.git("mv", "rules.py", "arithmetic.py")
        later = SHORTENED.replace('f"{n}"', 'f"{n}".strip()')
        moved = files["numbers_.py"].replace("rules", "arithmetic")
        _commit(desk, "Call it arithmetic", arithmetic=later, numbers_=moved)
        done = await desk.fix("--json")
        report = json.loads(done.out)
        assert report["verdict"] == "suggested", done.err
        assert report["patch"].startswith("diff --git a/arithmetic.py b/arithmetic.py\n")
        assert "-    return n * 3 - 1\n+    return n * 2\n" in report["patch"]


def _push(world: World, message: str, files: dict[str, str | bytes | None], author: str) -> None:
    world.state.push(world.repository, "main", files, message=message, author=author)


@pytest.mark.slow
async def test_a_draft_says_whose_change_it_takes_back(tmp_path: Path) -> None:
    """Its author and who asked are asked for a review, and the run doesn't claim to have repaired anything."""
    async with open_world(tmp_path, files=FILES) as world:
        _push(world, "Stop at a limit", {"numbers_.py": SHORTENED}, "wes")
        later = SHORTENED.replace('f"{n}"', 'f"{n}".strip()')
        _push(world, "Strip labels", {"numbers_.py": later}, "ada")
        await world.comment("/fix")
        await world.settled()
        run = await world.run()
        assert run.verdict is Verdict.SUGGESTED
        [pull] = world.pulls()
        assert pull.pull is not None
        assert pull.pull.draft
        assert [account.login for account in pull.pull.reviewers] == ["ada", "wes"]
        assert pull.title == 'Revert part of "Stop at a limit"'
        assert world.file("numbers_.py", pull.pull.head_ref) == later.replace("n * 3 - 1", "n * 2")
        body = pull.body or ""
        assert "It takes back part of what commit" in body
        assert "Whether to take it back or to mend it is for `wes` to decide." in body
        assert "Lost with it: 1 line of `numbers_.py`." in body
        assert world.said()[-1].startswith("Taking back what broke it is suggested in ")


@pytest.mark.exhaustive
async def test_a_large_one_waits_for_a_person(tmp_path: Path) -> None:
    """And so does one without which the commit's own tests fail; approved, it is a draft like others."""
    own = TESTS + "\n    def test_limit(self):\n        self.assertEqual(twice(9), 5)\n"
    config = CONFIG + "approval: {reverted_lines: 0}\n"
    changed = SOUND.replace("    return n * 2\n", "    return n if n < 5 else 5\n")
    async with open_world(tmp_path, files={**FILES, ".github/fixpoint.yml": config}) as world:
        _push(world, "Stop at 5", {"numbers_.py": changed, "test_numbers.py": own}, "wes")
        await world.comment("/fix --test 'python3 -m unittest -q test_numbers.Numbers.test_twice'")
        await world.settled()
        assert (await world.run()).status is RunStatus.WAITING
        assert world.pulls() == []
        said = world.said()[-1]
        assert "It takes back 1 line of somebody's commit (allowed without approval: 0)." in said
        assert "Tests that the commit added or changed: `test_numbers.Numbers.test_limit`" in said
        report = (await world.run()).report
        assert report is not None
        verification = report.attempts[-1].verification
        assert verification is not None
        assert "reverted-test-fails" in {finding.rule for finding in verification.findings}
        await world.comment("/fix approve")
        await world.until(lambda: bool(world.pulls()))
        [pull] = world.pulls()
        assert pull.pull is not None
        assert pull.pull.draft
