"""Search in JavaScript: which edits there are, which lines are suspicious, and how edits are tried."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from bot.model import Failure
from bot.repair.proposers.search.javascript.candidates import ranked_edits
from bot.repair.proposers.search.javascript.search import vain
from bot.repair.proposers.search.javascript.suspects import (
    statement_at,
    suspected_files,
    suspicious_lines,
)
from bot.repair.proposers.search.javascript.trials import CoveredFile
from bot.repair.proposers.search.mutations.change import applied
from bot.reporting.reasons import search as reasons

DRIVER = files("bot.repair.proposers.search.javascript") / "driver.cjs"
NEEDS_NODE = pytest.mark.skipif(not shutil.which("node"), reason="Node.js is not installed")

FAULTS = [
    ("a < b", "a <= b"),
    ("a !== b", "a === b"),
    ("a + b", "a - b"),
    ("a && b", "a || b"),
    ("a && b", "b"),
    ("b - a", "a - b"),
    ("a * (b + 1)", "a * b + 1"),
    ("a + b * c", "(a + b) * c"),
    ("a / b", "Math.floor(a / b)"),
    ("c += a", "c -= a"),
    ("c = a", "c += a"),
    ("c++", "c--"),
    ("!a", "a"),
    ("a[b]", "a[b - 1]"),
    ("a[0]", "a[a.length - 1]"),
    ("a.slice(1)", "a.slice(0)"),
    ("Math.min(a, b)", "Math.max(a, b)"),
    ("f(a, b)", "f(b, a)"),
    ("f(a)", "await f(a)"),
    ("a.sort()", "a.sort((a, b) => a - b)"),
    ("a.sort(f)", "[...a].sort(f)"),
    ("a.b.c", "a.b?.c"),
    ("a ? b : c", "a ? c : b"),
    ("c = ''", "c = b"),
    ("/x/.test(a)", "/x/g.test(a)"),
    ("c = true", "c = false"),
    ("a === null", "a === undefined"),
    ("a.map(f)", "(a ?? []).map(f)"),
    ("Object.keys(a)", "Object.keys(a).sort()"),
    ("c = [a, b]", "c = [...a, b]"),
    ("const [d, e] = a", "const [d, e = ''] = a"),
    ("c = (d) => a[d]", "c = (d) => a[d] !== undefined"),
    ("c = f(a)", "c = f(a) + 1"),
]


@pytest.mark.parametrize(("before", "after"), FAULTS)
def test_typical_faults_are_undone(before: str, after: str) -> None:
    """Each way that a small fault is made has the edit that takes it back."""
    shape = "async function g(a, b, c, f) {{\n  {};\n}}\n"
    assert shape.format(after) in edited(shape.format(before))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("for (const x in a) b(x);", "for (const x of a) b(x);"),
        ("if (a) b();", "if (!(a)) b();"),
        ("if (a) b();", "if (a && c) b();"),
        ("b();", ";"),
        ("b(a);", "return b(a);"),
        ("while (a) { break; }", "while (a) { continue; }"),
        ("return a;", "return a ?? [];"),
        ("return a;", "if (a) return a;"),
        ("return a;", "if (!a) return '';\n  return a;"),
    ],
)
def test_statements_are_changed(before: str, after: str) -> None:
    """Loops, conditions, calls and returns."""
    shape = "function g(a, b, c) {{\n  {}\n}}\n"
    assert shape.format(after) in edited(shape.format(before))


def test_typescript_is_edited_too() -> None:
    """Its own grammar has the same nodes."""
    text = "export function low(a: number, b: number): boolean {\n  return a < b;\n}\n"
    assert text.replace("<", "<=") in edited(text, "a.ts")


def test_names_are_those_in_reach() -> None:
    """A declaration stays, and a name of another function is none."""
    text = "function g(near) {\n  const far = 1;\n  return near;\n}\nfunction h(other) {}\n"
    found = edited(text)
    assert text.replace("return near", "return far") in found
    assert not any("return other" in program for program in found)
    assert not any("const near" in program for program in found)


def test_no_edit_is_tried_twice_and_likely_ones_come_first() -> None:
    """The order is the weight of the edit and the suspicion of its line."""
    text = b"function g(a, b) {\n  if (a < b) return 1;\n  return a + b;\n}\n"
    ranked = ranked_edits({"a.js": text}, {"a.js": {2: 1.0, 3: 0.2}})
    changes = [candidate.change.replacements for candidate in ranked]
    assert len({*changes}) == len(changes)
    assert [candidate.score for candidate in ranked] == sorted(
        (candidate.score for candidate in ranked), reverse=True
    )
    assert ranked[0].change.line == 2


def edited(text: str, path: str = "a.js") -> set[str]:
    """Return all the programs that one edit makes of one."""
    lines = {path: dict.fromkeys(range(1, text.count("\n") + 2), 1.0)}
    return {
        applied(text, candidate.change.replacements)
        for candidate in ranked_edits({path: text.encode()}, lines)
    }


def test_edits_behind_other_letters_are_where_they_belong() -> None:
    """Trees count bytes, changes count characters."""
    text = "const s = 'é😀';\nfunction g(a, b) {\n  return a < b;\n}\n"
    assert text.replace("<", "<=") in edited(text)


SOURCE = b"""\
function low(a) {
  return a;
}
const high = (a) => {
  return low(a);
};
"""


def test_lines_that_passing_tests_run_are_less_suspicious() -> None:
    """Ochiai's measure; a place in a trace is most suspicious."""
    failing = {"a.js": CoveredFile(frozenset({1, 2, 4, 5}), frozenset())}
    passing = {"a.js": CoveredFile(frozenset({1, 2}), frozenset())}
    lines = suspicious_lines({"a.js": SOURCE}, failing, [passing], (), "/w")["a.js"]
    assert lines[5] > lines[2]
    failure = Failure("t", detail="    at low (file:///w/a.js:2:3)")
    traced = suspicious_lines({"a.js": SOURCE}, failing, [passing], (failure,), "/w")["a.js"]
    assert traced[2] == 1.0


