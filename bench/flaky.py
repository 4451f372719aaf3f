"""Find out why tests of public projects are flaky.

    python -m bench.flaky CASES --mirrors DIR [--only TEXT] [--runs N] [--answers DIR] [--fix]

`fixpoint flaky --test ID` is started for each case on its commit, with the interpreter and the packages of
the case. Clones are `owner+name` below DIR, and only read. With `--answers`, what was found is kept there
and not asked again. With `--fix`, the test is repaired, too: repaired is a case for whose class a command that
always failed passes as often with the patch that was verified. The exit code is 1 if a class is wrong, or a cause is told whose command passed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.case import work_tree
from bench.cli_answers import cli_answer, kept_answer
from bench.tables import print_machine, print_table

_LONGEST = 1800.0
"""Seconds for one case, its installations included."""

_SUITE = "python -m pytest -o addopts="
"""Some projects add options of plugins that the cases do without."""

_CLASSES = {
    "OD-Vic": "victim", "OD-Brit": "brittle", "NIO": "non-idempotent", "date": "time-dependent",
    "timezone": "time-dependent",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class FlakyCase:
    """A test of a public project that both fails and passes.

    Attributes:
        id: Unique.
        repo: `owner/name` on GitHub.
        commit: Where it does.
        python: The interpreter, as `3.N`.
        packages: What is installed, as `name==version`.
        test: Its id.
        flaky_class: What decides.
        others: Polluters or state-setters that are known; others may do the same.
    """

    id: str
    repo: str
    commit: str
    python: str
    packages: tuple[str, ...]
    test: str
    flaky_class: str
    others: frozenset[str]


def load(file: Path) -> list[FlakyCase]:
    """Return the cases of a file, in its order."""
    return [
        FlakyCase(
            id=entry["id"],
            repo=entry["repo"],
            commit=entry["commit"],
            python=entry["python"],
            packages=tuple(f"{name}=={version}" for name, version in entry["packages"].items()),
            test=entry["victim"],
            flaky_class=_CLASSES[entry["category"]],
            others=frozenset(entry.get("polluters") or entry.get("state_setters") or ()),
        )
        for entry in json.loads(file.read_text("utf-8"))
    ]


def main() -> None:
    """Run the cases one after the other and print the table."""
    options = _options()
    cases = [case for case in load(options.file) if not options.only or options.only in case.id]
    rows, right, alike, wrong, mended = [], 0, 0, 0, 0
    with tempfile.TemporaryDirectory(prefix="fixpoint-flaky-", ignore_cleanup_errors=True) as name:
        for case in cases:
            found = _answer(case, options, Path(name))
            causes = [cause for test in found["tests"] for cause in test["causes"]]
            fitting = [cause for cause in causes if cause["flaky_class"] == case.flaky_class]
            others = {other for cause in fitting for other in (*cause["others"], *cause["also"])}
            same = bool(fitting) and (not case.others or bool(others & case.others))
            right, alike = right + bool(fitting), alike + same
            wrong += any(cause["red"]["passed"] for cause in causes)
            is_mended = any(cause["command"] in found.get("passing", ()) for cause in fitting)
            mended += is_mended
            classes = ", ".join(cause["flaky_class"] for cause in causes)
            state = ", ".join(
                f"{s['kind']} {s['name']}" for cause in fitting for s in cause["state"]
            )
            rows.append(
                (
                    case.id.replace("::", " "), case.flaky_class, classes or found.get("problem", "none"),
                    "yes" if same else "other" if fitting else "NO", state[:60],
                    found["edit"] if is_mended else "",
                    str(found["executions"]), f"{found['took']:.0f}",
                )
            )  # fmt: skip
            print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    print_machine()
    head = ("Case", "Class", "Found", "Same polluter", "State", "Repair", "Executions", "Seconds")
    print_table("Flaky tests of public projects", head, rows)
    print(f"\n{right} of {len(cases)} classes right, {alike} with the polluter that is known")
    if options.fix:
        print(f"{mended} repaired")
    sys.exit(wrong > 0 or right < len(cases))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.flaky", description=__doc__)
    parser.add_argument("file", type=Path, help="the file of cases")
    parser.add_argument("--mirrors", type=Path, required=True, help="folder of the clones")
    parser.add_argument("--only", metavar="TEXT", help="cases whose id has it")
    parser.add_argument("--runs", type=int, default=20, help="of each command that shows a failure")
    parser.add_argument("--answers", type=Path, help="folder where answers are kept")
    parser.add_argument("--fix", action="store_true", help="repair the tests, without a model")
    return parser.parse_args()


def _answer(case: FlakyCase, options: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    """Return what was found, and `took`, the seconds; from memory if it was asked before."""
    name = "".join(letter if letter.isalnum() else "-" for letter in case.id)
    file = options.answers and options.answers / f"{name}.json"
    return kept_answer(file, partial(_found, case, options, scratch))


def _found(case: FlakyCase, options: argparse.Namespace, scratch: Path) -> dict[str, Any]:
    folder = scratch / case.repo.replace("/", "+")
    if not folder.exists():
        added = {".python-version": f"{case.python}\n"}
        work_tree(case.repo, case.commit, options.mirrors.absolute(), folder, added)
    install = f"uv pip install --python ~/.venv/bin/python {' '.join(case.packages)}"
    own = "uv pip install --python ~/.venv/bin/python --no-deps -e . || true"  # for its metadata
    path = "PYTHONPATH=src " if (folder / "src").is_dir() else ""
    answer = cli_answer(
        *("flaky", str(folder), "--test", case.test, "--command", f"{path}{_SUITE}"),
        *("--setup", install, "--setup", own, "--runs", str(options.runs), "--json"),
        *(["--fix"] if options.fix else []),
        scratch=scratch,
        seconds=_LONGEST,
    )
    if answer.found is None:
        return {"tests": [], "executions": 0, "problem": answer.problem}
    return _of_report(answer.found) if options.fix else answer.found


def _of_report(report: dict[str, Any]) -> dict[str, Any]:
    """Return what a report says of flaky tests, with the commands that pass now, and what was edited."""
    found: dict[str, Any] = report["flaky"] or {"tests": [], "executions": 0}
    accepted = [each for each in report["attempts"] if report["verdict"] == "fixed"]
    card = report["proof"] or {"rows": []}
    rows = [row for row in card["rows"] if row["row"] == "stability"]
    return found | {
        "problem": report["reason"],
        "passing": [command for row in rows for command in row["ran"]] if accepted else [],
        "edit": accepted[-1]["summary"] if accepted else "",
        "report": report,
    }


if __name__ == "__main__":
    main()
