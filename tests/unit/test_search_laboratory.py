"""What a search sees of tests, and how it tries edits: real test runners in a plain folder."""

from __future__ import annotations

import io
import marshal
import textwrap
import time
import zipfile
from pathlib import Path
from types import CodeType

import pytest

from bot.model import (
    Cause,
    Commands,
    Limits,
    Observation,
    OtherFailure,
    OtherKind,
    Problem,
    Reproduction,
    Usage,
)
from bot.model.steps import PlainSteps
from bot.repair.harness.client import (
    FOLDER,
    Laboratory,
    driver,
)
from bot.repair.proposers.base import Task
from bot.repair.proposers.search.evidence import SearchEvidence
from bot.repair.proposers.search.mutations import Candidate
from bot.repair.proposers.search.mutations.change import Change, Replacement
from bot.repair.proposers.search.test_laboratory import look, open_laboratory
from bot.repair.proposers.search.trials import Trials
from tests.unit.local_workbench import LocalWorkbench

COMMAND = "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 python -m pytest -q -p no:cacheprovider"


async def looked(folder: Path, files: dict[str, str]) -> SearchEvidence:
    return (await opened(folder, files))[1]


async def opened(
    folder: Path,
    files: dict[str, str],
    others: tuple[OtherFailure, ...] = (),
    observation: Observation | None = None,
) -> tuple[Laboratory, SearchEvidence]:
    """Write a project, open a laboratory for it and look at its tests."""
    root, place = (folder.resolve() / name for name in ("project", "driver"))
    root.mkdir(exist_ok=True, parents=True)
    place.mkdir()
    workbench = await LocalWorkbench(root, files).start()
    seen = observation or Observation(COMMAND, 1)
    task = Task(
        n=1,
        problem=Problem(),
        commands=Commands((), COMMAND, COMMAND),
        reproduction=Reproduction(Cause.REAL, seen, others=others),
        earlier=(),
        limits=Limits(),
        spent=Usage(),
        deadline=time.time() + 3600,
    )
    laboratory = await open_laboratory(
        task, workbench, PlainSteps(), key="look", folder=str(place), root=str(root)
    )
    assert laboratory is not None
    evidence, _ = await look(task, laboratory, 600.0)
    return laboratory, evidence


async def statuses(
    folder: Path, files: dict[str, str], edits: list[tuple[str, str]], **more: object
) -> list[str]:
    """Return how each of these edits of `m.py` does, old text and new."""
    laboratory, evidence = await opened(folder, files)
    queue = edits_of(evidence.sources["m.py"], edits)
    request = {**Trials(evidence).request(queue), **more}
    answer = await laboratory.ask(
        "try", "warm", 600.0, more=100, compare=None, workers=2, **request
    )
    return [answer["results"][str(n)]["status"] for n in range(len(edits))]


def edits_of(text: str, edits: list[tuple[str, str]]) -> list[Candidate]:
    """Return edits of a function `f` of `m.py` that put a new text in the place of an old one."""
    queue = []
    for n, (old, new) in enumerate(edits):
        start = text.index(old)
        change = Change("", 1, 0.5, (Replacement(start, start + len(old), new),), "")
        queue.append(Candidate(n, "m.py", change, 0.5, "m.py:f:1", cold=False))
    return queue


async def test_failing_tests_of_every_file_are_looked_at(tmp_path: Path) -> None:
    """Where more fail than are traced, each file has its share: what they have in common shows."""
    many = "".join(f"\n\ndef test_{n}():\n    assert one() + {n} == 0\n" for n in range(20))
    files = {
        "both.py": "def one():\n    return 1\n\n\ndef two():\n    return 2\n",
        "test_a.py": f"from both import one{many}",
        "test_b.py": "from both import two\n\n\ndef test_two():\n    assert two() == 5\n",
    }
    evidence = await looked(tmp_path, files)
    counted = [evidence.tests[index].id for index in evidence.counted]
    assert len(evidence.failing) == 21
    assert len(counted) == 12
    assert "test_b.py::test_two" in counted


