"""Let the search repair programs with faults, and compare what comes out with the right ones.

    python -m bench.search                            programs and faults of this folder
    python -m bench.search --held-out                 those that no edit was written for
    python -m bench.search --fresh                    the same, written later
    python -m bench.search --drawn                    faults drawn by chance; odd ones were never looked at
    python -m bench.search --quixbugs CLONE           the programs of QuixBugs
    python -m bench.search --projects FOLDER          popular projects, from clones OWNER+NAME
    python -m bench.search --cases FILE --mirrors DIR real bug fixes that change one file
    python -m bench.search --fixkit                   the same by fixkit, beside it

`--only NAME` picks a program or fault, `--every N` each Nth beginning with `--from`, `--seconds` is the limit of one
repair. By default each fault goes through `fixpoint fix` as a user would run it; `--in-place` runs
the proposer alone, in a folder instead of a sandbox.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.case import installed
from bench.search import peer
from bench.search.fault import DRAWN, FRESH, HELD_OUT, PROGRAMS, load_faults
from bench.search.historical import load_historical
from bench.search.in_place import WITHOUT_PLUGINS, repair_in_place
from bench.search.projects import load_projects
from bench.search.quixbugs import load_quixbugs
from bench.search.result import HEAD, Result, row
from bench.search.subject import Subject
from bot.model import SearchLimits


@dataclass(frozen=True, slots=True)
class Made:
    """A patch, how sure it is, and what that comes from; or why there is none."""

    patch: str
    why: str
    probability: float | None = None
    witnesses: Mapping[str, float] | None = None
    suggested: bool = False


FIXPOINT = Path(sys.executable).with_name("fixpoint")


def main() -> None:
    """Run, print a line for each fault, then the figures."""
    options = _options()
    results = asyncio.run(_run_all(_subjects(options)[options.start :: options.every], options))
    print(f"\n{HEAD}")
    for by in dict.fromkeys(result.by for result in results):
        print(row(by, [result for result in results if result.by == by]))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.search",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quixbugs", type=Path, metavar="CLONE", help="a clone of QuixBugs")
    parser.add_argument("--held-out", action="store_true", help="the programs of `held_out`")
    parser.add_argument("--fresh", action="store_true", help="the programs of `fresh`")
    parser.add_argument("--drawn", action="store_true", help="the programs of `drawn`")
    parser.add_argument("--projects", type=Path, metavar="FOLDER", help="clones, OWNER+NAME")
    parser.add_argument("--cases", type=Path, metavar="FILE", help="as bench.cases takes them")
    parser.add_argument("--mirrors", type=Path, default=Path("mirrors"), metavar="DIR")
    parser.add_argument("--only", action="append", metavar="NAME", help="may be repeated")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each Nth fault alone")
    parser.add_argument("--from", dest="start", type=int, default=0, metavar="N", help="from there")
    parser.add_argument("--seconds", type=float, default=120.0, help="limit of one repair")
    parser.add_argument("--edits", type=int, default=SearchLimits().edits, help="tried, at most")
    parser.add_argument(
        "--confidence", type=float, default=SearchLimits().confidence,
        help="in place: probability from which the search is content with a patch",
    )  # fmt: skip
    parser.add_argument("--in-place", action="store_true", help="without a sandbox")
    parser.add_argument("--fixkit", action="store_true", help="let fixkit try as well")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the results as JSON")
    return parser.parse_args()


def _subjects(options: argparse.Namespace) -> Sequence[Subject]:
    chosen = ((options.fresh, FRESH), (options.held_out, HELD_OUT), (options.drawn, DRAWN))
    programs = next((folder for asked, folder in chosen if asked), PROGRAMS)
    listed: Sequence[Subject] = load_faults(programs)
    if options.projects:
        listed = load_projects(options.projects.resolve())
    if options.quixbugs:
        listed = load_quixbugs(options.quixbugs)
    if options.cases:
        listed = load_historical(options.cases, options.mirrors.resolve())
    return [s for s in listed if not options.only or {s.id, s.group} & set(options.only)]


async def _run_all(subjects: Sequence[Subject], options: argparse.Namespace) -> list[Result]:
    """Run one after the other: a search uses every core."""
    python = await peer.install() if options.fixkit else None
    results = []
    for subject in subjects:
        results.append(await _by_fixpoint(subject, options))
        print(results[-1].line(), flush=True)
        if options.out:
            told = json.dumps([asdict(result) for result in results], indent=1)
            options.out.write_text(f"{told}\n", "utf-8")
        if python is not None:
            results.append(await _by_fixkit(python, subject, options.seconds))
            print(results[-1].line(), flush=True)
    return results


# `fixpoint fix` deletes its sandboxes beside itself, and that may still go on.
async def _by_fixpoint(subject: Subject, options: argparse.Namespace) -> Result:
    with tempfile.TemporaryDirectory(
        prefix="fixpoint-search-", ignore_cleanup_errors=True
    ) as scratch:
        folder = _planted(subject, scratch)
        started, before = time.perf_counter(), _processor()
        if options.in_place:
            made = await _made_in_place(subject, folder, options)
        else:
            made = await _repaired(subject, folder, options)
        seconds, cpu = time.perf_counter() - started, _processor() - before
        equal = bool(made.patch) and subject.behaves(folder)
        return Result(
            subject.id, "fixpoint", bool(made.patch) and not made.suggested, equal, seconds, cpu,
            made.patch, made.why, made.probability, made.witnesses, made.suggested,
        )  # fmt: skip


async def _made_in_place(subject: Subject, folder: Path, options: argparse.Namespace) -> Made:
    tools, test = None, f"{WITHOUT_PLUGINS} {subject.test}"
    if options.cases:  # never in this project's own environment
        installed(subject.setup, folder, folder.parent)
        tools, test = folder.parent / ".venv" / "bin", subject.test
    limits = SearchLimits(options.seconds, confidence=options.confidence, edits=options.edits)
    found = await repair_in_place(folder, test, limits, tools)
    if found is None or found.assurance is None:
        return Made("", found.summary if found is not None else "too slow")
    witnesses = asdict(found.assurance.witnesses)
    return Made(found.patch.text, "", found.assurance.probability, witnesses)


async def _by_fixkit(python: Path, subject: Subject, seconds: float) -> Result:
    with tempfile.TemporaryDirectory(
        prefix="fixpoint-search-", ignore_cleanup_errors=True
    ) as scratch:
        folder = _planted(subject, scratch)
        started, before = time.perf_counter(), _processor()
        plausible = await peer.repair(python, subject, folder, seconds)
        took, cpu = time.perf_counter() - started, _processor() - before
        equal = plausible and subject.behaves(folder)
        return Result(subject.id, "fixkit", plausible, equal, took, cpu, "")


def _processor() -> float:
    """Return the processor time of all processes that this one has waited for, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _planted(subject: Subject, scratch: str) -> Path:
    folder = Path(scratch).resolve() / "project"
    folder.mkdir()
    subject.plant(folder)
    return folder


