"""The mechanical proposer on small projects with real tools."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from inline_snapshot import snapshot

from bot.model import (
    Cause,
    Commands,
    Limits,
    Patch,
    Problem,
    Proposal,
    Reproduction,
    Usage,
)
from bot.model.progress import silent
from bot.model.steps import PlainSteps
from bot.repair.proposers.base import Task
from bot.repair.proposers.mechanical import MechanicalProposer
from bot.repair.proposers.mechanical.protected_files import only
from bot.reporting.reasons import mechanical
from tests.unit.local_workbench import LocalWorkbench

RUFF = "line-length = 80\n[lint]\nselect = ['F', 'I']\n"
UNTIDY = "import sys\nimport os\n\n\nprint( os.sep )\n"
GENERATOR = """\
import sys
wanted = "VALUE = 2\\n"
if "--check" in sys.argv:
    sys.exit(open("generated.py").read() != wanted and "generated.py is stale, run tools/gen.py")
open("generated.py", "w").write(wanted)
"""


async def propose(
    workbench: LocalWorkbench, failing: str, *, protected: tuple[str, ...] = ()
) -> Proposal:
    await workbench.start()
    task = Task(
        n=1,
        problem=Problem(),
        commands=Commands((), failing, failing),
        reproduction=Reproduction(Cause.REAL, await workbench.observe(failing)),
        earlier=(),
        limits=Limits(),
        spent=Usage(),
        deadline=time.time() + 3600,
        protected=protected,
    )
    charged: list[Usage] = []
    proposer = MechanicalProposer(root=str(workbench.directory))
    proposal = await proposer.propose(task, workbench, PlainSteps(), silent, charged.append)
    assert charged == []
    return proposal


async def test_lint_and_format_behind_make(tmp_path: Path) -> None:
    """`make lint` with ruff's linter and formatter: both repair, the command passes."""
    makefile = "lint:\n\truff check --no-cache .\n\truff format --no-cache --check .\n"
    files = {
        "Makefile": makefile,
        "ruff.toml": RUFF,
        "a.py": UNTIDY,
    }
    workbench = LocalWorkbench(tmp_path, files)
    proposal = await propose(workbench, "make lint")
    assert workbench.ran == ["ruff check --fix --no-cache .", "ruff format --no-cache ."]
    assert (tmp_path / "a.py").read_text() == "import os\n\nprint(os.sep)\n"
    assert proposal.patch.files == ("a.py",)
    assert "`ruff check --fix --no-cache .`" in proposal.summary
    assert "still fails" not in proposal.summary
    assert proposal.usage == Usage()


async def test_stale_generated_file(tmp_path: Path) -> None:
    """A project's script that checks with `--check` writes without it."""
    files = {"tools/gen.py": GENERATOR, "generated.py": "VALUE = 1\n"}
    workbench = LocalWorkbench(tmp_path, files)
    proposal = await propose(workbench, "python tools/gen.py --check")
    assert proposal.patch.files == ("generated.py",)
    assert (tmp_path / "generated.py").read_text() == "VALUE = 2\n"


async def test_test_failures_are_not_mechanical(tmp_path: Path) -> None:
    """A failing test without any tool behind it gives an empty proposal that says so."""
    workbench = LocalWorkbench(tmp_path, {"test_a.py": "def test():\n    assert 1 == 2\n"})
    command = "python -m pytest -q -p no:cacheprovider"
    proposal = await propose(workbench, command)
    assert workbench.ran == []
    assert not proposal.patch
    assert proposal.summary == mechanical.no_fix_mode(command)


async def test_a_snapshot_that_differs_is_left_alone(tmp_path: Path) -> None:
    """Unless the repo config lets tools update snapshots; it is said where that is set."""
    said = "def test():\n    raise AssertionError('Snapshot `greets 1` mismatched')\n"
    workbench = LocalWorkbench(tmp_path, {"test_a.py": said})
    command = "python -m pytest -q -p no:cacheprovider"
    proposal = await propose(workbench, command)
    assert proposal.summary == (
        f"{mechanical.no_fix_mode(command)} {mechanical.SNAPSHOTS_LEFT_ALONE}"
    )


