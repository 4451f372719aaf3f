"""Tests in JavaScript and TypeScript, written so that they run on inputs near their own."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from bot.code.change import FileDiff
from bot.code.syntax import parse
from bot.repair.verification.generalisation import Generalisation, reached
from bot.repair.verification.perturbation.conditions import settled
from bot.repair.verification.perturbation.guarded_conditions import (
    BothTrees,
    ShownByTest,
    held_back,
)
from bot.repair.verification.perturbation.varied.files import (
    VariedFiles,
    comparable,
    records_of,
    settled_files,
    shown_by,
    varied_files,
    with_settled,
)
from bot.repair.verification.perturbation.varied.javascript_conditions import (
    conditions_of_scripts,
    watched_scripts,
)
from bot.repair.verification.perturbation.varied.writing import Naming

BROKEN = b"exports.slug = (text, n = 0) => text.trim();\nexports.count = () => 0;\n"
TEST = b"""\
const assert = require('node:assert');
const { slug, count } = require('./app.js');

describe('slugs', function () {
  it('joins words', async () => {
    const text = ' Ab Cd ef';
    const found = await slug(text, Date.now() && 7);
    assert.equal(found, 'ab-cd-ef', `wrong`);
  });
});
test('throws', () => assert.throws(() => slug(null, 'x'), TypeError));
"""
NAMES = {"slugs > joins words", "throws"}
RUNNER = b"""
globalThis.waiting = [];
globalThis.describe = (title, body) => body();
globalThis.it = globalThis.test = (title, body) => waiting.push(body);
require(process.cwd() + '/app.test.js');
(async () => { for (const one of waiting) { try { await one(); } catch { } } })();
"""
"""A runner as far as these tests need one."""

REPAIR = "text.trim().toLowerCase().replace(/ /g, '-')"


def patched(answer: str, before: str = "") -> bytes:
    """Return the program with another answer."""
    return before.encode() + BROKEN.replace(b"text.trim()", answer.encode(), 1)


class Scene:
    """A folder in which varied tests run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.naming = Naming("__fx", str(folder / "noted"), is_shared=True)
        self.sources = {"app.test.js": TEST}
        (folder / "runner.js").write_bytes(RUNNER)

    def noted(self, files: Mapping[str, bytes]) -> bytes:
        """Return what the tests noted."""
        place = self.folder / "noted"
        place.unlink(missing_ok=True)
        for name, data in files.items():
            (self.folder / name).write_bytes(data)
        subprocess.run(["node", "runner.js"], cwd=self.folder, check=True, timeout=600)
        return place.read_bytes()

    def shown(self, program: bytes, *, worn: bool = False) -> tuple[VariedFiles, ShownByTest]:
        """Return what the tests show of a program."""
        naming = replace(self.naming, is_shared=not worn)
        varied = varied_files(self.sources, NAMES, naming, worn)
        return varied, shown_by(self.noted({**varied.files, "app.js": program}), varied)

    def reach(self, program: bytes) -> Generalisation:
        """Return how far a patch reaches."""
        before, after = self.shown(BROKEN)[1], self.shown(program, worn=True)[1]
        return reached(*records_of(*comparable(before, after))).reach

    def unneeded(self, program: bytes) -> list[str]:
        """Return the conditions of a patch that keep inputs from it."""
        change = [FileDiff("app.js", BROKEN, program)]
        conditions = conditions_of_scripts(change)
        watched = watched_scripts(change, conditions, self.naming.function)
        before = self.shown(BROKEN)[1]
        varied, after = self.shown(watched["app.js"])
        again = settled_files(self.sources, varied, after, self.naming)
        told = with_settled(after, self.noted({**again.files, **watched}), again)
        held = held_back(BothTrees(*comparable(before, told)))
        return [conditions[number].text for item in held for number, _ in item.settled]


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    """Return a folder with the tests."""
    if not shutil.which("node"):
        pytest.skip("node is not installed")
    return Scene(tmp_path)


