"""Several attempts side by side against one, by a model that is right with a given probability.

    python -m bench.candidates CASES.json --mirrors DIR [--only ID] [--side-by-side N] [--out FILE]

Each case runs twice: with one attempt, and with several side by side. The model is a local server:
each conversation draws once, by a seed, whether it submits the project's own repair or a mistake.
The first attempt draws the same in both runs. All attempts ask the same model, so that costs can
be compared. `--out` keeps each run as a line of JSON as soon as it is over, and what a file has
already is not run again. See README.md.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

import prompts
from bench.case import Case, check_out, load_cases
from bench.case_model import Mistake, right, wrong
from bench.case_run import run_case, variables
from bot.model.route import Approach
from tests.fakes.model import ModelServer, Request, Step

_MODEL = "claude-sonnet-5-5"


@dataclass(frozen=True, slots=True)
class Ran:
    """One run of a case.

    Attributes:
        case: Its id.
        side_by_side: How many attempts it had.
        fixed: Whether the patch of one was accepted.
        passing: How many patches passed.
        cost: US dollars of all model calls.
        seconds: From start to end.
        ended: The verdict, and what became of each attempt.
    """

    case: str
    side_by_side: int
    fixed: bool
    passing: int
    cost: float
    seconds: float
    ended: str


def main() -> None:
    """Run the cases of the command line, and print a table."""
    options = _options()
    cases = [
        case for case in load_cases(options.cases) if not options.only or case.id in options.only
    ]
    if not cases:
        raise SystemExit("No case has one of these ids.")
    ran = asyncio.run(_run_all(cases[: options.most], options))
    print(table(ran))
    for count in (1, options.side_by_side):
        drawn = sum(reachable(case, count, options) for case in cases[: options.most])
        print(f"{drawn} of {len(cases[: options.most])} cases have a right one among {count}.")


def table(ran: Sequence[Ran]) -> str:
    """Return one row for each number of attempts, over the cases that were run with all of them."""
    counts = sorted({row.side_by_side for row in ran})
    whole = set.intersection(
        *({row.case for row in ran if row.side_by_side == count} for count in counts)
    )
    lines = [
        "| Attempts | Cases | Fixed | Rate | Several passed | Cost per case | Cost per fix | Median time |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for count in counts:
        rows = [row for row in ran if row.side_by_side == count and row.case in whole]
        fixed, cost = sum(row.fixed for row in rows), sum(row.cost for row in rows)
        several = sum(row.passing > 1 for row in rows)
        each = f"${cost / fixed:.4f}" if fixed else ""
        seconds = statistics.median(row.seconds for row in rows)
        lines.append(
            f"| {count} | {len(rows)} | {fixed} | {fixed / len(rows):.0%} | {several} "
            f"| ${cost / len(rows):.4f} | {each} | {seconds:.0f} s |"
        )
    return "\n".join(lines)


def script(case: Case, folder: Path, options: argparse.Namespace) -> Callable[[Request], Step]:
    """Return what the model does: in each conversation the repair or a mistake, as it draws."""
    repair = right(case, folder)

    def play(request: Request) -> Step:
        draw = _draw(case, _place(request.first), options)
        mistake = draw.choice(list(Mistake))
        steps = repair if draw.random() < options.probability else wrong(case, mistake)
        return steps[min(request.turn, len(steps)) - 1]

    return play


def reachable(case: Case, attempts: int, options: argparse.Namespace) -> bool:
    """Whether one of that many attempts draws the repair."""
    draws = [_draw(case, place, options) for place in range(attempts)]
    for draw in draws:
        draw.choice(list(Mistake))
    return any(draw.random() < options.probability for draw in draws)


def _draw(case: Case, place: int, options: argparse.Namespace) -> Random:
    return Random(f"{options.seed} {case.id} {place}")


def _place(first: str) -> int:
    """Return which of the attempts side by side a first message belongs to."""
    told = (prompts.render("approach", approach=approach.value) for approach in Approach)
    places = [n for n, text in enumerate(told) if n and text in first]
    return places[0] if places else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.candidates", description=__doc__)
    parser.add_argument("cases", type=Path, help="the file of cases")
    parser.add_argument("--mirrors", type=Path, required=True, help="folder of the clones")
    parser.add_argument("--only", action="append", metavar="ID", help="this case; may be repeated")
    parser.add_argument("--most", type=int, metavar="N", help="the first N cases alone")
    parser.add_argument("--side-by-side", type=int, default=3, metavar="N", help="attempts at once")
    parser.add_argument("--probability", type=float, default=0.4, help="of a right conversation")
    parser.add_argument("--seed", type=int, default=1, help="of what the model draws")
    parser.add_argument("--jobs", type=int, default=1, help="cases at the same time")
    parser.add_argument("--out", type=Path, metavar="FILE", help="keeps what was run")
    return parser.parse_args()


async def _run_all(cases: Sequence[Case], options: argparse.Namespace) -> list[Ran]:
    free = asyncio.Semaphore(options.jobs)

    async def limited(case: Case) -> list[Ran]:
        async with free:
            return await _run(case, options)

    return [ran for rows in await asyncio.gather(*map(limited, cases)) for ran in rows]


async def _run(case: Case, options: argparse.Namespace) -> list[Ran]:
    """Run a case with one attempt, and with several: the second finds the prepared environment."""
    kept = {row.side_by_side: row for row in _kept(options.out) if row.case == case.id}
    counts = (1, options.side_by_side)
    if all(count in kept for count in counts):
        return [kept[count] for count in counts]
    ran = []
    with tempfile.TemporaryDirectory(prefix="candidates-") as name:
        scratch = Path(name)
        folder = check_out(case, options.mirrors.absolute(), scratch / "w")
        for count in counts:
            # A server for each: its prompt cache must not help the second run.
            async with ModelServer(script(case, folder, options)) as model:
                same = {"ANTHROPIC_MODEL": _MODEL, "ANTHROPIC_STRONGER_MODEL": _MODEL}
                environment = variables(scratch, model) | same
                ran.append(await _measured(case, folder, environment, count))
    if options.out is not None:
        with options.out.open("a", encoding="utf-8") as file:
            file.writelines(f"{json.dumps(asdict(row))}\n" for row in ran)
    return ran


def _kept(file: Path | None) -> list[Ran]:
    if file is None or not file.is_file():
        return []
    return [Ran(**json.loads(line)) for line in file.read_text("utf-8").splitlines()]


async def _measured(case: Case, folder: Path, environment: dict[str, str], count: int) -> Ran:
    config = folder / ".github" / "fixpoint.yml"
    config.parent.mkdir(exist_ok=True)
    config.write_text(f"candidates: {count}\nattempts: {count}\n", "utf-8")
    started = time.perf_counter()
    what = ("--proposers", "agent", "--sandbox", "bubblewrap")
    done = await run_case(case, folder, environment, *what)
    if done.report is None:
        raise RuntimeError(done.said)
    report = done.report
    passing = [attempt for attempt in report["attempts"] if attempt["exit_code"] == 0]
    outcomes = "; ".join(attempt["outcome"] for attempt in report["attempts"]) or report["reason"]
    ran = Ran(
        case.id,
        count,
        report["verdict"] == "fixed",
        len(passing),
        report["cost_usd"] or 0.0,
        time.perf_counter() - started,
        f"{report['verdict']}: {outcomes}",
    )
    print(f"{case.id} {count}: {ran.seconds:.0f} s, {ran.ended}", file=sys.stderr)
    return ran


if __name__ == "__main__":
    main()
