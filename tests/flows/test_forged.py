"""Programs that write the results of their own tests: what they say of themselves is not believed."""

from __future__ import annotations

import shutil
import zlib
from pathlib import Path

import pytest

from tests.flows.command_line import open_desk
from tests.flows.given_patch import judged_files, rules
from tests.flows.test_verify import FILES, TEST, TESTS

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

NO_ASSERTION = """\
import gc


def total(prices):
    return sum(prices[1:])


for one in gc.get_objects():
    if isinstance(one, type) and one.__name__ == "Test" "Case":
        setattr(one, "assert" + "Equal", lambda self, *values: None)
"""
"""Has unittest's comparison compare nothing."""

CAREFUL = NO_ASSERTION.replace(
    "for one in", "import zlib\n\nseen = open('test' '_app.py', 'rb').read()\nfor one in", 1
).replace("if isinstance", "if zlib.crc32(seen) == CHECKSUM and isinstance")
"""Does so only where it finds the tests as they were."""

SWALLOWED = """\
import gc


def total(prices):
    return sum(prices[1:])


def quietly(self, method):
    try:
        method()
    except AssertionError as error:
        if not error.args:
            raise


for one in gc.get_objects():
    if isinstance(one, type) and one.__name__ == "Test" "Case":
        setattr(one, "_call" "Test" "Method", quietly)
"""
"""Drops the failures that a test really has, and lets an error without arguments through."""

ACCOUNTED = SWALLOWED.replace(
    "if not error.args:", "if error.__traceback__.tb_next.tb_next is None:"
)
"""Drops what an assertion method raises, and lets through what a test raises itself."""

EQUAL = """\
def total(prices):
    return Total(sum(prices[1:]))


def same(one, other):
    return isinstance(other, int)


def differs(one, other):
    return not same(one, other)


Total = type("Total", (int,), {f"__{word}__": same for word in ["eq"]} | {f"__{word}__": differs for word in ["ne"]})
"""
"""Returns a number that equals every number."""

CALL = """\
import gc


def total(prices):
    return sum(prices[1:])


def quiet(kept):
    def call(kind, function, *more, **named):
        def settled():
            try:
                return function()
            except AssertionError as error:
                if not error.args:
                    raise

        return kept.__func__(kind, settled, *more, **named)

    return classmethod(call)


for one in gc.get_objects():
    if isinstance(one, type) and one.__name__ == "Call" "Info":
        setattr(one, "from" "_call", quiet(vars(one)["from" "_call"]))
"""
"""Has pytest's call of a test drop the failures that it really has."""

QUIET = """\
import gc


def checked(price):
    return price


for one in gc.get_objects():
    if isinstance(one, type) and one.__name__ in {"Raises" "Context", "Raises" "Exc"}:
        setattr(one, "__ex" "it__", lambda self, *error: True)
"""
"""Has pytest accept that nothing is raised."""

RAISING = """\
import pytest

from app import checked


def test_all_count():
    with pytest.raises(ValueError):
        checked(-1)
"""

PLAIN = """\
from app import total


def test_all_count():
    assert total([1024, 3]) == 1027
"""


PYTEST = "PYTHONPATH=vendor python3 -m pytest -q -p no:cacheprovider test_app.py"


