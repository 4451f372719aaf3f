"""Outputs of real tools (tests/payloads/console), read."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from bot.ci.failures import console, registry
from bot.ci.failures.base import Reading
from bot.ci.failures.runners import tap
from bot.model import TestCounts
from bot.model.observation import names_test, place_of
from bot.reporting.reasons import job_target

OUTPUTS = Path(__file__).parent.parent / "payloads" / "console"

# output file, number of failures, and the first one: id, file, line, message
FIRST = [
    ("pytest_quiet", 6, "tests.test_calc::test_add", "tests/test_calc.py", 12, "assert -1 == 3"),
    ("pytest_collection_error", 1, "tests.test_broken", "tests/test_broken.py", 1,
     "ModuleNotFoundError: No module named 'pkg.nothing'"),
    ("pytest_usage_error", 1, "the command", None, None,
     "pytest: error: unrecognized arguments: --nonsense"),
    ("unittest", 3, "tests.test_old.TestAdd.test_error", "pkg/calc.py", 6,
     "TypeError: unsupported operand type(s) for -: 'str' and 'int'"),
    ("go_test", 3, "bad/bad.go:3: build", "bad/bad.go", 3,
     'cannot use "x" (untyped string constant) as int value in return statement'),
    ("go_test_json", 2, "example.com/sums/sub.TestPanic", "sub/sub_test.go", 7,
     "panic: assignment to entry in nil map"),
    ("go_vet", 1, "bad/bad.go:3: vet", "bad/bad.go", 3,
     'cannot use "x" (untyped string constant) as int value in return statement'),
    ("go_vet_findings", 2, "bad/bad.go:7: vet", "bad/bad.go", 7,
     'fmt.Printf format %d has arg "x" of wrong type string'),
    ("go_vet_before_1_22", 58, "b/b.go:3: build", "b/b.go", 3,
     'cannot use "x" (untyped string constant) as int value in return statement'),
    ("shellcheck", 4, "scripts/a.sh:3: SC2086", "scripts/a.sh", 3,
     "Double quote to prevent globbing and word splitting."),
    ("shellcheck_gcc", 4, "scripts/a.sh:3: SC2086", "scripts/a.sh", 3,
     "Double quote to prevent globbing and word splitting."),
    ("cargo_test", 2, "tests::panics", "src/lib.rs", 16, "test did not panic as expected"),
    ("rustc_error", 1, "src/lib.rs:18: E0308", "src/lib.rs", 18, "mismatched types"),
    ("clippy", 3, "src/lib.rs:18: clippy::needless-return", "src/lib.rs", 18,
     "unneeded `return` statement"),
    ("jest", 4, "sum › adds", "t/sum.test.js", 5,  # noqa: RUF001 - jest prints it
     "expect(received).toBe(expected) // Object.is equality"),
    ("vitest", 3, "v/broken.test.mjs", "v/broken.test.mjs", 1,
     "Error: Cannot find module '../src/nothing.js' imported from /workspace/v/broken.test.mjs"),
    ("mocha", 2, "sum > adds", "m/sum.spec.js", 4,
     "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:"),
    ("ava", 6, "a › adds", "a.test.js", 2, "Difference (- actual, + expected): - 2 + 3"),  # noqa: RUF001 - AVA prints it
    ("uvu_colour", 3, "sums > adds", "test/sum.test.js", 4,
     "Expected values to be strictly equal:  (is)"),
    ("bun", 5, "math > deep > adds > up", "t/a.test.ts", 3, "error: expect(received).toBe(expected)"),
    ("node_test_tap", 2, "adds", "n/sum.test.js", 4, "Expected values to be strictly equal:"),
    ("node_test_spec", 2, "adds", "n/sum.test.js", 4,
     "AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:"),
    ("ruff_full", 4, "pkg/bad.py:1: invalid-syntax", "pkg/bad.py", 1,
     "Expected a parameter or the end of the parameter list"),
    ("ruff_format_check", 2, "pkg/bad.py:1: ruff", "pkg/bad.py", 1, "ruff: bad.py can't be parsed"),
    ("ruff_format_diff", 2, "pkg/bad.py:1: ruff", "pkg/bad.py", 1, "ruff: bad.py can't be parsed"),
    ("black_check", 2, "pkg/bad.py: black", "pkg/bad.py", None, "black: bad.py can't be parsed"),
    ("black_diff", 2, "pkg/bad.py: black", "pkg/bad.py", None, "black: bad.py can't be parsed"),
    ("isort_check", 2, "tests/test_calc.py: isort", "tests/test_calc.py", None,
     "isort: test_calc.py has incorrectly sorted or formatted imports"),
    ("flake8", 5, "pkg/bad.py:1: E999", "pkg/bad.py", 1, "SyntaxError: invalid syntax"),
    ("pyflakes", 5, "pkg/(c).py:1: pyflakes", "pkg/(c).py", 1,
     "'from os import *' used; unable to detect undefined names"),
    ("codespell", 1, "pkg/a b.py:5: codespell", "pkg/a b.py", 5, "teh ==> the"),
    ("pydocstyle", 5, "pkg/(c).py:1: D100", "pkg/(c).py", 1, "Missing docstring in public module"),
    ("mypy", 1, "pkg/calc.py:10: return-value", "pkg/calc.py", 10,
     'Incompatible return value type (got "float", expected "str")'),
    ("pyright", 3, "pkg/calc.py:10: reportReturnType", "pkg/calc.py", 10,
     'Type "float" is not assignable to return type "str"'),
    ("eslint", 4, "src/other.js:1: prefer-const", "src/other.js", 1,
     "'unused' is never reassigned. Use 'const' instead"),
    ("biome", 7, "src/a.ts:1: assist/source/organizeImports", "src/a.ts", 1,
     "Sort these imports."),
    ("oxlint", 4, "src/a.ts:1: no-unused-vars", "src/a.ts", 1,
     "Identifier 'resolve' is imported but never used."),
    ("standard", 4, "src/c.js:1: no-multi-spaces", "src/c.js", 1,
     "Multiple spaces found before 'a'."),
    ("prettier_check", 2, "src/other.js: prettier", "src/other.js", None,
     "prettier: other.js is not formatted"),
    ("prettier_list", 2, "src/other.js: listed", "src/other.js", None,
     "listed: other.js is not formatted"),
    ("tsc_pretty", 2, "a.ts:1: TS2322", "a.ts", 1,
     "Type 'string' is not assignable to type 'number'."),
    ("gofmt_list", 1, "sums.go: gofmt", "sums.go", None, "gofmt: sums.go is not formatted"),
    ("rustfmt_check", 1, "src/lib.rs: rustfmt", "src/lib.rs", None,
     "rustfmt: lib.rs is not formatted"),
    ("nextest", 2, "tests::errs", None, None, '"no numbers"'),
    ("rspec", 2, "Sum explodes", "spec/sum_spec.rb", 10, "ArgumentError: no numbers"),
    ("rspec_documentation", 2, "Sum explodes", "spec/sum_spec.rb", 10, "ArgumentError: no numbers"),
    ("rspec_load_error", 1, "spec/broken_spec.rb", "spec/broken_spec.rb", 1,
     "LoadError: cannot load such file -- nothing/at/all"),
    ("phpunit", 3, "SumTest::testExplodes", "tests/SumTest.php", 9,
     "InvalidArgumentException: no numbers"),
    ("phpunit_testdox", 3, "Sum: Adds", "tests/SumTest.php", 6,
     "Failed asserting that -1 is identical to 3."),
    ("minitest", 3, "Calc spec#test_0001_adds things", "test/calc_test.rb", 13, "Expected: 2"),
    ("gradle", 2, "SumTest::adds()", None, 12,
     "org.opentest4j.AssertionFailedError: expected: <3> but was: <-1>"),
    ("maven", 2, "org.example.SumTest::explodes", None, None,
     "java.lang.IllegalArgumentException: no numbers"),
    ("maven_compile", 1, "src/test/java/org/example/SumTest.java:10: compiler",
     "src/test/java/org/example/SumTest.java", 10, "cannot find symbol"),
    ("ctest", 3, "doubles", None, None, "error: expected 8, got 6"),
    ("meson", 2, "sums:doubles", None, None, "doubles.c:2: error: expected 8, got 7"),
    ("precommit", 3, "pre-commit: trailing", None, None, "it modified files"),
    ("make_python_script", 1, "the command", "tools/gen.py", 3,
     ("json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: "
     "line 1 column 2 (char 1)")),
]  # fmt: skip

COUNTS = {
    "uvu_colour": TestCounts(passed=1, failed=3, skipped=1),
    "bun": TestCounts(passed=1, failed=5, skipped=2),
    "meson": TestCounts(passed=1, failed=2, skipped=1),
    "ctest": TestCounts(passed=1, failed=3, skipped=1),
    "rspec": TestCounts(passed=1, failed=2, skipped=2),
    "rspec_load_error": TestCounts(passed=0, failed=1, skipped=0),
    "minitest": TestCounts(passed=1, failed=3, skipped=1),
    "gradle": TestCounts(passed=1, failed=2, skipped=1),
    "phpunit": TestCounts(passed=2, failed=3, skipped=1),
    "phpunit_testdox": TestCounts(passed=2, failed=3, skipped=1),
    "maven": TestCounts(passed=1, failed=2, skipped=1),
}

NAMED: dict[str, tuple[set[str], set[str]]] = {
    "vitest_files": ({"test/a.test.ts", "test/b.test.ts", "ok"}, set()),
    "gradle": ({"SumTest::zero()"}, set()),
}


def read(name: str) -> Reading:
    output = (OUTPUTS / f"{name}.txt").read_text(encoding="utf-8")
    return registry.read(output, command="the command")


@pytest.mark.parametrize(("name", "number", "test", "file", "line", "message"), FIRST)
def test_first_failure_is_the_first_real_error(
    name: str, number: int, test: str, file: str | None, line: int | None, message: str
) -> None:
    """Every known tool's output gives its failures in order, the first one placed and explained."""
    found = read(name).failing
    first = found[0]
    assert (len(found), first.test, first.file, first.line, first.message) == (
        number, test, file, line, message
    )  # fmt: skip


