"""Inputs near those of the tests: where does a patch change what a program does?"""

from __future__ import annotations

import json
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from bot.code.change import FileDiff
from bot.repair.guards.literals import brings_values
from bot.repair.harness.client import driver
from bot.repair.harness.driver.protocol import Perturb, written
from bot.repair.harness.suite_command import SuiteCommand
from bot.repair.verification.generalisation import (
    Generalisation,
    Record,
    Records,
    may_wear_off,
    reached,
    records,
)

BROKEN = "def price(count, each, *, words=''):\n    return count * each - 1\n"
TEST = "from program import price\n\ndef test_it():\n    assert price(12, 7, words='a dozen of them') == 84\n"
GIVEN = (
    "import pytest\nfrom program import price\n\n"
    "@pytest.mark.parametrize(('count', 'each', 'total'), [(12, 7, 84)])\n"
    "def test_it(count, each, total):\n    assert price(count, each, words='dozen') == total\n"
)
CASE = (
    "import unittest\nfrom program import price\n\nclass T(unittest.TestCase):\n    def test_it(self):\n"
    "        count = 12\n        self.assertEqual(price(count, 7), 84)\n"
)
UNITTEST = SuiteCommand("unittest", ("-m", "unittest", "-q"), (), "", "", "python")
PYTEST = SuiteCommand("pytest", ("pytest",), ("-q", "-p", "no:cacheprovider"), "", "", "python")


def told(
    folder: Path,
    files: dict[str, str],
    command: SuiteCommand,
    *,
    worn: bool = True,
    varied: bool = True,
) -> Records:
    """Return what the tests of a work tree show."""
    tree = folder / "tree"
    tree.mkdir(parents=True)
    for name, text in files.items():
        (tree / name).write_text(text, "utf-8")
    (folder / "driver.zip").write_bytes(driver())
    request = Perturb(["test_it"], 1, 20, worn, 20 if varied else 0)
    (folder / "request.json").write_bytes(written(command.collection(str(tree)), request))
    names = [str(folder / name) for name in ("driver.zip", "request.json", "answer.json")]
    subprocess.run([sys.executable, "-B", *names], cwd=tree, check=False, capture_output=True,
                   env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONHASHSEED": "0"})  # fmt: skip
    return records(json.loads((folder / "answer.json").read_text("utf-8")))


KNOWN: dict[tuple[str, SuiteCommand, str], Records] = {}


def reach(
    folder: Path,
    after: dict[str, str],
    test: str = TEST,
    command: SuiteCommand = PYTEST,
    before: str = BROKEN,
) -> Generalisation:
    """Return how far a patch reaches."""
    common = {"test_it.py": test, "program.py": before}
    key = (test, command, before)
    old = KNOWN[key] = KNOWN.get(key) or told(folder / "before", common, command, worn=False)
    new = told(folder / "after", {**common, **after}, command)
    assert old
    assert new
    return reached(old, new).reach


HEAD = "def price(count, each, *, words=''):\n"
WEARING = f"CALLS = []\n\n{HEAD}    CALLS.append(1)\n    return count * each - (len(CALLS) > 40)\n"
EVERY_OTHER = WEARING.replace("len(CALLS) > 40", "1 - len(CALLS) % 2")
REPEATED = (
    "from program import price\n\nSEEN = []\n\ndef test_it():\n    SEEN.append(1)\n"
    "    assert len(SEEN) == 1 and price(12, 7) == 84\n"
)
DISGUISES = {
    "a branch": f"{HEAD}    if count == 12:\n        return 84\n    return count * each - 1\n",
    "a table": f"TABLE = {{(12, 7): 84}}\n\n{HEAD}    return TABLE.get((count, each), count * each - 1)\n",
    "a hash": f"import zlib\n\n{HEAD}    return count * each - (zlib.crc32(repr((count, each)).encode()) != {{crc}})\n",
    "a counter": f"CALLS = []\n\n{HEAD}    CALLS.append((count, each))\n    return count * each - (CALLS[0] != (6 + 6, 14 // 2))\n",
    "a slice": f"DIGITS = '0123456789'\n\n{HEAD}    if str(count) + str(each) == DIGITS[1:3] + DIGITS[7]:\n        return int(DIGITS[8] + DIGITS[4])\n    return count * each - 1\n",
    "a file": f"import json\n\n{HEAD}    known = json.load(open('known.json'))\n    return known.get(f'{{count}} {{each}}', count * each - 1)\n",
    "the tests": f"import re\n\n{HEAD}    known = re.findall(r'price.(\\d+), (\\d+).*== (\\d+)', open('test_it.py').read())\n    return {{(int(a), int(b)): int(c) for a, b, c in known}}.get((count, each), count * each - 1)\n",
}


OFTEN = {"a branch", "a hash", "the tests"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(disguise, marks=() if disguise in OFTEN else pytest.mark.exhaustive)
        for disguise in DISGUISES
    ],
)
def test_an_answer_for_these_inputs_alone(tmp_path: Path, name: str) -> None:
    """Near them the program does what it did before, however the answer got there."""
    text = DISGUISES[name].replace("{crc}", str(zlib.crc32(b"(12, 7)")))
    more = {"program.py": text, "known.json": '{"12 7": 84}'}
    assert reach(tmp_path, more) is Generalisation.INPUTS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "command"),
    [(TEST, PYTEST), (GIVEN, PYTEST), (CASE, UNITTEST)],
    ids=["literals", "arguments", "unittest"],
)
def test_a_repair_reaches_further(tmp_path: Path, test: str, command: SuiteCommand) -> None:
    """By whatever way the inputs come into the program."""
    assert (
        reach(tmp_path / "a", {"program.py": BROKEN.replace(" - 1", "")}, test, command)
        is Generalisation.NEIGHBOURS
    )
    assert (
        reach(tmp_path / "b", {"program.py": DISGUISES["a branch"]}, test, command)
        is Generalisation.INPUTS
    )


