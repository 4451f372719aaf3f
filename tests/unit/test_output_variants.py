"""Outputs that were hard to read once, each in five further forms of the same kind."""
# ruff: noqa: RUF001 - as tools print

from __future__ import annotations

import json

import pytest

from bot.ci.failures import registry


def events(*tests: tuple[str, str], package: str = "x.org/shop") -> str:
    """Return what `go test -json` prints of tests and what they came to."""
    lines = []
    for name, action in tests:
        said = f"    a_test.go:7: in {name}\n" if action == "fail" else ""
        base = {"Package": package, "Test": name}
        lines += [{**base, "Action": "run"}, {**base, "Action": "output", "Output": said}]
        lines += [{**base, "Action": action}]
    end = "fail" if any(action == "fail" for _, action in tests) else "pass"
    return "".join(
        f"{json.dumps(event, separators=(',', ':'))}\n"
        for event in [*lines, {"Package": package, "Action": end}]
    )


GO = events(("TestA", "pass"), ("TestB/10:30", "fail"), ("TestB", "fail"))
JSON = {
    "echo and a failing recipe": f"go test -json ./...\n{GO}make[1]: *** [test] Error 1\nmake: *** [all] Error 2\n",
    "packages that are left out": f"go: downloading x.org/y v1.0.0\n{GO}?   \tx.org/shop/cmd\t[no test files]\n",
    "a tool between two packages": f"{events(('TestZ', 'pass'), package='x.org/b')}mockgen: done\n{GO}",
    "what a child process prints": GO.replace("\n", "\n2026/01/02 server up {}\n", 4),
    "carriage returns and colours": "\x1b[1m$ go test -json\x1b[0m\n" + GO.replace("\n", "\r\n") + "##[error]Process completed with exit code 1.\n",
}  # fmt: skip

UNFINISHED = {
    "go": ("=== RUN   TestA\n50%--- FAIL: TestA (0.01s)\n    a_test.go:3: no\nFAIL\nFAIL\tx.org/s\t0.01s\n", "x.org/s.TestA"),
    "go, a subtest": ('=== RUN   TestA\n=== RUN   TestA/b\n{"n": 1}--- FAIL: TestA (0.01s)\n    --- FAIL: TestA/b (0.00s)\n        a_test.go:3: no\nFAIL\nFAIL\tx.org/s\t0.01s\n', "x.org/s.TestA/b"),
    "unittest": ("test_a (t.T.test_a) ... loading...FAIL\n\n======================================================================\nFAIL: test_a (t.T.test_a)\n----------------------------------------------------------------------\nTraceback (most recent call last):\nAssertionError: 1 != 2\n\n----------------------------------------------------------------------\nRan 1 test in 0.001s\n\nFAILED (failures=1)\n", "t.T.test_a"),
    "TAP": ("TAP version 13\n# Subtest: adds\nwaiting...not ok 1 - adds\n  ---\n  error: '2 == 3'\n  ...\n1..1\n", "adds"),
    "jest": ("done.FAIL test/a.test.js\n  ● adds\n\n    no\n\nTest Suites: 1 failed, 1 total\nTests:       1 failed, 1 total\n", "adds"),
}  # fmt: skip


def nextest(*lines: str, end: str) -> str:
    rule = "────────────\n"
    return f"{rule}    Starting 3 tests across 1 binary\n" + "\n".join(lines) + f"\n{rule}     Summary [   0.020s] {end}\n"  # fmt: skip


TRY = {
    "three tries": nextest("  TRY 1 FAIL [   0.005s] shop t::a", "  TRY 2 FAIL [   0.005s] shop t::a", "  TRY 3 FAIL [   0.005s] shop t::a", end="1 test run: 0 passed, 1 failed, 2 skipped"),
    "a signal": nextest("  TRY 1 FAIL [   0.005s] (─/2) shop t::a", " TRY 2 SIGABRT [   0.005s] (2/2) shop t::a", end="2 tests run: 1 passed, 1 failed, 0 skipped"),
    "too late": nextest("   TRY 1 TMT [   2.005s] (─/2) shop t::a", "   TRY 2 TMT [   2.005s] (2/2) shop t::a", end="2 tests run: 1 passed, 1 timed out, 0 skipped"),
    "another passes at last": nextest("  TRY 1 FAIL [   0.005s] shop::it b", "  TRY 2 PASS [   0.005s] shop::it b", "  TRY 1 FAIL [   0.005s] shop t::a", "  TRY 2 FAIL [   0.005s] shop t::a", end="2 tests run: 1 passed (1 flaky), 1 failed, 0 skipped"),
    "with what it printed": nextest("  TRY 1 FAIL [   0.005s] shop t::a", "  stderr ───", "", "    thread 't::a' (7) panicked at src/lib.rs:2:9:", "    no", "", "  TRY 2 FAIL [   0.005s] shop t::a", end="1 test run: 0 passed, 1 failed, 0 skipped"),
}  # fmt: skip


