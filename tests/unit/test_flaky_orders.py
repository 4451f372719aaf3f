"""Which tests decide how another one ends, and by what: pytest's own tests in a plain folder."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from bot.model.steps import PlainSteps
from bot.repair.harness.client import Laboratory
from bot.repair.harness.driver.delta_debugging import smallest
from bot.repair.harness.suite_command import suite_command
from tests.unit.local_workbench import LocalWorkbench

COMMAND = "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 python -m pytest -q -p no:cacheprovider"
SHOP = """\
CARTS = {}


class Client:
    def get(self, extra, headers={}):
        headers.update(extra)
        return headers


def put(name, item):
    CARTS[name] = item
"""
TESTS = """\
import os
import random
import tempfile

import pytest

import shop


LEFT = os.path.join(os.path.dirname(__file__), "left.txt")


@pytest.fixture(scope="module")
def box():
    return []


def test_put():
    shop.put("ada", 1)


def test_no_cart():
    assert shop.CARTS == {}


def test_cart_of_ada():
    assert shop.CARTS["ada"] == 1


def test_once():
    assert "bob" not in shop.CARTS
    shop.put("bob", 2)


def test_with_key():
    assert shop.Client().get({"key": "k"})["key"]


def test_without_key():
    assert shop.Client().get({}) == {}


def test_mode():
    os.environ["SHOP_MODE"] = "test"


def test_no_mode():
    assert "SHOP_MODE" not in os.environ


def test_moves():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)


def test_stays():
    assert os.path.exists("shop.py")


def test_writes():
    open(LEFT, "w").close()


def test_reads():
    assert not os.path.exists(LEFT)


def test_fills(box):
    box.append(1)


def test_empty(box):
    assert box == []


def test_lucky():
    assert random.random() < 0.5


def test_steady():
    assert shop.Client
"""


async def depended(
    folder: Path, tests: list[str], *, runs: int = 2, orders: int = 2
) -> dict[str, Any]:
    """Return what the driver tells of tests, by their names."""
    root, place = (folder.resolve() / name for name in ("project", "driver"))
    root.mkdir()
    place.mkdir()
    workbench = await LocalWorkbench(root, {"shop.py": SHOP, "test_shop.py": TESTS}).start()
    command = suite_command(COMMAND, lambda _: None)
    assert command is not None
    laboratory = Laboratory(workbench, PlainSteps(), "look", command, str(place), str(root))
    await laboratory.open()
    ids = [f"test_shop.py::{name}" for name in tests]
    answer = await laboratory.ask("look", "depend", 300.0, tests=ids, runs=runs, orders=orders)
    return {each["id"].partition("::")[2]: each for each in answer["tests"]}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What is told of all tests at once."""
    return asyncio.run(depended(tmp_path_factory.mktemp("flaky"), []))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("test", "kind", "other", "state", "place"),
    [
        ("test_no_cart", "victim", "test_put", ("module attribute", "shop.CARTS"), ("shop.py", 11)),
        ("test_cart_of_ada", "brittle", "test_put", ("module attribute", "shop.CARTS"), ("shop.py", 11)),
        ("test_once", "non-idempotent", "test_once", ("module attribute", "shop.CARTS"), ("shop.py", 11)),
        (
            "test_without_key", "victim", "test_with_key",
            ("default argument", "shop.Client.get(headers)"), ("shop.py", 6),
        ),
        ("test_no_mode", "victim", "test_mode", ("environment variable", "SHOP_MODE"), ("test_shop.py", 44)),
        ("test_stays", "victim", "test_moves", ("working directory", ""), ("test_shop.py", 52)),
        ("test_reads", "victim", "test_writes", ("files", "left.txt"), ("test_shop.py", 61)),
        ("test_empty", "victim", "test_fills", ("fixtures", "box"), ("", 0)),
    ],
)  # fmt: skip
def test_what_stays_behind_is_named_with_its_line(
    told: dict[str, Any],
    test: str,
    kind: str,
    other: str,
    state: tuple[str, str],
    place: tuple[str, int],
) -> None:
    """The one part of the state whose return turns the outcome, and the line that changed it last."""
    (found,) = told[test]["found"]
    assert (found["kind"], found["others"]) == (kind, [f"test_shop.py::{other}"])
    (part,) = found["state"]
    assert (part["kind"], part["name"]) == state
    assert (part.get("file", ""), part.get("line", 0)) == place


def test_a_seed_of_the_random_numbers_decides(told: dict[str, Any]) -> None:
    """A test that draws numbers fails with some seeds, each time, and passes with others."""
    (found,) = told["test_lucky"]["found"]
    assert found["kind"] == "seed"
    assert found["with"][0] == found["with"][1] > 0 == found["without"][0]


def test_steady_tests_depend_on_nothing(told: dict[str, Any]) -> None:
    """Those that leave something behind, too."""
    steady = {"test_put", "test_with_key", "test_mode", "test_moves", "test_writes", "test_fills", "test_steady"}  # fmt: skip
    assert {name for name, each in told.items() if not each["found"]} == steady


async def test_of_a_changed_process_only_the_outcome_is_asked(tmp_path: Path) -> None:
    """Without orders, each test runs alone, and nothing else is tried."""
    told = await depended(tmp_path, ["test_no_cart"], runs=1, orders=0)
    assert [*told] == ["test_no_cart"]
    assert told["test_no_cart"]["alone"] == [0, 1]
    assert told["test_no_cart"]["orders"] == {}
    assert told["test_no_cart"]["found"] == []


@pytest.mark.parametrize("needed", [{3}, {0, 7}, {1, 2, 6}])
def test_the_smallest_part_is_found(needed: set[int]) -> None:
    """None of its items can be left out."""
    assert set(smallest(range(8), lambda part: needed <= set(part))) == needed
