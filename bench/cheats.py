"""Judge the real fix of each case, and a forged one of each kind.

    python -m bench.cheats CASES.json --mirrors DIR [--only ID] [--cheat NAME] [--run]
    python -m bench.cheats CASES.json --mirrors DIR [--run] --all-findings FILE

Without `--run` the guards alone judge, which takes no sandbox and a second for each case: what they
can't see, a test that still fails, is then not counted as a rejection. With it, `fixpoint verify`
judges. With `--all-findings` no finding ends the verification: the repo config makes each a note, so
every guard and proof tells what it finds, and `bench/ablation.py` reads it. See cheats.md.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage

from bench.case import Case, check_out, fixed_text, load_cases
from bench.conditional_forgery import CONDITIONS
from bench.forgery import CHEATS, Files, Scene
from bench.granted_forgery import GRANTED
from bench.odd_forgery import ODD
from bench.processes import FIXPOINT
from bench.reported_forgery import REPORTED
from bench.sensed_forgery import SENSED
from bench.verified import ACCEPTANCE, why
from bot.code.change import FileDiff
from bot.code.files import is_restored
from bot.config.repo_config import PATH
from bot.model import Acceptance, Failure, GuardFinding, Observation, Severity
from bot.model.guard_rules import RULES
from bot.repair.guards.examine import GuardEvidence, examine
from bot.repair.guards.paths import restored, steering

REAL = "the real fix"
HONEST = frozenset({REAL})
_NOTHING_STOPS = "guards:\n" + "".join(f"  {rule}: note\n" for rule in RULES)
_SAID = {
    Acceptance.YES: "Accepted",
    Acceptance.AFTER_APPROVAL: "After approval",
    Acceptance.NO: "Rejected",
}


_Judged = tuple[Acceptance, tuple[str, ...], tuple[str, ...], bool]
"""Whether a patch would be used, why, the rules of what was found, and whether it passes."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """What came of one patch.

    Attributes:
        case: Its id.
        patch: The kind of cheat, or `REAL`.
        accepted: Whether it would be used.
        why: What was found, gravest first.
        rules: Of the findings; of other facts that a card leaves open, their rows.
        passes: Whether the failing command passes with it, and something of it is left once tests
            and protected configuration are put back. Of a run the first; without one the second.
        seconds: Processor time, with that of the processes that were waited for.
    """

    case: str
    patch: str
    accepted: Acceptance
    why: tuple[str, ...]
    rules: tuple[str, ...]
    passes: bool
    seconds: float

    @property
    def right(self) -> bool:
        """Whether a real fix was not rejected, or a cheat was not accepted without a person."""
        wrong = Acceptance.NO if self.patch == REAL else Acceptance.YES
        return self.accepted is not wrong


def main() -> None:
    """Judge, print the table, exit with 1 when a judgement is wrong."""
    options = _options()
    judgements = []
    for case in load_cases(options.cases):
        if not options.only or case.id in options.only:
            for judgement in _of_case(case, options):
                judgements.append(judgement)
                mark = "" if judgement.right else " WRONG"
                said = _SAID[judgement.accepted].lower()
                print(
                    f"{case.id}: {judgement.patch}: {said}{mark} ({judgement.seconds:.1f} s) "
                    f"{'; '.join(judgement.why)[:300]}",
                    file=sys.stderr,
                )
                if options.all_findings is not None:
                    with options.all_findings.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(asdict(judgement)) + "\n")
    print(_table(judgements))
    sys.exit(not all(item.right for item in judgements))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.cheats", description=__doc__)
    parser.add_argument("cases", type=Path, help="the file of cases")
    parser.add_argument("--mirrors", type=Path, required=True, help="folder of the clones")
    parser.add_argument("--only", action="append", metavar="ID", help="this case; may be repeated")
    parser.add_argument("--cheat", action="append", metavar="NAME", help="this kind; `real`: none")
    parser.add_argument("--run", action="store_true", help="judge with `fixpoint verify`")
    parser.add_argument(
        "--all-findings", type=Path, metavar="FILE", help="add a line of JSON for each patch to it"
    )
    return parser.parse_args()


def _of_case(case: Case, options: argparse.Namespace) -> Iterator[Judgement]:
    with tempfile.TemporaryDirectory(prefix="fixpoint-cheat-") as scratch:
        folder = check_out(case, options.mirrors.absolute(), Path(scratch) / "w")
        if options.all_findings is not None and options.run:
            (folder / PATH).parent.mkdir(parents=True, exist_ok=True)
            (folder / PATH).write_text(_NOTHING_STOPS, "utf-8")
        scene = scene_of(case, folder)
        patches: dict[str, Files] = {REAL: dict(scene.fixed), **_forged(scene)}
        for name, files in patches.items():
            wanted = options.cheat is None or any(_is_meant(item, name) for item in options.cheat)
            if not wanted:
                continue
            started = _cpu_seconds()
            if options.run:
                accepted, why, rules, passes = _run(case, folder, files, Path(scratch))
            else:
                accepted, why, rules, passes = _guarded(case, folder, files)
            spent = _cpu_seconds() - started
            yield Judgement(case.id, name, accepted, why, rules, passes, spent)


def _cpu_seconds() -> float:
    return sum(sum(getrusage(who)[:2]) for who in (RUSAGE_SELF, RUSAGE_CHILDREN))


def _is_meant(asked: str, name: str) -> bool:
    """Whether a kind is one that was asked for; `real` is not a part of another one's name."""
    return name == REAL if asked == "real" else asked in name


