"""`fixpoint verify --patch`: what is proven of a patch, whoever wrote it."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.flows.command_line import PATIENCE, Desk, Done, Started, ended, open_desk
from tests.flows.given_patch import judged_files, patch_of, rules

TEST = "python3 -m unittest -q"
FAR = "python3 -c \"import urllib.request as it; it.urlopen('https://files.example.com/a')\""
APP = "def total(prices):\n    return sum(prices[1:])\n"
RIGHT = APP.replace("prices[1:]", "prices")
TESTS = (
    "import unittest\n\nfrom app import total\n\n\n"
    "class Totals(unittest.TestCase):\n"
    "    def test_all_count(self):\n"
    "        self.assertEqual(total([1024, 3]), 1027)\n"
)
FILES: Mapping[str, str | bytes] = {
    ".gitignore": "__pycache__/\n",
    ".github/fixpoint.yml": "setup: 'true'\n",
    "app.py": APP,
    "test_app.py": TESTS,
}


BESIDE = "\n    def test_none(self):\n        self.assertEqual(total([]), 0)\n"
WITH_ANOTHER = {**FILES, "test_app.py": TESTS + BESIDE}
"""A test passes without any repair as well, so that a suite can show that nothing broke."""


async def verified(desk: Desk, files: Mapping[str, str], *more: str, test: str = TEST) -> Done:
    """Prove the patch that writes these files."""
    place = ("verify", str(desk.repository), "--patch", "-", "--test", test)
    return await desk.run(*place, *more, stdin=patch_of(desk, files))


def said(done: Done) -> dict[str, Any]:
    """Return what `--json` printed."""
    assert done.code in {0, 1, 3}, done
    told: dict[str, Any] = json.loads(done.out)
    return told


def states(told: Mapping[str, Any]) -> dict[str, str]:
    """Return the rows' states."""
    return {row["row"]: row["state"] for row in told["rows"]}


def open_rules(told: Mapping[str, Any]) -> set[str | None]:
    """Return what the facts that are left open are about."""
    return {fact["subject"] for fact in told["left_open"]}


async def test_a_repair_is_proven(tmp_path: Path) -> None:
    """The test that failed passes, and nothing is open; the repository stays as it is."""
    async with open_desk(tmp_path, files=WITH_ANOTHER) as desk:
        status = desk.git("status", "--porcelain")
        done = await verified(desk, {"app.py": RIGHT}, "--json")
        told = said(done)
        assert (done.code, told["left_open"]) == (0, []), told
        assert states(told) == {
            "tests": "shown",
            "suite": "shown",
            "mutants": "shown",
            "behaviour": "shown",
            "necessity": "shown",
            "capabilities": "not_asked",
            "stability": "shown",
            "reproduction": "not_asked",
        }
        assert [fact["subject"] for fact in told["proven"]][:1] == [
            "test_app.Totals.test_all_count"
        ]
        assert desk.git("status", "--porcelain") == status


@pytest.mark.slow
async def test_the_card_of_a_patch_can_be_kept(tmp_path: Path) -> None:
    """As Markdown, with the command that shows the same once more."""
    kept = tmp_path / "card.md"
    async with open_desk(tmp_path, files=WITH_ANOTHER) as desk:
        done = await verified(desk, {"app.py": RIGHT}, "--markdown", str(kept))
        assert done.code == 0, done
        assert "The tests show the change: shown." in done.out
    assert "fixpoint verify . --patch -" in kept.read_text("utf-8")


