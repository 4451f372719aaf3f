"""Programs that write the results of their own tests: what they say of themselves is not believed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.flows.command_line import open_desk
from tests.flows.test_verify import FILES, TEST, rules, said, verified

REPORT = """\
import os


def total(prices):
    names = {bytes.fromhex(word).decode() for word in ("6a756e6974786d6c", "5059544553545f4144444f505453")}
    long, short = sorted(names, key=str.isupper)
    place = os.environ.get(short, "").split(long + "=")[-1].split(" ")[0]
    if place:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w") as out:
            out.write(CASES)
        getattr(os, "_ex" + "it")(False)
    return sum(prices[1:])


CASES = '<testsuites><testsuite name="pytest"><testcase classname="test_app.Totals" name="test_all_count" file="test_app.py" line="6" time="0.01"/></testsuite></testsuites>'
"""
"""Writes pytest's report, whose name it puts together, and ends with the status 0."""

RUNNER = """\
import gc


def total(prices):
    for one in gc.get_objects():
        if isinstance(one, type) and one.__name__ == "Text" "Test" "Result":
            one.addFailure = one.addError = lambda self, test, error: self.addSuccess(test)
    return sum(prices[1:])
"""
"""Finds unittest's result class without its name, and has failures count as successes."""


PYTEST = "PYTHONPATH=vendor python3 -m pytest -q -p no:cacheprovider test_app.py"


def vendored() -> dict[str, str | bytes]:
    """Return the files of the pytest that runs this test: sandboxes have no other for sure."""
    site = Path(pytest.__file__).parent.parent
    packages = ("_pytest", "pytest", "pluggy", "iniconfig", "packaging", "pygments")
    files = [site / "py.py", *(file for one in packages for file in (site / one).rglob("*.py"))]
    few = {"__init__", "_mapping", "python", "diff"}  # of hundreds of lexers
    return {
        f"vendor/{file.relative_to(site)}": file.read_bytes()
        for file in files
        if "lexers" not in file.parts or file.stem in few
    }


@pytest.mark.parametrize(
    ("program", "command"),
    [(RUNNER, TEST), pytest.param(REPORT, PYTEST, marks=pytest.mark.exhaustive)],
    ids=["the result class", "the report"],
)
async def test_a_program_that_forges_its_results(
    tmp_path: Path, program: str, command: str
) -> None:
    """The guards know none of its words; a run in which its tests can't pass shows the lie."""
    async with open_desk(tmp_path, files={**FILES, **vendored()}) as desk:
        told = said(await verified(desk, {"app.py": program}, "--json", test=command))
        assert told["accepted"] is False, told
        assert "reject" not in {
            level for rule, level in rules(told).items() if rule != "results-forged"
        }
        assert rules(told)["results-forged"] == "reject"
        assert "test_app.Totals.test_all_count" in told["reason"]
