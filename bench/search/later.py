"""Judge patches of real bugs by the project's later tests: do they see a difference to its own repair?

    python -m bench.search.later RESULTS... --cases FILE --mirrors DIR

RESULTS are what `bench.search --cases --out` wrote. The test files of a repair are taken from later
commits, and run with the patch, with the project's own repair, and with neither. A patch is *equal*
if every later test that passes with the project's repair passes with it, and one of them at least
fails with neither. The files are written anew with that; a patch that no later test decides keeps
what it was. Commands of the projects run on this machine as they are.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.case import Case, check_out, installed, load_cases, real_fix, run_git
from bot.ci.failures.runners import junit

_MOST_COMMITS = 8
_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Later:
    """What later tests say of a patch.

    Attributes:
        passing: Tests that pass with the project's own repair.
        deciding: Those of them that fail without any repair.
        broken: Those of them that fail with the patch.
    """

    passing: frozenset[str]
    deciding: frozenset[str]
    broken: frozenset[str]

    @property
    def equal(self) -> bool | None:
        """Whether the patch behaves as the project's repair; None where no test decides."""
        if self.broken:
            return False
        return True if self.deciding else None


def main() -> None:
    """Judge each patch of the files, print a line for each, and write what was found."""
    options = _options()
    cases = {case.id: case for case in load_cases(options.cases)}
    for file in options.results:
        results = [
            {**load, **_judged(load, cases[load["subject"]], options.mirrors.resolve())}
            for load in json.loads(file.read_text("utf-8"))
        ]
        file.write_text(json.dumps(results, indent=1) + "\n", "utf-8")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.search.later",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("results", type=Path, nargs="+", metavar="RESULTS")
    parser.add_argument("--cases", type=Path, required=True, metavar="FILE")
    parser.add_argument("--mirrors", type=Path, default=Path("mirrors"), metavar="DIR")
    return parser.parse_args()


def _judged(result: dict[str, Any], case: Case, mirrors: Path) -> dict[str, Any]:
    if not result["patch"]:
        return {}
    with tempfile.TemporaryDirectory(prefix="fixpoint-later-") as scratch:
        later = judge(case, result["patch"], mirrors, Path(scratch))
    word = {True: "equal", False: "different", None: "undecided"}[later.equal]
    print(
        f"{case.id:40} {word:10} {len(later.passing)} later tests pass with the project's repair, "
        f"{len(later.deciding)} fail without, {len(later.broken)} fail with the patch",
        *sorted(later.broken)[:3],
        flush=True,
    )
    return {} if later.equal is None else {"equal": later.equal}


def judge(case: Case, patch: str, mirrors: Path, scratch: Path) -> Later:
    """Return what the later tests of a project say of a patch.

    Args:
        case: The bug.
        patch: As a diff of the commit before the repair.
        mirrors: Where the clones are.
        scratch: An empty folder.
    """
    tree = check_out(case, mirrors, scratch / "tree")
    environment = installed(case.setup, tree, scratch)
    passing: dict[str, set[str]] = {}
    for commit in _commits(case, tree):
        for name, diff in (("theirs", real_fix(case, tree)), ("ours", patch), ("none", "")):
            run_git(tree, "checkout", "--quiet", "--force", case.parent)
            if diff:
                run_git(tree, "apply", "-", stdin=diff)
            for file in case.test_files:
                _take(tree, commit, file)
            found = _passing(case, tree, environment, scratch / "report.xml")
            passing.setdefault(name, set()).update(f"{commit[:8]} {item}" for item in found)
    theirs = frozenset(passing.get("theirs", ()))
    return Later(theirs, theirs - passing.get("none", set()), theirs - passing.get("ours", set()))


def _commits(case: Case, tree: Path) -> Iterator[str]:
    """Yield the repair, and later commits that changed its tests, spread evenly."""
    between = f"{case.fix_commit}..origin/HEAD"
    listed = run_git(tree, "log", "--format=%H", between, "--", *case.test_files).split()
    step = max(1, -(-len(listed) // _MOST_COMMITS))
    yield case.fix_commit
    yield from listed[::step]


def _take(tree: Path, commit: str, file: str) -> None:
    try:
        run_git(tree, "checkout", "--quiet", commit, "--", file)
    except subprocess.CalledProcessError:  # it is gone by then
        return


def _passing(case: Case, tree: Path, environment: dict[str, str], report: Path) -> frozenset[str]:
    report.unlink(missing_ok=True)
    try:
        subprocess.run(
            f"{case.test_command} --junitxml={report}",
            shell=True, cwd=tree, env=environment, capture_output=True, timeout=_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return frozenset()
    reading = junit.parse(report.read_bytes()) if report.exists() else None
    return reading.passed if reading is not None else frozenset()


if __name__ == "__main__":
    main()