def test_vitest_names_projects_in_front_of_files() -> None:
    """As a coloured badge, of which spaces are left, or between bars; they are no part of a name."""
    said = """\
 RUN  v3.2.4 /workspace

 ✓  0  a/x.test.ts (3 tests) 12ms
 ✓ |web| a/z.test.ts > sum > adds 3ms
 ✓  chromium (browser)  a/q.test.ts > sum > adds  twice 3ms
 FAIL  0  b/a.test.tsx [ b/a.test.tsx ]
Error: Cannot find module './c'
 FAIL  b/b.test.ts > sum > adds  two
AssertionError: expected 1 to be 2

 Test Files  2 failed | 3 passed (5)
      Tests  1 failed | 5 passed (6)
"""
    seen = registry.read(said)
    assert [failure.test for failure in seen.failing] == [
        "b/a.test.tsx",
        "b/b.test.ts > sum > adds  two",
    ]
    assert seen.passed == {
        "a/x.test.ts",
        "a/z.test.ts > sum > adds",
        "a/q.test.ts > sum > adds  twice",
    }


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name: str) -> None:
    """Runners that count their tests are believed."""
    assert read(name).counts == COUNTS[name]


@pytest.mark.parametrize("name", NAMED)
def test_passed_and_skipped_tests_are_named(name: str) -> None:
    """Runners that name passing and skipped tests give their ids."""
    passed, skipped = NAMED[name]
    assert (set(read(name).passed), set(read(name).skipped)) == (passed, skipped)


