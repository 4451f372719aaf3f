"""Compare with other tools for tests that depend on the order, by the test executions that they need.

    python -m bench.flaky_tools CASES --mirrors DIR --kept DIR [--only TEXT] [--pythons DIR]

For each project of the file of cases (see `bench.flaky`), flaky tests are looked for without naming any:
by iPFlakies (its 100 random orders, then its minimizer for each known test that these show), by
pytest-randomly with detect-test-pollution (20 orders, then the polluter of each known test that fails in
one of them) and by `fixpoint flaky`. Found is a known test for which a polluter or state-setter is named. A
plugin counts every test that pytest starts; Fixpoint counts its own, with the runs that show a command, and
with what it tries besides the order. Each project has an environment of its own, made by uv.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.case import work_tree
from bench.flaky import FlakyCase, load
from bench.processes import FIXPOINT, without_settings
from bench.tables import print_machine, print_table

_COUNTING = """\
import os

def pytest_runtest_logstart(nodeid, location):
    with open(os.environ["COUNTED"], "a") as file:
        file.write(nodeid + chr(10))
"""
_TOOLS = ("ipflakies", "pollution", "fixpoint")
_ORDERS = 20
_LONGEST = 900.0
_OF_ORDER = frozenset({"victim", "brittle"})
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


class ToolRuns:
    """Runs the tools for one project."""

    def __init__(self, known: list[FlakyCase], folder: Path, python: Path, scratch: Path) -> None:
        self._known = {case.test: case.flaky_class for case in known}
        self._folder, self._python = folder, python
        self._counted = scratch / "counted"
        plugins = scratch / "plugins"
        plugins.mkdir(exist_ok=True)
        (plugins / "counting_tests.py").write_text(_COUNTING)
        path = [str(plugins), str(folder), str(folder / "src")]
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("PYTEST")},
            "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join(path),
            "PYTEST_PLUGINS": "counting_tests",
            "PYTEST_ADDOPTS": "-o addopts=",
            "COUNTED": str(self._counted),
        }

    def by_ipflakies(self) -> tuple[int, int]:
        """Return how many known tests iPFlakies finds, and how many tests it runs."""
        self._counted.unlink(missing_ok=True)
        self._said(["script", "-qec", f"{self._python} -m ipflakies", "/dev/null"])
        result = self._folder / "ipflakies_result" / "flakies.json"
        flakies = json.loads(result.read_text()) if result.exists() else {}
        found = sum(self._minimized(test) for test in self._known if test in flakies)
        return found, self._count()

    def _minimized(self, test: str) -> bool:
        """Return whether the minimizer names another test; its patcher is not waited for."""
        tool = f"{self._python} -m ipflakies -t '{test}'"
        process = subprocess.Popen(
            ["script", "-qec", tool, "/dev/null"],
            cwd=self._folder, env=self._environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        )  # fmt: skip
        found = False
        for line in process.stdout or ():
            if "found:" in line and not line.startswith("No "):
                found = True
            if "Patcher" in line:
                with contextlib.suppress(OSError):
                    os.killpg(process.pid, 9)
                break
        process.wait()
        return found

    def by_pollution(self) -> tuple[int, int]:
        """Return how many known tests pytest-randomly and detect-test-pollution find, and the tests run."""
        self._counted.unlink(missing_ok=True)
        shown: set[str] = set()
        pytest = [str(self._python), "-m", "pytest", "-q", "-rfE", "-p", "no:random-order"]
        for seed in range(_ORDERS):
            shown |= {*_FAILED.findall(self._said([*pytest, f"--randomly-seed={seed}"]))}  # fmt: skip
            self._clean()
        found = 0
        tool = str(self._python.with_name("detect-test-pollution"))
        for test in self._known:
            if test in shown:
                said = self._said([tool, "--failing-test", test, "--tests", "."])
                found += "the polluting test is" in said
                self._clean()
        return found, self._count()

    def by_fixpoint(self, packages: tuple[str, ...]) -> tuple[int, int]:
        """Return how many known tests Fixpoint finds, and how many tests it runs."""
        install = f"uv pip install --python ~/.venv/bin/python {' '.join(packages)}"
        path = "PYTHONPATH=src " if (self._folder / "src").is_dir() else ""
        command = (
            *(FIXPOINT, "flaky", str(self._folder), "--json", "--runs", "5", "--setup", install),
            *("--command", f"{path}python -m pytest -o addopts="),
        )
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as data:
            environment = without_settings() | {"FIXPOINT_DATA": data}
            done = subprocess.run(
                command, env=environment, capture_output=True, text=True, check=False
            )
        answer = json.loads(done.stdout or '{"tests": [], "executions": 0}')
        told = {
            test["test"]
            for test in answer["tests"]
            for cause in test["causes"]
            if cause["flaky_class"] == self._known.get(test["test"])
        }
        return len(told), answer["executions"]

    def _said(self, command: list[str]) -> str:
        try:
            done = subprocess.run(
                command, cwd=self._folder, env=self._environment, text=True, capture_output=True,
                check=False, timeout=_LONGEST,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            return ""
        return done.stdout + done.stderr

    def _clean(self) -> None:
        subprocess.run(["git", "clean", "-fdq"], cwd=self._folder, check=False)
        subprocess.run(["git", "checkout", "-q", "."], cwd=self._folder, check=False)

    def _count(self) -> int:
        return self._counted.read_text().count("\n") if self._counted.exists() else 0


def main() -> None:
    """Run the tools for one project after the other and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.flaky_tools", description=__doc__)
    parser.add_argument("file", type=Path, help="the file of cases")
    parser.add_argument("--mirrors", type=Path, required=True, help="folder of the clones")
    parser.add_argument("--kept", type=Path, required=True, help="folder where results are kept")
    parser.add_argument("--only", metavar="TEXT", default="", help="projects whose name has it")
    parser.add_argument("--pythons", type=Path, help="folder of interpreters, as pyenv has it")
    options = parser.parse_args()
    projects: dict[str, list[FlakyCase]] = {}
    for case in load(options.file):
        if options.only in case.repo and case.flaky_class in _OF_ORDER:
            projects.setdefault(case.repo, []).append(case)
    rows = []
    for repo, cases in projects.items():
        row = [repo, len(cases), *_of_project(cases, options)]
        rows.append(tuple(map(str, row)))
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    print_machine()
    head = (
        "Project",
        "Known",
        "iPFlakies",
        "Ran",
        "randomly + pollution",
        "Ran",
        "Fixpoint",
        "Ran",
    )
    print_table("Tests that depend on the order", head, rows)


