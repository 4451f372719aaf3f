"""Let the search repair small programs with faults, and compare what comes out with the right ones.

    python -m bench.search [--only PROGRAM] [--seconds 120] [--jobs 1] [--in-place]

By default each fault goes through `fixpoint fix` as a user would run it. `--in-place` runs the
proposer alone, in a folder instead of a sandbox: quicker, to see what an edit rule changes.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench.search.fault import Fault, behaves, load_faults
from bench.search.in_place import repair_in_place

FIXPOINT = Path(sys.executable).with_name("fixpoint")
TEST = "python -m pytest -q"


@dataclass(frozen=True, slots=True)
class Result:
    """How a repair turned out."""

    fault: Fault
    fixed: bool
    equal: bool
    seconds: float
    patch: str


def main() -> None:
    """Run, print a line for each fault and the figures."""
    options = _options()
    faults = [
        f
        for f in load_faults()
        if not options.only or f.id in options.only or f.program in options.only
    ]
    results = asyncio.run(_run_all(faults, options))
    fixed = sum(result.fixed for result in results)
    equal = sum(result.equal for result in results)
    seconds = [result.seconds for result in results]
    print(
        f"{len(results)} faults: {fixed} plausible ({fixed / len(results):.0%}), "
        f"{equal} equal in behaviour ({equal / len(results):.0%}), "
        f"median {statistics.median(seconds):.1f} s, slowest {max(seconds):.1f} s"
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.search", description=__doc__)
    parser.add_argument("--only", action="append", help="this program or fault; may be repeated")
    parser.add_argument("--seconds", type=float, default=120.0, help="limit of one repair")
    parser.add_argument("--jobs", type=int, default=1, help="repairs at the same time")
    parser.add_argument("--in-place", action="store_true", help="without a sandbox")
    return parser.parse_args()


async def _run_all(faults: list[Fault], options: argparse.Namespace) -> list[Result]:
    free = asyncio.Semaphore(options.jobs)

    async def one(fault: Fault) -> Result:
        async with free:
            result = await _run(fault, options)
        word = "equal" if result.equal else "plausible" if result.fixed else "not fixed"
        print(
            f"{fault.id:18} {word:10} {result.seconds:6.1f} s  {_changed(result.patch)}", flush=True
        )
        return result

    return list(await asyncio.gather(*(one(fault) for fault in faults)))


async def _run(fault: Fault, options: argparse.Namespace) -> Result:
    with tempfile.TemporaryDirectory(prefix="fixpoint-search-") as scratch:
        folder = Path(scratch).resolve() / "project"
        folder.mkdir()
        fault.plant(folder)
        started = time.perf_counter()
        repair = repair_in_place if options.in_place else _repair
        patch = await repair(folder, TEST, options.seconds)
        seconds = time.perf_counter() - started
        equal = bool(patch) and behaves(fault.program, folder)
        return Result(fault, bool(patch), equal, seconds, patch)


async def _repair(folder: Path, test: str, seconds: float) -> str:
    """Run `fixpoint fix`, apply its patch, and return it."""
    await _finished("git", "init", "--quiet", cwd=folder)
    await _finished("git", "add", "--all", cwd=folder)
    who = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
    await _finished("git", *who, "commit", "--quiet", "--message=faulty", cwd=folder)
    what = ("--test", test, "--proposers", "search", "--timeout", str(seconds), "--apply", "--json")
    out = await _finished(str(FIXPOINT), "fix", str(folder), *what, cwd=folder)
    try:
        report = json.loads(out)
    except ValueError:
        return ""
    return str(report["patch"]) if report["verdict"] == "fixed" else ""


async def _finished(*argv: str, cwd: Path) -> bytes:
    process = await asyncio.create_subprocess_exec(
        *argv,
        cwd=cwd,
        env={**os.environ, "FIXPOINT_DATA": str(cwd.parent / "data")},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    return (await process.communicate())[0]


def _changed(patch: str) -> str:
    lines = [
        line for line in patch.splitlines() if line[:1] in "+-" and line[:3] not in {"+++", "---"}
    ]
    return " | ".join(line[0] + line[1:].strip() for line in lines)[:150]


if __name__ == "__main__":
    main()
