"""Tests that take their runner with them: how they are found, and how the rest runs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bot.ci import failures
from bot.model import Observation
from bot.repair.crashes import crashed, died, without
from bot.repair.goal.complete import complete
from bot.reporting.reasons import job_target
from bot.reporting.reasons import outside_causes as reasons

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
    found = failures.read(output, command=command)
    return Observation(command, code, found.failing, found.passed, output=output)


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