@pytest.mark.parametrize(
    ("files", "code", "state", "open_"),
    [
        (
            {"app.py": RIGHT, "test_app.py": TESTS.replace("1027", "1028") + BESIDE},
            1,
            "refuted",
            set[str](),
        ),
        pytest.param(
            {"app.py": RIGHT.replace("sum(prices)", "sum(prices) + 1"),
             "test_app.py": TESTS.replace("7)", "8)")},
            3, "shown", {"expected-changed"}, marks=pytest.mark.exhaustive,
        ),
        pytest.param(
            {"test_aaa.py": "import app\n\napp.total = sum\n"},
            1, "not_shown", set[str](), marks=pytest.mark.exhaustive,
        ),
        ({"app.py": RIGHT, "requirements.txt": "six\n"}, 3, "shown", {"dependency-added"}),
    ],
    ids=["a test that fails", "another expected value", "needs its own tests", "a dependency"],
)  # fmt: skip
async def test_what_is_not_proven_or_left_open(
    tmp_path: Path, files: Mapping[str, str], code: int, state: str, open_: set[str]
) -> None:
    """The exit code is 1 without a proof, and 3 where a person has something to look at."""
    async with open_desk(tmp_path, files=WITH_ANOTHER) as desk:
        done = await verified(desk, files, "--json")
        told = said(done)
        assert (done.code, states(told)["tests"]) == (code, state), told
        assert open_ <= open_rules(told), told


@pytest.mark.slow
async def test_tests_that_the_patch_brings(tmp_path: Path) -> None:
    """Nothing fails without the patch: its own tests have to, without the rest of it."""
    async with open_desk(
        tmp_path, files={**FILES, "test_app.py": TESTS.replace("1024", "0").replace("1027", "3")}
    ) as desk:
        brought = {"app.py": RIGHT, "test_more.py": TESTS.replace("test_all", "test_more")}
        done = await verified(desk, brought, "--json")
        assert (done.code, states(said(done))["tests"]) == (0, "shown"), done.out
        done = await verified(desk, {"app.py": RIGHT}, "--json")
        assert (done.code, states(said(done))["tests"]) == (1, "not_shown"), done.out


@pytest.mark.parametrize(
    ("patch", "arguments", "sentence"),
    [
        (b"", (), "is empty"),
        (b"diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", (),
         "does not apply"),
        (b"\xff\x00", (), "does not apply"),
        (None, ("--setup", FAR), "tried to reach `files.example.com`, which is not allowed"),
    ],
)  # fmt: skip
async def test_what_cannot_be_judged(
    tmp_path: Path, patch: bytes | None, arguments: tuple[str, ...], sentence: str
) -> None:
    """Exit code 2, nothing on stdout; stderr says why, and what a setup wanted and printed."""
    async with open_desk(tmp_path, files=FILES) as desk:
        if patch is None:
            done = await verified(desk, {"app.py": RIGHT}, *arguments)
        else:
            place = ("verify", str(desk.repository), "--patch", "-", "--test", TEST)
            done = await desk.run(*place, stdin=patch)
        assert (done.code, done.out) == (2, ""), done
        said = " ".join(done.err.split())
        assert sentence in said
        if patch is None:
            assert "fixpoint: The setup command" in said
            assert "| urllib.error.URLError" in said
        assert "\nTraceback" not in done.err


SLOW = "\n    def test_slowly(self):\n        import time\n        time.sleep(2)\n"


def seen(command: Started, words: str) -> bool:
    """Whether a command has written these words to its standard error."""
    printed = command.streams.err
    return printed.exists() and words in printed.read_text("utf-8")


async def test_an_interrupted_proof_prints_the_rows_that_it_has(tmp_path: Path) -> None:
    """What is missing is undecided, and says why."""
    files = {**FILES, "test_app.py": TESTS + BESIDE + SLOW}
    async with open_desk(tmp_path, files=files) as desk:
        place = ("verify", str(desk.repository), "--patch", "-", "--test", TEST, "--json")
        command = await desk.start(*place, stdin=patch_of(desk, {"app.py": RIGHT}))
        async with asyncio.timeout(PATIENCE):
            while not seen(command, "Nothing else broke"):  # noqa: ASYNC110 - another process's
                await asyncio.sleep(0.1)
        command.process.send_signal(signal.SIGTERM)
        told = said(await ended(command))
        assert (states(told)["tests"], states(told)["suite"]) == ("shown", "shown")
        [*_, last] = told["rows"]
        assert (last["state"], last["summary"]) == ("undecided", "The process received SIGTERM.")


