"""Functions of a test runner that become others while its tests run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bot.model import Severity
from bot.repair.verification.forgery.runner_integrity import (
    findings_of,
    new_reads,
    reads_of,
)
from bot.repair.workspace import runner_watch
from bot.repair.workspace.runner_watch import RunnerRecord

CASE = "\nimport unittest\n\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        pass\n"


def watched(folder: Path, text: str, command: str) -> tuple[int, RunnerRecord]:
    """Run a command on a file of tests; return its status and what was seen."""
    place = folder / "watch"
    place.mkdir()
    (place / "sitecustomize.py").write_bytes(runner_watch.watcher())
    (folder / "test_it.py").write_text(text, "utf-8")
    script = runner_watch.watched(command, str(place), str(place / "record"))
    done = subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, check=False)
    return done.returncode, runner_watch.read_record((place / "record").read_bytes())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("unittest.TestCase.assertEqual = print", "unittest.case:TestCase.assertEqual"),
        ("unittest.TestCase.run.__code__ = (lambda self, r=None: 0).__code__", "unittest.case:TestCase.run"),
        ("unittest.TestResult.addFailure.__defaults__ = (1,)", "unittest.result:TestResult.addFailure"),
        ("import builtins; builtins.abs = max", "builtins:abs"),
        ("import time; del time.time", "time:time"),
        ("import random; random.random = lambda: 4", "random:random"),
        ("import warnings; warnings.warn = print", "warnings:warn"),
    ],
)  # fmt: skip
def test_what_is_replaced_is_told(tmp_path: Path, line: str, name: str) -> None:
    """By another function, by other code in it, or by nothing."""
    text = f"import unittest\n{line}\n{CASE}"
    _, record = watched(tmp_path, text, f"{sys.executable} -m unittest -q test_it; exit 3")
    assert record.changed == {name}


def test_the_status_is_the_command_s_own(tmp_path: Path) -> None:
    """A quiet command changes nothing; each process that ran is counted, also one that ends at once."""
    command = (
        f"{sys.executable} -m unittest -q test_it\n{sys.executable} -c 'import os; os._exit(5)'"
    )
    code, record = watched(tmp_path, CASE, command)
    assert (code, record) == (5, RunnerRecord(began=2, ended=1))


def test_a_program_of_the_work_tree_is_started(tmp_path: Path) -> None:
    """Python opens it before any code runs, so nobody reads it, and it runs."""
    command = f"{sys.executable} test_it.py\n{sys.executable} $PWD/test_it.py"
    code, record = watched(tmp_path, CASE, command)
    assert (code, record) == (0, RunnerRecord(began=2, ended=2))


def test_what_is_read_is_told(tmp_path: Path) -> None:
    """Each file of the work tree with the one whose code opens it; not what only shows its lines."""
    (tmp_path / "golden.txt").write_text("1", "utf-8")
    (tmp_path / "program.py").write_text(
        "import pathlib, warnings\npathlib.Path('test_it.py').read_text()\n"
        "warnings.warn('old', stacklevel=2)\n",
        "utf-8",
    )
    text = f"import program\nopen('golden.txt').close()\n{CASE}"
    _, record = watched(tmp_path, text, f"{sys.executable} -B -m unittest -q test_it")
    assert {read for read in record.reads if not read[1].endswith(".pyc")} == {
        ("test_it.py", "program.py"), ("program.py", "test_it.py"), ("test_it.py", "golden.txt"),
    }  # fmt: skip


def test_who_reads_what() -> None:
    """Programs read no tests; changed data that tests open is theirs, whatever it is called."""
    reads = {
        ("app.py", "tests/test_app.py"), ("app.py", "words.json"),
        ("tests/test_app.py", "golden.txt"), ("tests/test_app.py", "app.py"),
        ("app.py", "tests/__pycache__/test_old.cpython-311.pyc"),
    }  # fmt: skip
    before, after = RunnerRecord(), RunnerRecord(reads=frozenset(reads))
    old = RunnerRecord(reads=frozenset({("app.py", "tests/test_old.py")}))
    told = [(read.rule, read.file) for read in new_reads(before, after, ["app.py"])]
    assert told == [("tests-read", "app.py"), ("tests-read", "app.py")]
    assert [read.message for read in new_reads(old, after, ["app.py"])] == [
        "With the patch, the program reads its tests: `app.py` opens `tests/test_app.py`."
    ]
    assert new_reads(old, after, ["tests/test_app.py"]) == ()  # it loaded tests before
    changed = ["golden.txt", "app.py", "words.json"]
    assert [(finding.rule, finding.file) for finding in reads_of(after, changed)] == [
        ("test-data-changed", "golden.txt")
    ]


def test_what_is_put_back_in_time_is_seen_as_well(tmp_path: Path) -> None:
    """A comparison happens where something is imported or written."""
    lines = (
        "import unittest\nkept = unittest.TestCase.run\nunittest.TestCase.run = print\n"
        "import time\ntime.sleep(0.1)\nopen('out', 'w').close()\nunittest.TestCase.run = kept\n"
    )
    _, record = watched(tmp_path, lines + CASE, f"{sys.executable} -m unittest -q test_it")
    assert record == RunnerRecord(
        meanwhile=frozenset({"unittest.case:TestCase.run"}), began=1, ended=1
    )


PYTEST = f"PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 {sys.executable} -m pytest -q -p no:cacheprovider -o addopts= test_it.py"


def test_what_plugins_replace(tmp_path: Path) -> None:
    """They do that at the start, before any program of the project runs: nobody else can be meant."""
    code, record = watched(tmp_path, CASE, PYTEST)
    assert (code, record.changed, record.meanwhile) == (0, frozenset(), frozenset())
    assert record.began == record.ended == 1


def test_the_runners_own_function_in_another_place(tmp_path: Path) -> None:
    """Put there by a program of the project, it is told."""
    (tmp_path / "conftest.py").write_text(
        "import time\nfrom _pytest import runner\n"
        "runner.pytest_runtest_call = runner.pytest_runtest_setup\n"
        "time.sleep(0.1)\nopen('out', 'w').close()\n",
        "utf-8",
    )
    _, record = watched(tmp_path, CASE, PYTEST)
    assert record.changed == {"_pytest.runner:pytest_runtest_call"}


def test_another_sitecustomize_has_its_turn(tmp_path: Path) -> None:
    """The program finds its own, and nothing of ours in the path."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "sitecustomize.py").write_text("print('own')", "utf-8")
    check = "import sys, sitecustomize; assert 'own' in sitecustomize.__file__, sitecustomize; assert not [p for p in sys.path if 'watch' in p]"
    code, record = watched(
        tmp_path, CASE, f'export PYTHONPATH="$PYTHONPATH:own"; {sys.executable} -c "{check}"'
    )
    assert (code, record.ended) == (0, 1)


