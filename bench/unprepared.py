"""Use public projects as they are: no command, no option, no key, and their own repair as the patch.

    python -m bench.unprepared [FILE] --mirrors DIR [--only REPO] [--jobs N]
                               [--keep DIR] [--reproduce]

FILE is a list such as unprepared.toml, or a file of cases (see cases.md). Each case is the commit
before a repair, with the tests of that repair. `fixpoint verify PATH --patch REPAIR` has to find
out how the project is set up and tested, see the right tests fail, and accept the repair. It is
*reproduced* when the tests that the repair turns green fail there; where these are not listed, when
a test in the repair's own test files fails, or one that no longer does so with the repair. Tests of Go
and Rust don't name their file: they are in it if it defines a function of their name; those of C are if
they are called as it is.

With `--reproduce`, `fixpoint fix PATH` runs instead, without the repair and with what needs no search,
and what it saw to fail counts: that takes a fraction of the time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import subprocess
import sys
import tempfile
import time
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench.case import mirror_of, run_git
from bench.processes import FIXPOINT, without_settings
from bench.tables import print_machine, print_table
from bench.verified import acceptance_of
from bot.model import Acceptance

CASES = Path(__file__).with_name("unprepared.toml")
_LONGEST = "1800"
_FUNCTION = re.compile(r"^\s*(?:async )?(?:func|fn) (\w+)\s*\(", re.MULTILINE)
_NAME = re.compile(r"\w+")
_NO_FILES = (".c", ".cc", ".cpp")


@dataclass(frozen=True, slots=True)
class Repair:
    """A repair of a public project.

    Attributes:
        repo: `owner/name` on GitHub.
        fix: The commit of the repair.
        tests: Its test files.
        turned: Ids of the tests that it turns green, or none when they are not listed.
        functions: That its test files define, where a test goes by the name of one.
    """

    repo: str
    fix: str
    tests: tuple[str, ...]
    turned: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one."""

    repair: Repair
    accepted: Acceptance
    reason: str
    command: str | None
    failing: frozenset[str]
    seconds: float
    left: frozenset[str] = frozenset()

    @property
    def missing(self) -> frozenset[str]:
        """The tests that the repair turns green and that were not seen to fail."""
        seen = tuple(map(_dotted, self.failing))
        return frozenset(
            test for test in self.repair.turned if not any(_same(_dotted(test), s) for s in seen)
        )

    @property
    def reproduced(self) -> bool:
        """Whether the right tests were seen to fail."""
        if self.repair.turned:
            return not self.missing
        files = {Path(file).with_suffix("").as_posix() for file in self.repair.tests}
        mended = self.failing - self.left - {self.command}
        turned_green = bool(mended) and self.command not in self.left
        seen = self.failing - {self.command}
        by_name = any({*_NAME.findall(test)} & self.repair.functions for test in seen)
        return turned_green or by_name or any(_is_in(t, file) for t in seen for file in files)

    def row(self) -> tuple[str, ...]:
        """Return it for the table."""
        name = f"{self.repair.repo} {self.repair.fix[:8]}"
        seen = "yes" if self.reproduced else "NO"
        return (name, seen, str(len(self.failing)), self.accepted.value, f"{self.seconds:.0f}")


def main() -> None:
    """Run the cases, print the table."""
    options = _options()
    repairs = [one for one in load(options.file) if not options.only or one.repo in options.only]
    outcomes = asyncio.run(_run_all(repairs, options))
    print_machine()
    head = ("Case", "Right tests fail", "Failing", "Accepted", "Seconds")
    print_table("Repairs of public projects, without options", head, [o.row() for o in outcomes])
    seen = sum(outcome.reproduced for outcome in outcomes)
    fixed = sum(outcome.reproduced and outcome.accepted is Acceptance.YES for outcome in outcomes)
    asked = sum(o.reproduced and o.accepted is Acceptance.AFTER_APPROVAL for o in outcomes)
    print(
        f"\n{len(outcomes)} cases: {seen} reproduced, {fixed} repairs accepted, "
        f"{asked} after approval."
    )


