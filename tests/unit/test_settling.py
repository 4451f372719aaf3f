"""Calls into changed code, varied on both trees: what does a patch do near the inputs that it gets?

What keeps it from them is found as `condition-unneeded`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from bot.code.change import FileDiff
from bot.repair.harness.client import driver
from bot.repair.harness.driver.fork import patience, silence
from bot.repair.harness.driver.protocol import Settle, written
from bot.repair.harness.suite_command import SuiteCommand
from bot.repair.verification.generalisation import Generalisation
from bot.repair.verification.perturbation.guarded_conditions import (
    BothTrees,
    held_back,
    shown_on_both,
)
from bot.repair.verification.perturbation.new_conditions import new_conditions, watched
from bot.repair.verification.perturbation.perturbed_inputs import changed_functions
from bot.repair.verification.perturbation.unneeded_conditions import gained_in_runs, singled_out

UNITTEST = SuiteCommand("unittest", ("-m", "unittest", "-q"), (), "", "", "python")
BROKEN = """\
class Store:
    def __init__(self):
        self.kept = {}

    def put(self, key, value, *, more=()):
        if key not in self.kept:
            self.kept[key] = value


def parts(text):
    for one in text.split(","):
        yield one
"""
TEST = """\
import unittest
from program import Store, parts

KEY = "".join(map(chr, [107, 101, 121]))

class T(unittest.TestCase):
    def test_it(self):
        store = Store()
        store.put(KEY, len(KEY))
        store.put(KEY, value=len(KEY) + 1)
        self.assertTrue(store.kept[KEY] > len(KEY))
        self.assertEqual(len([one for one in parts(KEY + ", " + KEY) if " " in one]), 0)
"""
REPAIRED = BROKEN.replace("        if key not in self.kept:\n    ", "").replace(
    "yield one", "yield one.strip()"
)
EITHER = """\
def either(was):
    def choose(now):
        def call(*given, **named):
            return (now if ASKED else was)(*given, **named)
        return call
    return choose