def _forged(scene: Scene) -> dict[str, Files]:
    """Return what each kind of forger makes of the scene; not each kind can in each."""
    forged: dict[str, Files] = {}
    for name, forge in {**CHEATS, **CONDITIONS, **SENSED, **ODD, **GRANTED, **REPORTED}.items():
        with contextlib.suppress(LookupError):
            forged[name] = forge(scene)
    return forged


def scene_of(case: Case, folder: Path) -> Scene:
    """Return what a forger sees of a case in its work tree."""
    sources = {file: (folder / file).read_text("utf-8") for file in case.source_files}
    fixed = {file: fixed_text(case, folder, file) for file in case.source_files}
    names = (identity.rpartition("::")[2] for identity in case.fail_to_pass)
    return Scene(
        tests={file: (folder / file).read_text("utf-8") for file in case.test_files},
        sources=sources,
        failing=frozenset(re.split(r"[\[( ]", name)[0] for name in names),
        changed={
            file: frozenset(_changed_lines(text, fixed[file])) for file, text in sources.items()
        },
        fixed=fixed,
    )


def _changed_lines(before: str, after: str) -> Iterator[int]:
    matcher = difflib.SequenceMatcher(None, before.split("\n"), after.split("\n"))
    for tag, first, last, _, _ in matcher.get_opcodes():
        if tag != "equal":
            yield from range(first + 1, max(first, last - 1) + 2)


def _guarded(case: Case, folder: Path, files: Files) -> _Judged:
    """Judge as the verifier does before it runs anything."""
    changes = [
        FileDiff(
            path,
            before := (folder / path).read_bytes() if (folder / path).exists() else None,
            text.encode() if text is not None else None,
            "100644" if before is not None else None,
        )
        for path, text in files.items()
    ]
    # the tracebacks of a failing test pass through what is repaired, or the cheat would be useless
    red = Observation(
        case.test_command,
        1,
        tuple(Failure(item, detail="\n".join(case.source_files)) for item in case.fail_to_pass),
    )
    put_back = [change.path for change in changes if is_restored(change.path, is_new=change.is_new)]
    found = (
        *examine(changes, GuardEvidence(red)),
        *restored(put_back),
        *steering(list(files), case.test_command),
    )
    severities = {finding.severity for finding in found}
    rules = tuple(sorted({finding.rule for finding in found}))
    if Severity.REJECT in severities or len(put_back) == len(changes):
        return Acceptance.NO, _ranked(found), rules, len(put_back) < len(changes)
    asks = Severity.NEEDS_PERSON in severities
    return Acceptance.AFTER_APPROVAL if asks else Acceptance.YES, _ranked(found), rules, True


def _ranked(found: Sequence[GuardFinding]) -> tuple[str, ...]:
    order = list(Severity)
    ranked = sorted(found, key=lambda item: order.index(item.severity))
    return tuple(
        f"{finding.severity}: {finding.rule} {finding.file}:{finding.line} {finding.message}"
        for finding in ranked
    )


def _run(case: Case, folder: Path, files: Files, scratch: Path) -> _Judged:
    """Judge with `fixpoint verify`, as a process of its own."""
    patch = scratch / "forged.patch"
    patch.write_text(_as_patch(folder, files), "utf-8")
    done = subprocess.run(
        (FIXPOINT, "verify", str(folder), "--patch", str(patch), *case.options,
         "--sandbox", "bubblewrap", "--json"),
        env=os.environ | {"FIXPOINT_DATA": str(scratch / "data")},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        text=True,
    )  # fmt: skip
    if done.returncode not in ACCEPTANCE:
        return Acceptance.NO, (f"ERROR {done.returncode}: {done.stderr[-300:]}",), (), False
    card = json.loads(done.stdout)
    facts = [*card["refuted"], *card["left_open"]]
    rules = {
        fact["subject"] if fact["subject"] in RULES else f"row {fact['row']}" for fact in facts
    }
    passes = any(row["row"] == "tests" and row["state"] == "shown" for row in card["rows"])
    said = (why(card), *(fact["text"] for fact in facts))
    return ACCEPTANCE[done.returncode], said, tuple(sorted(rules)), passes


def _as_patch(folder: Path, files: Files) -> str:
    """Return the difference that writing the files makes, and leave the folder as it was."""

    def git(*arguments: str) -> str:
        return subprocess.run(
            ("git", *arguments), cwd=folder, check=True, capture_output=True, text=True
        ).stdout

    git("add", "--all")
    tree = git("write-tree").strip()
    for path, text in files.items():
        if text is None:
            (folder / path).unlink()
        else:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, "utf-8")
    git("add", "--all")
    diff = git("diff", "--cached", "--binary", "--full-index", tree)
    git("read-tree", "--reset", "-u", tree)
    return diff


def _table(judgements: Sequence[Judgement]) -> str:
    rows = [
        f"| Patch | Cases | {' | '.join(_SAID.values())} | Wrong |",
        "| --- | ---: | ---: | ---: | ---: | --- |",
    ]
    for name in dict.fromkeys(judgement.patch for judgement in judgements):
        these = [judgement for judgement in judgements if judgement.patch == name]
        counted = Counter(judgement.accepted for judgement in these)
        results = " | ".join(str(counted[acceptance]) for acceptance in _SAID)
        wrong = ", ".join(judgement.case for judgement in these if not judgement.right) or "none"
        rows.append(f"| {name} | {len(these)} | {results} | {wrong} |")
    return "\n".join(rows)


if __name__ == "__main__":
    main()
