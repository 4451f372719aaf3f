"""Look for flaky tests in suites of public projects, where few if any are.

    python -m bench.flaky_stable --mirrors DIR [--runs N] [--answers DIR] OWNER/NAME ...

`fixpoint flaky` is started for the newest commit of each project. The table has how many tests were looked
at, and every test that is called flaky with what decides; whoever reads it judges whether that is so. The
exit code is 1 if a command passed that is told to fail every time.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from bench.case import mirror_of, run_git
from bench.processes import FIXPOINT, without_settings
from bench.tables import print_machine, print_table

_LONGEST = 3600.0


def main() -> None:
    """Look at one project after the other and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.flaky_stable", description=__doc__)
    parser.add_argument("repositories", nargs="+", metavar="OWNER/NAME")
    parser.add_argument("--mirrors", type=Path, required=True, help="folder of the clones")
    parser.add_argument("--runs", type=int, default=20, help="of each command that shows a failure")
    parser.add_argument("--answers", type=Path, help="folder where answers are kept")
    options = parser.parse_args()
    rows, looked, called, wrong = [], 0, 0, 0
    with tempfile.TemporaryDirectory(prefix="fixpoint-stable-", ignore_cleanup_errors=True) as name:
        for repo in options.repositories:
            found = _answer(repo, options, Path(name))
            causes = [(test["test"], each) for test in found["tests"] for each in test["causes"]]
            undecided = [test["test"] for test in found["tests"] if not test["causes"]]
            looked, called = looked + found.get("looked_at", 0), called + len(found["tests"])
            wrong += sum(each["red"]["passed"] > 0 for _, each in causes)
            told = [f"{test}: {each['flaky_class']} {each['changed']}" for test, each in causes]
            told += [f"{test}: unknown" for test in undecided]
            rows.append((repo, str(found.get("looked_at", 0)), "; ".join(told) or found.get("problem", "none"), str(len(found.get("unconfirmed", ()))), str(found["executions"]), f"{found['took']:.0f}"))  # fmt: skip
            print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    print_machine()
    head = ("Project", "Tests", "Called flaky", "Not shown", "Executions", "Seconds")
    print_table("Suites of public projects", head, rows)
    print(f"\n{called} of {looked} tests are called flaky")
    sys.exit(wrong > 0)


def _answer(repo: str, options: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """Return what was found, and `took`, the seconds; from memory if it was asked before."""
    kept: Path | None = options.answers
    file = kept / f"{repo.replace('/', '+')}.json" if kept is not None else None
    if file is not None and file.exists():
        found: dict[str, Any] = json.loads(file.read_text("utf-8"))
        return found
    folder = scratch / repo.replace("/", "+")
    run_git(scratch, "clone", "--quiet", str(mirror_of(repo, options.mirrors.absolute())), str(folder))  # fmt: skip
    began = time.perf_counter()
    command = (FIXPOINT, "flaky", str(folder), "--runs", str(options.runs), "--json")
    environment = without_settings() | {"FIXPOINT_DATA": str(scratch / "data")}
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=_LONGEST
        )
        printed = done.stdout.strip()
        said = next(reversed(done.stderr.strip().splitlines()), "")
    except subprocess.TimeoutExpired:
        printed, said = "", "no answer in time"
    found = json.loads(printed) if printed else {"tests": [], "executions": 0, "problem": said}
    found |= {"took": time.perf_counter() - began}
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(found, indent=2), "utf-8")
    return found


if __name__ == "__main__":
    main()
