"""Tests that take their runner with them: how they are found, and how the rest runs."""

from __future__ import annotations

import asyncio
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bot.ci.failures import registry
from bot.ecosystems.selection import chosen_files
from bot.model import Observation
from bot.repair.crashes import (
    CutOff,
    Observe,
    SeparateResults,
    by_halves,
    crashed,
    died,
    inside_files,
    is_cut_off,
    without,
)
from bot.repair.goal.unabridged_command import complete
from bot.repair.workspace.observe import read
from bot.reporting.reasons import job_target
from bot.reporting.reasons import outside_causes as reasons
from sandbox.base import WORKSPACE, CommandResult

PATHS = ("tests/test_a.py", "Makefile", "go.mod")
MAKEFILES = {"make py": "py:\n\tpython -m pytest -q\n", "make go": "go:\n\tgo test ./...\n"}
UNITTEST = """\
import os, unittest

class T(unittest.TestCase):
    def test_a(self): pass
    def test_b(self): os.{end}
    def test_c(self): self.assertEqual(1, 2)
"""


def seen(command: str, output: str, code: int = 1) -> Observation:
    found = registry.read(output, command=command)
    return Observation(
        command,
        code,
        found.failing if code else (),
        found.passed,
        counts=found.counts,
        output=output,
    )


@pytest.mark.parametrize(
    ("command", "tests", "expected"),
    [
        ("python -m pytest -q", ["tests.test_a::test_b"], 'export PYTEST_ADDOPTS="$PYTEST_ADDOPTS "--deselect=tests/test_a.py::test_b; python -m pytest -q'),
        ("make py", ["tests.test_a::test_b"], 'export PYTEST_ADDOPTS="$PYTEST_ADDOPTS "--deselect=tests/test_a.py::test_b; make py'),
        ("go test ./...", ["example.com/x.TestB/sub"], "export GOFLAGS=\"$GOFLAGS \"''\"'\"'-skip=^(TestB)$'\"'\"''; go test ./..."),
        ("make go", ["x.TestB", "x.TestC"], "export GOFLAGS=\"$GOFLAGS \"''\"'\"'-skip=^(TestB|TestC)$'\"'\"''; make go"),
        ("cargo test", ["tests::b"], "cargo test -- --exact --skip tests::b"),
        ("cargo test --no-fail-fast -- --test-threads=1", ["tests::b"], "cargo test --no-fail-fast -- --test-threads=1 --exact --skip tests::b"),
        ("make check", ["a::b"], None),
        ("python -m pytest", ["gone::test_b"], None),
        ("npx mocha", ["A > b"], None),
    ],
)  # fmt: skip
def test_the_rest_runs_by_the_runner_s_own_way(
    command: str, tests: list[str], expected: str | None
) -> None:
    """Behind make too, where a variable reaches it."""
    text = MAKEFILES.get(command)
    found = without(command, tests, PATHS, lambda path: text if path == "Makefile" else None)
    assert found == expected


@pytest.mark.parametrize("end", ["_exit(3)", "abort()", "_exit(0)"])
def test_unittest_goes_on_without_the_test_that_ends_it(tmp_path: Path, end: str) -> None:
    """For real: what it says last names the test, and the others run without it."""
    (tmp_path / "test_x.py").write_text(UNITTEST.format(end=end), "utf-8")

    def ran(command: str) -> Observation:
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return seen(command, done.stdout, done.returncode or 1)

    first = ran(f"{sys.executable} -m unittest test_x")
    telling = complete(first, {"unittest"})
    assert telling is not None
    second = ran(telling)
    assert crashed(second) == "test_x.T.test_b"
    others = without(second.command, [crashed(second)], (), lambda _: None)
    assert others is not None
    assert ran(others).failing_ids == {"test_x.T.test_c"}