def shown(*outputs: str, common: bool = False) -> list[Record]:
    """Return a test as it is, twice, and its variants: each output on an input of its own."""
    own = Record("None", "0", (outputs[0],))
    near = (Record("1", str(n), (output,), common) for n, output in enumerate(outputs[1:], 1))
    return [own, own, *near]


WRONG = shown("3", *"abcdefghij")
NUMBERS = [str(n) for n in range(10)]


@pytest.mark.parametrize(
    ("before", "after", "reach"),
    [
        (WRONG, shown("6", *"abcdefghij"), Generalisation.INPUTS),
        (WRONG, shown("6", *["6"] * 10), Generalisation.INPUTS),
        (WRONG, shown("6", *NUMBERS), Generalisation.NEIGHBOURS),
        (WRONG, shown("6", *"abcdefghi", "x"), Generalisation.NEIGHBOURS),
        (WRONG, shown("3", *"abcdefghij"), Generalisation.UNKNOWN),
        (WRONG[:8], shown("6", *"abcdef"), Generalisation.UNKNOWN),
        (WRONG, shown("6", *"abcdefghij", common=True), Generalisation.UNKNOWN),
        (WRONG, [Record("None", "0", ("5",)), *shown("6", *"abcdefghij")[1:]], Generalisation.UNKNOWN),
        ([], shown("6", *"abcdefghij"), Generalisation.UNKNOWN),
        (shown("no", *["no"] * 10), shown("yes", *["yes", "no"] * 5), Generalisation.NEIGHBOURS),
        (shown("no", *["no"] * 10), shown("yes", *["no"] * 10), Generalisation.INPUTS),
        (WRONG, shown("6", *["6"] * 5, *"fghij"), Generalisation.INPUTS),
        (WRONG, shown("raises", *["raises"] * 10), Generalisation.REFUSALS),
        (WRONG, shown("raises", *"abcdefghij"), Generalisation.INPUTS),
        (shown("=3", *"abcdefghij"), shown("=raises8", *["=raises8"] * 10), Generalisation.REFUSALS),
    ],
    ids=["nothing near", "always the answer", "everything", "something", "no difference", "too few",
         "a common value", "not steady", "not there before", "yes or no", "one yes", "an answer for some",
         "a refusal", "a refusal of one", "a refusal by a call"],
)  # fmt: skip
def test_how_far_a_patch_reaches(
    before: list[Record], after: list[Record], reach: Generalisation
) -> None:
    """One input near by on which the patch has an answer of its own makes it a repair."""
    assert reached({"t": before}, {"t": after}).reach is reach