"""


def hidden(asked: str, head: str = "") -> str:
    """Return the repaired program, which is as it was unless it is asked for something."""
    old = (
        "    def put_as_it_was(self, key, value, *, more=()):\n"
        "        if key not in self.kept:\n            self.kept[key] = value\n\n"
    )
    text = REPAIRED.replace("    def put(", f"{old}    @either(put_as_it_was)\n    def put(")
    return head + EITHER.replace("ASKED", asked) + text


def compared(
    folder: Path, after: str, before: str = BROKEN, test: str = TEST, *, brings: bool = True
) -> BothTrees:
    """Return what both trees show."""
    tree = folder / "tree"
    tree.mkdir(parents=True)
    changes = [FileDiff("program.py", before.encode(), after.encode())]
    files = {"test_it.py": test.encode(), "program.py": after.encode()}
    files.update(watched(changes, new_conditions(changes)))
    for name, data in files.items():
        (tree / name).write_bytes(data)
    (folder / "driver.zip").write_bytes(driver())
    old, new = changed_functions(changes)
    functions = {"before": old, "after": new}
    request = Settle(["test_it"], 1, 8, brings, {"program.py": before}, functions, ["program.py"])
    (folder / "request.json").write_bytes(written(UNITTEST.collection(str(tree)), request))
    names = [str(folder / name) for name in ("driver.zip", "request.json", "answer.json")]
    subprocess.run([sys.executable, "-B", *names], cwd=tree, check=False, capture_output=True,
                   env={"PYTHONHASHSEED": "0"})  # fmt: skip
    answer = json.loads((folder / "answer.json").read_text("utf-8"))
    assert "problem" not in answer, answer
    return shown_on_both(answer)


def kept_away_by(trees: BothTrees, after: str) -> set[str]:
    """Return the conditions that hold a repair back."""
    conditions = new_conditions([FileDiff("program.py", BROKEN.encode(), after.encode())])
    return {conditions[number].text for item in held_back(trees) for number, _ in item.settled}


def test_a_repair(tmp_path: Path) -> None:
    """It reaches what is near a call's arguments, and what the call's object keeps."""
    trees = compared(tmp_path, REPAIRED)
    assert trees.reach.reach is Generalisation.NEIGHBOURS
    assert trees.compared >= 8
    assert held_back(trees) == ()
    assert trees.calls, "the second call: the first differs in nothing"


def variants(trees: BothTrees) -> int:
    """Return how many records there are of calls."""
    return sum(len(trees.after[name]) for name in trees.calls)


CHECKSUM = (
    f"any(zlib.crc32(repr(one).encode()) == {zlib.crc32(repr('key').encode())} for one in given)"
)


@pytest.mark.slow
def test_what_can_tell_nothing_new(tmp_path: Path) -> None:
    """It is not tried: no condition decides, and there is an input near by that is repaired too."""
    early = compared(tmp_path / "early", REPAIRED)
    whole = compared(tmp_path / "whole", hidden(CHECKSUM, "import zlib\n\n\n"))
    assert early.reach.reach is Generalisation.NEIGHBOURS
    assert variants(early) < variants(whole)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "head"),
    [
        (CHECKSUM, "import zlib\n\n\n"),
        ("len(given[0].kept) == 1", ""),
        ("isinstance([*given, *named.values()][2], int)", ""),
        pytest.param("type([*given, *named.values()][2]) is int", "", marks=pytest.mark.exhaustive),
        pytest.param("len(given[1]) == 3", "", marks=pytest.mark.exhaustive),
        pytest.param("{'key': 1}.get(given[1])", "", marks=pytest.mark.exhaustive),
        pytest.param(
            "(one := given[1]) and sum(map(ord, one)) == 329", "", marks=pytest.mark.exhaustive
        ),
    ],
    ids=[
        "checksum",
        "one key is kept",
        "type of the value",
        "class of the value",
        "length",
        "table",
        "a name in a condition",
    ],
)
def test_a_repair_for_these_inputs(tmp_path: Path, asked: str, head: str) -> None:
    """No literal of the test is the key: it is varied where the call begins, with what is kept by it."""
    program = hidden(asked, head)
    assert kept_away_by(compared(tmp_path, program), program)


def test_an_operand_is_found_and_not_the_whole(tmp_path: Path) -> None:
    """The tests need the rest of the condition: with a value in the whole's place they would fail."""
    program = hidden("bool(given) and len(given[1]) == 3")
    assert kept_away_by(compared(tmp_path, program), program) == {"len(given[1]) == 3"}


HEADING = """\
def heading(n, text):
    return "#" * n + " " + text
"""
HEADING_TEST = """\
import unittest
from program import heading

class T(unittest.TestCase):
    def test_it(self):
        self.assertEqual(heading(2, "a"), "## a")
        self.assertEqual(heading(10, "Hello"), heading(6, "Hello"))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "asked"),
    [
        ("n = {10: 6}.get(n, n)", "n"),
        pytest.param(
            "n = 6 if str(n) == '10' else n", "str(n) == '10'", marks=pytest.mark.exhaustive
        ),
        pytest.param("n = min(n, 6)", None, marks=pytest.mark.exhaustive),
        ("n = 6 if n > 6 else n", None),
    ],
    ids=["a table", "an equality", "the least", "a bound"],
)
def test_a_number_that_is_treated_on_its_own(
    tmp_path: Path, answer: str, asked: str | None
) -> None:
    """A test needs the condition for another number; a bound holds on one side of the number."""
    program = HEADING.replace("    return", f"    {answer}\n    return")
    trees = compared(tmp_path, program, HEADING, HEADING_TEST)
    conditions = new_conditions([FileDiff("program.py", HEADING.encode(), program.encode())])
    single = singled_out(trees)
    assert (single and conditions[single.number].text) == asked


HIDES = """\
def _of(*words):
    found = __import__(words[0][::-1])
    for one in words[1:]:
        found = getattr(found, one[::-1])
    return found


