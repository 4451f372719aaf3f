"""Which files say how the tests of a command run, by what it really starts and reads."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.repair.guards import is_test_file
from bot.repair.verification.forgery.command_files import (
    CommandFiles,
    command_files,
    started_by_name,
)
from bot.repair.workspace import programs
from bot.repair.workspace.programs import FileRead, Trace

TESTS = {
    "tests/__init__.py": "",
    "tests/test_app.py": "import unittest, app\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(app.f(), 1)\n",
    "app.py": "import pathlib\n\nhere = pathlib.Path(__file__).parent\n\n\ndef f():\n    return int((here / 'one.txt').read_text())\n",
    "one.txt": "1",
}
PYTHON = sys.executable
RUN = f"{PYTHON} -m unittest -q tests.test_app\n"


def traced(
    folder: Path, files: Mapping[str, str], command: str
) -> tuple[Trace, subprocess.CompletedProcess[str]]:
    """Run a command on these files, and return what it started and read, and how it ended."""
    place = folder / "watch"
    tree = folder / "tree"
    for name, text in files.items():
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text, "utf-8")
    place.mkdir(exist_ok=True)
    Path(programs.watcher_path(str(place))).write_bytes(programs.watcher())
    script = programs.watched(command, str(place), str(tree))
    ended = subprocess.run(
        ["bash", "-c", script],
        cwd=tree,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    trace = programs.read_trace(Path(programs.record_path(str(place))).read_bytes(), str(tree))
    if not trace.programs:
        pytest.skip("the kernel tells nothing of system calls here")
    return trace, ended


def told(folder: Path, files: Mapping[str, str], command: str) -> CommandFiles:
    """Say it of all these files."""
    return command_files(traced(folder, files, command)[0], set(files), is_test_file)


@pytest.mark.parametrize(
    ("files", "command", "own"),
    [
        ({**TESTS, "Makefile": f"test:\n\t-@{RUN}"}, "make test", {"Makefile"}),
        ({**TESTS, "GNUmakefile": "test:\n\ttrue\n"}, "make test", {"GNUmakefile"}),
        ({**TESTS, "Makefile": "test: ; @bash ci/run.sh\n", "ci/run.sh": f"cat tests/test_app.py > /dev/null\n. ci/more\n{RUN}",
          "ci/more": "trap 'exit 0' EXIT\n"}, "make test", {"Makefile", "ci/run.sh", "ci/more"}),
        ({**TESTS, "check.py": "import unittest\nunittest.main('tests.test_app')\n"},
         f"{PYTHON} check.py", {"check.py"}),
        ({**TESTS, "tool.sh": "cat one.txt\n"}, RUN, set()),
        ({"tests/run.sh": "[ $(bash tool.sh) = 1 ]", "tool.sh": "cat one.txt", "one.txt": "1"},
         "bash tests/run.sh", set()),
        ({"Makefile": "check: ; [ $$(bash tool.sh) = 1 ]\n", "tool.sh": "echo 1\n"},
         "make check", {"Makefile"}),
        (TESTS, RUN, set()),
    ],
    ids=["recipe", "another makefile", "sourced", "program", "no part", "shell", "check", "python"],
)  # fmt: skip
def test_what_a_command_reads_for_itself(
    tmp_path: Path, files: Mapping[str, str], command: str, own: set[str]
) -> None:
    """What leads to the tests is its own; what the tests lead to, programs and data, is not."""
    assert told(tmp_path, files, command).own == own


def test_a_script_that_runs_nothing_any_more(tmp_path: Path) -> None:
    """Without the patch it led to the tests."""
    files = {**TESTS, "Makefile": "test: ; @bash run.sh\n", "run.sh": "exit 0\n"}
    assert told(tmp_path, files, "make test") == CommandFiles(
        frozenset({"Makefile"}), frozenset({"run.sh"})
    )
    before = told(tmp_path, {**files, "run.sh": RUN}, "make test")
    assert before.own == {"Makefile", "run.sh"}


@pytest.mark.skipif(not shutil.which("npm"), reason="npm is not installed")
def test_a_package_s_scripts(tmp_path: Path) -> None:
    """What npm reads leads to the tests; what a test loads does not."""
    files = {
        "package.json": '{"scripts": {"test": "node --test test/"}}',
        "test/a.test.js": "require('../app.js')\n",
        "app.js": "require('fs').readFileSync(__dirname + '/one.txt')\n",
        "one.txt": "1",
    }
    assert told(tmp_path, files, "npm test").own == {"package.json"}


def test_files_that_programs_are_given(tmp_path: Path) -> None:
    """Then it is worth to watch what is read."""
    trace, _ = traced(tmp_path, TESTS, f"cd tests && {PYTHON} ../app.py")
    assert started_by_name(trace, {"app.py"})
    assert not started_by_name(trace, {"one.txt"})


def test_compiled_files_and_foreign_lines() -> None:
    """A module's compiled file stands for it; what the command writes itself ends the record."""
    record = (
        b'{"file": "/usr/bin/python3", "folder": "/w", "arguments": ["python3", "check.py"], "by": null}\n'
        b'{"read": "check.py", "by": 0}\n'
        b'{"read": "tests/__pycache__/test_a.cpython-311-pytest-8.pyc", "by": 0}\n'
        b'{"read": "Makefile", "by": 7}\n{"read": "later", "by": 0}\n'
    )
    trace = programs.read_trace(record, "/w")
    assert trace.reads[0].path == "check.py"
    assert trace.reads[-1] == FileRead("tests/__pycache__/test_a.cpython-311-pytest-8.pyc", 0, 1)
    assert command_files(trace, {"check.py"}, is_test_file).own == {"check.py"}