def test_lines_that_somebody_else_wrote() -> None:
    """They can name more functions, and nothing else."""
    record = b'nonsense\n[1,"began"]\n[2,"ended"]\n[1,"changed","a:b",3]\n{}\n[[[1\n'
    assert runner_watch.read_record(record) == RunnerRecord(frozenset({"a:b"}), began=1)


RUN = frozenset({"unittest.case:TestCase.run"})


@pytest.mark.parametrize(
    ("before", "after", "severities"),
    [
        (RunnerRecord(), RunnerRecord(RUN), [Severity.REJECT]),
        (RunnerRecord(RUN), RunnerRecord(RUN), []),
        (RunnerRecord(meanwhile=RUN), RunnerRecord(RUN), []),
        (RunnerRecord(), RunnerRecord(meanwhile=RUN), [Severity.NEEDS_PERSON]),
        (RunnerRecord(), RunnerRecord(frozenset({"time:time"})), [Severity.NEEDS_PERSON]),
        (RunnerRecord(began=1, ended=1), RunnerRecord(began=1), [Severity.NEEDS_PERSON]),
        (RunnerRecord(began=3, ended=1), RunnerRecord(began=3), []),
    ],
)
def test_what_the_patch_does(
    before: RunnerRecord, after: RunnerRecord, severities: list[Severity]
) -> None:
    """What happens without it too is not its doing; what may be meant well needs a person."""
    found = findings_of(before, after)
    assert [finding.severity for finding in found] == severities
    assert {finding.rule for finding in found} <= {"runner-changed"}