def unhandled(kind: str, *account: str, count: str = "2 passed (2)") -> str:
    rule = "⎯⎯⎯⎯⎯⎯"
    told = "\n".join(account)
    return f" RUN  v3.2.4 /workspace\n\n ✓ src/a.test.ts (2 tests) 4ms\n\n{rule} {kind} {rule}\n{told}\n{rule}{rule}\n\n Test Files  1 passed (1)\n      Tests  {count}\n     Errors  1 error\n"  # fmt: skip


ORIGIN = 'This error originated in "{}" test file. It doesn\'t mean the error was thrown inside the file itself, but while it was running.'
UNHANDLED = {
    "rejection": (unhandled("Unhandled Rejection", "Error: nobody waits", " ❯ src/b.ts:3:4", "", ORIGIN.format("src/a.test.ts")), "src/a.test.ts", "Error: nobody waits"),
    "exception": (unhandled("Uncaught Exception", "RangeError: too far", " ❯ src/b.ts:3:4", ORIGIN.format("src/deep/a.spec.tsx")), "src/deep/a.spec.tsx", "RangeError: too far"),
    "a text": (unhandled("Unhandled Rejection", "Unknown Error: gone", ORIGIN.format("src/a.test.ts")), "src/a.test.ts", "Unknown Error: gone"),
    "no origin": (unhandled("Unhandled Error", "Error: connect ECONNREFUSED"), "Unhandled Error", "Error: connect ECONNREFUSED"),
    "none of a thousand passes it by": (unhandled("Unhandled Error", "TypeError: x is not a function", " ❯ src/b.ts:3:4", ORIGIN.format("a b/c.test.mts"), count="1000 passed (1000)"), "a b/c.test.mts", "TypeError: x is not a function"),
}  # fmt: skip


def jest(*printed: str) -> str:
    said = "\n\n".join(printed)
    return f"PASS test/b.test.js\n{said}\n\nFAIL test/a.test.js\n{said}\n\n  ● sum › adds\n\n    no\n\n      at Object.<anonymous> (test/a.test.js:3:4)\n\nTest Suites: 1 failed, 1 passed, 2 total\nTests:       1 failed, 1 passed, 2 total\n"  # fmt: skip


CONSOLE = {
    "an error": jest("  ● Console\n\n    console.error\n      Error: only told\n          at log (src/a.js:1:2)\n\n      at Object.log (test/a.test.js:1:1)"),
    "a bullet": jest("  ● Console\n\n    console.log\n        ● fake › test\n\n      at log (src/a.js:1:2)"),
    "several": jest("  ● Console\n\n    console.warn\n      a\n\n    console.info\n      FAIL x\n\n      at log (src/a.js:1:2)"),
    "with a group": jest("  ● Console\n\n    console.group\n      Tests: 9 failed\n\n      at log (src/a.js:1:2)"),
    "an old place": jest("  ● Console\n\n    console.log src/a.js:3\n      half"),
}  # fmt: skip


def surefire(line: str, end: str = "Tests run: 2, Failures: 1, Errors: 0, Skipped: 0") -> str:
    return f"-------------------------------------------------------\n T E S T S\n-------------------------------------------------------\nRunning org.x.SumTest\n{line}\njava.lang.AssertionError: no\n\tat org.x.SumTest.adds(SumTest.java:12)\n\n\nResults :\n\n{end}\n\n"  # fmt: skip


SUREFIRE = {
    "2.12": surefire("adds(org.x.SumTest)  Time elapsed: 0.006 sec  <<< FAILURE!"),
    "2.18, long": surefire("adds(org.x.SumTest)  Time elapsed: 1,206.1 sec  <<< ERROR!"),
    "2.20": surefire("[ERROR] adds(org.x.SumTest)  Time elapsed: 0.006 s  <<< FAILURE!", "[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0"),
    "3.0": surefire("[ERROR] org.x.SumTest.adds  Time elapsed: 0.006 s  <<< FAILURE!", "[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0"),
    "3.5": surefire("[ERROR] org.x.SumTest.adds -- Time elapsed: 0.006 s <<< FAILURE!", "[ERROR] Tests run: 2, Failures: 1, Errors: 0, Skipped: 0"),
}  # fmt: skip