async def _repaired(subject: Subject, folder: Path, options: argparse.Namespace) -> Made:
    """Run `fixpoint fix` and apply its patch; return the patch, and why there is none."""
    if not (folder / ".git").exists():
        await _finished("git", "init", "--quiet", cwd=folder)
    config = folder / ".github" / "fixpoint.yml"
    config.parent.mkdir(exist_ok=True)
    config.write_text(f"search:\n  edits: {options.edits}\n", "utf-8")
    await _finished("git", "add", "--all", cwd=folder)
    who = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
    await _finished("git", *who, "commit", "--quiet", "--message=faulty", cwd=folder)
    setup = [word for command in subject.setup for word in ("--setup", command)]
    what = (
        "--test",
        subject.test,
        *setup,
        "--proposers",
        "search",
        "--timeout",
        str(options.seconds),
    )
    out = await _finished(str(FIXPOINT), "fix", str(folder), *what, "--apply", "--json", cwd=folder)
    try:
        report = json.loads(out)
    except ValueError:
        return Made("", "no report")
    sure = next((item["assurance"] for item in report["attempts"] if item["assurance"]), None)
    suggested = report["verdict"] == "suggested"
    if suggested:
        await _finished("git", "apply", "-", cwd=folder, given=report["patch"].encode())
    if sure is not None and (suggested or report["verdict"] == "fixed"):
        return Made(report["patch"], "", sure["probability"], sure["witnesses"], suggested)
    return Made("", "; ".join(report["notes"]) or f"{report['verdict']}: {report['reason']}")


async def _finished(*argv: str, cwd: Path, given: bytes | None = None) -> bytes:
    process = await asyncio.create_subprocess_exec(
        *argv,
        cwd=cwd,
        env={**os.environ, "FIXPOINT_DATA": str(cwd.parent / "data")},
        stdin=asyncio.subprocess.DEVNULL if given is None else asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    return (await process.communicate(given))[0]


if __name__ == "__main__":
    main()
