"""Run jobs of public projects at a commit where they fail and at the commit that mended them.

    python -m bench.jobs --mirrors DIR [--only NAME] [FILE]

`fixpoint ci run` is started twice for each case of jobs.toml: the job must fail, then pass. Clones
are bare or not, `owner+name` below DIR, and only read. The exit code is 1 unless all went so.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from bench.case import mirror_of, run_git
from bench.processes import FIXPOINT, without_settings
from bench.tables import print_machine, print_table

CASES = Path(__file__).with_name("jobs.toml")
_LONGEST = 1800.0
"""Seconds for one job, its installations included."""


@dataclass(frozen=True, slots=True)
class JobCase:
    """A job and two commits.

    Attributes:
        repo: `owner/name` on GitHub.
        red: The commit on which it fails.
        green: The commit that mended it.
        job: Its id in the workflow.
        workflow: File name, where several have such a job.
        matrix: Of the leg, as `key=value`.
        tests: Files of `green` that are put onto `red`; none when `red` fails as it is.
        as_of: Whether packages are installed as of the commit's date.
    """

    repo: str
    red: str
    green: str
    job: str
    workflow: str = ""
    matrix: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    as_of: bool = False

    @property
    def options(self) -> list[str]:
        """Return the case as options of `fixpoint ci run`."""
        workflow = ["--workflow", self.workflow] if self.workflow else []
        matrix = [word for pair in self.matrix for word in ("--matrix", pair)]
        dated = ["--as-of", "commit"] if self.as_of else []
        return [*workflow, "--job", self.job, *matrix, *dated]


@dataclass(frozen=True, slots=True)
class JobOutcome:
    """How a job ended.

    Attributes:
        passed: None when it could not be run; `said` says why.
        step: The one that failed, or "".
        failing: Tests that fail, as far as the output names them.
        said: The last line on stderr.
        seconds: Wall time, installations included.
    """

    passed: bool | None
    step: str
    failing: tuple[str, ...]
    said: str
    seconds: float

    @property
    def told(self) -> str:
        """Return it for the table."""
        if self.passed is None:
            return f"not run: {self.said}"
        if self.passed:
            return "passes"
        count = f", {len(self.failing)} failures named" if self.failing else ""
        return f"fails at `{self.step}`{count}"


def main() -> None:
    """Run the cases one after the other, print the table, exit with 1 when one is not as told."""
    options = _options()
    cases = [case for case in load(options.file) if not options.only or case.repo in options.only]
    rows, right = [], 0
    for case in cases:
        red, green = (_run(case, options.mirrors, mended=mended) for mended in (False, True))
        fine = red.passed is False and green.passed is True
        right += fine
        leg = ", ".join((case.job, *case.matrix))
        name = f"{case.repo} {case.red[:8]}{' with the tests' if case.tests else ''}"
        seconds = f"{red.seconds:.0f} + {green.seconds:.0f}"
        rows.append((name, leg, red.told, green.told, seconds, "yes" if fine else "NO"))
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    print_machine()
    head = ("Commit", "Job", "There", "At the commit that mended it", "Seconds", "Red, then green")
    print_table("Jobs of public projects", head, rows)
    sys.exit(right < len(cases))


def load(file: Path) -> list[JobCase]:
    """Return the cases of a file, in its order."""
    entries = tomllib.loads(file.read_text("utf-8"))["case"]
    return TypeAdapter(list[JobCase]).validate_python(entries)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.jobs", description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", default=CASES, help="the file of cases")
    parser.add_argument("--mirrors", type=Path, required=True, help="folder of the clones")
    parser.add_argument("--only", action="append", metavar="REPO", help="may be repeated")
    return parser.parse_args()


def _run(case: JobCase, mirrors: Path, *, mended: bool) -> JobOutcome:
    with tempfile.TemporaryDirectory(prefix="fixpoint-job-") as name:
        scratch = Path(name)
        folder = _check_out(case, mirrors.absolute(), scratch / "w", mended=mended)
        started = time.perf_counter()
        done = subprocess.run(
            (FIXPOINT, "ci", "run", str(folder), *case.options, "--json"),
            env=without_settings() | {"FIXPOINT_DATA": str(scratch / "data")},
            capture_output=True,
            text=True,
            check=False,
            timeout=_LONGEST,
        )
        seconds = time.perf_counter() - started
    said = next(reversed(done.stderr.strip().splitlines()), "")
    if not done.stdout:
        return JobOutcome(None, "", (), said, seconds)
    told = json.loads(done.stdout)
    steps = {step["number"]: step["name"] for step in told["steps"]}
    step = " ".join(steps.get(told["failed_step"], "").split())
    return JobOutcome(told["passed"], step, tuple(told["failing"]), said, seconds)


def _check_out(case: JobCase, mirrors: Path, folder: Path, *, mended: bool) -> Path:
    """Make `folder` a work tree of one of the two commits.

    Raises:
        subprocess.CalledProcessError: When the clone lacks the commit.
    """
    mirror = mirror_of(case.repo, mirrors)
    run_git(folder.parent, "clone", "--quiet", str(mirror), str(folder))
    run_git(folder, "checkout", "--quiet", case.green if mended else case.red)
    if case.tests and not mended:
        run_git(folder, "checkout", "--quiet", case.green, "--", *case.tests)
    return folder


if __name__ == "__main__":
    main()