async def test_what_needs_no_repair_hides_no_failing_test(tmp_path: Path) -> None:
    """However many tests were set aside, the lines of those to mend are counted."""
    broken = "".join(f"def test_{n}(absent):\n    pass\n" for n in range(20))
    files = {
        "m.py": "def f():\n    return 1\n",
        "test_a.py": broken,
        "tests/test_b.py": f"class TestB:\n{textwrap.indent(broken, '    ')}",
        "test_z.py": broken + "\n\ndef test_f():\n    import m\n    assert m.f() == 2\n",
    }
    named = ("test_a::test_{}", "tests.test_b.TestB::test_{}", "test_z::test_{}")
    others = tuple(
        OtherFailure(name.format(n), OtherKind.ENVIRONMENT, "no fixture")
        for name in named
        for n in range(20)
    )
    _, evidence = await opened(tmp_path, files, others)
    assert [test.id for test in evidence.failing] == ["test_z.py::test_f"]
    assert [lines.get("m.py") for lines in evidence.counted.values()] == [{1: 1, 2: 1}]


async def test_attributes_that_an_object_gets_in_its_beginning(tmp_path: Path) -> None:
    """A type is looked at again once its objects have more attributes."""
    files = {
        "account.py": "class Account:\n    def __init__(self):\n        self.closed = False\n"
        "        self.total = 1\n\n    def empty(self):\n        return self.total == 1\n",
        "test_account.py": "from account import Account\n\n\n"
        "def test_empty():\n    assert not Account().empty()\n",
    }
    evidence = await looked(tmp_path, files)
    assert {"closed", "total", "empty"} <= set(evidence.attributes["Account"])


@pytest.mark.parametrize(
    ("project", "stateful"),
    [
        ("MEMO = {}\n\n\ndef f(n):\n    MEMO[n] = n\n    return MEMO[n]\n", True),
        (
            "from functools import lru_cache\n\n\n@lru_cache\ndef f(n):\n    return n\n",
            True,
        ),
        ("class A:\n    seen = []\n\n\ndef f(n):\n    A.seen.append(n)\n    return n\n", True),
        ("COUNT = 0\n\n\ndef f(n):\n    global COUNT\n    COUNT += 1\n    return n\n", True),
        ("LIMITS = [1, 2]\n\n\ndef f(n):\n    seen = [*LIMITS]\n    return seen and n\n", False),
    ],
)
async def test_what_tests_leave_in_modules(tmp_path: Path, project: str, stateful: bool) -> None:  # noqa: FBT001
    """A candidate must not find the answers of the one before it in a cache."""
    test = "from project import f\n\n\ndef test_f():\n    assert f(1) == 2\n"
    evidence = await looked(tmp_path, {"project.py": project, "test_project.py": test})
    assert evidence.stateful is stateful
    assert not evidence.writing


@pytest.mark.parametrize("kept", [True, False])
async def test_what_tests_leave_in_the_work_tree(tmp_path: Path, kept: bool) -> None:  # noqa: FBT001
    """A file of one name is no place for two tests at once, even if it is gone at the end."""
    files = {
        "store.py": "def size(path):\n    return len(path.read_text()) + 1\n",
        "test_store.py": "from pathlib import Path\n\nfrom store import size\n\n\n"
        "def test_size():\n    path = Path('data.txt')\n    path.write_text('abc')\n"
        f"    found = size(path)\n    {'pass' if kept else 'path.unlink()'}\n"
        "    assert found == 3\n",
    }
    evidence = await looked(tmp_path, files)
    assert evidence.writing


async def test_a_test_that_waits_for_ever_is_looked_into(tmp_path: Path) -> None:
    """It uses no processor, and still the lines are known at which it waits."""
    files = {
        "poll.py": "import time\n\n\ndef drain(jobs):\n    while jobs:\n        jobs[0]()\n"
        "        time.sleep(0.01)\n",
        "test_poll.py": "from poll import drain\n\n\ndef test_drain():\n"
        "    drain([lambda: None])\n",
    }
    evidence = await looked(tmp_path, files)
    assert [test.outcome for test in evidence.failing] == ["hanging"]
    [counted] = evidence.counted.values()
    assert {5, 6, 7} <= set(counted["poll.py"])


