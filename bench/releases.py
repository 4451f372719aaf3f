"""Name the release since which tests of public projects fail.

    python -m bench.releases CASES --mirrors DIR [--only ID] [--answers DIR]

`fixpoint explain` is started for each case on its commit, with the interpreter of the case and today's
packages. Where today's packages fail for further reasons, packages are as of the day of the release.
Clones are `owner+name` below DIR, and only read. With `--answers`, what was explained is kept there and
not asked again. The exit code is 1 if a wrong release is called proven.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.case import mirror_of, run_git
from bench.processes import FIXPOINT, without_settings
from bench.tables import print_machine, print_table

_LONGEST = 3600.0
"""Seconds for one case, its installations included."""

_AUTHOR = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")


@dataclass(frozen=True, slots=True)
class ReleaseCase:
    """A commit whose tests fail since a release.

    Attributes:
        id: Unique.
        repo: `owner/name` on GitHub.
        commit: Where they fail.
        python: The interpreter, as `3.N`.
        files: Of the failing tests.
        package: The one that was released.
        first_bad: Its version.
        as_of: The moment as of which packages are installed; None for today's.
    """

    id: str
    repo: str
    commit: str
    python: str
    files: tuple[str, ...]
    package: str
    first_bad: str
    as_of: str | None

    @property
    def options(self) -> list[str]:
        """Return the case as options of `fixpoint explain`."""
        dated = ["--as-of", self.as_of] if self.as_of else []
        return ["--test", f"python -m pytest {' '.join(self.files)}", *dated, "--json"]


def main() -> None:
    """Run the cases one after the other and print the table."""
    options = _options()
    cases = [case for case in load(options.file) if not options.only or case.id in options.only]
    rows, right, wrong = [], 0, 0
    for case in cases:
        found = _answer(case, options.mirrors, options.answers)
        seconds = found["took"]
        events = [(item["event"]["name"], item["event"]["after"]) for item in found["culprits"]]
        sure = ", ".join(item["certainty"] for item in found["culprits"])
        is_right = events[:1] == [(case.package, case.first_bad)]
        right += is_right
        wrong += not is_right and "proven" in sure
        named = ", ".join(f"{name} {version}" for name, version in events)
        told = named or next(iter(found["ruled_out"]), "nothing")
        want = f"{case.package} {case.first_bad}"
        asked = str(len(found["points"]))
        rows.append(
            (case.id, want, told, sure, asked, f"{seconds:.0f}", "yes" if is_right else "NO")
        )
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    print_machine()
    head = ("Case", "Release", "Named", "How sure", "Runs", "Seconds", "Right")
    print_table("Releases that broke public projects", head, rows)
    print(f"\n{right} of {len(cases)} right, {wrong} wrong called proven")
    sys.exit(wrong > 0)


def load(file: Path) -> list[ReleaseCase]:
    """Return the cases of a file, in its order."""
    return [
        ReleaseCase(
            id=entry["id"],
            repo=entry["repo"],
            commit=entry["commit"],
            python=entry["python"],
            files=tuple(sorted({test.split("::")[0] for test in entry["failing_tests"]})),
            package=entry["culprit"],
            first_bad=entry["first_bad"],
            as_of=None
            if entry["single_cause_today"]
            else f"{entry['first_bad_uploaded'][:10]}T23:59:59Z",
        )
        for entry in json.loads(file.read_text("utf-8"))
    ]


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.releases", description=__doc__)
    parser.add_argument("file", type=Path, help="the file of cases")
    parser.add_argument("--mirrors", type=Path, required=True, help="folder of the clones")
    parser.add_argument("--only", action="append", metavar="ID", help="may be repeated")
    parser.add_argument("--answers", type=Path, help="folder where answers are kept")
    return parser.parse_args()


def _answer(case: ReleaseCase, mirrors: Path, kept: Path | None) -> dict[str, Any]:
    """Return what was explained, and `took`, the seconds; from memory if it was asked before."""
    file = kept / f"{case.id}.json" if kept is not None else None
    if file is not None and file.exists():
        found: dict[str, Any] = json.loads(file.read_text("utf-8"))
        return found
    started = time.perf_counter()
    found = _explained(case, mirrors) | {"took": time.perf_counter() - started}
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(found, indent=2), "utf-8")
    return found


def _explained(case: ReleaseCase, mirrors: Path) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="fixpoint-release-") as name:
        scratch = Path(name)
        folder = _check_out(case, mirrors.absolute(), scratch / "w")
        try:
            done = subprocess.run(
                (FIXPOINT, "explain", str(folder), *case.options),
                env=without_settings() | {"FIXPOINT_DATA": str(scratch / "data")},
                capture_output=True,
                text=True,
                check=False,
                timeout=_LONGEST,
            )
        except subprocess.TimeoutExpired:
            return {"culprits": [], "ruled_out": ["no answer in time"], "points": []}
    if not done.stdout.strip():
        said = next(reversed(done.stderr.strip().splitlines()), "")
        return {"culprits": [], "ruled_out": [said], "points": []}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _check_out(case: ReleaseCase, mirrors: Path, folder: Path) -> Path:
    """Make `folder` a work tree of the commit that asks for the case's interpreter.

    Raises:
        subprocess.CalledProcessError: When the clone lacks the commit.
    """
    mirror = mirror_of(case.repo, mirrors)
    run_git(folder.parent, "clone", "--quiet", "--no-checkout", str(mirror), str(folder))
    run_git(folder, "checkout", "--quiet", case.commit)
    (folder / ".python-version").write_text(f"{case.python}\n", "utf-8")
    run_git(folder, "add", "--all")  # without files that the clone lacks because they are large
    run_git(folder, "add", "--force", ".python-version")
    message = ("commit", "--quiet", "--allow-empty", "--message", "interpreter of the case")
    run_git(folder, *_AUTHOR, *message, as_of=case.commit)
    return folder


if __name__ == "__main__":
    main()