def load(file: Path) -> list[Repair]:
    """Return the repairs of either kind of file, in its order."""
    text = file.read_text("utf-8")
    if file.suffix == ".json":
        return [
            Repair(
                entry["repo"],
                entry["fix_commit"],
                tuple(entry["test_files"]),
                frozenset(entry["fail_to_pass"]),
            )
            for entry in json.loads(text)
        ]
    entries = tomllib.loads(text)["case"]
    return [Repair(one["repo"], one["fix"], tuple(one["tests"])) for one in entries]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.unprepared", description=__doc__)
    parser.add_argument("file", type=Path, nargs="?", default=CASES, help="the file of cases")
    parser.add_argument("--mirrors", type=Path, required=True, help="folder of the clones")
    parser.add_argument("--only", action="append", metavar="REPO", help="may be repeated")
    parser.add_argument("--jobs", type=int, default=1, help="cases at once")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="keep what each run said here")
    parser.add_argument("--reproduce", action="store_true", help="see the failure, verify nothing")
    return parser.parse_args()


async def _run_all(repairs: list[Repair], options: argparse.Namespace) -> list[Outcome]:
    free = asyncio.Semaphore(options.jobs)

    async def one(repair: Repair) -> Outcome:
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

    return await asyncio.gather(*(one(repair) for repair in repairs))


def _run(repair: Repair, options: argparse.Namespace) -> Outcome:
    keep: Path | None = options.keep
    with tempfile.TemporaryDirectory(prefix="fixpoint-unprepared-") as name:
        scratch = Path(name)
        folder, patch = scratch / "w", scratch / "repair.diff"
        mirror = mirror_of(repair.repo, options.mirrors.absolute())
        run_git(scratch, "clone", "--quiet", str(mirror), str(folder))
        run_git(folder, "checkout", "--quiet", f"{repair.fix}^")
        run_git(folder, "checkout", "--quiet", repair.fix, "--", *repair.tests)
        run_git(folder, "commit", "--quiet", "--reuse-message", repair.fix, as_of=repair.fix)
        left_out = [f":(exclude){test}" for test in repair.tests]
        between = ("diff", "--binary", "--full-index", f"{repair.fix}^", repair.fix)
        patch.write_text(run_git(folder, *between, "--", ".", *left_out))
        asked = (
            ("fix", str(folder), "--proposers", "mechanical", "--attempts", "1")
            if options.reproduce
            else ("verify", str(folder), "--patch", str(patch))
        )
        repair = replace(repair, functions=_functions(folder, repair.tests))
        started = time.perf_counter()
        done = subprocess.run(
            (FIXPOINT, *asked, "--sandbox", "bubblewrap", "--timeout", _LONGEST, "--json"),
            env=without_settings() | {"FIXPOINT_DATA": str(scratch / "data")},
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = time.perf_counter() - started
    if keep:
        keep.mkdir(parents=True, exist_ok=True)
        name = f"{repair.repo.replace('/', '+')}-{repair.fix[:8]}"
        (keep / f"{name}.json").write_text(done.stdout)
        (keep / f"{name}.txt").write_text(done.stderr)
    if not done.stdout:
        said = done.stderr.strip().rpartition("\n")[2]
        return Outcome(repair, Acceptance.NO, said, None, frozenset(), seconds)
    return _outcome(repair, json.loads(done.stdout), seconds)


def _outcome(repair: Repair, said: dict[str, Any], seconds: float) -> Outcome:
    if "failing_before" not in said:
        seen = said["reproduction"] or {"failing": [], "command": None}
        failed = frozenset(seen["failing"])
        reason = f"{said['verdict']}: {said['reason']}"
        return Outcome(repair, Acceptance.NO, reason, seen["command"], failed, seconds, failed)
    failing = frozenset(said["failing_before"])
    accepted, left = acceptance_of(said), frozenset(said["failing"])
    return Outcome(repair, accepted, said["reason"], said["command"], failing, seconds, left)


def _functions(folder: Path, tests: tuple[str, ...]) -> frozenset[str]:
    """Return the functions that these files of Go and Rust define."""
    files = (folder / name for name in tests if name.endswith((".go", ".rs")))
    return frozenset(name for file in files for name in _FUNCTION.findall(file.read_text("utf-8")))


def _dotted(test: str) -> str:
    return test.replace("::", ".").removeprefix("__main__.")


def _same(one: str, other: str) -> bool:
    """Whether two dotted names are one test's: a runner may leave out what is around it."""
    return f".{one}".endswith(f".{other}") or f".{other}".endswith(f".{one}")


def _is_in(test: str, file: str) -> bool:
    """Whether a test's id says that it is in a file, written as a path or with dots."""
    if file.endswith(_NO_FILES):
        return test == Path(file).stem
    own = rf"(?<!\w){re.escape(Path(file).name)}(?!\w)"
    return file in test or file.replace("/", ".") in test or bool(re.search(own, test))


if __name__ == "__main__":
    main()
