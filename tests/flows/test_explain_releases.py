"""`fixpoint explain` where a release broke the tests: which, since when, and how that is known."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from tests.flows.dated_desk import dated_desk

_DAYS = {
    "moody": {"1.0": 500, "1.1": 300, "2.0": 100, "2.1": 10},
    "young": {"1.0": 450, "1.1": 150, "1.2": 50},
}
"""Days since each version was uploaded."""

_FEELING = "def {name}(text):\n    words = [word.strip() for word in text.split()]\n    return max(words, key=len)\n"

_PROGRAMS = {
    ("moody", version): _FEELING.format(name=name)
    for version, name in (("1.0", "feeling"), ("1.1", "feeling"), ("2.0", "mood"), ("2.1", "mood"))
}
"""A function was renamed."""

PROJECT = {
    "requirements.txt": "moody\nyoung\n",
    "tests/__init__.py": "",
    "tests/test_app.py": (
        "import unittest\n\nimport moody\nimport young\n\n\n"
        "class Moods(unittest.TestCase):\n"
        "    def test_mood(self):\n"
        "        self.assertEqual(moody.feeling('so merry'), 'merry')\n\n"
        "    def test_other(self):\n"
        "        self.assertTrue(young.version)\n"
    ),
}


async def test_the_release_is_named_with_proof(tmp_path: Path) -> None:
    """The commit passed on its day; of all that was released since, one version decides."""
    released = datetime.now(UTC) - timedelta(days=100)
    async with dated_desk(tmp_path, PROJECT, _DAYS, _PROGRAMS) as desk:
        done = await desk.run("explain", "--json")
        assert done.code == 0, done.err + done.out
        (culprit,) = json.loads(done.out)["culprits"]
        assert culprit["event"].pop("date")[:10] == f"{released:%F}"
        assert culprit == snapshot(
            {
                "event": {
                    "kind": "release",
                    "name": "moody",
                    "before": "1.1",
                    "after": "2.0",
                    "title": "",
                    "author": "",
                    "registry": "PyPI",
                },
                "certainty": "proven",
                "tests": ["tests.test_app.Moods.test_mood"],
                "with_it": {"failed": 8, "passed": 0},
                "without_it": {"failed": 0, "passed": 9},
                "lines": [],
                "missing": "",
                "bound": {
                    "requirement": "moody<2",
                    "patch": """\
diff --git a/requirements.txt b/requirements.txt
index d5d2bc7fbaf8cc62a1d246f5192a6775d81f62c4..9091d238a0b14add01af804c6da4b6c8fb1fc749 100644
--- a/requirements.txt
+++ b/requirements.txt
@@ -1,2 +1,2 @@
-moody
+moody<2
 young
""",
                    "runs": {"failed": 0, "passed": 2},
                },
                "api": [
                    {
                        "kind": "removed",
                        "name": "moody.feeling",
                        "before": "(text)",
                        "after": "",
                        "parameter": "",
                        "position": -1,
                        "instead": ["moody.mood"],
                        "said": "",
                        "uses": [["tests/test_app.py", 9]],
                        "is_shown": True,
                    }
                ],
                "changelog": "",
                "is_update": False,
                "is_known": False,
                "followed": [],
            }
        )


_NODE_PROJECT = {
    "package.json": json.dumps(
        {"name": "app", "version": "1.0.0", "dependencies": {"moody": "^1.0.0", "young": "*"}},
        indent=2,
    ),
    ".gitignore": "node_modules/\n",
    "mood.test.js": (
        "const test = require('node:test');\nconst assert = require('node:assert');\n"
        "const moody = require('moody');\nrequire('young');\n\n"
        "test('mood', () => assert.equal(moody.feeling('so merry'), 'merry'));\n"
    ),
}
_NODE_PROGRAMS = {
    ("moody", version): f"exports.{name} = (text) => text.split(' ').pop();\n"
    for version, name in (("1.0.0", "feeling"), ("1.1.0", "feeling"), ("1.2.0", "mood"))
}


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("npm"), reason="npm is not installed.")
async def test_the_release_of_an_npm_package_is_named_and_kept_out(tmp_path: Path) -> None:
    """Days, packages and versions are looked through in the same way; the bound is a range of npm."""
    days = {
        "moody": {"1.0.0": 500, "1.1.0": 300, "1.2.0": 100},
        "young": {"1.0.0": 450, "1.1.0": 50},
    }
    async with dated_desk(tmp_path, _NODE_PROJECT, days, _NODE_PROGRAMS) as python:
        desk = replace(python, setup="npm install --no-audit --no-fund", test="node --test")
        done = await desk.run("explain", "--json")
        assert done.code == 0, done.err + done.out
        (culprit,) = json.loads(done.out)["culprits"]
        event, bound = culprit["event"], culprit["bound"]
        assert (event["registry"], event["name"], event["before"], event["after"]) == (
            *("npm", "moody"),
            *("1.1.0", "1.2.0"),
        )
        assert culprit["certainty"] == "proven"
        assert bound["requirement"] == snapshot("moody@<1.2")
        assert '+    "moody": "^1.0.0 <1.2",' in bound["patch"]
