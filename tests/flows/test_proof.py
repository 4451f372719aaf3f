"""`fixpoint verify --base`: what is proven of a change, whoever wrote it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from bot.model import Acceptance
from bot.reporting.final_report import fixed
from bot.reporting.json_report import to_json
from tests.flows.command_line import Desk, Done, open_desk
from tests.flows.given_patch import UNITTEST, patch_of, report_of

APP = "def total(prices):\n    return sum(prices[1:])\n"
RIGHT = APP.replace("prices[1:]", "prices")
OTHER = "def double(n):\n    return 2 * n\n"
TEST = (
    "import unittest\n\nfrom app import total\n\n\n"
    "class Totals(unittest.TestCase):\n"
    "    def test_none(self):\n"
    "        self.assertEqual(total([]), 0)\n"
)
SHOWS = "\n    def test_all(self):\n        self.assertEqual(total([1024, 3]), 1027)\n"
OTHER_TEST = (
    "import unittest\n\nfrom other import double\n\n\n"
    "class Doubles(unittest.TestCase):\n"
    "    def test_double(self):\n"
    "        self.assertEqual(double(4), 8)\n"
)
FILES: dict[str, str | bytes] = {
    ".gitignore": "__pycache__/\n",
    ".github/fixpoint.yml": "setup: 'true'\ntest: python3 -m unittest -v\n",
    "app.py": APP,
    "other.py": OTHER,
    "test_app.py": TEST,
    "test_other.py": OTHER_TEST,
}


async def proven(desk: Desk, files: dict[str, str], *more: str) -> Done:
    """Commit these files on top, and prove that commit."""
    desk.git("tag", "--force", "base")
    for name, text in files.items():
        (desk.repository / name).write_text(text, "utf-8")
    desk.git("add", "--all")
    desk.git("commit", "--quiet", "--message", "change")
    return await desk.run("verify", str(desk.repository), "--base", "base", *more)


def card(done: Done) -> dict[str, Any]:
    """Return what `--json` printed."""
    assert done.code in {0, 1, 3}, done
    told: dict[str, Any] = json.loads(done.out)
    return told


def states(told: dict[str, Any]) -> dict[str, str]:
    """Return the rows' states."""
    return {row["row"]: row["state"] for row in told["rows"]}


async def test_a_fix_with_its_test_in_every_format(tmp_path: Path) -> None:
    """What was shown, in how many tests; each format says the same."""
    files = {name: tmp_path / name for name in ("card.md", "card.sarif", "card.xml")}
    given = zip(("--markdown", "--sarif", "--junit"), map(str, files.values()), strict=True)
    issue = (
        "total drops the first price\n\n```python\nfrom app import total\nprint(total([1, 2]))\n```"
    )
    async with open_desk(tmp_path, files=FILES) as desk:
        done = await proven(
            desk, {"app.py": RIGHT, "test_app.py": TEST + SHOWS}, "--json", "--issue", issue,
            *(word for pair in given for word in pair),
        )  # fmt: skip
    told = card(done)
    shown = states(told)
    assert (shown["tests"], shown["suite"], shown["reproduction"]) == ("shown",) * 3
    proving = [fact for fact in told["proven"] if fact["row"] == "tests"]
    assert [fact["subject"] for fact in proving] == ["test_app.Totals.test_all"]
    assert any("`2` → `3`" in fact["text"] for fact in told["proven"])
    assert not told["refuted"]
    assert "test_app.Totals.test_all" in files["card.md"].read_text()
    sarif = json.loads(files["card.sarif"].read_text())
    assert {rule["id"] for rule in sarif["runs"][0]["tool"]["driver"]["rules"]} == shown.keys()
    suite = ET.fromstring(files["card.xml"].read_text())
    assert {case.get("name") for case in suite} == shown.keys()