@pytest.mark.parametrize("path", sorted(OUTPUTS.glob("*.txt")), ids=lambda path: path.stem)
def test_what_a_tool_reports_is_no_test(path: Path) -> None:
    """Whatever a compiler, linter or formatter says has an id that is told from a test's."""
    found = registry.reported(path.read_text(encoding="utf-8"))
    assert [each.test for each in found if names_test(each.test)] == []


@pytest.mark.parametrize(
    ("output", "id_", "place"),
    [
        ("would reformat bin/run\n", "./bin/run: black", ("bin/run", "black")),
        ("Would reformat: run\n", "./run: ruff-format", ("run", "ruff-format")),
        ("Would reformat: a b.py\n", "a b.py: ruff-format", ("a b.py", "ruff-format")),
        ("--- a/Dockerfile\n+++ b/Dockerfile\n@@ -1 +1 @@\n-a\n+b\n", "./Dockerfile: diff", ("Dockerfile", "diff")),
        ("--- .github/CODEOWNERS.orig\n+++ .github/CODEOWNERS\n@@ -1 +1 @@\n-a\n+b\n", "./.github/CODEOWNERS: diff", (".github/CODEOWNERS", "diff")),
        ("Dockerfile:2 DL3003 warning: Use WORKDIR\n", "Dockerfile:2: DL3003", ("Dockerfile", "DL3003")),
    ],
)  # fmt: skip
def test_a_file_without_a_suffix_is_no_test(output: str, id_: str, place: tuple[str, str]) -> None:
    """As a whole or at a line: hadolint, and those that name only the file."""
    (seen,) = registry.read(output).failing
    assert (seen.test, place_of(seen.test), names_test(seen.test)) == (id_, place, False)


