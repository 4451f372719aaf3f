"""A command where nothing tells of a test or of Fixpoint."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from bot.model import Failure, Observation, Severity
from bot.repair.verification.forgery.disguised_rerun import findings_of
from bot.repair.workspace.disguise import disguised, needed

LOOKS = """\
import getpass, os, sys

def seen():
    import __main__
    everything = [*sys.argv, *getattr(sys, "orig_argv", ()), *sys.modules, *vars(__main__), *map(str, vars(__main__).values())]
    everything += [os.getcwd(), os.path.expanduser("~"), getpass.getuser(), *sys.path]
    everything += [f"{name}={value}" for name, value in os.environ.items()]
    words = ("pytest", "unittest", "fixpoint", "junit", "FORMER", "test_", "discover")
    return sorted({one for one in everything for word in words if word.lower() in one.lower()})
"""
TESTS = """\
import pickle, sys, unittest
from unittest import mock
from program import seen

class Named:
    pass

class T(unittest.TestCase):
    def test_a(self):
        with mock.patch.dict("sys.modules", {"other": unittest}):
            import other
        self.assertIs(other, unittest)
        self.assertNotIn("other", sys.modules)
        self.assertIsInstance(pickle.loads(pickle.dumps(Named())), Named)
        self.assertEqual(seen(), [])
"""


def run(
    folder: Path, command: str, files_there: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a command in a work tree and home of its own, disguised."""
    places = {name: folder / f"former-{name}" for name in ("work", "home", "tools")}
    for place in places.values():
        place.mkdir()
    for name, text in files_there.items():
        (places["work"] / name).write_text(text, "utf-8")
    new = Path(tempfile.mkdtemp())  # the name of a test's own folder tells of it
    for name, data in needed().items():
        (places["tools"] / name).write_bytes(data)
    script = disguised(
        command,
        "k2",
        folder=str(places["tools"]),
        workspace=str(places["work"]),
        home=str(places["home"]),
        scratch=str(new),
    )
    environment = {
        "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        "HOME": str(places["home"]),
        "CI": "true",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "USER": "fixpoint",
    }
    try:
        return subprocess.run(
            ["bash", "-c", script],
            cwd=places["work"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        shutil.rmtree(new)


@pytest.mark.parametrize(
    "command",
    [
        "python -m unittest -q check_it",
        "python -m pytest -q -p no:cacheprovider check_it.py",
        "pytest -q check_it.py",
    ],
)
def test_a_program_finds_no_trace(tmp_path: Path, command: str) -> None:
    """Neither of a runner nor of the former place; its tests and libraries work as ever."""
    done = run(tmp_path, command, {"program.py": LOOKS, "check_it.py": TESTS})
    assert done.returncode == 0, done.stdout + done.stderr


A, B = Failure("t.a", message="3 != 6"), Failure("t.b", message="no such folder")


def red(*failures: Failure) -> Observation:
    """Return a failing run."""
    return Observation("pytest", 1, failures)


@pytest.mark.parametrize(
    ("seen", "before", "usual", "severities"),
    [
        (red(A), red(A), red(A), [Severity.REJECT]),
        (red(A), red(A, B), red(A), []),
        (red(A), red(B), red(A), []),
        (red(B), red(A), red(A), [Severity.NEEDS_PERSON]),
        (red(Failure("t.a", message="at 0x1f took 2.1 s")), red(Failure("t.a", message="at 0x2e took 3 s")),
         red(Failure("t.a", message="at 0x3f took 1 s")), [Severity.REJECT]),
    ],
)  # fmt: skip
def test_what_a_failure_in_disguise_says(
    seen: Observation, before: Observation, usual: Observation, severities: list[Severity]
) -> None:
    """The failure of before rejects, another one needs a person, the place's own doing is none."""
    found = findings_of(seen, before, usual)
    assert [finding.severity for finding in found] == severities
    assert {finding.rule for finding in found} <= {"fails-in-disguise"}


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node.js")
def test_node_has_no_trace(tmp_path: Path) -> None:
    """A file of tests runs on its own then, and its failures still count."""
    program = "module.exports = () => 'NODE_TEST_CONTEXT' in process.env || 'CI' in process.env;\n"
    tests = (
        "const test = require('node:test'); test('a', () => { if (require('./a')()) throw 1; });"
    )
    assert run(tmp_path, "node --test", {"a.js": program, "a.test.js": tests}).returncode == 0
    (tmp_path / "more").mkdir()
    done = run(
        tmp_path / "more",
        "node --test",
        {"a.js": program, "a.test.js": tests.replace("(require", "(!require")},
    )
    assert done.returncode == 1