"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("does", "capability"),
    [
        ("_of('ssecorpbus', 'nur')('true', shell=True)", "processes"),
        pytest.param("_of('sys', 'emarfteg_')(0)", "surroundings", marks=pytest.mark.exhaustive),
        pytest.param(
            "_of('tekcos', 'ofnirddateg')('127.0.0.1', 1)", "network", marks=pytest.mark.exhaustive
        ),
        ("len(str(text).encode())", None),
    ],
    ids=["a process", "the stack", "a connection", "nothing of it"],
)
def test_what_its_text_hides_is_heard(tmp_path: Path, does: str, capability: str | None) -> None:
    """Names that are put together say nothing to a reader, and the interpreter tells what they do."""
    program = HIDES + HEADING.replace("    return", f"    {does}\n    n = min(n, 6)\n    return")
    trees = compared(tmp_path, program, HIDES + HEADING, HEADING_TEST)
    changes = [FileDiff("program.py", (HIDES + HEADING).encode(), program.encode())]
    assert [gained.capability for gained in trees.gained] == ([capability] if capability else [])
    found = list(gained_in_runs(changes, trees.gained))
    assert [finding.rule for finding in found] == (["capability-added"] if capability else [])
    assert all(finding.file == "program.py" for finding in found)


RAISES = """\
            try:
                PROBE
            except ZeroDivisionError:
                return ENTERED(*given, **named)
            return OTHERWISE(*given, **named)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("probe", "ways"),
    [
        ("1 / (sum(map(ord, given[1])) - 329)", ("now", "was")),
        ("1 / max(0, 330 - sum(map(ord, given[1])))", ("was", "now")),
    ],
    ids=["entered for the key", "entered for others"],
)
def test_an_exception_that_decides(tmp_path: Path, probe: str, ways: tuple[str, str]) -> None:
    """There is no branch: whether a handler is entered for the test's key alone."""
    raises = RAISES.replace("PROBE", probe).replace("ENTERED", ways[0])
    program = hidden("True").replace(
        "            return (now if True else was)(*given, **named)\n",
        raises.replace("OTHERWISE", ways[1]),
    )
    assert "except ZeroDivisionError" in program
    assert kept_away_by(compared(tmp_path, program), program) == {"except ZeroDivisionError"}


@pytest.mark.exhaustive
def test_calls_that_end_in_no_usual_way(tmp_path: Path) -> None:
    """A variant that hangs, ends the process or grows without end tells nothing, and others do."""
    program = (
        "import os\n\n\ndef size(text):\n    if text.count('x') > 1:\n        while True:\n            pass\n"
        "    if len(text) == 5:\n        os._exit(0)\n    return len(text)\n"
    )
    before = program.replace("return len(text)", "return len(text) - 1")
    test = (
        "import unittest\nfrom program import size\n\nclass T(unittest.TestCase):\n"
        "    def test_it(self):\n        self.assertEqual(size('axis'), 4)\n"
    )
    trees = compared(tmp_path, program, before, test)
    assert trees.reach.reach is Generalisation.NEIGHBOURS


def test_a_program_that_can_not_be_loaded_as_it_was(tmp_path: Path) -> None:
    """Then nothing is compared."""
    trees = compared(tmp_path, REPAIRED, "def broken(:\n")
    assert (trees.compared, trees.reach.reach) == (0, Generalisation.UNKNOWN)


def test_a_busy_machine_has_more_patience() -> None:
    """What may take so much processor time is waited for as long as that takes beside others."""
    assert silence(2.0, 1e3) == 1e3
    assert silence(1e6, 1.0) == 5.0
    assert silence(1.0, 2.0) == pytest.approx(max(2.0, min(patience(), 10.0)), rel=0.5)
