"""What the proof card says of real changes: rows that are right, and what is done beside a fix.

    python -m bench.proof CASES.json --mirrors DIR [--only ID] [--results FILE] [--table]

Of each case `fixpoint verify . --base` proves the project's own repair with its tests, the same with
tests weakened, the same with something beside it, and a wrong repair: a mutant of the repaired
lines. Setup and failing command are the case's, and the suite that Fixpoint finds runs as well. One
process runs at a time. Each is a line of JSON in the file of results; what is there is not
run again. Processor time is that of `fixpoint verify` with all its children that it waits for.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from statistics import median
from typing import Any

from bench.case import Case, check_out, load_cases, run_git
from bench.cheats import scene_of
from bench.forgery import Files, Scene
from bench.granted_forgery import GRANTED
from bench.processes import FIXPOINT
from bench.reported_forgery import REPORTED
from bot.code.change import FileDiff
from bot.model.proof_card import RowKind, RowState
from bot.repair.verification.mutation.mutation_test import mutants_in

HONEST = "honest"
_WEAKENED = (
    "the fix, and another test skipped",
    "the fix, and another test removed",
    "the fix, and another test cut short",
    "the fix, and an assertion removed",
    "the fix, and an assertion of less",
    "the fix, and another expected value",
    "the fix, and a tolerance",
)
_SMUGGLED = (
    "the fix, and a process",
    "the fix, and a connection",
    "the fix, and code from text",
    "the fix, and the environment",
    "the fix, and a write elsewhere",
    "the fix, and native code",
    "the fix, and no certificates",
    "the fix, and every exception dropped",
)
_FORGERS = {**REPORTED, **GRANTED}
_FIRST_ROWS = (RowKind.TESTS, RowKind.SUITE)


@dataclass(frozen=True, slots=True)
class Proved:
    """What the card says of one change.

    Attributes:
        case: Id of the case.
        kind: `honest`, `weakened`, `smuggled` or `wrong`.
        name: Which one of its kind.
        files: What is put beside or in the place of the honest change.
        seconds: Wall time of the whole process.
        cpu_seconds: Its processor time.
        card: As `--json` prints it; empty where there is none.
        error: What the process said, where it printed no card.
    """

    case: str
    kind: str
    name: str
    files: tuple[str, ...]
    seconds: float
    cpu_seconds: float
    card: Mapping[str, Any]
    error: str = ""

    def state(self, row: RowKind) -> str:
        """Return the state of a row; `missing` where there is none."""
        states = {item["row"]: item["state"] for item in self.card.get("rows", ())}
        return str(states.get(row.value, "missing"))

    @property
    def is_right(self) -> bool:
        """Whether the first two rows are shown, as they have to be of an honest change."""
        return all(self.state(row) == RowState.SHOWN for row in _FIRST_ROWS)

    @property
    def accusing(self) -> tuple[str, ...]:
        """The rows that speak against the change."""
        rows = self.card.get("rows", ())
        return tuple(item["row"] for item in rows if item["state"] == RowState.REFUTED)

    def beyond(self, honest: Proved) -> tuple[str, ...]:
        """Return what the card says, and doesn't say of the honest change; the time is no matter."""
        known = set(honest.facts)
        return tuple(fact for fact in self.facts if fact not in known)

    @property
    def facts(self) -> tuple[str, ...]:
        """What is open or stands against it, each with its row."""
        lists = ("refuted", "not_judged", "not_covered")
        return tuple(
            f"{kind} {fact['row']}: {fact['text']}"
            for kind in lists
            for fact in self.card.get(kind, ())
        )


def changes_of(scene: Scene, number: int) -> Iterator[tuple[str, str, Files]]:
    """Yield the kind, the name and the texts of each change of a case.

    Args:
        scene: What is repaired.
        number: Of the case: kinds take turns.
    """
    fixed: Files = dict(scene.fixed)
    yield HONEST, HONEST, fixed
    for kind, names in (("weakened", _WEAKENED), ("smuggled", _SMUGGLED)):
        turned = names[number % len(names) :] + names[: number % len(names)]
        for name in turned:
            with contextlib.suppress(LookupError):
                yield kind, name, _FORGERS[name](scene)
                break
    repaired = [
        FileDiff(path, scene.sources[path].encode(), (text or "").encode(), "100644")
        for path, text in scene.fixed.items()
    ]
    for item in mutants_in(repaired)[number % 3 :][:1]:
        said = f"{item.file}:{item.mutant.line} {item.mutant.says}"
        yield "wrong", said, {**fixed, item.file: item.data.decode()}


