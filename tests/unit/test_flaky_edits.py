"""Which edits may mend a flaky test, from what was measured to decide how it ends."""

from __future__ import annotations

from inline_snapshot import snapshot

from bot.model.flaky import FlakyCause, FlakyClass, FlakyGoal, LeftState
from bot.repair.proposers.flaky.candidates import FlakyEdit, candidates, files_needed

SHOP = """\
CARTS = {}


class Client:
    def get(self, extra, headers={}):
        headers.update(extra)
        return headers
"""
PLAIN = """\
import os

import shop


def test_put():
    shop.CARTS["ada"] = 1


def test_empty():
    assert shop.CARTS == {}
"""
CASES = """\
import os
import unittest


class Mode(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.seen = []

    def test_before(self):
        os.environ["MODE"] = "test"

    def test_default(self):
        self.assertNotIn("MODE", os.environ)
"""
CLEANED = """\
import sys

import pytest


@pytest.fixture
def clean():
    yield
    sys.modules.pop("shop", None)


def test_first(clean):
    import shop
"""


def edits(
    texts: dict[str, str],
    kind: FlakyClass,
    test: str,
    state: LeftState,
    *others: str,
    contrast: str = "",
    changed: str = "",
) -> list[FlakyEdit]:
    """Return what may mend a test."""
    cause = FlakyCause(kind, others, state=(state,), contrast=contrast, changed=changed)
    goal, paths = FlakyGoal(test, cause), frozenset(texts)
    needed = files_needed(goal, paths)
    return [*candidates(goal, {path: texts[path] for path in needed}, paths)]


def added(edit: FlakyEdit, texts: dict[str, str]) -> str:
    """Return the lines that an edit adds."""
    return "\n".join(
        line
        for path, text in edit.texts.items()
        for line in text.split("\n")
        if line.strip() and line not in texts[path].split("\n")
    )


def test_a_polluter_works_with_a_copy_then_puts_back_in_place() -> None:
    """First by pytest's own means, then by a fixture, then in the same object."""
    texts = {"shop.py": SHOP, "test_shop.py": PLAIN}
    state = LeftState("module attribute", "shop.CARTS", "{}", "{'ada': 1}", "test_shop.py", 7)
    found = edits(
        texts, FlakyClass.VICTIM, "test_shop.py::test_empty", state, "test_shop.py::test_put"
    )
    assert [edit.says for edit in found][:3] == snapshot(
        [
            "`test_put` works with a copy of shop.CARTS.",
            "`test_put` works with a copy of shop.CARTS.",
            "`test_put` puts shop.CARTS back.",
        ]
    )
    assert added(found[0], texts) == snapshot("""\
import copy
def test_put(monkeypatch):
    monkeypatch.setattr(shop, "CARTS", copy.deepcopy(shop.CARTS))\
""")
    assert added(found[2], texts) == snapshot("""\
import copy
import pytest
@pytest.fixture
def isolated():
    saved = copy.deepcopy(shop.CARTS)
    yield
    shop.CARTS.clear()
    shop.CARTS.update(saved)
@pytest.mark.usefixtures("isolated")\
""")


def test_a_case_of_unittest_cleans_up() -> None:
    """With what the project's tests have: `addCleanup`."""
    texts = {"test_mode.py": CASES}
    state = LeftState("environment variable", "MODE", "", "test", "test_mode.py", 11)
    found = edits(
        texts, FlakyClass.VICTIM, "test_mode.Mode.test_default", state,
        "test_mode.Mode.test_before",
    )  # fmt: skip
    assert [edit.says for edit in found] == snapshot(
        [
            "`test_before` puts the environment variable MODE back.",
            "`test_default` removes the environment variable MODE first.",
        ]
    )
    assert added(found[0], texts) == snapshot("""\
import unittest.mock
        patcher = unittest.mock.patch.dict(os.environ)
        patcher.start()
        self.addCleanup(patcher.stop)\
""")


def test_a_brittle_test_sets_what_it_reads() -> None:
    """To what the other test leaves behind."""
    texts = {"shop.py": SHOP, "test_shop.py": PLAIN}
    state = LeftState("module attribute", "shop.CARTS", "{}", "{'ada': 1}", "test_shop.py", 7)
    found = edits(
        texts, FlakyClass.BRITTLE, "test_shop.py::test_empty", state, "test_shop.py::test_put"
    )
    assert added(found[0], texts) == snapshot("""\
def test_empty(monkeypatch):
    monkeypatch.setattr(shop, "CARTS", {'ada': 1})\
""")


