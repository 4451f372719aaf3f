"""Mutants of changed lines: what they are in each language, and what counts as caught."""

from __future__ import annotations

import pytest
from inline_snapshot import snapshot

from bot.code.change import FileDiff
from bot.model import Failure, MutantResults, Observation, Survivor
from bot.repair.verification.mutation.mutants import (
    changed_lines,
    mutants_of,
    mutants_of_change,
)
from bot.repair.verification.mutation.mutation_test import (
    is_caught,
    mutants_in,
)
from bot.reporting.reasons import verification as reasons


def _lines(path: str, text: str, line: int, most: int = 20) -> list[str]:
    """Return the mutated line of each mutant of one line."""
    data = text.encode()
    found = mutants_of(path, data, [line], most=most)
    return [mutant.applied(data).decode().split("\n")[line - 1].strip() for mutant in found]


def test_a_condition_is_turned_round_and_moved_by_one() -> None:
    """Opposites come first, then neighbours, then constants."""
    text = "def f(a):\n    if a < 10 and a:\n        return a\n"
    assert _lines("a.py", text, 2) == snapshot(
        [
            "if (not (a < 10 and a)):",
            "if a <= 10 and a:",
            "if a < 11 and a:",
            "if a >= 10 and a:",
            "if a < 10 or a:",
        ]
    )


def test_a_statement_is_left_out_and_its_value_lost() -> None:
    text = "def f(a):\n    total = a + 1\n    return total\n"
    assert _lines("a.py", text, 2) == snapshot(
        ["total = a - 1", "pass", "total = None", "total = a + 2"]
    )
    assert _lines("a.py", text, 3) == snapshot(["pass", "return None"])


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        (
            "a.js",
            "function f(a) {\n  return a === 1 && b(a);\n}\n",
            snapshot(
                [
                    "return a !== 1 && b(a);",
                    "return a === 1 || b(a);",
                    ";",
                    "return null;",
                    "return a === 2 && b(a);",
                ]
            ),
        ),
        (
            "a.ts",
            "function f(a: Array<number>): boolean {\n  if (a.length > 1) return true;\n}\n",
            snapshot(
                [
                    "if (a.length <= 1) return true;",
                    "if (a.length >= 1) return true;",
                    "if (a.length > 1) ;",
                    "if (a.length > 2) return true;",
                    "if (a.length > 1) return false;",
                    "if (a.length > 1) return null;",
                ]
            ),
        ),
        (
            "a.go",
            "package a\n\nfunc f(a int) int {\n\tif a < 1 {\n\t\ta += 2\n\t}\n\treturn a\n}\n",
            snapshot(["if a >= 1 {", "if a <= 1 {", "if a < 2 {"]),
        ),
        (
            "a.rs",
            "fn f(a: i32) -> i32 {\n\n\n    a * 2 + 1\n}\n",
            snapshot(["a / 2 + 1", "a * 3 + 1", "a * 2 - 1", "a * 2 + 2"]),
        ),
    ],
)
def test_mutants_of_other_languages(path: str, text: str, expected: list[str]) -> None:
    """The same faults, by each language's own syntax tree; angle brackets of types stay."""
    assert _lines(path, text, 4 if path in {"a.go", "a.rs"} else 2) == expected


@pytest.mark.parametrize(
    "line",
    [
        '    """Say 1 < 2."""',
        "    # a < 1",
        "    raise ValueError('no')",
        "    import os",
    ],
)
def test_what_no_test_has_to_notice_is_left_alone(line: str) -> None:
    """Documentation, comments, imports and the words of an error have no mutants of their own."""
    left = [
        item for item in _lines("a.py", f"def f(a):\n{line}\n    return a\n", 2) if item != "pass"
    ]
    assert left == []


def test_the_program_as_it_was_is_no_mutant() -> None:
    """It is known to fail: catching it says nothing new."""
    before, after = b"def f(a):\n    return a < 1\n", b"def f(a):\n    return a <= 1\n"
    texts = [m.applied(after) for m in mutants_of("a.py", after, [2], most=9, before=before)]
    assert texts
    assert before not in texts


def test_mutants_are_spread_over_lines_and_files_and_never_in_tests() -> None:
    """A few of them have to say something of all of the change."""
    long = "".join(f"    x += {n}\n" for n in range(30)).encode()
    changes = [
        FileDiff("a.py", b"def f(x):\n", b"def f(x):\n" + long),
        FileDiff("b.py", b"", b"def g(x):\n    return x\n"),
        FileDiff("tests/test_a.py", b"", b"def test_a():\n    assert 1 == 1\n"),
    ]
    found = mutants_in(changes)
    assert len(found) == 10
    assert {mutant.file for mutant in found} == {"a.py", "b.py"}
    assert len({mutant.mutant.line for mutant in found if mutant.file == "a.py"}) > 5


def test_texts_that_no_grammar_reads_have_none() -> None:
    assert mutants_of("a.txt", b"a < b", [1], most=9) == ()
    assert mutants_of("a.py", b"def (:\n", [1], most=9) == ()


def _seen(*, failing: tuple[str, ...] = (), code: int = 0, timed_out: bool = False) -> Observation:
    failures = tuple(Failure(test, "") for test in failing)
    return Observation(
        "t", code, failing=failures, passed=frozenset({"test_a"}), timed_out=timed_out
    )


def test_a_program_that_its_compiler_refuses_says_nothing() -> None:
    """Only a test that fails, or never ends, has caught a mutant of a compiled program."""
    passing = _seen()
    assert is_caught(passing, _seen(), compiled=True) is False
    assert is_caught(passing, _seen(failing=("test_a",), code=1), compiled=True) is True
    assert is_caught(passing, _seen(failing=("build",), code=1), compiled=True) is None
    assert is_caught(passing, _seen(code=124, timed_out=True), compiled=True) is True
    assert is_caught(passing, _seen(failing=("import",), code=2), compiled=False) is True


def test_how_people_read_it() -> None:
    """The figure, and what the tests do not notice."""
    survivors = (Survivor("a.py", 3, reasons.instead("<", "<=")),)
    assert reasons.caught(MutantResults(9, survivors)) == snapshot(
        "Mutants of the changed lines: 9 of 10 caught by the tests. The tests also pass when `a.py:3` has `<` instead of `<=`."
    )


def test_a_loop_over_nothing() -> None:
    """A loop's line has nothing else that could be wrong."""
    text = "def f(items):\n    for one in items.copy():\n        print(one)\n"
    assert _lines("a.py", text, 2) == ["for one in ():"]


def test_lines_that_only_go_are_judged_by_those_around_the_gap() -> None:
    """There is nothing else to change."""
    before = ["def f(a):", "    a += 1", "    a *= 2", "    return a"]
    assert changed_lines(before, [before[0], before[1], before[3]]) == [2, 3]
    assert changed_lines(before, [*before[:3], "    return a + 1"]) == [4]
    assert changed_lines(before, before) == []


def test_lines_without_mutants_are_judged_by_those_around_them() -> None:
    """`pass` has none."""
    before = b"def f(a):\n    for b in a:\n        continue\n    return a\n"
    after = before.replace(b"continue", b"pass")
    found = mutants_of_change("a.py", before, after, most=9)
    assert {mutant.line for mutant in found} == {2, 4}
