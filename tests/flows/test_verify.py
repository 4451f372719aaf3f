"""`fixpoint verify`: any patch, judged as Fixpoint judges its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

from tests.flows.command_line import Desk, Done, open_desk

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


async def verified(desk: Desk, files: Mapping[str, str], *more: str, test: str = TEST) -> Done:
    """Judge the patch that writes these files."""
    before = {name: (desk.repository / name).read_bytes() for name in FILES}
    for name, text in files.items():
        (desk.repository / name).write_text(text, "utf-8")
    desk.git("add", "--all")
    patch = desk.git("diff", "--cached", "--binary", "HEAD")
    desk.git("reset", "--hard", "--quiet")
    assert {name: (desk.repository / name).read_bytes() for name in FILES} == before
    place = ("verify", str(desk.repository), "--patch", "-", "--test", test)
    return await desk.run(*place, *more, stdin=f"{patch}\n".encode())


def said(done: Done) -> dict[str, Any]:
    """Return what `--json` printed."""
    assert done.code in {0, 1, 3}, done
    told: dict[str, Any] = json.loads(done.out)
    assert told["accepted"] == {0: True, 1: False, 3: "after_approval"}[done.code]
    return told


def rules(told: Mapping[str, Any]) -> dict[str, str]:
    """Return the findings' rules and severities."""
    return {text["rule"]: text["severity"] for text in told["guard_findings"]}


async def test_a_repair_is_accepted(tmp_path: Path) -> None:
    """It passes three times; the repository stays as it is."""
    async with open_desk(tmp_path, files=FILES) as desk:
        status = desk.git("status", "--porcelain")
        done = await verified(desk, {"app.py": RIGHT})
        assert done.code == 0, done
        assert done.out.startswith("Accepted: ")
        assert "The failing command passed in 3 of 3 runs with the patch." in done.out
        assert desk.git("status", "--porcelain") == status


@pytest.mark.exhaustive
async def test_mutants_of_the_changed_lines_show_what_the_tests_see(tmp_path: Path) -> None:
    """What no test runs is named, with the change that nothing notices; what one does is caught."""
    loose = RIGHT.replace("    return", "    if len(prices) > 90:\n        prices = []\n    return")
    async with open_desk(tmp_path, files=FILES) as desk:
        told = said(await verified(desk, {"app.py": loose}, "--json"))
        mutants = told["mutants"]
        assert 0 < mutants["caught"] < mutants["total"] <= 10
        assert len(mutants["survivors"]) == mutants["total"] - mutants["caught"]
        assert {(mutant["file"], mutant["line"]) for mutant in mutants["survivors"]} <= {
            ("app.py", 2),
            ("app.py", 3),
        }
        figure = f"{mutants['caught']} of {mutants['total']} caught by the tests."
        assert any(figure in remark for remark in told["remarks"])


@pytest.mark.parametrize(
    ("files", "rule"),
    [
        ({"app.py": RIGHT, "test_app.py": TESTS.replace("1027", "1028")}, "expected-changed"),
        pytest.param(
            {"test_aaa.py": "import app\n\napp.total = sum\n"},
            "needs-own-tests",
            marks=pytest.mark.exhaustive,
        ),
    ],
)
async def test_a_cheat_is_rejected(tmp_path: Path, files: Mapping[str, str], rule: str) -> None:
    """The finding is named, and the exit code is 1."""
    async with open_desk(tmp_path, files=FILES) as desk:
        told = said(await verified(desk, files, "--json"))
        assert (told["accepted"], rules(told)[rule]) == (False, "reject")


@pytest.mark.exhaustive
async def test_other_tests_are_asked_for(tmp_path: Path) -> None:
    """Then a person decides, and reads which of the tests as they were fail."""
    files = {
        "app.py": RIGHT.replace("sum(prices)", "sum(prices) + 1"),
        "test_app.py": TESTS.replace("7)", "8)"),
    }
    async with open_desk(tmp_path, files=FILES) as desk:
        told = said(await verified(desk, files, "--json", "--issue", "Add one, update the test."))
        assert told["accepted"] == "after_approval", told
        assert rules(told).items() >= {
            ("expected-changed", "needs_a_person"),
            ("original-test-fails", "needs_a_person"),
        }
        assert told["changed_tests"] == ["test_app.py"]


async def test_what_needs_a_person(tmp_path: Path) -> None:
    """It passes, and neither exit code nor JSON says so before a person has looked."""
    wordy = {"app.py": RIGHT, "requirements.txt": "six\n"}
    async with open_desk(tmp_path, files=FILES) as desk:
        done = await verified(desk, wordy)
        assert (done.code, done.err) == (3, ""), done
        first, second, finding = done.out.splitlines()[:3]
        assert first.startswith("Accepted after approval: ")
        assert second == snapshot(
            "A person has to check 1 finding before this patch is used, so the exit code is 3."
        )
        assert finding == snapshot(
            "Please check [dependency-added] requirements.txt: The patch changes requirements.txt, which lists dependencies."
        )


@pytest.mark.exhaustive
async def test_what_needs_a_person_as_json(tmp_path: Path) -> None:
    """`accepted` says it as well."""
    wordy = {"app.py": RIGHT, "requirements.txt": "six\n"}
    async with open_desk(tmp_path, files=FILES) as desk:
        assert said(await verified(desk, wordy, "--json"))["accepted"] == "after_approval"


async def test_tests_that_the_patch_brings(tmp_path: Path) -> None:
    """Nothing fails without the patch: its own tests have to, without the rest of it."""
    async with open_desk(
        tmp_path, files={**FILES, "test_app.py": TESTS.replace("1024", "0").replace("1027", "3")}
    ) as desk:
        brought = {"app.py": RIGHT, "test_more.py": TESTS.replace("test_all", "test_more")}
        assert said(await verified(desk, brought, "--json"))["accepted"] is True
        told = said(await verified(desk, {"app.py": RIGHT}, "--json"))
        assert told["accepted"] is False
        assert "adds no test" in told["reason"]


@pytest.mark.exhaustive
async def test_what_the_command_writes_is_no_part_of_the_patch(tmp_path: Path) -> None:
    """A report in the work tree is left out, and what is missing in the sandbox is said."""
    wordy = TESTS + "\n\nopen('report.txt', 'a').write('ran')\n"
    async with open_desk(tmp_path, files={**FILES, "test_app.py": wordy}) as desk:
        desk.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},vendor/lib")
        desk.git("commit", "--quiet", "--message=A submodule")
        (desk.repository / "vendor" / "lib").mkdir(parents=True)
        done = await verified(desk, {"app.py": RIGHT, "report.txt": "ran"})
        assert done.code == 0, done
        assert "Submodules are empty in the sandbox: vendor/lib." in done.out


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
            assert "fixpoint: The patch could not be verified. The setup command" in said
            assert "| urllib.error.URLError" in said
        assert "\nTraceback" not in done.err


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
        told = said(await verified(desk, files, "--json", test="python3 check.py"))
        assert (told["accepted"], rules(told)) == (accepted, found), told
