"""Name the commits since which real bugs of public projects are there.

    python -m bench.bug_origins CASES --mirrors DIR [--only ID] [--answers DIR]

Each case is a commit with a bug, and the tests by which the project showed it when it repaired it: they are
committed on top, and `fixpoint explain` lays them over the history. Clones are `owner+name` below DIR, and
only read. With `--answers`, what was said is kept there and not asked again. No case says which commit it
was, so there is no figure for being right: *proven* is what the runs prove.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from bench.case import Case, load_cases, run_git, work_tree
from bench.cli_answers import cli_answer, kept_answer
from bench.tables import print_machine, print_table

_LONGEST = 2400.0
"""Seconds for one case, its installations included."""

_EXPLAINING = 1800
"""Seconds for naming the commit."""


def main() -> None:
    """Ask for the cases one after the other and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.bug_origins", description=__doc__)
    parser.add_argument("file", type=Path, help="the file of cases")
    parser.add_argument("--mirrors", type=Path, required=True, help="folder of the clones")
    parser.add_argument("--only", action="append", metavar="TEXT", help="part of an id; repeatable")
    parser.add_argument("--answers", type=Path, help="folder where answers are kept")
    asked = parser.parse_args()
    rows = []
    for case in load_cases(asked.file):
        if asked.only and not any(text in case.id for text in asked.only):
            continue
        file = asked.answers and asked.answers / f"{case.id}.json"
        rows.append(_row(case, kept_answer(file, partial(_asked, case, asked.mirrors.absolute()))))
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    print_machine()
    head = ("Bug", "Commit", "How sure", "Commits back", "Looked at", "Runs", "Seconds")
    print_table("Since which commit real bugs are there", head, rows)


def _row(case: Case, found: dict[str, Any]) -> tuple[str, ...]:
    points = [point for point in found["points"] if not point["skipped"]]
    runs = sum(point["runs"]["failed"] + point["runs"]["passed"] for point in points)
    named = "; ".join(
        f"{item['event']['name'][:10]} {item['event']['title']}".strip()
        for item in found["culprits"]
    )
    return (
        case.id,
        named or next(reversed(found["ruled_out"]), "nothing"),
        ", ".join(item["certainty"] for item in found["culprits"]) or "-",
        str(found["back"]),
        str(len(points)),
        str(runs),
        f"{found['took']:.0f}",
    )


def _asked(case: Case, mirrors: Path) -> dict[str, Any]:
    clone = case.mirror(mirrors)
    tests = {path: run_git(clone, "show", f"{case.fix_commit}:{path}") for path in case.test_files}
    config = {".github/fixpoint.yml": f"explain: {{seconds: {_EXPLAINING}}}\n"}
    with tempfile.TemporaryDirectory(prefix="fixpoint-origin-") as name:
        scratch = Path(name)
        folder = scratch / "w"
        work_tree(case.repo, case.parent, mirrors, folder, tests | config)
        asked = ("explain", str(folder), *case.options, "--json")
        answer = cli_answer(*asked, scratch=scratch, seconds=_LONGEST)
        if answer.found is None:
            return {"culprits": [], "ruled_out": [answer.problem], "points": [], "back": "-"}
        commits = [item["event"]["name"] for item in answer.found["culprits"][:1]]
        behind = ("rev-list", "--count", "--first-parent", f"{(commits or ['HEAD'])[0]}..HEAD")
        is_commit = commits and answer.found["culprits"][0]["event"]["kind"] == "commit"
        return answer.found | {"back": run_git(folder, *behind).strip() if is_commit else "-"}


if __name__ == "__main__":
    main()
