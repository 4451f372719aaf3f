"""Collect real bug fixes of one file, by a rule and before anything is repaired.

    python -m bench.search.collect OWNER/NAME... --mirrors DIR --out FILE

Of each clone, newest first: a commit whose message has one of `--words`, that changes one program by at most
`--lines` lines and at least one file of tests, since `--since`. With `--hunk` the change of the program is one
hunk of at most so many lines, before and after, within one function. Its tests, put on the commit before
it, must fail, and pass with its program; both is run here, as the commands of the project are, in `--seconds` each. A few
that fail in both are left out of the command. At most `--most` of a project, of `--tried` commits that are run. The file
is as `bench.cases` takes it.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.case import mirror_of, run_git
from bot.ci.failures.runners import junit
from bot.code.files import is_restored, is_test_file

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
_TESTING = frozenset({"test", "tests", "testing"})
"""Names of extras and groups that have what tests need."""

_ASIDE = 10
"""Tests of a commit that may fail for another reason."""

_PACKAGES = {
    "hypothesis": "hypothesis", "pytz": "pytz", "tzlocal": "tzlocal", "dateutil": "python-dateutil",
    "freezegun": "freezegun", "yaml": "pyyaml", "ruamel": "ruamel.yaml", "toml": "toml",
    "tomli_w": "tomli-w", "msgpack": "msgpack", "simplejson": "simplejson", "html5lib": "html5lib",
    "lxml": "lxml", "mocker": "pytest-mock", "mock": "mock", "parameterized": "parameterized",
    "numpy": "numpy",
}  # fmt: skip
"""What tests of Python projects need most often, by the word that they use it by."""


@dataclass(frozen=True, slots=True)
class _Commit:
    """A repair as its commit has it."""

    commit: str
    parent: str
    source: str
    tests: tuple[str, ...]
    lines: int
    aside: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        aside = "".join(f" --deselect {shlex.quote(self._address(test))}" for test in self.aside)
        return f"python -m pytest -q -p no:cacheprovider -o addopts= {' '.join(self.tests)}{aside}"

    def _address(self, test: str) -> str:
        """Return a test of a report, `tests.test_a.TestB::test_c`, as pytest takes it."""
        modules = {path.removesuffix(".py").replace("/", "."): path for path in self.tests}
        inside, _, name = test.partition("::")
        module = next((module for module in modules if f"{inside}.".startswith(f"{module}.")), "")
        classes = inside.removeprefix(module).strip(".").split(".") if module else [inside]
        return "::".join(filter(None, (modules.get(module), *classes, name)))


def main() -> None:
    """Print each case that is found, and write it at once."""
    options = _options()
    cases = []
    for repo in options.repos:
        try:
            for case in _of_project(repo, options):
                cases.append(case)
                options.out.write_text(json.dumps(cases, indent=1) + "\n", "utf-8")
        except subprocess.CalledProcessError as error:  # today's project does not install here
            print(f"{repo}: {error}", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.search.collect",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("repos", nargs="+", metavar="OWNER/NAME")
    parser.add_argument("--mirrors", type=Path, default=Path("mirrors"), metavar="DIR")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE")
    parser.add_argument("--most", type=int, default=3, metavar="N", help="cases of a project")
    parser.add_argument("--lines", type=int, default=10, metavar="N", help="changed, at most")
    parser.add_argument("--hunk", type=int, metavar="N", help="lines of the only hunk, at most")
    parser.add_argument("--words", default="fix", metavar="REGEX", help="of messages")
    parser.add_argument("--tried", type=int, default=60, metavar="N", help="commits of a project")
    parser.add_argument("--seconds", type=float, default=120.0, help="limit of one run of tests")
    parser.add_argument("--since", default="2018-01-01", metavar="DATE")
    return parser.parse_args()


def _of_project(repo: str, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    mirror = mirror_of(repo, options.mirrors.resolve())
    with tempfile.TemporaryDirectory(prefix="fixpoint-collect-") as scratch:
        tree = Path(scratch) / "w"
        run_git(Path(scratch), "clone", "--quiet", str(mirror), str(tree))
        packages = _needed(tree)
        variables = _environment(Path(scratch) / "environment", tree, packages)
        tried = found = 0
        for commit in _commits(tree, options):
            if found == options.most or tried == options.tried:
                break
            tried += 1
            if shown := _shown(tree, commit, variables, options.seconds):
                found += 1
                case = _case(repo, *shown, packages)
                print(case["id"], commit.source, commit.lines, len(shown[1]), flush=True)
                yield case
        print(f"{repo}: {found} of {tried} commits", flush=True)


def _commits(tree: Path, options: argparse.Namespace) -> Iterator[_Commit]:
    since = f"--since={options.since}"
    listed = run_git(
        tree, "log", "--no-merges", "-i", "-E", f"--grep={options.words}", since, "--numstat",
        "--no-renames", "--format=%x00%H",
    )  # fmt: skip
    for entry in listed.split("\0")[1:]:
        commit, *told = entry.split("\n")
        changed: dict[str, int] = {}
        for line in filter(None, told):
            added, removed, path = line.split("\t")
            changed[path] = int(added) + int(removed) if added != "-" else sys.maxsize
        programs = [path for path in changed if path.endswith(".py")]
        tests = tuple(path for path in programs if is_test_file(path))
        sources = [path for path in programs if path not in tests and not is_restored(path)]
        runs = [path for path in tests if Path(path).name not in {"conftest.py", "__init__.py"}]
        if len(sources) != 1 or not runs or not 0 < changed[sources[0]] <= options.lines:
            continue
        parent = run_git(tree, "rev-parse", f"{commit}^").strip()
        if options.hunk and not _is_in_function(tree, parent, commit, sources[0], options.hunk):
            continue
        yield _Commit(commit, parent, sources[0], tuple(runs), changed[sources[0]])


def _is_in_function(tree: Path, parent: str, commit: str, source: str, most: int) -> bool:
    """Whether a commit changes a file by one hunk of at most so many lines, within one function."""
    hunks = _HUNK.findall(run_git(tree, "diff", "-U0", parent, commit, "--", source))
    if len(hunks) != 1:
        return False
    start, before, first, after = (int(number or 1) for number in hunks[0])
    if max(before, after) > most:
        return False
    return all(
        _is_function(run_git(tree, "show", f"{side}:{source}"), line, line + max(count, 1) - 1)
        for side, line, count in ((parent, start, before), (commit, first, after))
    )


def _is_function(text: str, first: int, last: int) -> bool:
    """Whether lines are in the body of one function; where nothing is, the line before."""
    try:
        nodes = ast.walk(ast.parse(text))
    except (SyntaxError, ValueError):
        return False
    return any(
        node.lineno <= first and last <= (node.end_lineno or 0)
        for node in nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def _needed(tree: Path) -> tuple[str, ...]:
    """Return what the tests of a project may need besides what it requires."""
    words = "|".join(_PACKAGES)
    found = run_git(tree, "grep", "-ohwE", f"{words}|import", "--", "*.py")
    used = sorted(set(found.split()) & _PACKAGES.keys())
    return ("pytest", *(_PACKAGES[word] for word in used), *_testing(tree))


def _testing(tree: Path) -> tuple[str, ...]:
    """Return the project as `uv pip` installs it in place, with its own lists for tests."""
    file = tree / "pyproject.toml"
    told = tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}
    extras = sorted(_TESTING & told.get("project", {}).get("optional-dependencies", {}).keys())
    groups = sorted(_TESTING & told.get("dependency-groups", {}).keys())
    suffix = f"[{','.join(extras)}]" if extras else ""
    return (*(word for group in groups for word in ("--group", group)), "-e", f".{suffix}")


def _environment(place: Path, tree: Path, packages: tuple[str, ...]) -> dict[str, str]:
    """Return the variables of an environment that has the project as it is today."""
    uv = (sys.executable, "-m", "uv")
    subprocess.run((*uv, "venv", "--quiet", "--python", sys.executable, str(place)), check=True)
    variables = {**os.environ, "PATH": f"{place / 'bin'}:{os.environ['PATH']}"}
    variables.pop("PYTHONPATH", None)
    install = (*uv, "pip", "install", "--quiet", "--python", str(place / "bin" / "python"))
    subprocess.run((*install, *packages), cwd=tree, env=variables, check=True)
    return variables


def _shown(
    tree: Path, commit: _Commit, variables: dict[str, str], seconds: float
) -> tuple[_Commit, frozenset[str]] | None:
    """Return a commit and the tests that its program turns green; None where it does not show a bug.

    A few tests that fail with and without it, with what is installed today, are left out.
    """
    try:
        run_git(tree, "checkout", "--quiet", "--force", commit.parent)
        run_git(tree, "checkout", "--quiet", commit.commit, "--", *commit.tests)
        failed, passed, _ = _ran(tree, commit, variables, seconds)
        run_git(tree, "checkout", "--quiet", commit.commit, "--", commit.source)
        left, green, ok = _ran(tree, commit, variables, seconds)
        if left and len(left) <= _ASIDE and left <= failed and failed & green:
            commit = replace(commit, aside=tuple(sorted(left)))
            left, green, ok = _ran(tree, commit, variables, seconds)
    except subprocess.CalledProcessError:  # no such file before
        return None
    turned = failed & green
    return (commit, turned) if ok and turned and not left and passed <= green else None


def _ran(
    tree: Path, commit: _Commit, variables: dict[str, str], seconds: float
) -> tuple[frozenset[str], frozenset[str], bool]:
    """Return the failing and the passing tests, and whether the command passed."""
    report = tree.parent / "report.xml"
    report.unlink(missing_ok=True)
    try:
        done = subprocess.run(
            f"{commit.command} --junitxml={report}",
            shell=True, cwd=tree, env=variables, capture_output=True, timeout=seconds, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return frozenset(), frozenset(), False
    reading = junit.parse(report.read_bytes()) if report.exists() else None
    if reading is None:
        return frozenset(), frozenset(), False
    return (
        frozenset(failure.test for failure in reading.failing),
        reading.passed,
        done.returncode == 0,
    )


def _case(
    repo: str, commit: _Commit, turned: frozenset[str], packages: tuple[str, ...]
) -> dict[str, Any]:
    return {
        "id": f"{repo.replace('/', '__')}-{commit.commit[:8]}",
        "repo": repo,
        "fix_commit": commit.commit,
        "parent": commit.parent,
        "source_files": [commit.source],
        "source_lines_changed": commit.lines,
        "test_files": list(commit.tests),
        "recipe": [
            f"uv pip install --python ~/.venv/bin/python {' '.join(map(shlex.quote, packages))}"
        ],
        "test_command": commit.command,
        "fail_to_pass": sorted(turned),
    }


if __name__ == "__main__":
    main()
