"""Suites that are not quite green: a patch has to mend what the issue is about, and nothing else."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from inline_snapshot import snapshot

from bot.reporting.json_report import FixOutput
from bot.reporting.reasons import run_life
from tests.fakes.model import Say, Step
from tests.flows.command_line import Desk, open_desk
from tests.flows.given_patch import judged
from tests.flows.world import attempts, bash, open_world

CART = """\
def total(prices):
    return sum(prices[1:])


def cheapest(prices):
    return max(prices)
"""
SUM, LEAST = ("prices[1:]", "prices"), ("max(", "min(")
TESTS = """\
import socket
import unittest

import cart


class Cart(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(cart.total([1, 3]), 4)

    def test_least(self):
        self.assertEqual(cart.cheapest([1, 3]), 1)

    def test_rates(self):
        socket.create_connection(("10.255.255.1", 80), 1).close()

    def test_none(self):
        self.assertEqual(cart.total([]), 0)
"""
CONFIG = "setup: 'true'\ntest: python3 -m unittest -v\nsearch: {confidence: 0}\n"
FILES: Mapping[str, str | bytes] = {
    ".gitignore": "__pycache__/\n",
    ".github/fixpoint.yml": CONFIG,
    "cart.py": CART,
    "test_cart.py": TESTS,
}
ISSUE = "`total([1, 3])` is 3: the first price is lost."


def patched(desk: Desk, *edits: tuple[str, str]) -> bytes:
    """Return the diff that these edits of the program make."""
    file = desk.repository / "cart.py"
    text = CART
    for old, new in edits:
        text = text.replace(old, new)
    file.write_text(text, "utf-8")
    diff = desk.git("diff", "HEAD")
    desk.git("checkout", "--quiet", ".")
    return f"{diff}\n".encode()


async def verified(desk: Desk, *edits: tuple[str, str]) -> dict[str, Any]:
    """Return what the pipeline makes of a patch for the issue."""
    return await judged(desk, patched(desk, *edits), issue=ISSUE)


@pytest.mark.slow
async def test_a_patch_mends_what_the_issue_is_about(tmp_path: Path) -> None:
    """It is accepted although others fail, and one that mends another failure is not."""
    async with open_desk(tmp_path, files=FILES) as desk:
        right = await verified(desk, SUM)
        assert (right["accepted"], right["reason"]) == snapshot(
            (
                True,
                "What had to be fixed passes with the patch, and nothing else that ran broke. 2 other tests fail for reasons of their own; see the notes.",
            )
        )
        assert right["command"] == snapshot("python3 -m unittest -v -k test_cart.Cart.test_sum")
        assert right["others"] == snapshot(
            [
                {
                    "test": "test_cart.Cart.test_rates",
                    "cause": "needs the network, which the sandbox does not have",
                },
                {
                    "test": "test_cart.Cart.test_least",
                    "cause": "runs none of the code that the tests of the issue run",
                },
            ]
        )
        wrong = await verified(desk, LEAST)
        assert (wrong["accepted"], wrong["failing"]) == (False, ["test_cart.Cart.test_sum"])


SKIPS = "import unittest\n\nraise unittest.SkipTest('no database')\n"
NEW_TEST = """\
diff --git a/test_new.py b/test_new.py
new file mode 100644
--- /dev/null
+++ b/test_new.py
@@ -0,0 +1,3 @@
+import unittest
+
+raise unittest.SkipTest("no database")
"""


async def test_what_did_not_run_says_nothing_of_a_change(tmp_path: Path) -> None:
    """Only a test of the network fails, and the changed tests were skipped: no conclusion."""
    net = TESTS
    for name in ("sum", "least", "none"):
        net = net.replace(f"def test_{name}", f"def {name}")
    async with open_desk(tmp_path, files={**FILES, "test_cart.py": net}) as desk:
        (desk.repository / "test_total.py").write_text(SKIPS)
        desk.git("add", "--all")
        desk.git("commit", "--quiet", "--message", "test the total")
        told = await verified(desk, SUM)
        assert told["reason"] == snapshot(
            "`python3 -m unittest -v` fails without the patch in 1 test that was not changed, and the patch adds no test, so nothing shows what it fixes. Nothing shows that the changed tests in `test_total.py` ran here: they were skipped or not collected, or the run ended before them. So this says nothing about the change."
        )
        told = await judged(desk, NEW_TEST.encode(), issue=ISSUE)
        assert told["reason"] == snapshot(
            "`python3 -m unittest -v` fails without the patch in 1 test that was not changed, and the same with the tests that the patch adds. Nothing shows that the changed tests in `test_new.py` ran here: they were skipped or not collected, or the run ended before them. So this says nothing about the change."
        )


COUNTED = """\
RATE = 2


def gross(price):
    return price * RATE


def vat(price):
    return price * RATE - price
"""
BOTH = """\
import unittest

import tax


class Tax(unittest.TestCase):
    def test_gross(self):
        self.assertEqual(tax.gross(10), 12)

    def test_vat(self):
        self.assertEqual(tax.vat(10), 2)
"""


@pytest.mark.slow
async def test_one_fault_may_have_several_failures(tmp_path: Path) -> None:
    """Two functions that use one wrong number: neither is left alone because the issue names the other."""
    files = {
        ".gitignore": "__pycache__/\n", ".github/fixpoint.yml": CONFIG, "tax.py": COUNTED,
        "test_tax.py": BOTH,
    }  # fmt: skip
    async with open_desk(tmp_path, files=files) as desk:
        file = desk.repository / "tax.py"

        async def verdict(text: str) -> dict[str, Any]:
            file.write_text(text, "utf-8")
            diff = f"{desk.git('diff', 'HEAD')}\n".encode()
            desk.git("checkout", "--quiet", ".")
            return await judged(desk, diff, issue="`gross(10)` is 20 instead of 12")

        right = await verdict(COUNTED.replace("RATE = 2", "RATE = 1.2"))
        assert (right["accepted"], right["others"]) == (True, [])
        assert right["failing_before"] == ["test_tax.Tax.test_gross", "test_tax.Tax.test_vat"]
        half = await verdict(COUNTED.replace("price * RATE\n", "price * 1.2\n", 1))
        assert (half["accepted"], half["failing"]) == (False, ["test_tax.Tax.test_vat"])


SHELF = """\
items = []


def put(item):
    items.append(item[1:])
"""
IN_ORDER = """\
import socket
import unittest

import shelf


class Shelf(unittest.TestCase):
    def test_1_put(self):
        shelf.put("apple")
        self.assertEqual(len(shelf.items), 1)

    def test_2_first(self):
        self.assertEqual(shelf.items[0], "apple")

    def test_rates(self):
        socket.create_connection(("10.255.255.1", 80), 1).close()
"""


@pytest.mark.slow
async def test_a_test_that_fails_alone_of_something_else(tmp_path: Path) -> None:
    """Alone it lacks what an earlier one leaves, and no repair could help: the suite decides."""
    files = {
        ".gitignore": "__pycache__/\n", ".github/fixpoint.yml": CONFIG, "shelf.py": SHELF,
        "test_shelf.py": IN_ORDER,
    }  # fmt: skip
    async with open_desk(tmp_path, files=files) as desk:
        (desk.repository / "shelf.py").write_text(SHELF.replace("item[1:]", "item"), "utf-8")
        diff = f"{desk.git('diff', 'HEAD')}\n".encode()
        desk.git("checkout", "--quiet", ".")
        told = await judged(desk, diff, issue="`put` loses a letter")
        assert (told["accepted"], told["command"]) == (True, "python3 -m unittest -v")
        assert told["failing_before"] == ["test_shelf.Shelf.test_2_first"]
        assert [text["test"] for text in told["others"]] == ["test_shelf.Shelf.test_rates"]


@pytest.mark.slow
async def test_what_passes_in_the_end_is_said_to_pass(tmp_path: Path) -> None:
    """A test that was set aside and that the patch mends as well fails for no reason of its own."""
    async with open_desk(tmp_path, files=FILES) as desk:
        both = await verified(desk, SUM, LEAST)
        assert (both["accepted"], both["reason"]) == snapshot(
            (
                True,
                "What had to be fixed passes with the patch, and nothing else that ran broke. 1 test that was set aside passes now, too. 1 other test fails for reasons of its own; see the notes.",
            )
        )
        assert [item["test"] for item in both["others"]] == ["test_cart.Cart.test_rates"]


async def test_a_feature_is_not_what_was_red_before(tmp_path: Path) -> None:
    """A search could mend the failing test, and would say that the feature is there."""
    async with open_desk(tmp_path, files=FILES) as desk:
        given = ("--add", "a function for the dearest price", "--proposers", "search", "--json")
        done = await desk.fix(*given)
        output = FixOutput.model_validate_json(done.out)
        assert (output.verdict, output.patch) == ("not_reproduced", "")
        assert output.reason == snapshot(
            "A new feature needs a test that names it; the tests that already failed are not about it. Writing one requires a model, and no proposer of this run has one."
        )


@pytest.mark.slow
async def test_instructions_that_nobody_reads(tmp_path: Path) -> None:
    """A proposer without a model mends what fails; that it was told more is said not to have been read."""
    config = CONFIG + "proposers: [mechanical]\n"
    files = {**FILES, ".github/fixpoint.yml": config}
    async with open_world(tmp_path, attempts([Say("")]), files=files) as world:
        await world.comment("/fix and keep the names")
        await world.settled()
        run = await world.run()
        assert run.report is not None
        assert run_life.instructions_unread(["mechanical"]) in run.report.notes


@pytest.mark.exhaustive
async def test_a_search_mends_what_the_issue_is_about(tmp_path: Path) -> None:
    """It looks for an edit that the named failure needs, among tests that need others."""
    async with open_desk(tmp_path, files=FILES) as desk:
        done = await desk.fix("--issue", ISSUE, "--proposers", "search", "--json")
        assert done.code == 0, done
        output = FixOutput.model_validate_json(done.out)
        assert "-    return sum(prices[1:])" in output.patch
        assert "cheapest" not in output.patch.replace(" def cheapest(prices):", "")
        assert output.reproduction is not None
        assert {
            other_failure_part.test: other_failure_part.kind
            for other_failure_part in output.reproduction.others
        } == {
            "test_cart.Cart.test_least": "unrelated",
            "test_cart.Cart.test_rates": "environment",
        }


@pytest.mark.exhaustive
async def test_half_a_repair_is_a_draft_where_nothing_tells(tmp_path: Path) -> None:
    """The pull request says what it mends, and closes nothing."""
    unclear: list[Step] = [Say('{"unclear": true}')]
    half: list[Step] = [
        bash("sed -i 's/prices.1:./prices/' cart.py"),
        Say("The first price counts."),
    ]
    answers = attempts(unclear, half)
    config = f"{CONFIG}proposers: [agent]\nattempts: 1\n"
    files = {**FILES, ".github/fixpoint.yml": config}
    async with open_world(tmp_path, answers, files=files) as world:
        await world.comment("/fix")
        await world.settled()
        [pull] = world.pulls()
        assert pull.pull is not None
        assert pull.pull.draft
        assert world.said()[-1] == snapshot("""\
Partly fixed in https://github.test/acme/app/pull/2, a draft

The issue does not say which of 2 failing tests it is about. This patch fixes 1 of them and breaks nothing; 1 remains. The one attempt of the budget is used.

<!-- fixpoint:run=RUN kind=progress -->
""")


async def test_a_history_may_lack_files(tmp_path: Path) -> None:
    """As that of a partial clone: no older commit tells then which of the failures are old."""
    async with open_desk(tmp_path, files={**FILES, "gone.txt": "gone\n"}) as desk:
        blob = desk.git("rev-parse", "HEAD:gone.txt").strip()
        desk.git("rm", "--quiet", "gone.txt")
        desk.git("commit", "--quiet", "--message", "without it")
        (desk.repository / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
        done = await desk.fix("--json", "--proposers", "mechanical")
        output = FixOutput.model_validate_json(done.out)
        assert output.reproduction is not None, output.reason
        assert {"test_cart.Cart.test_sum", "test_cart.Cart.test_least"} <= {
            *output.reproduction.failing
        }


RUNNER = """\
#!/usr/bin/env node
// Runs tests as mocha does, all files in one process.
const path = require('path');
const tests = [], failed = [];
const given = process.argv.slice(2), grep = given.indexOf('--grep');
const only = grep < 0 ? /^/ : new RegExp(given.splice(grep, 2)[1]);
global.it = (name, body) => { if (only.test(name)) tests.push([name, body]); };
const files = given.length ? given : require('fs').readdirSync('test').map((name) => `test/${name}`);
files.forEach((file) => require(path.resolve(file)));
console.log('\\n');
for (const [name, body] of tests) {
  try { body(); console.log(`  \\u2714 ${name}`); } catch (error) { failed.push([name, error]); }
}
console.log(`\\n\\n  ${tests.length - failed.length} passing (3ms)`);
if (failed.length) console.log(`  ${failed.length} failing\\n`);
failed.forEach(([name, error], n) => console.log(`  ${n + 1}) ${name}:\\n     ${error.stack}\\n`));
process.exit(failed.length);
"""
IN_FILES = {
    ".github/fixpoint.yml": "setup: 'true'\ntest: npm test\n",
    "package.json": '{"scripts": {"test": "mocha"}}',
    "node_modules/.bin/mocha": RUNNER,
    "sums.js": "exports.double = (n) => n * 2 + 1;\nexports.check = () => process.exit(3);\n",
    "test/double.js": "it('doubles', () => require('assert').strictEqual(require('../sums').double(2), 4));\n",
    "test/leave.js": "it('leaves', () => require('../sums').check());\n",
    **{f"test/fine{n}.js": f"it('fine {n}', () => {{}});\n" for n in range(3)},
}


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("npx"), reason="Node.js is not installed")
async def test_a_file_that_ends_its_runner_hides_no_other(tmp_path: Path) -> None:
    """Nothing says which one it is: the files run by halves until it is found."""
    async with open_desk(tmp_path, files=IN_FILES) as desk:
        for command in (("update-index", "--chmod=+x"), ("add", "--force")):
            desk.git(*command, "node_modules/.bin/mocha")
        (desk.repository / "node_modules/.bin/mocha").chmod(0o755)
        desk.git("commit", "--quiet", "--all", "--message", "runner")
        file = desk.repository / "sums.js"
        text, told = file.read_text("utf-8"), list[dict[str, Any]]()
        stays = text.replace("process.exit(3)", "{}")
        for mended in (stays, stays.replace(" + 1", "")):
            file.write_text(mended, "utf-8")
            patch = f"{desk.git('diff', 'HEAD')}\n".encode()
            desk.git("checkout", "--quiet", ".")
            said = await judged(desk, patch, issue="The tests end early.")
            told.append(
                {key: said[key] for key in ("accepted", "reason", "failing_before", "failing")}
            )
        assert told == snapshot(
            [
                {
                    "accepted": False,
                    "reason": "still fails (1 test)",
                    "failing_before": ["doubles", "leaves"],
                    "failing": ["doubles"],
                },
                {
                    "accepted": True,
                    "reason": "The failing command passes with the patch, and nothing else that ran broke.",
                    "failing_before": ["doubles", "leaves"],
                    "failing": [],
                },
            ]
        )
