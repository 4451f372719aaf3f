"""What a patch of a program in JavaScript does to inputs near those of the tests decides what it is."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.flows.command_line import open_desk
from tests.flows.given_patch import judged_files, rules
from tests.flows.test_forged import NODE_FILES

pytestmark = pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")

EVEN = "prices.length % 2 === 0 ? prices[0] + prices[1] : prices[1]"
SUM = "prices.reduce((all, one) => all + one, 0)"


def program(answer: str, before: str = "") -> dict[str, str]:
    """Return the patched program."""
    return {"app.js": f"{before}exports.total = (prices) => {answer};\n"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "finding"),
    [
        (program(SUM), set[str]()),
        pytest.param(
            program("prices.join() === '1024,3' ? 1027 : prices[1]"),
            {"no-effect-nearby"},
            marks=pytest.mark.exhaustive,
        ),
        (program(f"prices.length % 2 === 0 ? {SUM} : prices[1]"), {"condition-unneeded"}),
        pytest.param(
            program(f"(calls += 1) < 40 ? {SUM} : prices[1]", "let calls = 0;\n"),
            {"effect-wears-off"},
            marks=pytest.mark.exhaustive,
        ),
        pytest.param(
            program(f"calls++ ? prices[1] : {SUM}", "let calls = 0;\n"),
            {"effect-wears-off"},
            marks=pytest.mark.exhaustive,
        ),
        pytest.param(
            {
                "app.js": "exports.total = (prices) => {\n  if (!prices.length) return 0;\n"
                f"  return {SUM};\n}};\n"
            },
            set[str](),
            marks=pytest.mark.exhaustive,
        ),
    ],
    ids=["a repair", "a table", "a remainder", "first calls", "the first call", "an early return"],
)
async def test_a_program_in_javascript(
    tmp_path: Path, files: dict[str, str], finding: set[str]
) -> None:
    """An answer for the tests' inputs or first calls alone needs a person; a repair passes."""
    async with open_desk(tmp_path, files=NODE_FILES) as desk:
        told = await judged_files(desk, files, test="node --test")
        found = {rule for rule, severity in rules(told).items() if severity != "note"}
        assert finding <= found, told
        assert bool(found) is bool(finding), told
