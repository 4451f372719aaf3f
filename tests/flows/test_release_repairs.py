"""Red because of a release: `fixpoint fix` adapts the code to it, else it keeps the release out."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from tests.flows.dated_desk import TEST, dated_desk

_DAYS = {"moody": {"1.0": 500, "1.1": 300, "2.0": 100}}

_LONGEST = """\
def {name}(text):
    words = [word.strip() for word in text.split()]
    return max(words, key=len)
"""

_PROJECT = {
    ".github/fixpoint.yml": f"test: {TEST}\n",
    "requirements.txt": "moody>=1\n",
    "app.py": (
        "from moody import feeling\n\n\ndef mood(text):\n    return feeling(text).upper()\n"
    ),
    "tests/__init__.py": "",
    "tests/test_app.py": (
        "import unittest\n\nfrom app import mood\n\n\n"
        "class Moods(unittest.TestCase):\n"
        "    def test_mood(self):\n"
        "        self.assertEqual(mood('so merry'), 'MERRY')\n"
    ),
}


def _programs(second: str) -> dict[tuple[str, str], str]:
    first = _LONGEST.format(name="feeling")
    return {("moody", "1.0"): first, ("moody", "1.1"): first, ("moody", "2.0"): second}


async def test_the_code_follows_a_name_that_the_release_changed(tmp_path: Path) -> None:
    """No list of packages says so: the two versions were compared, and the tests pass with the edit."""
    programs = _programs(_LONGEST.format(name="longest"))
    async with dated_desk(tmp_path, _PROJECT, _DAYS, programs) as desk:
        done = await desk.run("fix", "--json")
        report = json.loads(done.out)
        assert report["verdict"] == "fixed", done.err + done.out
        assert report["attempts"][-1]["proposer"] == "adapt"
        assert _added(report["patch"]) == snapshot(
            [
                "-from moody import feeling",
                "+from moody import longest",
                "-    return feeling(text).upper()",
                "+    return longest(text).upper()",
            ]
        )


@pytest.mark.slow
async def test_a_release_that_nothing_can_be_adapted_to_is_kept_out(tmp_path: Path) -> None:
    """The bound is verified where the setup ran with it, says what lifts it, and waits for a person."""
    programs = _programs("def feeling(text):\n    return text.split()[0]\n")
    async with dated_desk(tmp_path, _PROJECT, _DAYS, programs) as desk:
        done = await desk.run("fix", "--json", "--proposers", "mechanical,bound")
        report = json.loads(done.out)
        attempt = report["attempts"][-1]
        assert (attempt["proposer"], attempt["accepted"]) == ("bound", "after_approval")
        assert _added(report["patch"]) == snapshot(["-moody>=1", "+moody>=1,<2"])
        assert re.sub(r"\d{4}-\d\d-\d\d", "DAY", attempt["summary"]) == snapshot(
            """\
`moody<2` keeps the release out.

The tests fail since moody 2.0, uploaded on DAY (the version before it: 1.1). All other packages at the same versions, the tests fail in 8 of 8 runs with it and pass in 9 of 9 runs without it.

The bound can go once the code works with `moody` 2.0, or a later release mends it: take it out, and see the tests pass.\
"""
        )


_NODE_PROJECT = {
    ".github/fixpoint.yml": "test: node --test\n",
    ".gitignore": "node_modules/\n",
    "package.json": json.dumps(
        {"name": "app", "version": "1.0.0", "dependencies": {"moody": "^1.0.0"}}, indent=2
    ),
    "app.js": (
        "const feeling = require('moody');\n\nexports.mood = (text) => feeling(text).toUpperCase();\n"
    ),
    "app.test.js": (
        "const test = require('node:test');\nconst assert = require('node:assert');\n"
        "const { mood } = require('./app');\n\n"
        "test('mood', () => assert.equal(mood('so merry'), 'MERRY'));\n"
    ),
}
_LAST = "(text) {\n  return text.split(' ').pop();\n}\n"
_NODE_PROGRAMS = {
    ("moody", "1.0.0"): f"module.exports = feeling;\nfunction feeling{_LAST}",
    ("moody", "1.1.0"): f"exports.feeling = function {_LAST}",
}


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("npm"), reason="npm is not installed.")
async def test_a_script_follows_a_release_of_npm(tmp_path: Path) -> None:
    """What was the module itself is one of its names now: read from both versions as they are installed."""
    days = {"moody": {"1.0.0": 500, "1.1.0": 100}}
    async with dated_desk(tmp_path, _NODE_PROJECT, days, _NODE_PROGRAMS) as python:
        desk = replace(python, setup="npm install --no-audit --no-fund", test="node --test")
        done = await desk.run("fix", "--json", "--proposers", "adapt,bound")
        report = json.loads(done.out)
        assert report["verdict"] == "fixed", done.err + done.out
        assert report["attempts"][-1]["proposer"] == "adapt", report["what_changed"]
        assert _added(report["patch"]) == snapshot(
            ["-const feeling = require('moody');", "+const { feeling } = require('moody');"]
        )


def _added(patch: str) -> list[str]:
    """The lines that a patch takes out and puts in."""
    return [line for line in patch.splitlines() if re.match(r"[-+](?![-+])", line)]