@pytest.mark.exhaustive
async def test_the_pipeline_rejects_what_needs_its_own_tests(tmp_path: Path) -> None:
    """A pass that a test file of the patch brings about is none."""
    files = {"test_aaa.py": "import app\n\napp.total = sum\n"}
    async with open_desk(tmp_path, files=FILES) as desk:
        told = await judged_files(desk, files)
        assert (told["accepted"], rules(told)["needs-own-tests"]) == (False, "reject")


@pytest.mark.exhaustive
async def test_other_tests_are_asked_for(tmp_path: Path) -> None:
    """Then a person decides, and reads which of the tests as they were fail."""
    files = {
        "app.py": RIGHT.replace("sum(prices)", "sum(prices) + 1"),
        "test_app.py": TESTS.replace("7)", "8)"),
    }
    async with open_desk(tmp_path, files=FILES) as desk:
        told = await judged_files(desk, files, issue="Add one, update the test.")
        assert told["accepted"] == "after_approval", told
        assert rules(told).items() >= {
            ("expected-changed", "needs_a_person"),
            ("original-test-fails", "needs_a_person"),
        }
        assert told["changed_tests"] == ["test_app.py"]


COVERED = {
    "app.py": f"{RIGHT}\n\ndef mean(prices):\n    return sum(prices) / len(prices)\n",
    "check.py": (
        "import sys\nimport unittest\n\nran = set()\n\n\n"
        "def trace(frame, event, argument):\n"
        "    if frame.f_code.co_filename.endswith('/app.py'):\n"
        "        ran.add(frame.f_lineno)\n"
        "        return trace\n\n\n"
        "sys.settrace(trace)\n"
        "done = unittest.main(None, argv=['check', 'discover'], exit=False)\n"
        "sys.settrace(None)\n"
        "lines = {n for n, line in enumerate(open('app.py'), 1) if line.strip()}\n"
        "if not done.result.wasSuccessful() or lines - ran:\n"
        "    sys.exit(f'total coverage is less than fail_under=100, missing: {sorted(lines - ran)}')\n"
    ),
}
MEAN = (
    "\nfrom app import mean\n\n\nclass Means(unittest.TestCase):\n"
    "    def test_mean(self):\n        self.assertEqual(mean([2, 4]), 3)\n"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "accepted", "found"),
    [
        ({"test_mean.py": f"import unittest\n{MEAN}"}, True, {}),
        ({"test_app.py": TESTS + MEAN}, True, {}),
        pytest.param(
            {"test_app.py": TESTS + MEAN.replace("self.assertEqual(mean([2, 4]), 3)", "mean([2, 4])")},
            False, {"assertion-vacuous": "reject"}, marks=pytest.mark.exhaustive,
        ),
        pytest.param(
            {"test_app.py": TESTS.replace("1027", "total([1024, 3])") + MEAN},
            False, {"expected-changed": "reject"}, marks=pytest.mark.exhaustive,
        ),
        pytest.param(
            {"test_mean.py": "import app\n\napp.mean.__code__ = (lambda prices: 3).__code__\n"},
            False, {"capability-added": "needs_a_person"}, marks=pytest.mark.exhaustive,
        ),
    ],
    ids=["a new file", "another test", "no assertion", "another test weakened", "no test"],
)  # fmt: skip
async def test_tests_that_a_check_asks_for(
    tmp_path: Path,
    files: Mapping[str, str],
    accepted: bool,  # noqa: FBT001
    found: Mapping[str, str],
) -> None:
    """Where every test passes and the check fails all the same, tests are the repair."""
    async with open_desk(tmp_path, files={**FILES, **COVERED}) as desk:
        told = await judged_files(desk, files, test="python3 check.py")
        assert (told["accepted"], rules(told)) == (accepted, found), told
