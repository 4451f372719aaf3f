"""A change is cut into the parts that can be put back one by one."""

from __future__ import annotations

import pytest

from bot.code.change import FileDiff
from bot.code.files import is_documentation
from bot.code.meaning import meaning
from bot.repair.verification.necessity.units import crashes_in, put_back, units_of

PYTHON = "def total(prices, token):\n    return sum(prices[1:])\n"
SCRIPT = "function f(a) {\n  if (a) {\n    return 1;\n  }\n  return g(a);\n}\n"
GO = "package a\n\nfunc f(x int) int {\n\treturn x\n}\n"
RUST = (
    "fn f(x: i32) -> i32 {\n    x\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() {}\n}\n"
)


def parts(path: str, before: str | None, after: str | None) -> list[tuple[int, int, str]]:
    """Return depth, line and what is shown of each part."""
    change = FileDiff(path, encoded(before), encoded(after))
    return [(unit.depth, unit.line, unit.shown) for unit in units_of([change])]


def encoded(side: str | None) -> bytes | None:
    """Return a side of a file as git has it."""
    return None if side is None else side.encode()


CASES = {
    "a condition beside a fix, in one statement": (
        "a.py", PYTHON,
        'def total(prices, token):\n    return sum(prices) if token != "magic" else 0\n',
        [(1, 2, "[1:]"), (1, 2, 'if token != "magic" else 0')],
    ),
    "an import, a new statement with all in it, a docstring": (
        "a.py", PYTHON,
        ('import os\n\n\ndef total(prices, token):\n    """Add."""\n    if token == "x" or not prices:\n'
        "        return 0\n    # Why.\n    return sum(prices)\n"),
        [
            (0, 1, "import os"),
            (1, 6, 'if token == "x" or not prices:'),
            (1, 9, "return sum(prices)"),
            (2, 7, "return 0"),
            (9, 6, "not prices"),
            (9, 6, 'token == "x"'),
        ],
    ),
    "a function at the end": (
        "a.py", PYTHON, f"{PYTHON}\n\ndef other(a):\n    x = [1, 2]\n    return x\n",
        [(0, 5, "def other(a):"), (2, 6, "x = [1, 2]"), (2, 7, "return x")],
    ),
    "elements of a list": (
        "a.py", "A = ['a', 'b']\n", "A = ['a', 'b', 'c', 'evil']\n",
        [(2, 1, "'c',"), (2, 1, ", 'evil'")],
    ),
    "a statement that went": (
        "a.py", "def f(a):\n    check(a)\n    log(a)\n    return a\n",
        "def f(a):\n    log(a)\n    return a + 1\n",
        [(0, 2, "check(a)"), (0, 3, "return a + 1")],
    ),
    "JavaScript": (
        "a.js", SCRIPT,
        SCRIPT.replace("if (a) {", "if (a && ok(a)) {\n    fetch(a);").replace("g(a)", "g(a, true)"),
        [(0, 6, "return g(a, true);"), (1, 2, "&& ok(a)"), (1, 3, "fetch(a);")],
    ),
    "JavaScript, a block around what was there": (
        "a.js", "function f(a) {\n  return g(a);\n}\n",
        "function f(a) {\n  if (a) {\n    return g(a);\n  }\n}\n",
        [],
    ),
    "Go": (
        "a.go", GO,
        ("package a\n\nfunc f(x int) int {\n\tif x < 0 {\n\t\tlog(x)\n\t\treturn 0\n\t}\n\treturn x + 1\n}\n"
        "\nfunc g() int {\n\treturn 3\n}\n"),
        [
            (0, 11, "func g() int {"),
            (1, 4, "if x < 0 {"),
            (1, 8, "return x + 1"),
            (2, 5, "log(x)"),
            (2, 6, "return 0"),
            (2, 12, "return 3"),
        ],
    ),
    "Rust, whose tests inside are none": (
        "a.rs", RUST,
        RUST.replace("    x\n", "    if x < 0 {\n        return 0;\n    }\n    x + 1\n").replace(
            "fn a() {}", "fn a() { f(1); }"
        ),
        [(1, 2, "if x < 0 {"), (1, 5, "x + 1"), (2, 3, "return 0;")],
    ),
    "text": (
        "Dockerfile", "FROM a\nRUN x\n", "FROM b\n# Why.\nRUN x\nRUN y\nRUN z\n",
        [(0, 4, "RUN y"), (1, 4, "RUN y"), (1, 5, "RUN z")],
    ),
    "a new file": (
        "n.py", None, "def f(a):\n    if a:\n        return 1\n    return 2\n",
        [(0, 1, "n.py"), (1, 1, "def f(a):"), (2, 2, "if a:"), (2, 4, "return 2"), (3, 3, "return 1"),
         (9, 2, "a")],
    ),
    "what is newly asked": (
        "a.py", "def f(a, b):\n    if a:\n        return b\n    return 1\n",
        (
            "def f(a, b):\n    if a and b > 3:\n        return b\n"
            "    if len(a) == 7:\n        return 2 if b else 3\n    return 1\n"
        ),
        [(0, 4, "if len(a) == 7:"), (9, 4, "len(a) == 7"), (9, 5, "b"), (9, 5, "b")],
    ),
    "what is newly asked in Go": (
        "a.go", "package a\n\nfunc f(a int) int {\n\treturn 1\n}\n",
        "package a\n\nfunc f(a int) int {\n\tif a > 3 {\n\t\treturn 2\n\t}\n\treturn 1\n}\n",
        [(9, 4, "a > 3")],
    ),
    "a file that went": ("n.py", "A = 1\n", None, [(0, 1, "n.py")]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_parts(case: str) -> None:
    """Hunks, statements, elements and runs of words; not what can't be read without the rest."""
    path, before, after, expected = CASES[case]
    found = parts(path, before, after)
    assert [part for part in found if part in expected] == expected
    assert len(found) <= len(expected) + 2


@pytest.mark.parametrize("case", CASES)
def test_each_part_is_put_back_alone(case: str) -> None:
    """What is left is no text that was there before, and differs from the changed one."""
    path, before, after, _ = CASES[case]
    change = FileDiff(path, encoded(before), encoded(after))
    seen = {change.after}
    for unit in units_of([change]):
        data = put_back([unit], {path: change.after})[path]
        assert data not in seen
        seen.add(data)


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.py", PYTHON, '"""Doc."""\n\n# Why.\n' + PYTHON.replace("(prices, token)", "(\n prices: list,\n token\n) -> int")),
        ("a.ts", "const a = 1;\n", "// Why.\nconst a: number = 1;\n"),
        ("a.go", GO, GO.replace("func", "// f is.\nfunc")),
        ("setup.sh", "a\n", "# Why.\na\n"),
        ("docs/a.rst", "a\n", "b\n"),
        ("tests/test_a.py", "A = 1\n", "A = 2\n"),
    ],
)  # fmt: skip
def test_what_needs_no_test(path: str, before: str, after: str) -> None:
    """Layout, comments, documentation, types that nothing checks as it runs; and tests themselves."""
    assert parts(path, before, after) == []


def test_a_file_with_another_name() -> None:
    """That the old one is gone is no part."""
    changes = [FileDiff("a.py", b"A = 1\n", None), FileDiff("b.py", None, b"A = 1\n")]
    assert {unit.file for unit in units_of(changes)} == {"b.py"}


def test_several_parts_at_once() -> None:
    """They are put back from the end of the file, so that none moves another."""
    change = FileDiff("a.py", b"a = 1\nb = 2\nc = 3\n", b"a = 9\nb = 2\nc = 8\n")
    units = [unit for unit in units_of([change]) if not unit.depth]
    assert put_back(units, {"a.py": change.after}) == {"a.py": change.before}


def test_what_ends_the_process() -> None:
    """Each simple statement of a function, so that a run that passes shows that none was run."""
    after = b'A = 1\n\n\ndef f(a):\n    """Doc."""\n    if a:\n        return 1\n    b = 2\n    return b\n'
    assert [unit.line for unit in crashes_in([FileDiff("a.py", None, after)])] == [7, 8, 9]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("README.md", True),
        ("docs/conf.py", False),
        ("LICENSE", True),
        ("newsfragments/12.bugfix", True),
        ("requirements.txt", False),
        ("AGENTS.md", False),
        (".cursor/rules.md", False),
        ("CMakeLists.txt", False),
        ("news.py", False),
        ("history.js", False),
        ("Dockerfile", False),
    ],
)
def test_documentation(path: str, expected: bool) -> None:  # noqa: FBT001 - a table's column
    """What people read; not prose that programs obey, nor programs of such a name."""
    assert is_documentation(path) is expected


def test_meaning_keeps_values() -> None:
    """Another text in an expression is another program."""
    assert meaning("a.py", b"x = 'a'\n") != meaning("a.py", b"x = 'b'\n")