async def test_doctests_are_no_test_files(tmp_path: Path) -> None:
    """What holds its tests in its own text may be at fault."""
    text = 'def double(n):\n    """\n    >>> double(2)\n    4\n    """\n    return n + 1\n'
    evidence = await looked(
        tmp_path, {"m.py": text, "pytest.ini": "[pytest]\naddopts = --doctest-modules\n"}
    )
    assert [test.id for test in evidence.failing] == ["m.py::m.double"]
    [counted] = evidence.counted.values()
    assert set(counted) == {"m.py"}


LINTER = """\
import pytest


class Linted(pytest.Item):
    def runtest(self):
        pass


class File(pytest.File):
    def collect(self):
        return [Linted.from_parent(self, name="linted")]


def pytest_collect_file(file_path, parent):
    if file_path.suffix == ".py":
        return File.from_parent(parent, path=file_path)
"""


async def test_what_a_linter_of_the_runner_looks_at_is_no_test_file(tmp_path: Path) -> None:
    """A plugin such as pytest-ruff makes a test of each source file, which may be at fault all the same."""
    files = {
        "m.py": "def double(n):\n    return n + 1\n",
        "test_m.py": "from m import double\n\n\ndef test_double():\n    assert double(2) == 4\n",
        "conftest.py": LINTER,
    }
    evidence = await looked(tmp_path, files)
    assert [test.id for test in evidence.failing] == ["test_m.py::test_double"]
    [counted] = evidence.counted.values()
    assert set(counted) == {"m.py"}


@pytest.mark.parametrize("encoding", ["latin-1", "utf-8-sig"])
async def test_sources_of_other_encodings_are_read(tmp_path: Path, encoding: str) -> None:
    """As Python reads them: by the coding line, or by the mark at the front."""
    coding = "# -*- coding: latin-1 -*-\n" if encoding == "latin-1" else ""
    text = f"{coding}WORD = 'Grüße'\n\n\ndef f():\n    return len(WORD) + 1\n"
    test = "from m import f\n\n\ndef test_f():\n    assert f() == 5\n"
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "m.py").write_bytes(text.encode(encoding))
    evidence = await looked(tmp_path, {"test_m.py": test})
    assert evidence.sources["m.py"] == text
    assert text.encode(evidence.encodings["m.py"]) == text.encode(encoding)


SUM = "def f(a, b=1):\n    return a - b\n"
TEST_SUM = """\
from m import f


def test_both():
    assert f(2, 3) == 5


def test_none():
    assert f(4, 0) == 4
"""


async def test_every_edit_gets_an_answer(tmp_path: Path) -> None:
    """None is dropped without a word, whatever becomes of it."""
    tried = [
        ("a - b", "a + b", "plausible"),
        ("a - b", "a  +  b", "same"),
        ("a - b", "a * b", "failed"),
        ("a - b", "a +", "invalid"),
        ("a - b", "(a - b)", "same"),
        ("b=1", "b=2", "cold"),
        ("return a - b", "while True: pass", "slow"),
        ("return a - b", "import os; os._exit(0)", "died"),
        ("a - b", "5 if a == 2 else b", "failed"),
        ("a - b", "b + a", "plausible"),
    ]
    edits = [(old, new) for old, new, _ in tried]
    found = await statuses(tmp_path, {"m.py": SUM, "test_m.py": TEST_SUM}, edits)
    assert found == [status for _, _, status in tried]


CRASHES = """\
import os
from m import f, g


def test_a():
    assert g(3) == 6


def test_b():
    if f(3) != 1:
        os.abort()


def test_c():
    assert g(5) == 10
"""


