"""Use public projects as they are: no command, no option, no key, and their own repair as the patch.

    python -m bench.unprepared [FILE] --mirrors DIR [--only REPO] [--jobs N]
                               [--longest SECONDS] [--keep DIR] [--reproduce]

FILE is a list such as unprepared.toml, or a file of cases (see cases.md). Each case is the commit
before a repair, with the tests of that repair. `fixpoint verify PATH --patch REPAIR` has to find
out how the project is set up and tested, see the right tests fail, and accept the repair. It is
*reproduced* when the tests that the repair turns green fail there; where these are not listed, when
a test in the repair's own test files fails, or one that no longer does so with the repair. Tests of Go
and Rust don't name their file: they are in it if it defines a function of their name; those of
JavaScript may not either: they are if it has their title; those of C are if they are called as it is.

With `--reproduce`, `fixpoint fix PATH` runs instead, without the repair and with what needs no search,
and what it saw to fail counts: that takes a fraction of the time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.before_repair import check_out_before, repair_without
from bench.case import mirror_of
from bench.own_tests import Repair, load
from bench.processes import FIXPOINT, without_settings
from bench.tables import print_machine, print_table
from bench.verified import ACCEPTANCE, subjects, why
from bot.model import Acceptance

CASES = Path(__file__).with_name("unprepared.toml")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one."""

    repair: Repair
    accepted: Acceptance
    reason: str
    command: str | None
    failing: frozenset[str]
    seconds: float
    cpu_seconds: float = 0.0
    left: frozenset[str] = frozenset()

    @property
    def missing(self) -> frozenset[str]:
        """The tests that the repair turns green and that were not seen to fail."""
        return self.repair.unseen(self.failing)

    @property
    def reproduced(self) -> bool:
        """Whether the right tests were seen to fail."""
        if self.repair.turned:
            return not self.missing
        mended = self.failing - self.left - {self.command}
        turned_green = bool(mended) and self.command not in self.left
        seen = self.failing - {self.command}
        return turned_green or any(self.repair.has(test) for test in seen)

    def row(self) -> tuple[str, ...]:
        """Return it for the table."""
        name = f"{self.repair.repo} {self.repair.fix[:8]}"
        seen = "yes" if self.reproduced else "NO"
        return (name, seen, str(len(self.failing)), self.accepted.value, *self.times)

    @property
    def times(self) -> tuple[str, str]:
        """Return the seconds by the clock and those of the processor."""
        return f"{self.seconds:.0f}", f"{self.cpu_seconds:.0f}"


def main() -> None:
    """Run the cases, print the table."""
    options = _options()
    repairs = [
        repair for repair in load(options.file) if not options.only or repair.repo in options.only
    ]
    outcomes = asyncio.run(_run_all(repairs, options))
    print_machine()
    head = ("Case", "Right tests fail", "Failing", "Accepted", "Seconds", "Processor s")
    print_table("Repairs of public projects, without options", head, [o.row() for o in outcomes])
    seen = sum(outcome.reproduced for outcome in outcomes)
    fixed = sum(outcome.reproduced and outcome.accepted is Acceptance.YES for outcome in outcomes)
    asked = sum(o.reproduced and o.accepted is Acceptance.AFTER_APPROVAL for o in outcomes)
    print(
        f"\n{len(outcomes)} cases: {seen} reproduced, {fixed} repairs accepted, "
        f"{asked} after approval."
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.unprepared", description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", default=CASES, help="the file of cases")
    parser.add_argument("--mirrors", type=Path, required=True, help="folder of the clones")
    parser.add_argument("--only", action="append", metavar="REPO", help="may be repeated")
    parser.add_argument("--jobs", type=int, default=1, help="cases at once")
    parser.add_argument("--longest", type=int, default=1800, help="seconds that a case may take")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep what each run said here")
    parser.add_argument("--reproduce", action="store_true", help="see the failure, verify nothing")
    return parser.parse_args()


async def _run_all(repairs: list[Repair], options: argparse.Namespace) -> list[Outcome]:
    free = asyncio.Semaphore(options.jobs)

    async def limited(repair: Repair) -> Outcome:
        async with free:
            outcome = await asyncio.to_thread(_run, repair, options)
        told = (
            *outcome.row(),
            outcome.command or "",
            outcome.reason[:500],
            *sorted(outcome.missing)[:5],
        )
        print(" | ".join(told), file=sys.stderr, flush=True)
        return outcome

    return await asyncio.gather(*(limited(repair) for repair in repairs))


def _run(repair: Repair, options: argparse.Namespace) -> Outcome:
    with tempfile.TemporaryDirectory(prefix="fixpoint-unprepared-") as name:
        scratch = Path(name)
        folder, patch = scratch / "w", scratch / "repair.diff"
        mirror = mirror_of(repair.repo, options.mirrors.absolute())
        check_out_before(mirror, repair.fix, repair.tests, folder)
        patch.write_text(repair_without(folder, repair.fix, repair.tests))
        asked = (
            ("fix", str(folder), "--proposers", "mechanical", "--attempts", "1")
            if options.reproduce
            else ("verify", str(folder), "--patch", str(patch))
        )
        limits = ("--sandbox", "bubblewrap", "--timeout", str(options.longest))
        return _ask(repair.read_in(folder), (*asked, *limits), scratch, options.keep)


def _ask(repair: Repair, asked: Sequence[str], scratch: Path, keep: Path | None) -> Outcome:
    said, complained = scratch / "said.json", scratch / "complained.txt"
    started = time.perf_counter()
    with said.open("w") as out, complained.open("w") as err:
        process = subprocess.Popen(
            (FIXPOINT, *asked, "--json"),
            env=without_settings() | {"FIXPOINT_DATA": str(scratch / "data")},
            stdout=out,
            stderr=err,
        )
        _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    code = os.waitstatus_to_exitcode(status)
    outcome = _outcome(repair, said.read_text(), complained.read_text(), seconds, code)
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
        name = f"{repair.repo.replace('/', '+')}-{repair.fix[:8]}"
        shutil.copy(said, keep / f"{name}.json")
        shutil.copy(complained, keep / f"{name}.txt")
    return replace(outcome, cpu_seconds=usage.ru_utime + usage.ru_stime)


def _outcome(
    repair: Repair, printed: str, complained: str, seconds: float, exit_code: int
) -> Outcome:
    if not printed:
        reason = complained.strip().rpartition("\n")[2]
        return Outcome(repair, Acceptance.NO, reason, None, frozenset(), seconds)
    said: dict[str, Any] = json.loads(printed)
    if "verdict" in said:
        seen = said["reproduction"] or {"failing": [], "command": None}
        failed = frozenset(seen["failing"])
        reason = f"{said['verdict']}: {said['reason']}"
        none = Acceptance.NO
        return Outcome(repair, none, reason, seen["command"], failed, seconds, left=failed)
    proven, left = (subjects(said, (name,), "tests") for name in ("proven", "refuted"))
    accepted = ACCEPTANCE.get(exit_code, Acceptance.NO)
    failing = proven | left
    return Outcome(repair, accepted, why(said), said["test"], failing, seconds, left=left)


if __name__ == "__main__":
    main()