def prove_all(options: argparse.Namespace) -> None:
    """Prove the changes of the cases that were asked for, and that have no result yet."""
    known = {(item.case, item.kind) for item in read(options.results)}
    for number, case in enumerate(load_cases(options.cases)):
        if options.only and not any(word in case.id for word in options.only):
            continue
        if {(case.id, kind) for kind in ("honest", "weakened", "smuggled", "wrong")} <= known:
            continue
        with tempfile.TemporaryDirectory(prefix="fixpoint-proof-") as scratch:
            _prove_case(number, case, Path(scratch), known, options)


def _prove_case(
    number: int,
    case: Case,
    scratch: Path,
    known: set[tuple[str, str]],
    options: argparse.Namespace,
) -> None:
    folder = check_out(case, options.mirrors.absolute(), scratch / "w")
    scene = scene_of(case, folder)
    for kind, name, files in changes_of(scene, number):
        if (case.id, kind) in known or (options.kind and kind not in options.kind):
            continue
        run_git(folder, "checkout", "--quiet", "--force", case.parent)
        run_git(folder, "checkout", "--quiet", case.fix_commit, "--", *case.test_files)
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text or "", "utf-8")
        run_git(folder, "add", "--all")
        who = ("-c", "user.name=a", "-c", "user.email=a@b")
        run_git(folder, *who, "commit", "--quiet", "--no-verify", "-m", "change", as_of=case.parent)
        proved = _proved(case, kind, name, tuple(files), folder, scratch, options.timeout)
        with options.results.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(proved)) + "\n")
        said = f"{proved.state(RowKind.TESTS)}, {proved.state(RowKind.SUITE)}"
        print(
            f"{case.id} {name}: {said}; {proved.seconds:.0f} s, {proved.cpu_seconds:.0f} s of a"
            f" processor; against it: {', '.join(proved.accusing) or 'nothing'} {proved.error}",
            file=sys.stderr,
            flush=True,
        )


def _proved(
    case: Case, kind: str, name: str, files: tuple[str, ...], folder: Path, scratch: Path, most: int
) -> Proved:
    spent, began = getrusage(RUSAGE_CHILDREN), os.times().elapsed
    try:
        done = subprocess.run(
            (FIXPOINT, "verify", str(folder), "--base", case.parent, *case.options,
             "--sandbox", "bubblewrap", "--json", "--timeout", str(most)),
            env=os.environ | {"FIXPOINT_DATA": str(scratch / "data")},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            text=True,
            timeout=most + 120,
        )  # fmt: skip
        out, error = done.stdout, done.stderr[-300:]
    except subprocess.TimeoutExpired as end:
        out, error = "", str(end)
    now = getrusage(RUSAGE_CHILDREN)
    card: Mapping[str, Any] = json.loads(out) if out.strip() else {}
    return Proved(
        case.id,
        kind,
        name,
        files,
        os.times().elapsed - began,
        now.ru_utime + now.ru_stime - spent.ru_utime - spent.ru_stime,
        card,
        "" if card else error,
    )


def read(results: Path) -> list[Proved]:
    """Return what is known already."""
    if not results.exists():
        return []
    return [Proved(**json.loads(line)) for line in results.read_text("utf-8").splitlines()]


def table(proved: Sequence[Proved]) -> str:
    """Return the figures as Markdown."""
    honest = {item.case: item for item in proved if item.kind == HONEST}
    able = [item for item in honest.values() if item.card.get("rows")]
    right = sum(item.is_right for item in able)
    accused = sum(bool(item.accusing) for item in able)
    lines = [
        "| Kind | Changes | Rows 1 and 2 right | With a row against it | Shown in the card |",
        "| --- | ---: | ---: | ---: | ---: |",
        f"| {HONEST} | {len(able)} of {len(honest)} | {right} | {accused} | |",
    ]
    for kind in ("weakened", "smuggled", "wrong"):
        these = [item for item in proved if item.kind == kind and item.card.get("rows")]
        shown = [item for item in these if item.case in honest and item.beyond(honest[item.case])]
        against = sum(bool(item.accusing) for item in these)
        lines.append(f"| {kind} | {len(these)} | | {against} | {len(shown)} |")
    if able:
        cpu = median(item.cpu_seconds for item in able)
        lines.append(f"\nMedian processor time of an honest change: {cpu:.0f} s")
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.proof", description=__doc__)
    parser.add_argument("cases", type=Path, help="the file of cases")
    parser.add_argument("--mirrors", type=Path, required=True, help="folder of the clones")
    parser.add_argument("--only", action="append", metavar="WORD", help="cases with it in their id")
    parser.add_argument("--kind", action="append", help="this kind of change; may be repeated")
    parser.add_argument("--results", type=Path, default=Path("proof.jsonl"))
    parser.add_argument("--timeout", type=int, default=900, help="seconds for one change")
    parser.add_argument("--table", action="store_true", help="only print what is known")
    given = parser.parse_args()
    if not given.table:
        prove_all(given)
    print(table(read(given.results)))