def test_every_output_is_checked() -> None:
    """No payload lies around untested."""
    tested = {row[0] for row in FIRST} | COUNTS.keys() | NAMED.keys()
    assert {path.stem for path in OUTPUTS.glob("*.txt")} == tested


def test_a_command_that_passed_has_no_failures() -> None:
    """Words like `error` in the output of a command that passed mean nothing."""
    assert registry.read("a.py:1: error: no\n", failed=False).failing == ()


def test_silence_is_a_failure_too() -> None:
    """A command that fails without a word still gives one failure, named after it."""
    [found] = registry.read("", command="make check").failing
    assert (found.test, found.message) == ("make check", "It printed nothing.")


def test_output_of_tests_is_not_taken_for_a_linters() -> None:
    """What looks like a linter's line inside a failing test's output is no failure of its own."""
    output = (OUTPUTS / "pytest_quiet.txt").read_text(encoding="utf-8")
    assert (
        registry.read(f"pkg/x.py:1:1: F401 unused\n{output}").failing
        == read("pytest_quiet").failing
    )


def test_nodes_own_runner_without_a_summary() -> None:
    """It was ended before; what failed until then is known all the same."""
    text = (
        "▶ sums\n  ✔ adds (1.911966ms)\n  ✖ subtracts (2.104481ms)\n    AssertionError: 1 == 2\n"
        "      at TestContext.<anonymous> (/workspace/test/a.js:3:4)\n\n✔ later (0.263801ms)\n"
    )
    found = registry.read(text)
    [failing] = found.failing
    assert (failing.test, failing.message) == ("sums > subtracts", "AssertionError: 1 == 2")
    assert found.passed == {"sums > adds", "later"}
    assert found.counts == TestCounts(2, 1, 0)


def test_jest_without_a_summary() -> None:
    """The same: it tells of each file when that is over."""
    text = "PASS src/b.test.js\nFAIL src/a.test.js (5.2 s)\n  ● sum › adds\n\n    Expected: 2\n\n"  # noqa: RUF001
    [failing] = registry.read(text).failing
    assert (failing.test, failing.file) == ("sum › adds", "src/a.test.js")  # noqa: RUF001


def test_old_pytest_without_summary() -> None:
    """Without the short summary the tracebacks name what failed."""
    output = (OUTPUTS / "pytest_quiet.txt").read_text(encoding="utf-8")
    without = output[: output.index("=========================== short test summary")]
    assert [found.test for found in registry.read(without).failing][:3] == [
        "tests.test_calc::test_setup",
        "tests.test_calc::test_add",
        "tests.test_calc::test_param[x::y/z]",
    ]


def test_broken_conftest() -> None:
    """A conftest that can't be imported is placed where it breaks."""
    output = (
        "ImportError while loading conftest '/workspace/tests/conftest.py'.\n"
        "tests/conftest.py:3: in <module>\n    import nothing\n"
        "E   ModuleNotFoundError: No module named 'nothing'\n"
    )
    [found] = registry.read(output).failing
    assert (found.test, found.file, found.line) == ("conftest", "tests/conftest.py", 3)
    assert found.message == "ModuleNotFoundError: No module named 'nothing'"