async def test_two_modules_of_one_name(tmp_path: Path) -> None:
    """The folder of the one that could not be taken becomes a package."""
    workbench = LocalWorkbench(tmp_path, {"one/same.py": "A = 1\n", "two/same.py": "B = 2\n"})
    proposal = await propose(workbench, "python -m mypy --cache-dir=/dev/null one two")
    assert proposal.patch.files == ("two/__init__.py",)
    assert (tmp_path / "two/__init__.py").read_text() == ""


def test_one_file_of_tens_of_thousands() -> None:
    """Tests may leave as many files as they like; the edit alone is wanted."""
    left = [f"left/{n}" for n in range(50_000)]
    section = "diff --git a/{0} b/{0}\n--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-a\n+b\n"
    data = "".join(map(section.format, [*left, "odd name.py"])).encode()
    whole = Patch(data, (*left, "odd name.py"), 50_001, 50_001)
    edit = section.format("odd name.py").encode()
    assert only(whole, {"odd name.py"}) == Patch(edit, ("odd name.py",), 1, 1)


async def test_protected_files_stay_out_of_the_patch(tmp_path: Path) -> None:
    """A formatter that runs over everything does not smuggle protected files into the patch."""
    files = {"a.py": "x = [1,2]\n", "vendor/b.py": "y = [1,2]\n"}
    workbench = LocalWorkbench(tmp_path, files)
    proposal = await propose(
        workbench, "ruff format --no-cache --check .", protected=("vendor/**",)
    )
    assert proposal.patch.files == ("a.py",)
    assert "vendor" not in proposal.patch.text
    assert (proposal.patch.added, proposal.patch.removed) == (1, 1)
    assert "vendor/b.py" in proposal.summary


async def test_what_is_left_is_said(tmp_path: Path) -> None:
    """When the tool can't repair everything, the patch stays and the summary names what is left."""
    files = {"a.py": "import os\nprint(undefined)\n"}
    workbench = LocalWorkbench(tmp_path, files)
    proposal = await propose(workbench, "ruff check --no-cache --output-format concise .")
    assert proposal.patch.files == ("a.py",)
    assert "still fails: a.py:1: F821: Undefined name `undefined`" in proposal.summary


async def test_a_tool_that_is_not_installed(tmp_path: Path) -> None:
    """A missing tool is no fix and no crash."""
    workbench = LocalWorkbench(tmp_path, {"Makefile": "lint:\n\tcodespell .\n"})
    proposal = await propose(workbench, "make lint")
    assert not proposal.patch
    assert "It is not installed here." in proposal.summary


async def test_writing_a_test_is_left_to_others(tmp_path: Path) -> None:
    """Asked for a failing test first, it does nothing."""
    workbench = await LocalWorkbench(tmp_path, {"a.py": UNTIDY}).start()
    task = Task(
        n=1,
        problem=Problem(),
        commands=Commands((), "ruff check .", "ruff check ."),
        reproduction=Reproduction(Cause.NOT_REPRODUCED, None),
        earlier=(),
        limits=Limits(),
        spent=Usage(),
        deadline=time.time() + 3600,
        write_test=True,
    )
    charged: list[Usage] = []
    proposal = await MechanicalProposer().propose(
        task, workbench, PlainSteps(), silent, charged.append
    )
    assert (workbench.ran, bool(proposal.patch)) == ([], False)


CHECKER = """\
import subprocess
import sys

folders = [name for name in ("src", "docs") if name != "docs"]
done = subprocess.run([sys.executable, "-m", "ruff", "check", "--no-cache", "--select=I", *folders])
sys.exit(done.returncode or subprocess.run(["ruff", "format", "--no-cache", "--check", "."], cwd="src").returncode)
"""


