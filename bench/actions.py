"""Give real failures of GitHub Actions to the whole server, and see what it makes of them.

    python -m bench.actions CASES.json --mirrors DIR --work DIR [--only ID] [--jobs N]

For each case the log of the failed job is made first, by the case's own commands outside of
Fixpoint. Then the real `fixpoint serve` gets a signed delivery about the failed check of a pull
request, without a model, and works until its verdict. A published repair is checked once more
outside: the step that failed has to pass there. Clones are `owner+name` below --mirrors;
environments, logs and reports are kept below --work, and made anew only when they are missing.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from bench.action_cases import (
    ActionCase,
    FailedJob,
    Outside,
    check_out,
    find_failed_job,
    load_action_cases,
)
from bench.action_story import Story
from bench.case import mirror_of, run_git
from bench.processes import Failed
from bench.tables import print_machine, print_table
from bot.model import Report
from bot.storage.stored_json import dump_report

_ENDED = 143
"""Exit code of a program that SIGTERM ended, as shells have it."""


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a case.

    Attributes:
        case: The case.
        verdict: Of the run, or "no run".
        reason: Of the verdict, a sentence.
        cause: Of the reproduction: `real`, `not reproduced`, `infrastructure` ...
        here: What failed here.
        passes_outside: Whether the failed step passes outside with what was published; None when
            nothing was.
        seconds: From the delivery to the verdict.
    """

    case: ActionCase
    verdict: str
    reason: str
    cause: str = ""
    here: tuple[str, ...] = ()
    passes_outside: bool | None = None
    seconds: float = 0.0

    @property
    def reproduced(self) -> bool:
        """Whether it went past the reproduction."""
        return self.cause == "real"

    def row(self) -> tuple[str, ...]:
        """Return it for the table."""
        outside = {None: "", True: "passes", False: "FAILS"}[self.passes_outside]
        name = f"{self.case.repo} {self.case.id}"
        return (name, self.case.failed, self.cause, self.verdict, outside, f"{self.seconds:.0f}")


def main() -> None:
    """Run the cases, print the table; exit with 1 when a published repair fails outside."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(_ENDED))  # so that the servers end, too
    options = _options()
    cases = [case for case in load_action_cases(options.file) if _wanted(case, options.only)]
    results = asyncio.run(_run_all(cases, options))
    _print(results)
    sys.exit(any(result.passes_outside is False for result in results))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.actions", description=__doc__)
    parser.add_argument("file", type=Path, help="the file of cases")
    parser.add_argument("--mirrors", type=Path, required=True, help="folder of the clones")
    parser.add_argument("--work", type=Path, required=True, help="folder for what is kept")
    parser.add_argument("--only", action="append", metavar="ID", help="id or repo; may be repeated")
    parser.add_argument("--jobs", type=int, default=1, help="cases at once")
    return parser.parse_args()


def _wanted(case: ActionCase, only: list[str] | None) -> bool:
    return not only or case.id in only or case.repo in only


async def _run_all(cases: list[ActionCase], options: argparse.Namespace) -> list[Result]:
    free = asyncio.Semaphore(options.jobs)

    async def one(case: ActionCase) -> Result:
        async with free:
            try:
                result = await _run(case, options)
            except Failed as error:
                result = Result(case, "no run", str(error))
            said = (*result.row(), result.reason[:600], "; ".join(result.here[:5]))
            print(" | ".join(said), file=sys.stderr, flush=True)
            return result

    return await asyncio.gather(*(one(case) for case in cases))


def _print(results: list[Result]) -> None:
    print_machine()
    head = ("Case", "Failed step", "Cause", "Verdict", "Outside", "Seconds")
    print_table("Failed jobs of public projects", head, [result.row() for result in results])
    reproduced = sum(result.reproduced for result in results)
    repaired = sum(result.passes_outside is True for result in results)
    print(f"\n{len(results)} cases: {reproduced} reproduced, {repaired} repaired and published.")


async def _run(case: ActionCase, options: argparse.Namespace) -> Result:
    kept = options.work.absolute() / case.id
    helper = options.file.absolute().parent
    with tempfile.TemporaryDirectory(prefix="fixpoint-action-", ignore_cleanup_errors=True) as name:
        scratch = Path(name)
        mirror = mirror_of(case.fetch, options.mirrors.absolute())
        tree = check_out(mirror, case.sha, scratch / "w")
        outside = Outside(case, kept, helper)
        job, said = await asyncio.to_thread(_failure, outside, tree)
        async with Story(case, job, job.log(case, said), scratch, mirror).told() as story:
            started = time.perf_counter()
            await story.check_fails()
            report = await story.report()
            seconds = time.perf_counter() - started
        result = _result(case, report, seconds)
        (kept / "report.json").write_bytes(dump_report(report))
        (kept / "comments.md").write_text(story.said())
        shutil.copy(scratch / "server.log", kept / "server.log")
        if (commit := story.published()) is None:
            return result
        there = check_out(story.repository.git.path, commit, scratch / "after")
        await asyncio.to_thread(outside.prepare, there)
        line, _ = await asyncio.to_thread(outside.check, there)
        (kept / "repair.diff").write_text(run_git(there, "diff", case.sha, "HEAD"))
        return replace(result, passes_outside=not line)


def _failure(outside: Outside, tree: Path) -> tuple[FailedJob, str]:
    """Return the failed job and what its step printed, kept from an earlier time if it was."""
    file = outside.folder / "failure.json"
    if file.exists():
        line, said = json.loads(file.read_text())
    else:
        outside.prepare(tree)
        line, said = outside.check(tree)
        if not line:
            raise Failed(f"{outside.case.id}: the step does not fail outside of Fixpoint.")
        run_git(tree, "clean", "-qfdx")
        run_git(tree, "checkout", "--quiet", "--force", "HEAD")
        file.write_text(json.dumps((line, said)))
    return find_failed_job(outside.case, tree, line), said


def _result(case: ActionCase, report: Report, seconds: float) -> Result:
    seen = report.reproduction
    observed = seen.observation if seen else None
    return Result(
        case,
        report.verdict.value,
        report.reason,
        seen.cause.value if seen else "",
        tuple(failure.test for failure in observed.failing) if observed else (),
        seconds=seconds,
    )


if __name__ == "__main__":
    main()