@pytest.mark.parametrize(
    ("program", "reach"),
    [
        (patched(REPAIR), Generalisation.NEIGHBOURS),
        (patched("text === ' Ab Cd ef' ? 'ab-cd-ef' : text.trim()"), Generalisation.INPUTS),
        (
            patched(f"calls++ < 9 ? {REPAIR} : text.trim()", "let calls = 0;\n"),
            Generalisation.FIRST_CALLS,
        ),
        (
            patched(
                "(Reflect.ownKeys(globalThis).length > known || text === ' Ab Cd ef') "
                f"? {REPAIR} : text.trim()",
                "const known = Reflect.ownKeys(globalThis).length;\n",
            ),
            Generalisation.INPUTS,
        ),
        (
            patched(f"calls++ ? text.trim() : {REPAIR}", "let calls = 0;\n"),
            Generalisation.FIRST_CALLS,
        ),
    ],
    ids=["a repair", "an answer", "nine calls", "more globals", "one call"],
)
def test_reach(scene: Scene, program: bytes, reach: Generalisation) -> None:
    """What a patch does near the tests' inputs, and after many calls, is seen; time is not."""
    assert scene.reach(program) is reach


@pytest.mark.parametrize(
    ("condition", "unneeded"),
    [
        ("text.length % 3 === 0", ["text.length % 3 === 0"]),
        ("[0, 9].includes(text.length)", ["[0, 9].includes(text.length)"]),
        ("typeof text === 'string'", []),
    ],
)
def test_conditions(scene: Scene, condition: str, unneeded: list[str]) -> None:
    """A condition that keeps inputs near the tests' from the repair is found; others are not."""
    assert scene.unneeded(patched(f"({condition}) ? {REPAIR} : text.trim()")) == unneeded


@pytest.mark.parametrize(
    ("probe", "entered", "otherwise"),
    [
        ("new Array((text.length % 3) - 1)", REPAIR, "text.trim()"),
        ("new Array(-(text.length % 3))", "text.trim()", REPAIR),
        ("n = new Array((text.length % 3) - 1).length", REPAIR, "text.trim()"),
    ],
    ids=["entered for some", "entered for others", "more than a probe"],
)
def test_an_exception_that_decides(scene: Scene, probe: str, entered: str, otherwise: str) -> None:
    """There is no branch: a handler is entered for inputs of some lengths alone."""
    body = f"{{ try {{ {probe}; }} catch (e) {{ return {entered}; }} return {otherwise}; }}"
    assert scene.unneeded(patched(body)) == ["catch (e)"]


@pytest.mark.parametrize(("value", "answer"), [("true", "b"), ("false", "a")])
def test_a_handler_is_settled_in_its_language(value: str, answer: str) -> None:
    """It is entered at once, or what would enter it is left out."""
    program = b"exports.f = (x) => { try { JSON.parse(x); } catch { return 'b'; } return 'a'; };\n"
    [condition] = conditions_of_scripts([FileDiff("app.js", b"", program)])
    text = settled({"app.js": program}, [(condition, value)])["app.js"].decode()
    for given in ("1", "{"):
        told = subprocess.run(
            ["node", "-e", f"{text}; process.stdout.write(exports.f('{given}'))"],
            check=True, capture_output=True,
        )  # fmt: skip
        assert told.stdout.decode() == answer


def test_variants_are_programs() -> None:
    """Each file can be read, in TypeScript too; what only an assertion is given is not varied."""
    for path in ("app.test.js", "app.test.ts"):
        varied = varied_files({path: TEST}, NAMES, Naming("__fx", "/noted"), worn=True)
        syntax = parse(path, varied.files[path])
        assert syntax is not None
        assert not syntax.root.has_error
        assert len({run.variant.label for run in varied.runs if "joins" in run.test}) > 20
        assert all("ab-cd-ef" not in str(run.variant.replaced) for run in varied.runs)


def test_conditions_are_settled_in_their_language() -> None:
    """A value stands in the place of a condition, which is asked all the same."""
    program = patched(f"text.length > 3 ? {REPAIR} : text")
    conditions = conditions_of_scripts([FileDiff("app.js", BROKEN, program)])
    files = settled({"app.js": program}, [(conditions[0], "true")])
    assert b"((text.length > 3), true) ? " in files["app.js"]


def test_what_is_noted_is_read_with_care() -> None:
    """A program can write there too: what is no record is left out."""
    varied = varied_files({"app.test.js": TEST}, {"throws"}, Naming("__fx", "/noted"), worn=False)
    good = json.dumps({"number": 0, "in": [], "out": ["a"], "seen": {"0": ["true"]}}).encode()
    bad = b'[]\n{"number": "0"}\n{"number"\n\xff\n{"number": 9999, "out": 1}\n'
    shown = shown_by(bad + good, varied)
    assert [item.outputs for item in shown["throws"]] == [("a",)]
    assert shown["throws"][0].seen == ((0, ("true",)),)
