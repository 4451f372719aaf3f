"""`fixpoint flaky --fix`: what was measured to decide is mended, and shown to be, without a model."""

from __future__ import annotations

import json
from pathlib import Path
from shutil import which
from typing import Any

import pytest

from tests.flows.command_line import open_desk

CONFIG = "setup: 'true'\ntest: python3 -m unittest -q\n"
SHOP = """\
import datetime
import threading

CARTS = {}


class Client:
    def get(self, extra, headers={}):
        headers.update(extra)
        return headers


def put(name, item):
    CARTS[name] = item
    return len(CARTS)


def tags(text):
    return set(text.split())


def is_valid(year):
    return datetime.date.today().year <= year


def send(text, sent):
    threading.Thread(target=sent.append, args=(text,)).start()
"""
HEAD = (
    "import os\nimport random\nimport socket\nimport time\nimport unittest\n\nimport shop\n\n\n"
    "class Shop(unittest.TestCase):\n"
)
LEAK = """\
    def test_with_key(self):
        self.assertEqual(shop.Client().get({"key": 1}), {"key": 1})

    def test_without_key(self):
        self.assertEqual(shop.Client().get({}), {})
"""
TWICE = """\
    def test_put(self):
        self.assertEqual(shop.put("ada", 1), 1)
        self.assertEqual(shop.put("bob", 2), 2)
"""
BRITTLE = """\
    def test_first(self):
        os.environ["SHOP"] = "open"

    def test_second(self):
        self.assertEqual(os.environ["SHOP"], "open")
"""
LUCKY = """\
    def test_lucky(self):
        self.assertLess(random.random(), 0.5)
"""
MAIL = """\
    def test_mail(self):
        sent = []
        shop.send("hello", sent)
        time.sleep(0.1)
        self.assertEqual(sent, ["hello"])
"""
TAGS = """\
    def test_tags(self):
        self.assertEqual(list(shop.tags("red green")), ["red", "green"])
"""
PORT = """\
    def test_port(self):
        with socket.socket() as server:
            server.bind(("127.0.0.1", 18765))
            server.listen()
            socket.create_connection(("127.0.0.1", 18765)).close()
"""
VALID = """\
    def test_valid(self):
        self.assertTrue(shop.is_valid(2035))
"""


async def repaired(tmp_path: Path, tests: str, test: str) -> dict[str, Any]:
    """Return the report of a run on one test."""
    files = {".github/fixpoint.yml": CONFIG, "shop.py": SHOP, "test_shop.py": HEAD + tests}
    async with open_desk(tmp_path, files=files) as desk:
        options = ("--test", f"test_shop.Shop.{test}", "--runs", "5", "--fix", "--json")
        done = await desk.run("flaky", str(desk.repository), *options)
        assert done.code == 0, done.err
        report: dict[str, Any] = json.loads(done.out)
        return report


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tests", "test", "kind", "line"),
    [
        (LEAK, "test_without_key", "victim", "+        if headers is None:"),
        pytest.param(
            TWICE,
            "test_put",
            "non-idempotent",
            "+        self.addCleanup(",
            marks=pytest.mark.exhaustive,
        ),
        pytest.param(
            BRITTLE,
            "test_second",
            "brittle",
            "+        os.environ[\"SHOP\"] = 'open'",
            marks=pytest.mark.exhaustive,
        ),
        pytest.param(
            LUCKY,
            "test_lucky",
            "seed-dependent",
            "+        random.seed(",
            marks=pytest.mark.exhaustive,
        ),
        (MAIL, "test_mail", "concurrency-dependent", "+        while not (sent == ['hello'])"),
        pytest.param(
            TAGS, "test_tags", "seed-dependent", '{"red", "green"})', marks=pytest.mark.exhaustive
        ),
        pytest.param(
            PORT,
            "test_port",
            "concurrency-dependent",
            "+        port = free_port()",
            marks=pytest.mark.exhaustive,
        ),
        pytest.param(
            VALID,
            "test_valid",
            "time-dependent",
            "+class FixedDate(datetime.date):",
            marks=pytest.mark.skipif(not which("faketime"), reason="faketime isn't installed"),
        ),
    ],
)
async def test_a_flaky_test_is_repaired(
    tmp_path: Path, tests: str, test: str, kind: str, line: str
) -> None:
    """Its command, which failed in every run, passes in as many, and the rest of the suite as before."""
    report = await repaired(tmp_path, tests, test)
    assert report["verdict"] == "fixed"
    [found] = report["flaky"]["tests"]
    assert found["causes"][0]["flaky_class"] == kind
    assert line in report["patch"]
    [row] = [row for row in report["proof"]["rows"] if row["row"] == "stability"]
    assert row["ran"] == [found["causes"][0]["command"]]
    assert "failed in 5 of 5 runs" in row["summary"]
    assert "failed in 0 of 5 runs" in row["summary"]
