"""Run `fixpoint fix` over real bug fixes of public projects, and check what it makes of them.

    python -m bench.cases CASES.json --mirrors DIR [--only ID] [--keyless | --scripted]

Each case runs twice: without a model, where an honest "not fixed" is right, and with a scripted
model that is wrong at first and then submits the project's own repair. See cases.md.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import asdict
from pathlib import Path

from bench.case import Case, check_out, load_cases
from bench.case_model import mistake_of, script
from bench.case_outcome import Mode, Outcome, judge
from bench.case_run import run_case, variables
from bench.case_table import summary, table
from tests.fakes.model import ModelServer


def main() -> None:
    """Run the cases of the command line, print the table, exit with 1 when something is wrong."""
    options = _options()
    modes: Sequence[Mode] = [
        mode for mode in ("keyless", "scripted") if options.mode in {mode, None}
    ]
    numbered = [
        (number, case)
        for number, case in enumerate(load_cases(options.cases))
        if not options.only or case.id in options.only
    ]
    outcomes = asyncio.run(_run_all(numbered, modes, options))
    print(table(outcomes))
    print(summary(outcomes))
    if options.out:
        options.out.write_text(json.dumps([asdict(o) for o in outcomes], indent=1) + "\n", "utf-8")
    sys.exit(any(outcome.faults for outcome in outcomes))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.cases", description=__doc__)
    parser.add_argument("cases", type=Path, help="the file of cases")
    parser.add_argument("--mirrors", type=Path, required=True, help="folder of the clones")
    parser.add_argument("--only", action="append", metavar="ID", help="this case; may be repeated")
    parser.add_argument("--jobs", type=int, default=2, help="runs at the same time")
    parser.add_argument("--sandbox", default="bubblewrap", help="as of `fixpoint fix`")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the outcomes as JSON")
    mode = parser.add_mutually_exclusive_group()
    for name in ("keyless", "scripted"):
        flag = f"--{name}"
        mode.add_argument(flag, dest="mode", action="store_const", const=name, help="only this")
    return parser.parse_args()


async def _run_all(
    numbered: Sequence[tuple[int, Case]], modes: Sequence[Mode], options: argparse.Namespace
) -> list[Outcome]:
    free = asyncio.Semaphore(options.jobs)

    async def limited(number: int, case: Case, mode: Mode) -> Outcome:
        async with free:
            outcome = await _run(number, case, mode, options)
        verdict = "; ".join(outcome.faults) or "as it should be"
        print(f"{case.id} {mode}: {outcome.seconds:.1f} s, {verdict}", file=sys.stderr)
        return outcome

    runs = [limited(number, case, mode) for number, case in numbered for mode in modes]
    return await asyncio.gather(*runs)


async def _run(number: int, case: Case, mode: Mode, options: argparse.Namespace) -> Outcome:
    """Run the command line on a case in a folder of its own."""
    async with AsyncExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fixpoint-case-")))
        folder = check_out(case, options.mirrors.absolute(), scratch / "w")
        model, proposers = None, "mechanical"
        if mode == "scripted":
            play = script(case, folder, mistake_of(number))
            model = await stack.enter_async_context(ModelServer(play))
            proposers = "mechanical,agent"
        started = time.perf_counter()
        what = ("--proposers", proposers, "--sandbox", options.sandbox)
        done = await run_case(case, folder, variables(scratch, model), *what)
        seconds = time.perf_counter() - started
        return judge(
            case, mode, folder,
            exit_code=done.exit_code, report=done.report, said=done.said, seconds=seconds,
        )  # fmt: skip


if __name__ == "__main__":
    main()