def test_plain_drops_what_terminals_interpret() -> None:
    """Colours, titles and overwritten progress disappear; text stays."""
    assert console.plain("\x1b[1;31mred\x1b[0m\x1b]0;title\x07 10%\r 20%\rdone\r\n") == "done\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    [
        "a:1:",
        "  1) x\n",
        "(" * 50,
        pytest.param("error: a\n --> b:1:2\n", marks=pytest.mark.exhaustive),
        "FAIL: a (b)\n" + "=" * 70 + "\n",
        pytest.param(" FAIL  x\n", marks=pytest.mark.exhaustive),
        pytest.param("  ● x\n", marks=pytest.mark.exhaustive),
        "--- FAIL: a/b (0.0s)\n",
        "FAILED a[b] - c]\n",
    ],
)
def test_hostile_output_is_read_in_linear_time(piece: str) -> None:
    """Output made to confuse the patterns costs no more than twice as much when twice as long."""
    marks = "Test Suites: 1 x\nTAP version 13\n RUN  v1\n  1 passing (1ms)\nFAIL\tx\n"

    def seconds(size: int) -> float:
        output, took = marks + piece * (size // len(piece)), []
        for _ in range(3):  # the quickest is the least disturbed by whatever else goes on
            started = time.process_time()
            registry.read(output, command="c")
            took.append(time.process_time() - started)
        return min(took)

    assert seconds(2**18) < 8 * seconds(2**16) + 0.2


def test_tap_names_without_times() -> None:
    """They differ from run to run; a parent that fails through its children is found by its name."""
    text = (
        "TAP version 13\n# Subtest: test/a.js\n    # Subtest: adds\n"
        "        not ok 1 - one # time=1.5ms\n        1..1\n    not ok 1 - adds # time=12.2ms\n"
        "    ok 2 - good # time=3ms\n    1..2\nnot ok 1 - test/a.js # time=484.798ms\n1..1\n"
    )
    reading = tap.parse(text)
    assert reading is not None
    assert [failure.test for failure in reading.failing] == ["test/a.js > adds > one"]
    assert reading.passed == {"test/a.js > good"}


HUNG = """\
.FTimeout (0:01:45)!
Thread 0x00007f051309eb80 (most recent call first):
  File "/workspace/app.py", line 3 in spin
  File "/workspace/tests/test_h.py", line 7 in test_hangs
  File "/home/fixpoint/.venv/lib/python3.11/site-packages/_pytest/python.py", line 166 in pytest_pyfunc_call

=================================== FAILURES ===================================
___________________________________ test_bad ___________________________________

>   def test_bad(): assert 0
E   assert 0

tests/test_h.py:5: AssertionError
=========================== short test summary info ============================
FAILED tests/test_h.py::test_bad - assert 0
"""
STOPPED = """\
!!!!!!!!!!!!!!!!!!!!!!!!!!!!!! KeyboardInterrupt !!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!
/workspace/app.py:3: KeyboardInterrupt
"""
CRASHED = """\
tests/test_h.py ..Fatal Python error: Segmentation fault

Current thread 0x00007f4a0 (most recent call first):
  File "/workspace/app.py", line 9 in free
  File "/workspace/tests/test_h.py", line 4 in test_frees
"""
BROKE = """\
INTERNALERROR> Traceback (most recent call last):
INTERNALERROR>   File "/home/fixpoint/.venv/lib/python3.11/site-packages/_pytest/main.py", line 1 in run
INTERNALERROR>   File "/workspace/tests/test_h.py", line 11, in test_deep
INTERNALERROR> RecursionError: maximum recursion depth exceeded
"""
VERBOSE = """============================= test session starts ==============================
tests/test_h.py::test_fine PASSED                                        [ 25%]
tests/test_h.py::test_bad[a b] FAILED                                    [ 50%]
tests/test_h.py::TestInts::test_pollutes """
BROKE_ELSEWHERE = "\nINTERNALERROR> Traceback (most recent call last):\nINTERNALERROR> TypeError: isinstance() arg 2 must be a type\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            VERBOSE + BROKE_ELSEWHERE,
            {
                "tests.test_h::test_bad[a b]": "",
                "tests.test_h.TestInts::test_pollutes": "pytest itself failed: TypeError: "
                "isinstance() arg 2 must be a type",
            },
        ),
        (
            VERBOSE,
            {
                "tests.test_h::test_bad[a b]": "",
                "tests.test_h.TestInts::test_pollutes": job_target.ENDED_IN_TEST,
            },
        ),
        (
            HUNG + STOPPED,
            {
                "tests.test_h::test_bad": "assert 0",
                "tests.test_h::test_hangs": "The test was still running when its time was up.",
            },
        ),
        (HUNG + "1 failed, 2 passed in 300.00s\n", {"tests.test_h::test_bad": "assert 0"}),
        (CRASHED, {"tests.test_h::test_frees": "Fatal Python error: Segmentation fault"}),
        (
            BROKE,
            {
                "tests.test_h::test_deep": "pytest itself failed: RecursionError: maximum recursion depth exceeded"
            },
        ),
    ],
    ids=["broke elsewhere", "ended elsewhere", "hung", "slow", "crashed", "broke pytest"],
)
def test_a_test_that_comes_to_no_end(text: str, expected: dict[str, str]) -> None:
    """The stack says which one it is, whatever took pytest with it."""
    assert {failure.test: failure.message for failure in registry.read(text).failing} == expected


