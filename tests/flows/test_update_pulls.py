"""A bot updates packages, and its pull request is red: the update is the cause, and the code adapts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.model import Verdict
from tests.fakes.package_index import PackageIndex, package_index
from tests.flows.dated_desk import SETUP, TEST, uploaded
from tests.flows.world import World, open_world

_DAYS = {"moody": {"1.1": 300, "2.0": 100, "2.1": 50}, "young": {"1.0": 300, "1.1": 40}}
_LONGEST = "def {name}(text):\n    words = [word.strip() for word in text.split()]\n    return max(words, key=len)\n"
_PROGRAMS = {
    ("moody", version): _LONGEST.format(name=name)
    for version, name in (("1.1", "feeling"), ("2.0", "longest"), ("2.1", "longest"))
}

_BRANCH = "dependabot/pip/packages"
_FILES: dict[str, str | bytes] = {
    ".github/fixpoint.yml": f"setup: {SETUP}\ntest: {TEST}\nchecks: {{settle: 0, bots: updates}}\n",
    "requirements.txt": "moody==1.1\nyoung==1.0\n",
    "app.py": "from moody import feeling\n\n\ndef mood(text):\n    return feeling(text).upper()\n",
    "tests/__init__.py": "",
    "tests/test_app.py": (
        "import unittest\n\nfrom app import mood\n\n\n"
        "class Moods(unittest.TestCase):\n"
        "    def test_mood(self):\n"
        "        self.assertEqual(mood('so merry'), 'MERRY')\n"
    ),
}


@pytest.mark.slow
async def test_a_red_update_is_adapted_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two packages that it updates, the one that decides is named with proof, and its first bad version.

    The repair is a pull request into the bot's branch, and undoes nothing of the update. In the owner's
    other repository, the release is tried first.
    """
    async with package_index(PackageIndex(uploaded(_DAYS), programs=_PROGRAMS)) as index:
        monkeypatch.setenv("UV_INDEX_URL", index.python)
        monkeypatch.setenv("PIP_INDEX_URL", index.python)
        monkeypatch.delenv("UV_OFFLINE")
        async with open_world(tmp_path, None, files=_FILES) as world:
            told, ruled_out = await _repaired(world)
            assert told == snapshot(
                "**What changed:** this update, which brings moody 2.0, uploaded on DAY (the version before it: 1.1). **Proven:** the tests fail in 8 of 8 runs with it and pass in 9 of 9 runs without it."
            )
            assert "`young`" in ruled_out[0]
            world.repository = world.state.add_repository("acme/shop", _FILES)
            assert await _repaired(world) == snapshot(
                (
                    "**What changed:** this update, which brings moody 2.0, uploaded on DAY (the version before it: 1.1). **Proven:** the tests fail in 8 of 8 runs with it and pass in 9 of 9 runs without it. It was tried first, because it broke another repository on this server.",
                    (),
                )
            )


async def _repaired(world: World) -> tuple[str, tuple[str, ...]]:
    """Return what is said of a bot's red update once it is adapted to, and what was ruled out."""
    bot = "dependabot[bot]"
    world.state.account(bot, kind="Bot")
    updated = {"requirements.txt": "moody==2.1\nyoung==1.1\n"}
    world.state.push(world.repository, _BRANCH, updated, author=bot)
    world.state.open_pull_request(world.repository, bot, "Bump", head=_BRANCH)
    await world.check_ends("test", branch=_BRANCH)
    await world.settled()
    run = await world.run()
    assert run.report is not None
    assert run.verdict is Verdict.FIXED, run.reason
    assert run.report.attempts[-1].proposer == "adapt"
    [ours] = [pull for pull in world.pulls() if pull.author.login != bot]
    assert ours.pull is not None
    assert ours.pull.base_ref == _BRANCH
    assert ours.title == "Adapt to moody 2.0"
    told = re.search(r"\*\*What changed:\*\*.*", world.level(ours.body or ""))
    assert told is not None
    assert run.report.what_changed is not None
    return told[0], run.report.what_changed.ruled_out
