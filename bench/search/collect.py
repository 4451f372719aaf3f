"""Collect real bug fixes of one file, by a rule and before anything is repaired.

    python -m bench.search.collect OWNER/NAME... --mirrors DIR --out FILE

Of each clone, newest first: a commit whose message says "fix", that changes one program by at most
`--lines` lines and at least one file of tests, since `--since`. Its tests, put on the commit before
it, must fail, and pass with its program; both is run here, as the commands of the project are. At
most `--most` of a project. The file is as `bench.cases` takes it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.case import mirror_of, run_git
from bot.ci.failures.runners import junit
from bot.code.files import is_restored, is_test_file

_SECONDS = 120.0
_TRIED = 60
"""Commits of a project that are run."""

_PACKAGES = (
    "pytest", "hypothesis", "pytz", "tzlocal", "python-dateutil", "freezegun", "pyyaml",
    "ruamel.yaml", "toml", "tomli-w", "msgpack", "simplejson", "html5lib", "lxml",
)  # fmt: skip
"""What tests of Python projects need most often."""


@dataclass(frozen=True, slots=True)
class _Commit:
    """A repair as its commit has it."""

    commit: str
    parent: str
    source: str
    tests: tuple[str, ...]
    lines: int

    @property
    def command(self) -> str:
        return f"python -m pytest -q -p no:cacheprovider -o addopts= {' '.join(self.tests)}"


def main() -> None:
    """Print each case that is found, and write all of them."""
    options = _options()
    cases = []
    for repo in options.repos:
        try:
            cases += _of_project(repo, options)
        except subprocess.CalledProcessError as error:  # today's project does not install here
            print(f"{repo}: {error}", flush=True)
        options.out.write_text(json.dumps(cases, indent=1) + "\n", "utf-8")


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
    parser.add_argument("--since", default="2018-01-01", metavar="DATE")
    return parser.parse_args()


def _of_project(repo: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = []
    mirror = mirror_of(repo, options.mirrors.resolve())
    with tempfile.TemporaryDirectory(prefix="fixpoint-collect-") as scratch:
        tree = Path(scratch) / "w"
        run_git(Path(scratch), "clone", "--quiet", str(mirror), str(tree))
        variables = _environment(Path(scratch) / "environment", tree)
        tried = 0
        for commit in _commits(tree, options):
            if len(cases) == options.most or tried == _TRIED:
                break
            tried += 1
            turned = _turned_green(tree, commit, variables)
            if turned:
                cases.append(_case(repo, commit, turned))
                print(cases[-1]["id"], commit.source, commit.lines, len(turned), flush=True)
        print(f"{repo}: {len(cases)} of {tried} commits", flush=True)
    return cases


def _commits(tree: Path, options: argparse.Namespace) -> Iterator[_Commit]:
    listed = run_git(
        tree, "log", "--no-merges", "-i", "--grep=fix", f"--since={options.since}", "--format=%H"
    )
    for commit in listed.split():
        changed: dict[str, int] = {}
        for line in run_git(
            tree, "show", "--numstat", "--no-renames", "--format=", commit
        ).splitlines():
            added, removed, path = line.split("\t")
            changed[path] = int(added) + int(removed) if added != "-" else sys.maxsize
        programs = [path for path in changed if path.endswith(".py")]
        tests = tuple(path for path in programs if is_test_file(path))
        sources = [path for path in programs if path not in tests and not is_restored(path)]
        runs = [path for path in tests if Path(path).name not in {"conftest.py", "__init__.py"}]
        if len(sources) != 1 or not runs or not 0 < changed[sources[0]] <= options.lines:
            continue
        parent = run_git(tree, "rev-parse", f"{commit}^").strip()
        yield _Commit(commit, parent, sources[0], tuple(runs), changed[sources[0]])


def _environment(place: Path, tree: Path) -> dict[str, str]:
    """Return the variables of an environment that has the project as it is today."""
    subprocess.run((sys.executable, "-m", "venv", str(place)), check=True)
    variables = {**os.environ, "PATH": f"{place / 'bin'}:{os.environ['PATH']}"}
    variables.pop("PYTHONPATH", None)
    subprocess.run(
        ("pip", "install", "--quiet", *_PACKAGES, "-e", "."), cwd=tree, env=variables, check=True
    )
    return variables


def _turned_green(tree: Path, commit: _Commit, variables: dict[str, str]) -> frozenset[str]:
    """Return the tests that fail before a commit's program and pass with it; none if others fail."""
    try:
        run_git(tree, "checkout", "--quiet", "--force", commit.parent)
        run_git(tree, "checkout", "--quiet", commit.commit, "--", *commit.tests)
        failed, passed, _ = _ran(tree, commit, variables)
        run_git(tree, "checkout", "--quiet", commit.commit, "--", commit.source)
        left, green, ok = _ran(tree, commit, variables)
    except subprocess.CalledProcessError:  # no such file before
        return frozenset()
    fine = ok and not left and passed <= green
    return failed & green if fine else frozenset()


def _ran(
    tree: Path, commit: _Commit, variables: dict[str, str]
) -> tuple[frozenset[str], frozenset[str], bool]:
    """Return the failing and the passing tests, and whether the command passed."""
    report = tree.parent / "report.xml"
    report.unlink(missing_ok=True)
    try:
        done = subprocess.run(
            f"{commit.command} --junitxml={report}",
            shell=True, cwd=tree, env=variables, capture_output=True, timeout=_SECONDS, check=False,
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


def _case(repo: str, commit: _Commit, turned: frozenset[str]) -> dict[str, Any]:
    return {
        "id": f"{repo.replace('/', '__')}-{commit.commit[:8]}",
        "repo": repo,
        "fix_commit": commit.commit,
        "parent": commit.parent,
        "source_files": [commit.source],
        "source_lines_changed": commit.lines,
        "test_files": list(commit.tests),
        "recipe": [f"pip install {' '.join(_PACKAGES)} -e w"],
        "test_command": commit.command,
        "fail_to_pass": sorted(turned),
    }


if __name__ == "__main__":
    main()
