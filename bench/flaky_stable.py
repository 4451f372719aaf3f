"""Look for flaky tests in suites of public projects, where few if any are.

    python -m bench.flaky_stable --mirrors DIR [--runs N] [--answers DIR] OWNER/NAME ...

`fixpoint flaky` is started for the newest commit of each project. The table has how many tests were looked
at, and every test that is called flaky with what decides; whoever reads it judges whether that is so. The
exit code is 1 if a command passed that is told to fail every time.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.case import mirror_of, run_git
from bench.cli_answers import cli_answer, kept_answer
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
    name = repo.replace("/", "+")

    def ask() -> dict[str, Any]:
        folder = scratch / name
        clone = str(mirror_of(repo, options.mirrors.absolute()))
        run_git(scratch, "clone", "--quiet", clone, str(folder))
        asked = ("flaky", str(folder), "--runs", str(options.runs), "--json")
        answer = cli_answer(*asked, scratch=scratch, seconds=_LONGEST)
        return answer.found or {"tests": [], "executions": 0, "problem": answer.problem}

    return kept_answer(options.answers and options.answers / f"{name}.json", ask)


if __name__ == "__main__":
    main()