async def test_a_test_that_ends_its_process_hides_no_mended_one(tmp_path: Path) -> None:
    """It comes last, and what the others came to is told before it."""
    text = "def f(n):\n    return n\n\n\ndef g(n):\n    return n + 2\n"
    laboratory, evidence = await opened(tmp_path, {"m.py": text, "test_m.py": CRASHES})
    trials = Trials(evidence)
    queue = edits_of(text, [("n + 2", new) for new in ("n * 2", "n - 2", "n + n")])
    answer = await laboratory.ask(
        "try", "warm", 60.0, more=9, compare=None, workers=1, **trials.request(queue)
    )
    trials.take(answer, queue)
    assert [len(tried.mended) for tried in trials.tried.values()] == [2, 0, 2]


@pytest.mark.exhaustive
async def test_edits_of_an_endless_function_are_compared(tmp_path: Path) -> None:
    """On what the tests give it: as it was it would never end, and with some edits it never does."""
    files = {
        "m.py": "def f(n):\n    while n != 0:\n        n += 1\n    return n\n",
        "test_m.py": "from m import f\n\n\ndef test_four():\n    assert f(4) == 0\n\n\n"
        "def test_six():\n    assert f(6) == 0\n",
    }
    laboratory, evidence = await opened(tmp_path, files)
    edits = [("n += 1", text) for text in ("n -= 1", "n -= 2", "n = 0")]
    queue = edits_of(files["m.py"], edits)
    asked = {"left": 120.0, "seed": 0, "patience": 2.0}
    request = {**Trials(evidence).request(queue), "more": 100, "workers": 2}
    answer = await laboratory.ask("try", "warm", 300.0, compare=asked, **request)
    compared = answer["compared"]
    first, second, third = (compared["behaviour"][str(n)] for n in range(3))
    assert set(compared["inputs"][:2]) == {"f(n=4)", "f(n=6)"}
    assert first[:2] == second[:2] == third[:2] == ["0", "0"]
    assert len(first) == len(second) == len(third)
    assert second.count(None) > third.count(None) == 0


async def test_edits_do_not_find_the_answers_of_others(tmp_path: Path) -> None:
    """A function that remembers is tried from the beginning with each edit."""
    text = "KNOWN = {}\n\n\ndef f(a, b=1):\n    if (a, b) not in KNOWN:\n        KNOWN[a, b] = a - b\n    return KNOWN[a, b]\n"
    edits = [("a - b", "a * b"), ("a - b", "a // b"), ("a - b", "a + b")]
    found = await statuses(tmp_path, {"m.py": text, "test_m.py": TEST_SUM}, edits)
    assert found == ["failed", "failed", "plausible"]


@pytest.mark.parametrize("path", ["data.txt", "new/data.txt"])
async def test_edits_do_not_find_the_files_of_others(tmp_path: Path, path: str) -> None:
    """Tests that write into the work tree are run one at a time, each in the tree as it was."""
    text = (
        "import os\n\n\ndef f(a):\n"
        f"    os.makedirs(os.path.dirname('./{path}'), exist_ok=True)\n"
        f"    if os.path.exists('{path}') and open('{path}').read() != str(a):\n        return None\n"
        f"    with open('{path}', 'w') as file:\n        file.write(str(a))\n"
        "    return a - 1\n"
    )
    test = "from m import f\n\n\ndef test_f():\n    assert f(2) == 3\n"
    edits = [("str(a))", "str(0))"), ("a - 1", "a * 1"), ("a - 1", "a + 1")]
    files = {"m.py": text, "test_m.py": test}
    assert await statuses(tmp_path, files, edits) == ["failed", "failed", "plausible"]
    assert not (tmp_path / "project" / path).exists()


def test_the_driver_is_compiled() -> None:
    """A Python of this version takes it as it is; what it says of its files is true in a sandbox."""
    with zipfile.ZipFile(io.BytesIO(driver())) as archive:
        names = set(archive.namelist())
        compiled = [name for name in names if name.endswith(".pyc")]
        assert {name.removesuffix("c") for name in compiled} <= names
        assert len(names) == 2 * len(compiled) + 1
        code = marshal.loads(archive.read("fixpoint_inside/fork.pyc")[16:])
    inner = [const for const in code.co_consts if isinstance(const, CodeType)]
    place = f"{FOLDER}/driver.zip/fixpoint_inside/fork.py"
    assert {item.co_filename for item in (code, *inner)} == {place}