def spec(*tree: str, fails: str = "") -> str:
    lines = "\n".join(tree)
    return f"{lines}\nℹ tests 3\nℹ suites 0\nℹ pass 1\nℹ fail {int(bool(fails))}\nℹ cancelled 0\nℹ skipped 0\nℹ todo 1\nℹ duration_ms 5.2\n{fails}"  # fmt: skip


FAILS = "\n✖ failing tests:\n\ntest at test/a.js:3:1\n✖ wrong (0.2ms)\n  Error: no\n"
TODO = {
    "alone": (spec("✔ good (0.5ms)", "⚠ known (0.4ms) # TODO", "✖ wrong (0.2ms)", fails=FAILS), ["wrong"]),
    "with a reason": (spec("✔ good (0.5ms)", "✖ known (0.4ms) # later: #12", "✖ wrong (0.2ms)", fails=FAILS), ["wrong"]),
    "inside": (spec("▶ price", "  ✖ known (0.4ms) # TODO", "  ✔ good (0.5ms)", "✔ price (1.2ms)"), []),
    "listed as failing, too": (spec("✖ known (0.4ms) # TODO", "✖ wrong (0.2ms)", fails=f"{FAILS}\ntest at test/a.js:9:1\n✖ known (0.4ms) # TODO\n  Error: not yet\n"), ["wrong"]),
    "in TAP": ("TAP version 13\nnot ok 1 - known # TODO soon\n  ---\n  error: 'not yet'\n  ...\nnot ok 2 - wrong\n  ---\n  error: 'no'\n  ...\nok 3 - good\n1..3\n# pass 1\n# fail 1\n# skipped 0\n# todo 1\n", ["wrong"]),
}  # fmt: skip


def failing(text: str) -> list[str]:
    return [each.test for each in registry.read(text, command="the command").failing]


@pytest.mark.parametrize("form", JSON)
def test_events_behind_other_lines(form: str) -> None:
    """`go test -json` behind make and beside whatever else prints."""
    assert failing(JSON[form]) == ["x.org/shop.TestB/10:30"]


@pytest.mark.parametrize("form", UNFINISHED)
def test_results_behind_text_without_a_newline(form: str) -> None:
    """What a test prints last stands in front of its result."""
    text, test = UNFINISHED[form]
    assert failing(text) == [test]


@pytest.mark.parametrize("form", TRY)
def test_tests_that_are_tried_again(form: str) -> None:
    """Nextest numbers its tries; a test fails if its last one does."""
    assert failing(TRY[form]) == ["t::a"]


@pytest.mark.parametrize("form", UNHANDLED)
def test_errors_that_no_test_caught(form: str) -> None:
    """Vitest fails though every test passes, and says in which file that was."""
    text, test, message = UNHANDLED[form]
    [found] = registry.read(text).failing
    assert (found.test, found.message) == (test, message)


@pytest.mark.parametrize("form", CONSOLE)
def test_what_tests_print_is_no_test(form: str) -> None:
    """Jest shows it below a bullet, as it does failing tests."""
    assert failing(CONSOLE[form]) == ["sum › adds"]


@pytest.mark.parametrize("form", SUREFIRE)
def test_forms_of_surefire(form: str) -> None:
    """Each generation of it writes a failing test's line in another way."""
    [found] = registry.read(SUREFIRE[form]).failing
    assert (found.test, found.message) == ("org.x.SumTest::adds", "java.lang.AssertionError: no")


@pytest.mark.parametrize("form", TODO)
def test_a_todo_that_fails_is_no_failure(form: str) -> None:
    """node:test counts it apart, however it is shown."""
    text, tests = TODO[form]
    seen = registry.read(text, failed=bool(tests))
    assert [each.test for each in seen.failing] == tests
    assert "known" in {name.rpartition(" > ")[2] for name in seen.skipped}


