"""Name the release since which tests of public projects fail.

    python -m bench.releases CASES --mirrors DIR [--only ID] [--answers DIR] [--repair]

`fixpoint explain` is started for each case on its commit, with the interpreter of the case and today's
packages; with `--repair`, `fixpoint fix` with the two proposers that answer a release. Where today's
packages fail for further reasons, packages are as of the day of the release. Clones are `owner+name`
below DIR, and only read. With `--answers`, what was said is kept there and not asked again. The exit
code is 1 if a wrong release is called proven.
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

_LONGEST = 3600.0
"""Seconds for one case, its installations included."""

_EXPLAINING = 1800
"""Seconds for naming the release."""

_REPAIRING = ("--proposers", "adapt,bound", "--timeout", "1800")


@dataclass(frozen=True, slots=True)
class ReleaseCase:
    """A commit whose tests fail since a release.

    Attributes:
        id: Unique.
        repo: `owner/name` on GitHub.
        commit: Where they fail.
        python: The interpreter, as `3.N`.
        files: Of the failing tests.
        package: The one that was released.
        first_bad: Its version.
        as_of: The moment as of which packages are installed; None for today's.
        answer: What the project did about it.
    """

    id: str
    repo: str
    commit: str
    python: str
    files: tuple[str, ...]
    package: str
    first_bad: str
    as_of: str | None
    answer: str

    @property
    def options(self) -> list[str]:
        """Return the case as options of `fixpoint explain` and `fixpoint fix`."""
        dated = ["--as-of", self.as_of] if self.as_of else []
        return ["--test", f"python -m pytest {' '.join(self.files)}", *dated, "--json"]


def main() -> None:
    """Run the cases one after the other and print the table."""
    options = _options()
    cases = [case for case in load(options.file) if not options.only or case.id in options.only]
    rows, right, wrong, repaired = [], 0, 0, 0
    for case in cases:
        answer = _answer(case, options)
        seconds = answer["took"]
        found = (answer.get("what_changed") or _unanswered(answer)) if options.repair else answer
        events = [(item["event"]["name"], item["event"]["after"]) for item in found["culprits"]]
        sure = ", ".join(item["certainty"] for item in found["culprits"])
        is_right = events[:1] == [(case.package, case.first_bad)]
        right += is_right
        wrong += not is_right and "proven" in sure
        named = ", ".join(f"{name} {version}" for name, version in events)
        told = named or next(iter(found["ruled_out"]), "nothing")
        want = f"{case.package} {case.first_bad}"
        asked = str(len(found["points"]))
        repair = _repair(answer)
        repaired += bool(repair)
        shown = [case.id, want, told, sure, asked, f"{seconds:.0f}", "yes" if is_right else "NO"]
        rows.append((*shown, repair or "-", case.answer) if options.repair else tuple(shown))
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    print_machine()
    head = ["Case", "Release", "Named", "How sure", "Runs", "Seconds", "Right"]
    head += ["Repaired by", "The project's answer"] if options.repair else []
    print_table("Releases that broke public projects", tuple(head), rows)
    print(f"\n{right} of {len(cases)} right, {wrong} wrong called proven")
    if options.repair:
        print(f"{repaired} of {len(cases)} repaired and verified")
    sys.exit(wrong > 0)


def load(file: Path) -> list[ReleaseCase]:
    """Return the cases of a file, in its order."""
    return [
        ReleaseCase(
            id=entry["id"],
            repo=entry["repo"],
            commit=entry["commit"],
            python=entry["python"],
            files=tuple(sorted({test.split("::")[0] for test in entry["failing_tests"]})),
            package=entry["culprit"],
            first_bad=entry["first_bad"],
            as_of=None
            if entry["single_cause_today"]
            else f"{entry['first_bad_uploaded'][:10]}T23:59:59Z",
            answer=entry["fix_kind"],
        )
        for entry in json.loads(file.read_text("utf-8"))
    ]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.releases", description=__doc__)
    parser.add_argument("file", type=Path, help="the file of cases")
    parser.add_argument("--mirrors", type=Path, required=True, help="folder of the clones")
    parser.add_argument("--only", action="append", metavar="ID", help="may be repeated")
    parser.add_argument("--answers", type=Path, help="folder where answers are kept")
    parser.add_argument("--repair", action="store_true", help="repair, too")
    return parser.parse_args()


def _unanswered(answer: dict[str, Any]) -> dict[str, Any]:
    """Return what stands for an explanation where a run gives none."""
    return {"culprits": [], "ruled_out": [answer.get("reason", "nothing")], "points": []}


def _repair(answer: dict[str, Any]) -> str:
    """Return who repaired it, with the verdict; "" for nobody."""
    accepted = [item["proposer"] for item in answer.get("attempts", ()) if item["accepted"]]
    return f"{accepted[-1]} ({answer['verdict']})" if accepted else ""


def _answer(case: ReleaseCase, options: argparse.Namespace) -> dict[str, Any]:
    """Return what was answered, and `took`, the seconds; from memory if it was asked before."""
    file = options.answers and options.answers / f"{case.id}.json"
    return kept_answer(file, partial(_asked, case, options))


def _asked(case: ReleaseCase, options: argparse.Namespace) -> dict[str, Any]:
    command = ("fix", *_REPAIRING) if options.repair else ("explain",)
    with tempfile.TemporaryDirectory(prefix="fixpoint-release-") as name:
        scratch = Path(name)
        folder = scratch / "w"
        added = {
            ".python-version": f"{case.python}\n",
            ".github/fixpoint.yml": f"explain: {{seconds: {_EXPLAINING}}}\n",
        }
        work_tree(case.repo, case.commit, options.mirrors.absolute(), folder, added)
        asked = (command[0], str(folder), *command[1:], *case.options)
        answer = cli_answer(*asked, scratch=scratch, seconds=_LONGEST)
    if options.answers is not None:
        options.answers.mkdir(parents=True, exist_ok=True)
        (options.answers / f"{case.id}.log").write_text(answer.told, "utf-8")
    return answer.found or _unanswered({"reason": answer.problem})


if __name__ == "__main__":
    main()