def _of_project(cases: list[FlakyCase], options: argparse.Namespace) -> list[int]:
    """Return what each tool found and how many tests it ran; from memory if they ran before."""
    first = cases[0]
    kept: Path = options.kept / f"{first.repo.replace('/', '+')}.json"
    found: dict[str, list[int]] = json.loads(kept.read_text("utf-8")) if kept.exists() else {}
    if len(found) == len(_TOOLS):
        return [number for name in _TOOLS for number in found[name]]
    with tempfile.TemporaryDirectory(prefix="flaky-tools-", ignore_cleanup_errors=True) as name:
        scratch = Path(name)
        folder, place = scratch / first.repo.replace("/", "+"), scratch / "environment"
        added = {".python-version": f"{first.python}\n"}
        work_tree(first.repo, first.commit, options.mirrors.absolute(), folder, added)
        there: Path | None = options.pythons
        named = next(there.glob(f"{first.python}.*/bin/python"), None) if there else None
        uv = [sys.executable, "-m", "uv"]
        subprocess.run(
            [*uv, "venv", "-q", "-p", str(named or first.python), str(place)], check=True
        )
        python = place / "bin" / "python"
        install = [*uv, "pip", "install", "-q", "--python", str(python)]
        tools = ("pytest-randomly", "pytest-csv", "detect-test-pollution")
        subprocess.run([*install, *first.packages, *tools], check=True)
        more = (
            "ipflakies",
            "func-timeout",
            "pytest-random-order",
            "bidict==0.21.4",
            "pytest-env==0.6.2",
        )
        subprocess.run([*install, "--no-deps", *more], check=True)
        runs = ToolRuns(cases, folder, python, scratch)
        asked = {
            "fixpoint": lambda: runs.by_fixpoint(first.packages),
            "pollution": runs.by_pollution,
            "ipflakies": runs.by_ipflakies,
        }
        kept.parent.mkdir(parents=True, exist_ok=True)
        for tool, ask in asked.items():
            if tool not in found:
                found[tool] = [*ask()]
                kept.write_text(json.dumps(found), "utf-8")
    return [number for name in _TOOLS for number in found[name]]


if __name__ == "__main__":
    main()