def test_a_default_of_the_program_is_made_anew() -> None:
    """Where the product leaks, it is mended, and not the test."""
    texts = {"shop.py": SHOP, "test_shop.py": PLAIN}
    state = LeftState(
        "default argument", "shop.Client.get(headers)", "{}", "{'a': 1}", "shop.py", 6
    )
    found = edits(
        texts, FlakyClass.VICTIM, "test_shop.py::test_empty", state, "test_shop.py::test_put"
    )
    assert [*found[0].texts] == ["shop.py"]
    assert added(found[0], texts) == snapshot("""\
    def get(self, extra, headers=None):
        if headers is None:
            headers = {}\
""")


def test_what_lives_longer_than_a_test_is_made_for_each() -> None:
    """`setUpClass` becomes `setUp`."""
    texts = {"test_mode.py": CASES}
    state = LeftState("fixtures", "setUpClass")
    (edit,) = edits(
        texts, FlakyClass.VICTIM, "test_mode.py::Mode::test_default", state,
        "test_mode.py::Mode::test_before",
    )  # fmt: skip
    assert added(edit, texts) == snapshot("""\
    def setUp(self):
        self.seen = []\
""")
    assert "classmethod" not in edit.texts["test_mode.py"]


def test_a_fixture_cleans_up_first() -> None:
    """As it does behind the test."""
    texts = {"test_clean.py": CLEANED}
    state = LeftState("module", "shop", "", "0x1")
    (edit,) = edits(texts, FlakyClass.BRITTLE, "test_clean.py::test_first", state)
    assert edit.says == snapshot("`clean` cleans up before a test as well as after it.")
    assert edit.texts["test_clean.py"].count('sys.modules.pop("shop", None)') == 2


def test_seed_and_zone_are_set() -> None:
    """To those with which the test passes."""
    texts = {"test_shop.py": PLAIN}
    nothing = LeftState("random numbers", "")
    seeded = edits(
        texts, FlakyClass.SEED, "test_shop.py::test_put", nothing,
        contrast="python -c 'import random, sys, pytest; random.seed(3); ...'",
    )  # fmt: skip
    assert added(seeded[0], texts) == snapshot("""\
import pytest
import random
@pytest.fixture
def isolated():
    saved = random.getstate()
    random.seed(3)
    yield
    random.setstate(saved)
@pytest.mark.usefixtures("isolated")\
""")
    zoned = edits(
        texts, FlakyClass.TIME, "test_shop.py::test_put", nothing, changed="TZ=Asia/Kolkata"
    )
    assert added(zoned[0], texts) == snapshot("""\
import pytest
import time
import unittest.mock
@pytest.fixture
def isolated():
    with unittest.mock.patch.dict(os.environ, {"TZ": "UTC"}):
        time.tzset()
        yield
    time.tzset()
@pytest.mark.usefixtures("isolated")\
""")


def test_files_are_taken_away() -> None:
    """Those that a test makes, and those that it changes are written again."""
    texts = {"test_shop.py": PLAIN}
    state = LeftState("files", "out, out/a.txt", "", "changed", "test_shop.py", 7)
    found = edits(texts, FlakyClass.NON_IDEMPOTENT, "test_shop.py::test_put", state)
    assert added(found[0], texts) == snapshot("""\
import pathlib
import pytest
import shutil
@pytest.fixture
def isolated():
    saved = kept_files(pathlib.Path(__file__).resolve().parents[0], ["out", "out/a.txt"])
    yield
    put_back(saved)
def kept_files(root, names):
    paths = [root / name for name in names]
    return {path: path.read_bytes() if path.is_file() else None for path in paths}
def put_back(files):
    for path, data in files.items():
        if data is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        elif path.is_dir():
            shutil.rmtree(str(path))
        elif path.exists():
            path.unlink()
@pytest.mark.usefixtures("isolated")\
""")


def test_items_are_deleted_whether_they_are_there_or_not() -> None:
    """Where a test fails alone because what it deletes is missing."""
    texts = {"test_a.py": 'import os\n\n\ndef test_a():\n    del os.environ["A"]\n'}
    state = LeftState("environment variable", "A", "", "1", "test_a.py", 5)
    cause = FlakyCause(
        FlakyClass.BRITTLE, ("test_a.py::test_b",), state=(state,), message="KeyError: 'A'"
    )
    (edit, *_) = candidates(FlakyGoal("test_a.py::test_a", cause), texts, frozenset(texts))
    assert 'os.environ.pop("A", None)' in edit.texts["test_a.py"]


def test_a_fixture_is_made_for_each_test() -> None:
    """Its scope is left out, and nothing else of what it is given."""
    text = CLEANED.replace("@pytest.fixture", '@pytest.fixture(scope="session", name="clean")')
    state = LeftState("fixtures", "clean")
    (edit, *_) = edits(
        {"test_clean.py": text}, FlakyClass.VICTIM, "test_clean.py::test_first", state
    )
    assert '@pytest.fixture(name="clean")' in edit.texts["test_clean.py"]