def test_functions_stand_for_lines_where_v8_saw_another_text() -> None:
    """Transpiled programs keep the names of their functions."""
    seen = {"a.js": CoveredFile(frozenset(), frozenset({"high"}))}
    lines = suspicious_lines({"a.js": SOURCE}, seen, [], (), "/w")["a.js"]
    assert sorted(lines) == [4, 5, 6]


def test_tests_are_not_suspected() -> None:
    """Nor what no grammar reads."""
    ran = CoveredFile(frozenset({1}), frozenset())
    assert suspected_files({"a.js": ran, "a.test.js": ran, "b.py": ran}) == ("a.js",)


def test_a_statement_is_found_in_its_function() -> None:
    """Where a test that runs it can be made to fail."""
    assert statement_at("a.js", SOURCE, 2) == SOURCE.index(b"return a")
    assert statement_at("a.js", b"let a = 1;\n", 1) is None


@pytest.mark.parametrize(
    ("tried", "cut", "says"),
    [
        ({}, True, f"{reasons.none_fixes_all(0, 2.0)} {reasons.TIME_UP}"),
        ({0: "fails", 1: "slow"}, False, reasons.none_fixes_all(2, 2.0)),
        ({0: "fails", 1: "passes"}, False, reasons.all_refused(1, edits=2, seconds=2.0)),
    ],
)
def test_what_was_tried_in_vain_is_not_more_than_was_seen(
    *, tried: dict[int, str], cut: bool, says: str
) -> None:
    """An edit that passed the failing tests, and nothing behind them, is told from one that fails."""
    assert vain(tried, 2.0, cut=cut) == says


def ask(folder: Path, **request: Any) -> dict[str, Any]:
    """Return the driver's answer."""
    given, got = folder / "request.json", folder / "answer.json"
    given.write_text(json.dumps({"seconds": 60, **request}))
    subprocess.run(["node", str(DRIVER), str(given), str(got)], check=True)
    answer: dict[str, Any] = json.loads(got.read_text())
    return answer


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a fault: the sum is a difference."""
    root = tmp_path / "project"
    (root / "lib").mkdir(parents=True)
    (root / "lib/sum.js").write_text(
        "exports.sum = (a, b) => {\n  if (a > 9) {\n    return 0;\n  }\n  return a - b;\n};\n"
    )
    (root / "check.js").write_text(
        "const { sum } = require('./lib/sum.js');\nprocess.exit(sum(1, 2) === 3 ? 0 : 1);\n"
    )
    return root


@NEEDS_NODE
def test_coverage_tells_the_lines_that_ran(tmp_path: Path, project: Path) -> None:
    """Not those of a branch that was not taken."""
    answer = ask(tmp_path, act="cover", root=str(project), command="node check.js")
    assert answer["status"] == "fails"
    assert answer["files"]["lib/sum.js"]["lines"] == [1, 2, 5, 6]


@NEEDS_NODE
def test_edits_are_tried_side_by_side_and_taken_back(tmp_path: Path, project: Path) -> None:
    """A passing one ends the trials once as many as asked have followed."""
    text = (project / "lib/sum.js").read_text()
    at = text.index("a - b") + 2
    edits = [(n, "lib/sum.js", at, at + 1, sign) for n, sign in enumerate("*/+%-")]
    answer = ask(
        tmp_path, act="try", root=str(project), command="node check.js", candidates=edits,
        limit=30, workers=2, more=9,
    )  # fmt: skip
    assert answer["results"] == dict(
        zip("01234", ("fails", "fails", "passes", "fails", "fails"), strict=True)
    )
    assert (project / "lib/sum.js").read_text() == text
    alone = ask(
        tmp_path, act="try", root=str(project), command="node check.js", candidates=edits[2:],
        limit=30, workers=1, more=0,
    )  # fmt: skip
    assert alone["results"] == {"2": "passes"}


@NEEDS_NODE
def test_an_edit_of_a_killed_driver_is_taken_back(tmp_path: Path, project: Path) -> None:
    """The next question finds the tree as it was."""
    place, note = project / "lib/sum.js", tmp_path / "answer.json.0"
    text = place.read_bytes()
    place.write_text("broken")
    encoded = base64.b64encode(text).decode()
    note.write_text(json.dumps({"place": str(place), "text": encoded}))
    ask(tmp_path, act="cover", root=str(project), command="node check.js")
    assert place.read_bytes() == text
    assert not note.exists()