HOOK = {
    "spec": ("""\
▶ hook
  ✖ never
▶ hook (0.168211ms)
ℹ tests 1
ℹ suites 1
ℹ pass 0
ℹ fail 0
ℹ cancelled 1
ℹ skipped 0
ℹ todo 0

✖ failing tests:

test at a.test.js:3:73
✖ never
  'test did not finish before its parent and was cancelled'

test at a.test.js:3:1
✖ hook (0.168211ms)
  Error: before broke
      at SuiteContext.<anonymous> (a.test.js:3:44)
""", "Error: before broke"),
    "TAP": ("""\
TAP version 13
# Subtest: hook
    # Subtest: never
    not ok 1 - never
      ---
      failureType: 'cancelledByParent'
      error: 'test did not finish before its parent and was cancelled'
      ...
    1..1
not ok 1 - hook
  ---
  failureType: 'hookFailed'
  error: 'before broke'
  ...
1..1
""", "before broke"),
    "TAP, a parent that did not wait": ("""\
TAP version 13
# Subtest: hook
    # Subtest: never
    not ok 1 - never
      ---
      failureType: 'cancelledByParent'
      error: 'test did not finish before its parent and was cancelled'
      ...
    1..1
not ok 1 - hook
  ---
  failureType: 'subtestsFailed'
  error: '1 subtest failed'
  ...
1..1
""", "test did not finish before its parent and was cancelled"),
}  # fmt: skip


@pytest.mark.parametrize("form", HOOK)
def test_a_hook_that_broke_is_why_its_tests_did_not_run(form: str) -> None:
    """As node 20 prints it: the test itself only says that it was cancelled."""
    text, why = HOOK[form]
    [failure] = registry.read(text, command="the command").failing
    assert (failure.test, failure.message) == ("hook > never", why)


FILES = {
    "spec": ("""\
✔ before (1.5ms)
/w/c.test.js:1
syntax error here(
       ^^^^^

SyntaxError: Unexpected identifier 'error'
    at wrapSafe (node:internal/modules/cjs/loader:1464:18)

Node.js v20.20.2
✖ c.test.js (148.267687ms)
  'test failed'

ℹ tests 2
ℹ pass 1
ℹ fail 1

✖ failing tests:

test at c.test.js:1:1
✖ c.test.js (148.267687ms)
  'test failed'
""", "SyntaxError: Unexpected identifier 'error'"),
    "TAP": ("""\
TAP version 13
# Subtest: before
ok 1 - before
  ---
  duration_ms: 1.5
  ...
# Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x' imported from /w/c.test.js
#     at finalizeResolution (node:internal/modules/esm/resolve:264:11)
# Node.js v20.20.2
# Subtest: c.test.js
not ok 2 - c.test.js
  ---
  exitCode: 1
  signal: ~
  error: 'test failed'
  ...
1..2
""", "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'x' imported from /w/c.test.js"),
    "TAP, a program that ends": ("""\
TAP version 13
# Subtest: c.test.js
not ok 1 - c.test.js
  ---
  exitCode: ~
  signal: 'SIGKILL'
  error: 'test failed'
  ...
1..1
""", "test failed, signal: 'SIGKILL'"),
}  # fmt: skip


@pytest.mark.parametrize("form", FILES)
def test_a_file_that_fails_outside_of_its_tests(form: str) -> None:
    """What it printed tells why; all such files fail of the same words otherwise."""
    text, why = FILES[form]
    [failure] = registry.read(text, command="the command").failing
    assert (failure.test, failure.message) == ("c.test.js", why)


def test_marks_in_a_name() -> None:
    """A name of node:test may have the marks of its reporter."""
    text = """\
▶ outer
  ✖ n ✖ not ok 3 (0.5ms)
▶ outer (1.5ms)
ℹ tests 1
ℹ pass 0
ℹ fail 1

✖ failing tests:

test at a.test.js:2:196
✖ n ✖ not ok 3 (0.5ms)
  Error: no
"""
    assert failing(text) == ["outer > n ✖ not ok 3"]


def test_quiet_cargo_names_what_fails_at_the_end() -> None:
    """`cargo test -q` prints dots, and in between what failed, in a form of its own."""
    text = """\

running 3 tests
.
tests::res --- FAILED
tests::fails --- FAILED

failures:

---- tests::res stdout ----
Error: "no"

---- tests::fails stdout ----

thread 'tests::fails' (7) panicked at src/lib.rs:7:23:
assertion `left == right` failed: text with

failures:
    tests::fake

  left: 3
 right: 4


failures:
    tests::fails
    tests::res

test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s
"""
    assert sorted(failing(text)) == ["tests::fails", "tests::res"]