SIDE_BY_SIDE = {
    "turbo": ("   • Packages in scope: @w/a, @w/b\n", "@w/a:test: ", "@w/b:test: "),
    "pnpm": ("Scope: 2 of 3 workspace projects\n", "packages/a test: ", "packages/b test: "),
    "lerna": ("lerna notice cli v8.2.4\n", "@w/a: ", "@w/b: "),
    "yarn": ("[@w/a]: Process started\n[@w/b]: Process started\n", "[@w/a]: ", "[@w/b]: "),
    "concurrently": ("[1] npm test -w b exited with code 0\n", "[0] ", "[1] "),
    "docker build": ("#9 [test 4/4] RUN npm test\n", "#9 0.412 ", "#10 0.387 "),
    "docker compose": ("Attaching to a-1, b-1\n", "a-1  | ", "b-1  | "),
}


@pytest.mark.parametrize("runner", SIDE_BY_SIDE)
def test_packages_that_are_tested_side_by_side(runner: str) -> None:
    """What fails in one is read as from it alone, though another prints in between."""
    head, a, b = SIDE_BY_SIDE[runner]
    output = (
        f"{head}{b}TAP version 13\n{a}TAP version 13\n{a}# Subtest: adds\n{b}# Subtest: fine\n"
        f"{a}not ok 1 - adds\n{a}  ---\n{b}ok 1 - fine\n{a}  location: '/workspace/a/x.test.js:2:1'\n"
        f"{a}  error: '2 == 3'\n{a}  ...\n{b}1..1\n{a}1..1\n"
    )
    seen = registry.read(output)
    assert [
        (failure.test, failure.message, failure.file, failure.line) for failure in seen.failing
    ] == [("adds", "2 == 3", "a/x.test.js", 2)]
    assert seen.passed == {"fine"}


SUREFIRE = {
    "2.12": ("adds(org.example.SumTest)  Time elapsed: 0.006 sec  <<< FAILURE!", "org.example.SumTest::adds"),
    "2.22": ("[ERROR] adds(org.example.SumTest)  Time elapsed: 0.006 s  <<< ERROR!", "org.example.SumTest::adds"),
    "2.22, parameters": (
        "[ERROR] adds(int, int)[1](org.example.SumTest)  Time elapsed: 1,002.5 s  <<< FAILURE!",
        "org.example.SumTest::adds(int, int)[1]",
    ),
    "set-up": ("org.example.SumTest  Time elapsed: 0.001 sec  <<< ERROR!", "org.example.SumTest"),
    "3.2, inside": (
        "[ERROR] org.example.SumTest$Inner.deep -- Time elapsed: 0.02 s <<< FAILURE!",
        "org.example.SumTest$Inner::deep",
    ),
    "3.2, a sentence": (
        "[ERROR] org.example.SumTest.adds 1.5 to 2 -- Time elapsed: 0.02 s <<< FAILURE!",
        "org.example.SumTest::adds 1.5 to 2",
    ),
}  # fmt: skip


