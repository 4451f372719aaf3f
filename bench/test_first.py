"""What it costs to begin without a failing test, on real bug fixes whose tests are withheld.

    python -m bench.test_first CASES.json --mirrors DIR --only ID ...

Each case runs twice with a scripted model that is right at once: without the project's own test, and
with it in the tree. In the first run, the model specifies, writes that test, judges it, and repairs: the path is
the real one, only the model is not. See cases.md.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.case import Case, check_out, load_cases, run_git
from bench.case_model import right
from bench.case_run import run_case, variables
from bench.tables import print_table
from tests.fakes.model import Call, ModelServer, Request, Say, Step

_ROLES = {
    "You turn a report": "specify",
    "You write the tests": "write tests",
    "You judge whether": "judge",
    "You repair software": "repair",
    "You sort failing tests": "sort",
}


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of a case.

    Attributes:
        case: Its id.
        withheld: Whether the test was.
        report: What `--json` printed.
        turns: Of the model, by role.
        said: What went to stderr, where there is no report.
    """

    case: str
    withheld: bool
    report: dict[str, Any]
    turns: Counter[str]
    said: str

    @property
    def verdict(self) -> str:
        """How it ended, and why."""
        if not self.report:
            return f"no report: {self.said[-200:]}"
        told: str = self.report["verdict"]
        return told if told == "fixed" else f"{told}: {self.report['reason']}"

    @property
    def wrong_fixes(self) -> str:
        """How many wrong fixes the new tests caught."""
        told = next((item["wrong_fixes"] for item in self.report.get("attempts", ())), None)
        return f"{told['caught']} of {told['total']}" if told else ""


def main() -> None:
    """Run the cases of the command line and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.test_first", description=__doc__)
    parser.add_argument("cases", type=Path, help="the file of cases")
    parser.add_argument("--mirrors", type=Path, required=True, help="folder of the clones")
    parser.add_argument("--only", action="append", metavar="ID", help="this case; may be repeated")
    options = parser.parse_args()
    subjects = {
        load["id"]: load["subject"] for load in json.loads(options.cases.read_text("utf-8"))
    }
    cases = [
        load_case
        for load_case in load_cases(options.cases)
        if not options.only or load_case.id in options.only
    ]
    trials = [
        asyncio.run(_run(case, subjects[case.id], options.mirrors.absolute(), withheld=withheld))
        for withheld in (True, False)
        for case in cases
    ]
    _print(trials)


def _print(trials: Sequence[Trial]) -> None:
    rows = [
        (
            trial.case,
            "withheld" if trial.withheld else "in the tree",
            trial.verdict,
            trial.wrong_fixes,
            ", ".join(f"{role} {n}" for role, n in trial.turns.items()),
            f"{trial.report.get('tokens', 0):,}",
            f"{trial.report.get('command_seconds', 0):.0f}",
        )
        for trial in trials
    ]
    header = ("case", "test", "verdict", "wrong fixes caught", "turns", "tokens", "command s")
    print_table("The same repair with and without a failing test", header, rows)


async def _run(case: Case, subject: str, mirrors: Path, *, withheld: bool) -> Trial:
    async with AsyncExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fixpoint-first-")))
        folder = check_out(case, mirrors, scratch / "w")
        if withheld:
            run_git(folder, "reset", "--hard", "--quiet", case.parent)
        turns: Counter[str] = Counter()
        play = _script(case, folder, subject, turns, withheld=withheld)
        model = await stack.enter_async_context(ModelServer(play))
        what = ("--issue", subject, "--proposers", "agent", "--sandbox", "bubblewrap")
        done = await run_case(case, folder, variables(scratch, model), *what)
        trial = Trial(case.id, withheld, done.report or {}, turns, done.said)
        print(f"{trial}"[:100], trial.verdict, trial.wrong_fixes, turns, file=sys.stderr)
        return trial


def _script(
    case: Case, folder: Path, subject: str, turns: Counter[str], *, withheld: bool
) -> Callable[[Request], Step]:
    """Return a model that specifies in one point, and writes the project's own test and repair."""
    point = {"expected": f"{subject}.", "happens": "It is not so.", "see": "See the test."}
    conversations: dict[str, Sequence[Step]] = {
        "specify": (Say(json.dumps({"title": subject, "points": [point]})),),
        "write tests": (_tests(case, folder), Call("run_tests"), Say("The project's own test.")),
        "judge": (Say('{"shows_problem": true, "reason": "It does.", "points": [[1]]}'),),
        "repair": right(case, folder),
        "sort": (Say(json.dumps({"about": [] if withheld else [*range(1, 61)]})),),
    }

    def play(request: Request) -> Step:
        role = next(name for start, name in _ROLES.items() if request.system.startswith(start))
        turns[role] += 1
        steps = conversations[role]
        return steps[min(request.turn, len(steps)) - 1]

    return play


def _tests(case: Case, folder: Path) -> Call:
    between = (case.parent, case.fix_commit)
    patch = run_git(folder, "diff", "--binary", "--full-index", *between, "--", *case.test_files)
    return Call("bash", {"command": f"git apply - <<'END_OF_PATCH'\n{patch}END_OF_PATCH\n"})


if __name__ == "__main__":
    main()