MAIL = """\
import threading
import time

import shop


def test_mail():
    mailer = shop.Mailer()
    mailer.send("hello")
    time.sleep(0.1)
    assert mailer.sent == ["hello"]


def test_answer():
    assert shop.ask(timeout=0.2) > 0


def test_port():
    server = shop.serve(8765)
    assert shop.read("http://127.0.0.1:8765/") == b"open"


def test_tags():
    assert list(shop.tags("b a")) == ["b", "a"]


def test_valid():
    assert shop.is_valid(2029)
"""
CLOCKS = """\
import os
from datetime import date


def is_valid(year):
    return date.today().year <= year


def plugins(folder):
    return [name for name in os.listdir(folder)]


def inside(folder, work):
    was = os.getcwd()
    os.chdir(folder)
    work()
    os.chdir(was)
"""
NOTHING = LeftState("", "")
TOWN = {"shop.py": CLOCKS, "test_shop.py": MAIL}


def first_lines(kind: FlakyClass, test: str, state: LeftState = NOTHING) -> str:
    """Return what the first edit adds."""
    made = edits(TOWN, kind, f"test_shop.py::{test}", state, changed="x")
    return added(made[0], TOWN)


def test_a_test_waits_for_what_it_asserts() -> None:
    """A pause before a condition that only reads becomes a wait that ends."""
    assert first_lines(FlakyClass.CONCURRENCY, "test_mail") == snapshot("""\
    deadline = time.monotonic() + 30
    while not (mailer.sent == ["hello"]) and time.monotonic() < deadline:
        time.sleep(0.01)\
""")


def test_a_wait_that_ends_by_itself_may_take_longer() -> None:
    """It is as short as before where what it waits for comes."""
    made = edits(TOWN, FlakyClass.RESOURCE, "test_shop.py::test_answer", NOTHING)
    assert [added(each, TOWN) for each in made] == snapshot(["    assert shop.ask(timeout=30) > 0"])


def test_a_port_is_a_free_one() -> None:
    """Wherever the test has its number."""
    assert first_lines(FlakyClass.CONCURRENCY, "test_port") == snapshot("""\
import socket
def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]
    port = free_port()
    server = shop.serve(port)
    assert shop.read(f"http://127.0.0.1:{port}/") == b"open"\
""")


def test_a_set_is_compared_as_a_set() -> None:
    """It equals no list, so that the test passes only if it is one by its type."""
    assert first_lines(FlakyClass.SEED, "test_tags") == snapshot(
        '    assert shop.tags("b a") == {"b", "a"}'
    )


def test_a_clock_stands_still_where_the_program_asks_it() -> None:
    """By the name under which the program's module has it."""
    texts = {path: TOWN[path] for path in TOWN}
    cause = FlakyCause(FlakyClass.TIME, changed="faketime '2037-06-17 12:00:00'")
    goal = FlakyGoal("test_shop.py::test_valid", cause)
    made = candidates(goal, texts, frozenset(TOWN), "2026-03-01T12:00")
    assert added(made[0], TOWN) == snapshot("""\
import datetime
import pytest
import unittest.mock
@pytest.fixture
def isolated():
    with unittest.mock.patch("shop.date", FixedDate):
        yield
class FixedDate(datetime.date):
    @classmethod
    def today(cls):
        return cls(2026, 3, 1)
@pytest.mark.usefixtures("isolated")\
""")


def test_folders_are_sorted_in_the_program() -> None:
    """The order in which a folder is listed has no meaning."""
    assert first_lines(FlakyClass.ENVIRONMENT, "test_valid") == snapshot(
        "    return [name for name in sorted(os.listdir(folder))]"
    )


def test_a_function_goes_back_whatever_is_raised() -> None:
    """The program is mended, and no test."""
    state = LeftState("working directory", "", "/a", "/b", "shop.py", 15)
    assert first_lines(FlakyClass.VICTIM, "test_valid", state) == snapshot("""\
    try:
        work()
    finally:
        os.chdir(was)\
""")


def test_a_function_for_which_none_means_something_copies() -> None:
    """Its default stays, and is not changed any more."""
    check = '        if headers is None:\n            raise ValueError("headers")\n'
    shop = SHOP.replace("headers={}):\n", "headers={}):\n" + check)
    texts = {"shop.py": shop, "test_shop.py": PLAIN}
    state = LeftState(
        "default argument", "shop.Client.get(headers)", "{}", "{'a': 1}", "shop.py", 8
    )
    made = edits(texts, FlakyClass.VICTIM, "test_shop.py::test_empty", state)
    assert added(made[0], texts) == snapshot("        headers = dict(headers)")