@pytest.mark.parametrize("form", SUREFIRE)
def test_surefire_of_all_ages(form: str) -> None:
    """Versions that can't be run beside the others: how they print a test is documented here."""
    line, expected = SUREFIRE[form]
    reading = registry.read(
        f"{line}\njava.lang.AssertionError: expected:<5> but was:<6>\n\tat a.B.c(B.java:1)\n\n\n"
        "Results :\n\nTests run: 2, Failures: 1, Errors: 0, Skipped: 0\n\n[INFO] BUILD FAILURE\n"
    )
    assert [(each.test, each.message) for each in reading.failing] == [
        (expected, "java.lang.AssertionError: expected:<5> but was:<6>")
    ]
    assert reading.counts == TestCounts(passed=1, failed=1, skipped=0)


@pytest.mark.parametrize(
    "text",
    [
        "pkg/a b.py:\n  1:8 F401 [*] `os` imported but unused\n  2:5  F821 Undefined name `x`\n\nFound 2 errors.\n",
        "./pkg/a b.py:1: [F401] 'os' imported but unused\npkg/a b.py:2: [F821] undefined name 'x'\n",
        "pkg/a b.py:1:8: F401 'os' imported but unused\npkg/a b.py:2:5: F821 undefined name 'x'\n",
    ],
    ids=["grouped", "as pylint", "default"],
)
def test_a_linters_forms_name_the_same_places(text: str) -> None:
    """Ruff and flake8 print the same findings in several ways."""
    seen = [each.test for each in registry.read(text).failing]
    assert seen == ["pkg/a b.py:1: F401", "pkg/a b.py:2: F821"]


# what a tool prints that can't be run beside the others, and what is read: test, file, line, message
PRINTED = {
    "mypy, a module twice": (
        'pkg/a.py: error: Duplicate module named "a" (also at "old/a.py")\n',
        [("pkg/a.py: error", "pkg/a.py", None, 'Duplicate module named "a" (also at "old/a.py")')],
    ),
    "gofmt before Go 1.17": (
        "diff -u cmd/main.go.orig cmd/main.go\n--- cmd/main.go.orig\n+++ cmd/main.go\n@@ -1 +1 @@\n-a\n+b\n",
        [("cmd/main.go: gofmt", "cmd/main.go", None, "gofmt: main.go is not formatted")],
    ),
    "surefire, a crash": (
        "[ERROR] Crashed tests:\n[ERROR] org.example.SumTest\n[INFO] BUILD FAILURE\n",
        [("org.example.SumTest", None, None, job_target.ENDED_IN_TEST)],
    ),
    "biome that counts warnings": (
        (
            "src/a.ts:1:8 lint/style/useConst ━━━━━━━━━━\n\n  ! This let is never reassigned.\n\n"
            "  ✖ Some warnings were emitted while running checks.\n"
        ),
        [("src/a.ts:1: lint/style/useConst", "src/a.ts", 1, "This let is never reassigned.")],
    ),
    "xo": (
        "\n  src/a.js:3:5\n  ✖  3:5  Unexpected var, use let or const instead.  no-var\n\n  1 error\n",
        [("src/a.js:3: no-var", "src/a.js", 3, "Unexpected var, use let or const instead.")],
    ),
}


@pytest.mark.parametrize("form", PRINTED)
def test_what_other_versions_print(form: str) -> None:
    """Forms of tools as their authors document them."""
    text, expected = PRINTED[form]
    assert [
        (each.test, each.file, each.line, each.message) for each in registry.read(text).failing
    ] == expected


def test_a_green_phpunit_counts() -> None:
    """Without a failure it prints one line."""
    reading = registry.read(
        "PHPUnit 10.5.1 by Sebastian Bergmann and contributors.\n\n...\n\nOK (3 tests, 5 assertions)\n"
    )
    assert reading.counts == TestCounts(passed=3, failed=0, skipped=0)


_VET = "{place}: fmt.Printf format %d has arg x of wrong type string"