async def test_what_a_command_was_seen_to_start(tmp_path: Path) -> None:
    """Behind make and a program nobody can read: the same tools, arguments and folders, repairing."""
    files = {
        "Makefile": "PY := $(shell which python)\nlint:\n\t@cd . && $(PY) checks.py\n",
        "checks.py": CHECKER,
        "src/a.py": UNTIDY,
        "docs/b.py": UNTIDY,
    }
    workbench = LocalWorkbench(tmp_path, files)
    proposal = await propose(workbench, "make lint")
    assert workbench.ran == [
        "python -m ruff check --fix --no-cache --select=I src",
        "python -m ruff check --fix --no-cache --select=I src",  # the formatter starts only now
        "cd src && ruff format --no-cache .",
    ]
    assert proposal.patch.files == ("src/a.py",)
    assert "still fails" not in proposal.summary
    assert proposal.summary == snapshot("""\
Ran the project's own tools: `python -m ruff check --fix --no-cache --select=I src` and `cd src && ruff format --no-cache .`.

- `python -m ruff check --fix --no-cache --select=I src`: The failing command started `ruff` through `make lint` → `python checks.py`.
- `cd src && ruff format --no-cache .`: The failing command started `ruff` through `make lint` → `python checks.py`.\
""")
    assert [program.arguments[1:4] for program in proposal.programs][-1:] == [
        ("check", "--no-cache", "--select=I")
    ]


async def test_the_very_tool_that_was_started(tmp_path: Path) -> None:
    """One that no PATH has, as tox and pre-commit start theirs: by its file."""
    files = {
        "tools/own/bin/ruff": f'#!/bin/sh\nexec {sys.executable} -m ruff "$@"\n',
        "lint.sh": "PATH=$PWD/tools/own/bin:$PATH\nfor file in *.py; do ruff format --check $file || exit; done\n",
        "ruff.toml": "cache-dir = '/tmp/ruff-cache'\n",
        "a.py": UNTIDY,
    }
    workbench = LocalWorkbench(tmp_path, files)
    (tmp_path / "tools/own/bin/ruff").chmod(0o755)
    proposal = await propose(workbench, "bash -c '. ./lint.sh'")
    assert workbench.ran == ["tools/own/bin/ruff format a.py"]
    assert proposal.patch.files == ("a.py",)


async def test_what_tests_start_is_theirs(tmp_path: Path) -> None:
    """A formatter that a test runs is a program under test: nothing is repaired with it."""
    test = """\
import subprocess
import unittest

class Test(unittest.TestCase):
    def test(self):
        subprocess.run(["ruff", "format", "--no-cache", "--check", "."], check=True)
"""
    workbench = LocalWorkbench(tmp_path, {"test_a.py": test, "a.py": UNTIDY})
    proposal = await propose(workbench, "sh -c 'python -m unittest > /dev/null 2>&1'")
    assert [
        program.arguments[1] for program in proposal.programs if program.file.endswith("ruff")
    ] == ["format"]
    assert workbench.ran == []
    assert not proposal.patch


HOOKS = """\
repos:
  - repo: local
    hooks:
      - {id: order, name: order, language: system, entry: ruff check --no-cache --select I, types: [python]}
      - {id: tidy, name: tidy, language: system, entry: ruff format --no-cache --check --line-length 60, types: [python], exclude: ^b}
"""


async def test_hooks_of_pre_commit_that_only_check(tmp_path: Path) -> None:
    """Behind make: first what pre-commit repairs itself, then each hook's tool with its own files."""
    files = {
        ".pre-commit-config.yaml": HOOKS,
        "Makefile": "lint:\n\tpre-commit run --all-files\n",
        "a.py": UNTIDY,
        "b.py": UNTIDY,
    }
    workbench = LocalWorkbench(tmp_path, files)
    proposal = await propose(workbench, "make lint")
    assert workbench.ran == [
        "pre-commit run --all-files",
        "ruff check --fix --no-cache --select I a.py b.py",
        "ruff format --no-cache --line-length 60 a.py",
        "pre-commit run --all-files",
    ]
    assert proposal.patch.files == ("a.py", "b.py")
    assert "still fails" not in proposal.summary


async def test_a_script_behind_tox(tmp_path: Path) -> None:
    """What an environment of tox runs in the end, with the arguments that it came to."""
    files = {
        "tox.ini": "[tox]\nno_package = true\n[testenv:lint]\ncommands = python check.py a\n",
        "check.py": "import os, sys\nos.execvp('ruff', 'ruff format --no-cache --check'.split() + [sys.argv[1] + '.py'])\n",
        ".gitignore": ".tox\n",
        "a.py": UNTIDY,
        "b.py": UNTIDY,
    }
    workbench = LocalWorkbench(tmp_path, files)
    proposal = await propose(workbench, "tox -q -e lint")
    assert workbench.ran == ["ruff format --no-cache a.py"]
    assert proposal.patch.files == ("a.py",)
