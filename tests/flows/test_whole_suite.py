"""The full test suite has a say, beside the failing command: a patch must not break what worked."""

from __future__ import annotations

from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.reporting.json_report import FixOutput
from tests.fakes.model import Say, Step
from tests.flows.command_line import Desk, open_desk
from tests.flows.world import CHECK, FIX, WHY, attempts, bash

SUITE = """\
#!/bin/sh
# Every other file must say good; old.txt never did. The summary is in pytest's words.
code=0
echo "===== short test summary info ====="
for file in other old; do
  grep -qx good $file.txt && continue
  echo "FAILED suite.sh::$file - $file.txt says $(cat $file.txt)"
  code=1
done
sh check.sh || code=1
exit $code
"""

FILES = {
    "app.txt": "wrong\n",
    "other.txt": "good\n",
    "old.txt": "bad\n",
    "check.sh": CHECK,
    "suite.sh": SUITE,
    ".github/fixpoint.yml": "setup: 'true'\ntest: sh suite.sh\n",
}
CARELESS: list[Step] = [
    bash("echo right | tee app.txt > other.txt"),
    Say("Both files are right now."),
]
CAREFUL: list[Step] = [FIX, WHY]


async def fixed(desk: Desk, code: int = 0) -> FixOutput:
    """Run `fixpoint fix` for the failing command, which ends so, and return its report."""
    done = await desk.fix("--test", "sh check.sh", "--proposers", "agent", "--json")
    assert done.code == code, done
    return FixOutput.model_validate_json(done.out)


@pytest.mark.slow
async def test_a_patch_that_breaks_another_test_is_rejected(tmp_path: Path) -> None:
    """The failing command passes with it; the next attempt is told what broke."""
    async with open_desk(tmp_path, attempts(CARELESS, CAREFUL), files=FILES) as desk:
        output = await fixed(desk)
        assert [(attempt.exit_code, attempt.accepted) for attempt in output.attempts] == [
            (0, False),
            (0, True),
        ]
        assert desk.model is not None
        assert "Newly failing:" in desk.model.requests[-1].first
        assert "suite.sh::other" in desk.model.requests[-1].first


@pytest.mark.exhaustive
async def test_what_failed_before_is_not_held_against_a_patch(tmp_path: Path) -> None:
    """A suite that is red for other reasons stays red."""
    async with open_desk(tmp_path, attempts(CAREFUL), files=FILES) as desk:
        output = await fixed(desk)
        assert output.reason == snapshot(
            "The failing command passes with the patch, and nothing else that ran broke."
        )
        assert output.reproduction is not None
        assert output.reproduction.failing == ("sh check.sh",)


@pytest.mark.exhaustive
async def test_a_suite_that_does_not_work_proves_nothing(tmp_path: Path) -> None:
    """The report says so rather than claim that nothing broke."""
    files = {**FILES, "suite.sh": "echo 'usage: suite OPTION'\nexit 4\n"}
    async with open_desk(tmp_path, attempts(CAREFUL), files=files) as desk:
        assert (await fixed(desk)).reason == snapshot(
            "The failing command passes with the patch. The full test suite `sh suite.sh` also fails without the patch (exit code 4) and names no test, so it can't show what the patch may have broken."
        )


async def test_a_suite_that_stops_early_is_compared(tmp_path: Path) -> None:
    """A test file that never loads keeps nobody from seeing what a patch breaks."""
    case = "import unittest\n\nclass T(unittest.TestCase):\n    def test_{0}(self):\n        self.assertEqual(open('{0}.txt').read(), '{1}\\n')\n"
    files = {
        "app.txt": "wrong\n",
        "other.txt": "good\n",
        "check.sh": CHECK,
        "test_a.py": case.format("missing", "good"),
        "test_other.py": case.format("other", "good"),
        ".github/fixpoint.yml": "setup: 'true'\ntest: python3 -m unittest -f -b\n",
    }
    async with open_desk(tmp_path, attempts(CARELESS, CAREFUL), files=files) as desk:
        output = await fixed(desk)
        assert [(attempt.exit_code, attempt.accepted) for attempt in output.attempts] == [
            (0, False),
            (0, True),
        ]


@pytest.mark.exhaustive
async def test_a_suite_in_which_nothing_passes(tmp_path: Path) -> None:
    """It has tests and can't show what a patch breaks: a person has to look."""
    lines = "echo 'FAILED suite.sh::a - never'\necho '=== 1 failed in 0.01s ==='\nexit 1\n"
    files = {**FILES, "suite.sh": lines}
    async with open_desk(tmp_path, attempts(CAREFUL), files=files) as desk:
        output = await fixed(desk, code=3)
        (finding,) = output.attempts[0].guard_findings
        assert (finding.rule, finding.severity) == ("suite-uncompared", "needs_a_person")