@pytest.mark.parametrize(
    ("output", "ids"),
    [
        ("# example.com/a\n# [example.com/a]\n" + _VET.format(place="./a.go:7:2") + "\n", {"a.go:7: vet"}),
        ("# [example.com/a]\n" + _VET.format(place="pkg/a.go:7:2") + "\nmake: *** [Makefile:2: vet] Error 1\n", {"pkg/a.go:7: vet"}),
        ("vet: ./a.go:3:9: undefined: x\n", {"a.go:3: vet"}),
        ("# example.com/a\n./b.go:2:5: undefined: y\n# example.com/c\n# [example.com/c]\n" + _VET.format(place="c/c.go:4:2") + "\n", {"b.go:2: build", "c/c.go:4: vet"}),
        ("# example.com/a\n# [example.com/a]\n" + _VET.format(place="./a.go:7") + "\nFAIL\texample.com/a [build failed]\nFAIL\n", {"a.go:7: vet"}),
        ("# example.com/a [example.com/a.test]\n# [example.com/a [example.com/a.test]]\n" + _VET.format(place="./a_test.go:7:2") + "\n\tmore\n./b.go:9:2: unreachable code\n", {"a_test.go:7: vet", "b.go:9: vet"}),
        ("a.go:7:2: printf: fmt.Printf format %d (govet)\n\tfmt.Printf()\n\t^\n1 issues:\n* govet: 1\n", {"a.go:7: govet"}),
    ],
)  # fmt: skip
def test_what_vet_finds_is_not_the_builds(output: str, ids: set[str]) -> None:
    """Alone, behind make, among tests, beside what does not compile, through golangci-lint."""
    assert {each.test for each in registry.read(output, command="make vet").failing} == ids


def test_what_vet_found_before_go_1_22_is_not_the_builds() -> None:
    """Its heading is the compiler's there, so that its words tell: all of 1.19's that text can."""
    output = (OUTPUTS / "go_vet_before_1_22.txt").read_text(encoding="utf-8")
    compiled = {each.test for each in registry.read(output).failing if each.test.endswith("build")}
    assert compiled == {"b/b.go:3: build"}


@pytest.mark.parametrize(
    ("output", "id_"),
    [
        ("\nIn a.sh line 3:\nrm $x\n   ^-- SC2086 (info): Double quote to prevent globbing and word splitting.\n", "a.sh:3: SC2086"),
        ("\nIn ci/b c.sh line 12:\ncd $1\n^---^ SC2164 (warning): Use 'cd ... || exit' in case cd fails.\n\nFor more information:\n  https://www.shellcheck.net/wiki/SC2164\n", "ci/b c.sh:12: SC2164"),
        ("a.sh:3:4: note: Double quote to prevent globbing. [SC2086]\n", "a.sh:3: SC2086"),
        ("./bin/x:9:1: warning: Use 'cd ... || exit' in case cd fails. [SC2164]\nmake: *** [lint] Error 1\n", "bin/x:9: SC2164"),
        ("a.sh:1:1: error: Tips depend on target shell and yours is unknown. [SC2148]\n", "a.sh:1: SC2148"),
        ("\nIn a.sh line 3:\nrm $x\n   ^-- SC2086: Double quote to prevent globbing and word splitting.\n", "a.sh:3: SC2086"),
        ('[{"file":"a.sh","line":3,"endLine":3,"column":4,"endColumn":6,"level":"info","code":2086,"message":"Double quote","fix":null}]\n', "a.sh:3: SC2086"),
        ('{"comments":[{"file":"a.sh","line":3,"endLine":3,"column":4,"endColumn":6,"level":"info","code":2086,"message":"Double quote","fix":null}]}\n', "a.sh:3: SC2086"),
        ("<checkstyle version='4.3'>\n<file name='it&#39;s a.sh' >\n<error line='3' column='4' severity='info' message='Double quote' source='ShellCheck.SC2086' />\n</file>\n</checkstyle>\n", "it's a.sh:3: SC2086"),
        (".github/workflows/ci.yml:9:9: shellcheck reported issue in this script: SC2086:info:1:6: Double quote [shellcheck]\n", ".github/workflows/ci.yml:9: shellcheck"),
    ],
)  # fmt: skip
def test_what_shellcheck_finds_has_its_name(output: str, id_: str) -> None:
    """In each of its formats, of old versions, behind make and behind actionlint."""
    [failure] = registry.read(output, command="make lint").failing
    assert failure.test == id_
