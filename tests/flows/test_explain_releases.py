"""`fixpoint explain` where a release broke the tests: which, since when, and how that is known."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from inline_snapshot import snapshot

from tests.fakes.package_index import PackageIndex, package_index
from tests.flows.command_line import in_git, open_desk

_DAYS = {
    "moody": {"1.0": 500, "1.1": 300, "2.0": 100, "2.1": 10},
    "young": {"1.0": 450, "1.1": 150, "1.2": 50},
    **{seed: {"60.0": 600} for seed in ("pip", "setuptools", "wheel")},
}
"""Days since each version was uploaded; an environment begins with the last three."""

SETUP = "uv pip install --quiet --python ~/.venv -r requirements.txt"

PROJECT = {
    "requirements.txt": "moody\nyoung\n",
    "tests/__init__.py": "",
    "tests/test_app.py": (
        "import unittest\n\nimport moody\nimport young\n\n\n"
        "class Moods(unittest.TestCase):\n"
        "    def test_mood(self):\n"
        "        self.assertLess(moody.version, '2')\n\n"
        "    def test_other(self):\n"
        "        self.assertTrue(young.version)\n"
    ),
}


async def test_the_release_is_named_with_proof(tmp_path: Path) -> None:
    """The commit passed on its day; of all that was released since, one version decides."""
    today = datetime.now(UTC)
    times = {
        name: {version: f"{today - timedelta(days=ago):%FT%TZ}" for version, ago in days.items()}
        for name, days in _DAYS.items()
    }
    async with (
        package_index(PackageIndex(times)) as index,
        open_desk(tmp_path, files=PROJECT) as desk,
    ):
        old = f"{today - timedelta(days=400):%FT%TZ}"
        amended = ("commit", "--amend", "--quiet", "--no-edit", "--allow-empty")
        in_git(desk.repository, *amended, environ={"GIT_COMMITTER_DATE": old})
        environ = {"UV_INDEX_URL": index.python, "PIP_INDEX_URL": index.python, "UV_OFFLINE": "0"}
        given = ("--test", "python -m unittest", "--setup", SETUP)
        command = ("explain", str(desk.repository), *given)
        done = await desk.run(*command, "--json", environ=environ)
        assert done.code == 0, done.err + done.out
        (culprit,) = json.loads(done.out)["culprits"]
        assert culprit["event"].pop("date")[:10] == f"{today - timedelta(days=100):%F}"
        assert culprit == snapshot(
            {
                "event": {
                    "kind": "release",
                    "name": "moody",
                    "before": "1.1",
                    "after": "2.0",
                    "title": "",
                    "author": "",
                },
                "certainty": "proven",
                "tests": ["tests.test_app.Moods.test_mood"],
                "with_it": {"failed": 6, "passed": 0},
                "without_it": {"failed": 0, "passed": 6},
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
            }
        )