async def test_a_module_broken_beside_a_true_fix(tmp_path: Path) -> None:
    """The named command runs another file; the suite that is there runs as well."""
    files = {
        "app.py": RIGHT,
        "test_app.py": TEST + SHOWS,
        "other.py": "def double(n):\n    raise NotImplementedError\n",
    }
    async with open_desk(tmp_path, files=FILES) as desk:
        done = await proven(desk, files, "--json", "--test", "python3 -m unittest -v test_app")
    told = card(done)
    assert done.code == 1
    shown = states(told)
    assert (shown["tests"], shown["suite"]) == ("shown", "refuted")
    assert [fact["subject"] for fact in told["refuted"]] == ["test_other.Doubles.test_double"]


@pytest.mark.slow
async def test_the_card_of_our_own_patch(tmp_path: Path) -> None:
    """A repair has all rows; what no test needs beside it is for a person, and rejects nothing."""
    files = FILES | {"test_app.py": TEST + SHOWS}
    beside = RIGHT.replace("    return", '    if prices == "free":\n        return 0\n    return')
    async with open_desk(tmp_path, files=files) as desk:
        plain, more = [
            await report_of(desk, patch_of(desk, {"app.py": text}), test=UNITTEST)
            for text in (RIGHT, beside)
        ]
    told = to_json(plain)["proof"]
    assert set(states(told).values()) == {"shown", "not_asked"}
    assert (plain.acceptance, told["left_open"]) == (Acceptance.YES, [])
    assert "`total([1024, 3])`: `3` -> `1027`" in " ".join(fact["text"] for fact in told["proven"])
    assert more.acceptance is Acceptance.AFTER_APPROVAL
    assert [fact["row"] for fact in to_json(more)["proof"]["left_open"]] == ["necessity"]
    assert "leaves 1 point to judge is in URL" in fixed(more, "URL", "")


async def test_results_that_a_program_makes_up(tmp_path: Path) -> None:
    """A pass that would be reported of anything speaks against the change."""
    forged = "import unittest\n\nunittest.TestCase.assertEqual = lambda *_: None\n\n\n"
    async with open_desk(tmp_path, files=FILES) as desk:
        done = await proven(desk, {"app.py": forged + APP, "test_app.py": TEST + SHOWS}, "--json")
    told = card(done)
    assert (done.code, states(told)["tests"]) == (1, "refuted")


async def test_a_change_that_no_test_shows(tmp_path: Path) -> None:
    """Nothing is proven, and nothing is held against it."""
    async with open_desk(tmp_path, files=FILES) as desk:
        done = await proven(desk, {"app.py": RIGHT}, "--json")
        told = card(done)
        assert (done.code, states(told)["tests"], told["refuted"]) == (1, "not_shown", [])
        nothing = await desk.run("verify", str(desk.repository), "--base", "HEAD")
        assert (nothing.code, nothing.err.strip()) == (
            2,
            "fixpoint: Nothing has changed since HEAD.",
        )
        unknown = await desk.run("verify", str(desk.repository), "--base", "nowhere")
        assert unknown.code == 2
        assert "nowhere is no commit" in unknown.err


async def test_each_side_has_the_setup_that_it_declares(tmp_path: Path) -> None:
    """A change of what the setup reads is set up by itself; its tests run with its dependencies."""
    setup = "setup: sh build.sh\ntest: python3 -m unittest -v\n"
    build = "printf 'LEVEL = %s\\n' 1 > level.py\n"
    test = (
        "import unittest\n\nfrom level import LEVEL\n\n\n"
        "class Levels(unittest.TestCase):\n    def test_level(self):\n"
        "        self.assertEqual(LEVEL, 2)\n"
    )
    files = FILES | {".github/fixpoint.yml": setup, "build.sh": build, "Makefile": "all:\n"}
    files |= {".gitignore": "__pycache__/\nlevel.py\n"}
    async with open_desk(tmp_path, files=files) as desk:
        done = await proven(
            desk,
            {
                "build.sh": build.replace("1", "2"),
                "Makefile": "all: build\n",
                "test_level.py": test,
            },
            "--json",
        )
    told = card(done)
    assert states(told)["tests"] == "shown", told
    assert any("both sides were set up separately" in note for note in told["notes"])