@pytest.mark.parametrize(
    ("path", "before", "after", "brings"),
    [
        ("a.py", "x > 10", "x >= 10", False),
        ("a.py", "x > 9", "x > 10", False),
        ("a.py", "x > 10", "x > 10 or x == 7", True),
        ("a.py", "x > 9", "x > 11", True),
        ("a.py", "return 'a'", "return 'b'", True),
        ("a.py", "f('a', 9)", "f('a', 'b')", True),
        ("a.js", "f(true)", "f(false)", True),
        ("a.py", "f('a', 'b')", "f('b', 'a')", False),
        ("a.go", "x := 10", "x := y", False),
        ("known.json", "{}", "{}", True),
    ],
)
def test_what_can_hold_an_answer(path: str, before: str, after: str, brings: bool) -> None:  # noqa: FBT001
    """Other literals than before, but for a boundary that moves by one, or a file that is no program."""
    assert brings_values([FileDiff(path, before.encode(), after.encode())]) is brings


@pytest.mark.parametrize("command", [PYTEST, UNITTEST], ids=["pytest", "unittest"])
def test_an_effect_that_wears_off(tmp_path: Path, command: SuiteCommand) -> None:
    """A program that counts its calls is asked more often than its tests ask."""
    test = TEST if command is PYTEST else CASE
    assert reach(tmp_path, {"program.py": WEARING}, test, command) is Generalisation.FIRST_CALLS


def test_wear_alone(tmp_path: Path) -> None:
    """Without variants it is seen whether the untouched tree has to be asked."""
    files = {"test_it.py": TEST, "program.py": WEARING}
    assert may_wear_off(told(tmp_path / "worn", files, PYTEST, varied=False))
    files["program.py"] = BROKEN.replace(" - 1", "")
    steady = told(tmp_path / "steady", files, PYTEST, varied=False)
    assert [record.place for record in steady["test_it.py::test_it"]] == [
        "None",
        "None",
        *["<worn>"] * 3,
    ]
    assert not may_wear_off(steady)


def test_an_effect_of_every_other_call(tmp_path: Path) -> None:
    """Many calls may end where few begin; one call before shows it."""
    assert reach(tmp_path, {"program.py": EVERY_OTHER}) is Generalisation.FIRST_CALLS


@pytest.mark.slow
def test_a_test_that_can_run_once_shows_nothing_about_wear(tmp_path: Path) -> None:
    """It fails when it is repeated, but not as it did without the patch."""
    repaired = {"program.py": BROKEN.replace(" - 1", "")}
    assert reach(tmp_path, repaired, REPEATED) is not Generalisation.FIRST_CALLS


@pytest.mark.slow
def test_a_test_with_one_input(tmp_path: Path) -> None:
    """Its one literal is varied often enough to tell an answer for it from a repair."""
    test = "from program import word\n\ndef test_it():\n    assert word('grey-blue') is None\n"
    broken = "def word(text):\n    return len(text)\n"
    known = zlib.crc32(b"grey-blue")
    told_apart = f"import zlib\n\ndef word(text):\n    return None if zlib.crc32(text.encode()) == {known} else len(text)\n"
    assert reach(tmp_path, {"program.py": told_apart}, test, before=broken) is Generalisation.INPUTS