@pytest.mark.skipif(not shutil.which("cargo"), reason="Rust is not installed")
@pytest.mark.exhaustive
def test_cargo_goes_on_without_the_test_that_ends_it(tmp_path: Path) -> None:
    """An abort ends all tests of a crate."""
    (tmp_path / "Cargo.toml").write_text('[package]\nname = "x"\nversion = "0.1.0"\n', "utf-8")
    (tmp_path / "src").mkdir()
    tests = (
        "#[test] fn a() {}\n#[test] fn b() { std::process::abort() }\n#[test] fn c() { panic!() }\n"
    )
    (tmp_path / "src/lib.rs").write_text(f"#[cfg(test)]\nmod t {{\n{tests}}}\n", "utf-8")

    def ran(command: str) -> Observation:
        done = subprocess.run(
            ["bash", "-c", f"{command} 2>&1"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        return seen(command, done.stdout, done.returncode)

    telling = complete(ran("cargo test --offline"), {"cargo"})
    assert telling is not None
    second = ran(telling)
    assert crashed(second) == "t::b"
    others = without(second.command, ["t::b"], (), lambda _: None)
    assert others is not None
    assert ran(others).failing_ids == {"t::c"}


@pytest.mark.parametrize(
    ("command", "output", "runners", "expected"),
    [
        ("make py", "..make: *** [py] Error 3\n", {"pytest"}, 'export PYTEST_ADDOPTS="$PYTEST_ADDOPTS -vv"; make py'),
        ("python -m pytest -q", "..", {"pytest"}, "python -m pytest -q -vv"),
        ("python -m pytest -q", "no tests ran in 0.01s", {"pytest"}, None),
        ("go test ./...", "exit status 3\nFAIL\tx\t0.01s\n", {"go"}, 'export GOFLAGS="$GOFLAGS -v"; go test ./...'),
        ("make go", "# x\nFAIL\tx [build failed]\n", {"go"}, None),
    ],
)  # fmt: skip
def test_a_runner_that_came_to_no_end_tells_which_test_it_was(
    command: str, output: str, runners: set[str], expected: str | None
) -> None:
    """It runs once more, and names each test before it runs."""
    assert complete(Observation(command, 1, output=output), runners) == expected


@pytest.mark.parametrize(
    ("output", "test"),
    [
        ("--- FAIL: TestB (0.00s)\npanic: boom\n\ngoroutine 7 [running]:\nFAIL\tx\t0.002s\n", "x.TestB"),
        ("===== test session starts =====\ntests/test_a.py::test_a PASSED\ntests/test_a.py::test_b make: *** [py] Error 3\n", "tests.test_a::test_b"),
        (("Fatal Python error: Segmentation fault\n\nCurrent thread 0x1 (most recent call first):\n"
         '  File "/workspace/tests/test_a.py", line 3 in test_b\n'), "tests.test_a::test_b"),
        ("test t::a ... ok\ntest t::b ... error: test failed\n  process didn't exit (signal: 6, SIGABRT: abort)\n", "t::b"),
        ("FAILED tests/test_a.py::test_b - assert 1 == 2\n1 failed in 0.10s\n", ""),
    ],
)  # fmt: skip
def test_who_ended_the_runner(output: str, test: str) -> None:
    """By what it said last."""
    assert crashed(seen("make t", output)) == test


JEST_EXIT = """\
  ●  process.exit called with "1"

      1 | it('leaves', () => leave());

      at leave (src/leave.js:3:11)
      at Object.<anonymous> (test/b.test.js:1:20)
      at Promise.then.completed (node_modules/jest-circus/build/utils.js:298:28)
"""
JEST_WORKER = """\
FAIL test/b.test.js
  ● Test suite failed to run

    {}

Test Suites: 1 failed, 3 passed, 4 total
Tests:       6 passed, 6 total
"""
VITEST_WORKER = """\
 RUN  v3.2.4 /workspace

⎯⎯⎯⎯⎯⎯ Unhandled Error ⎯⎯⎯⎯⎯⎯⎯
{}

⎯⎯⎯⎯⎯⎯⎯⎯
"""
FINE = {
    "jest": "PASS test/x.test.js\nTest Suites: 1 passed, 1 total\nTests:       2 passed, 2 total\n",
    "vitest": " RUN  v3.2.4 /workspace\n\n Test Files  1 passed (1)\n      Tests  2 passed (2)\n",
    "mocha": "\n\n  2 passing (3ms)\n",
    "tape": "TAP version 13\n# fine\nok 1 fine\n1..1\n",
    "jasmine": "\n\n  2 passing (3ms)\n",
}
DEATHS = {
    "jest, process.exit": ("jest --ci", JEST_EXIT, 1, 1),
    "jest, killed": ("jest", "Killed\n", 137, 8),
    "jest, out of memory": ("jest", "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n", 134, 8),
    "jest, two workers": ("jest", JEST_WORKER.format("A jest worker process (pid=7) was terminated by another process: signal=SIGSEGV, exitCode=null."), 1, 0),
    "vitest 2": ("vitest run", VITEST_WORKER.format("Error: Worker exited unexpectedly"), 1, 8),
    "vitest 3": ("vitest run", VITEST_WORKER.format("Error: Channel closed"), 1, 8),
    "vitest 4": ("vitest run", VITEST_WORKER.format("Error: [vitest-pool]: Worker forks emitted error."), 1, 8),
    "mocha, process.exit": ("mocha test", "  ✔ fine\n", 3, 8),
    "mocha, a file that can't be loaded": ("mocha test", "Error: Cannot find module './nothing'\n", 1, 8),
    "tape, segmentation fault": ("tape test/*.js", "TAP version 13\n# fine\nSegmentation fault (core dumped)\n", 139, 8),
}  # fmt: skip


@pytest.mark.parametrize("death", DEATHS)
async def test_files_run_apart_from_the_one_that_ends_their_runner(death: str) -> None:
    """By halves where nothing says which one it is, and by all the others where something does."""
    command, output, code, most = DEATHS[death]
    files = [f"test/{name}.test.js" for name in "abcdefghi"]
    runs: list[str] = []

    def shown(command: str) -> Observation:
        is_dead = "b.test.js" in command
        runner = command.replace("npx --no-install ", "").split()[0]
        return seen(command, output if is_dead else FINE[runner], code if is_dead else 0)

    async def observe(_: str, command: str) -> Observation:
        runs.append(command)
        return shown(command)

    first = seen(command, output, code)
    assert is_cut_off(first)
    assert chosen_files(command, files, lambda _: None) == tuple(files)
    parts = await by_halves(CutOff(first, files, lambda _: None), files, observe)
    assert [each.test for each in parts.crashes] == ["test/b.test.js"]
    assert len(runs) <= most
    assert parts.is_whole is (most > 0)
    alone = [word for run in parts.ended for word in run.command.split() if word in files]
    assert sorted(alone) == ([name for name in files if "b.test" not in name] if most else [])


FILE = """\
const {{ describe, it }} = require('{module}');
const assert = require('assert');
describe('sums', () => {{
  it('adds (1 + 1)', () => {{}});
  describe('deep', () => {{ it('ends', () => {{ {end} }}); it('is wrong', () => assert.equal(1, 2)); }});
}});
it('stands alone', () => {{}});
"""
ENDS = {
    "killed": "process.kill(process.pid, 'SIGKILL')",
    "aborted": "process.abort()",
    "exits": "process.exit(3)",
    "exits later": "return new Promise(() => setTimeout(() => process.exit(4), 5))",
    "thrown later": "return new Promise(() => setTimeout(() => { throw null; }, 5))",
}


def real(folder: Path, command: str, text: str) -> tuple[CutOff, Observe, list[str]]:
    """Write two test files; return what a runner shows, what runs it again, and what was run."""
    (folder / "test").mkdir()
    (folder / "test/a.test.js").write_text(text, "utf-8")
    head = re.split(r"^(?:const|import) assert", text, flags=re.MULTILINE)[0]
    fine = head + "it('fine', () => {});\n"
    (folder / "test/b.test.js").write_text(fine, "utf-8")
    runs: list[str] = []

    async def observe(_: str, command: str) -> Observation:
        runs.append(command)
        done = await asyncio.create_subprocess_exec(
            *("bash", "-c", command),
            cwd=folder,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        output = (await done.communicate())[0].decode().replace(str(folder), WORKSPACE)
        return read(command, CommandResult(done.returncode or 0, output, 0, 0.1), ())

    def text_of(path: str) -> str | None:
        return (folder / path).read_text("utf-8") if (folder / path).is_file() else None

    first = asyncio.run(observe("", command))
    return CutOff(first, ("test/a.test.js", "test/b.test.js"), text_of), observe, runs


def named(tests: CutOff, observe: Observe) -> SeparateResults:
    """Return what ends the runner, and what the others come to."""
    files = chosen_files(tests.seen.command, tests.paths, tests.read)

    async def both() -> SeparateResults:
        parts = await by_halves(tests, files, observe)
        return await inside_files(tests, parts, files, observe)

    assert is_cut_off(tests.seen)
    return asyncio.run(both())


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("node"), reason="Node.js is not installed")
@pytest.mark.parametrize("end", [*ENDS][:3])
def test_node_names_the_test_that_ended_a_file_and_runs_its_others(
    tmp_path: Path, end: str
) -> None:
    """For real: Node.js itself only says that the file failed, and nothing of the tests behind."""
    text = FILE.format(module="node:test", end=ENDS[end])
    tests, observe, _ = real(tmp_path, "node --test", text)
    assert [each.test for each in tests.seen.named] == ["test/a.test.js"]
    parts = named(tests, observe)
    assert [(each.test, each.file) for each in parts.crashes] == [
        ("sums > deep > ends", "test/a.test.js")
    ]
    assert parts.looked_into == ("test/a.test.js",)
    assert {each for seen in parts.ended for each in seen.failing_ids} == {"sums > deep > is wrong"}
    passed = {each for seen in parts.ended for each in seen.passed}
    assert passed == {"sums > adds (1 + 1)", "stands alone"}


@pytest.mark.exhaustive
@pytest.mark.skipif(not shutil.which("npm"), reason="Node.js is not installed")
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("runner", ["mocha@11.7.5", "vitest@3.2.4"])
def test_runners_of_npm_name_the_test_that_ended_them(
    tmp_path: Path, runner: str, end: str
) -> None:
    """For real, where a registry can be reached."""
    install = ["npm", "install", "--no-audit", "--no-fund", "--no-save", "--prefix", str(tmp_path)]
    if subprocess.run([*install, runner], capture_output=True, check=False).returncode:
        pytest.skip(f"{runner} can't be installed here")
    name = runner.partition("@")[0]
    module = "vitest" if name == "vitest" else "mocha"
    text = FILE.format(module=module, end=ENDS[end])
    if module == "vitest":
        text = re.sub(r"const (.+) = require\((.+)\);", r"import \1 from \2;", text)
        text = text.replace("import assert from 'assert'", "import assert from 'node:assert'")
    command = {"mocha": "npx mocha test/*.test.js", "vitest": "npx vitest run"}[name]
    tests, observe, _ = real(tmp_path, command, text)
    if not is_cut_off(tests.seen):
        assert "ends" in tests.seen.output  # the runner itself catches it, and says where
        return
    parts = named(tests, observe)
    file = "test/a.test.js > " if name == "vitest" else ""
    assert [each.test for each in parts.crashes] == [f"{file}sums > deep > ends"]
    failing = {each for seen in parts.ended for each in seen.failing_ids}
    assert failing == {f"{file}sums > deep > is wrong"}


@pytest.mark.parametrize("end", ["process.exit(3);", "throw new Error('no');"])
def test_a_file_that_ends_its_runner_by_itself_stays_the_reason(tmp_path: Path, end: str) -> None:
    """No test of it is blamed: one run without any of them shows it."""
    text = FILE.format(module="node:test", end="") + f"{end}\n"
    tests, observe, runs = real(tmp_path, "node --test", text)
    parts = named(tests, observe)
    assert [each.test for each in parts.crashes] == ["test/a.test.js"]
    assert (parts.looked_into, len(runs)) == ((), 2)


async def test_a_runner_that_fails_with_any_file_is_not_halved_further() -> None:
    """No program for it, a setup file that breaks: two runs show that no file is the reason."""
    files, runs = [f"test/{name}.test.js" for name in "abcdefghi"], list[str]()
    output = "Error: Cannot find module './helper'\n"

    async def observe(_: str, command: str) -> Observation:
        runs.append(command)
        return seen(command, output, 1)

    tests = CutOff(seen("mocha test", output, 1), files, lambda _: None)
    parts = await by_halves(tests, files, observe)
    assert (parts.crashes, parts.is_whole, len(runs)) == ((), False, 2)
    assert not is_cut_off(seen("mocha test", "sh: mocha: not found\n", 127))


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("jest", ["a/__tests__/x.js", "src/a.test.ts", "test/b.spec.js"]),
        ("jest src", ["src/a.test.ts"]),
        ("vitest run", ["src/a.test.ts", "test/b.spec.js"]),
        ("mocha", ["test/b.spec.js", "test/helper.js"]),
        ("mocha 'src/**/*.ts'", ["src/a.test.ts", "src/a.ts"]),
        ("npm test", ["test/b.spec.js"]),
        ("node --test", ["src/a.test.ts", "test/b.spec.js", "test/helper.js", "test/deep/c.js"]),
        ("node --test test/deep", ["test/deep/c.js"]),
        ("eslint .", []),
    ],
)
def test_which_files_a_runner_tests(command: str, expected: list[str]) -> None:
    """By what it takes by itself, and by what it is given."""
    scripts = '{"scripts": {"test": "mocha test/b.spec.js"}}'
    paths = ["a/__tests__/x.js", "src/a.test.ts", "src/a.ts", "test/b.spec.js", "test/helper.js",
             "test/deep/c.js", "node_modules/x/test/x.test.js"]  # fmt: skip
    assert [*chosen_files(command, paths, lambda _: scripts)] == expected


@pytest.mark.parametrize(
    ("output", "code", "is_dead"),
    [
        ("A jest worker process was terminated by another process: signal=SIGSEGV", 1, True),
        ('process.exit called with "1"', 1, True),
        ("Error: Worker exited unexpectedly", 1, True),
        ("", 139, True),
        ("2 passing\n1 failing\n", 1, False),
    ],
)
def test_a_runner_that_died_is_known_without_a_name(
    output: str, code: int, *, is_dead: bool
) -> None:
    """Then the report says that more may fail."""
    assert died(Observation("npm test", code, output=output)) is is_dead


def test_the_report_says_what_ran() -> None:
    """And what did not."""
    assert reasons.ran_without(["x.TestB"], ["x.TestC"], 1).endswith(
        "Without it, 1 test passes and `x.TestC` fails."
    )
    assert reasons.ran_without(["a", "b"], [], 0).endswith("Without them, no other test fails.")
    assert "did not run here" in reasons.hides_tests("npm test")
    assert job_target.ENDED_IN_TEST != job_target.TEST_DID_NOT_END