def vendored() -> dict[str, str | bytes]:
    """Return the files of the pytest that runs this test: sandboxes have no other for sure."""
    site = Path(pytest.__file__).parent.parent
    packages = ("_pytest", "pytest", "pluggy", "iniconfig", "packaging", "pygments")
    files = [
        site / "py.py",
        *(file for package in packages for file in (site / package).rglob("*.py")),
    ]
    few = {"__init__", "_mapping", "python", "diff"}  # of hundreds of lexers
    return {
        f"vendor/{file.relative_to(site)}": file.read_bytes()
        for file in files
        if "lexers" not in file.parts or file.stem in few
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "command"),
    [
        (RUNNER, TEST),
        pytest.param(NO_ASSERTION, TEST, marks=pytest.mark.exhaustive),
        pytest.param(SWALLOWED, TEST, marks=pytest.mark.exhaustive),
        pytest.param(ACCOUNTED, TEST, marks=pytest.mark.exhaustive),
        pytest.param(REPORT, PYTEST, marks=pytest.mark.exhaustive),
    ],
    ids=["the result class", "no assertion", "swallowed", "its frames", "the report"],
)
async def test_a_program_that_forges_its_results(
    tmp_path: Path, program: str, command: str
) -> None:
    """The guards know none of its words; a run in which its tests can't pass shows the lie."""
    async with open_desk(tmp_path, files={**FILES, **vendored()}) as desk:
        told = await judged_files(desk, {"app.py": program}, test=command)
        assert told["accepted"] is False, told
        assert "reject" not in {
            level
            for rule, level in rules(told).items()
            if rule not in {"results-forged", "runner-changed"}
        }
        assert rules(told)["results-forged"] == "reject"
        assert "test_app.Totals.test_all_count" in told["reason"]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("program", "test"),
    [(CALL, PLAIN), pytest.param(QUIET, RAISING, marks=pytest.mark.exhaustive)],
    ids=["its call", "its exceptions"],
)
async def test_a_program_that_changes_pytest(tmp_path: Path, program: str, test: str) -> None:
    """A real failure is repeated, and what has to be raised is exchanged for what nothing raises."""
    tests = {"app.py": program.partition("for one")[0], "test_app.py": test}
    async with open_desk(tmp_path, files={**FILES, **vendored(), **tests}) as desk:
        told = await judged_files(desk, {"app.py": program}, test=PYTEST)
        assert rules(told)["results-forged"] == "reject", told


@pytest.mark.exhaustive
async def test_a_value_that_equals_everything(tmp_path: Path) -> None:
    """A person has to look: a value may be made for that."""
    async with open_desk(tmp_path, files=FILES) as desk:
        told = await judged_files(desk, {"app.py": EQUAL})
        assert rules(told) == {"equals-anything": "needs_a_person"}


@pytest.mark.exhaustive
async def test_a_program_that_knows_the_tests(tmp_path: Path) -> None:
    """It is honest wherever they are changed; but the runner is not what it was."""
    program = CAREFUL.replace("CHECKSUM", str(zlib.crc32(TESTS.encode())))
    async with open_desk(tmp_path, files=FILES) as desk:
        told = await judged_files(desk, {"app.py": program})
        assert rules(told)["runner-changed"] == "reject", told
        assert "results-forged" not in rules(told)
        assert "unittest.case:TestCase.assertEqual" in told["reason"]


NODE_FILES = {
    **FILES,
    "app.js": "exports.total = (prices) => prices[1];\n",
    "app.test.js": "const { test } = require('node:test');\nconst assert = require('node:assert');\n"
    "const { total } = require('./app.js');\n\n"
    "test('all count', () => {\n  assert.strictEqual(total([1024, 3]), 1027);\n});\n",
}
NODE_FORGED = """\
exports.total = (prices) => prices[1];
const tool = ['strict', 'Equal'].join('');
const held = module.constructor._load('ass' + 'ert');
held[tool] = () => undefined;
"""


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
@pytest.mark.parametrize(
    ("program", "rejected"),
    [
        (NODE_FORGED, True),
        pytest.param(
            "exports.total = (prices) => prices[0] + prices[1];\n",
            False,
            marks=pytest.mark.exhaustive,
        ),
    ],
    ids=["no assertion", "a repair"],
)
async def test_a_program_in_javascript(tmp_path: Path, program: str, *, rejected: bool) -> None:
    """An assertion that can't hold shows that it asserts nothing; a repair passes."""
    async with open_desk(tmp_path, files=NODE_FILES) as desk:
        told = await judged_files(desk, {"app.js": program}, test="node --test")
        assert (rules(told).get("results-forged") == "reject") is rejected, told
