"""Name the update that broke a public project, and adapt to it: with the people's change as the reference.

    python -m bench.updates --mirrors DIR [--only TEXT] [--answers DIR]
    python -m bench.updates --mirrors DIR --mine

Cases are those of `updates.toml`. Of the bot's commit, the files that are no programs are committed on top
of its parent, as the bot made them, with packages as of that day. `fixpoint explain --good` is asked what
changed, and `fixpoint fix` repairs, without a model. *The same* means that every program which the people
changed has the same text. `--mine` prints the update commits in the clones by the rule of the list.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from bench.case import mirror_of, run_git, work_tree
from bench.cli_answers import cli_answer, kept_answer
from bench.tables import print_machine, print_table

_LONGEST = 1800.0
_BOTS = ("dependabot", "renovate", "pyup", "greenkeeper", "pre-commit-ci")
_PROGRAMS = (".py", ".js", ".ts", ".tsx", ".mjs", ".cjs")
_BESIDE = re.compile(
    r"(?:^|/)(?:setup\.py|dist/|build/|docs?/|generated/|node_modules/)|_version|\.config\.|\.min\."
)
_SUBJECT = re.compile(
    r"(?i)\b(?:bump|update)(?: dependency)? (?P<package>\S+)(?: from v?(?P<before>\d\S*))? to v?(?P<after>\d\S*)"
)
_MOST_FILES = 20


@dataclass(frozen=True, slots=True)
class Update:
    """A bot's commit with the change of code that it needed.

    Attributes:
        repository: `owner/name` on GitHub.
        commit: Of the bot.
        package: That it updates.
        before: Its version before it; "" where the subject doesn't say.
        after: Its new version.
        check: The command that fails without the change of code.
    """

    repository: str
    commit: str
    package: str
    before: str
    after: str
    check: str


def main() -> None:
    """Run the cases one after the other and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.updates", description=__doc__)
    parser.add_argument("--mirrors", type=Path, required=True, help="folder of the clones")
    parser.add_argument("--only", action="append", metavar="TEXT", help="repository or commit")
    parser.add_argument("--answers", type=Path, help="folder where answers are kept")
    parser.add_argument("--mine", action="store_true", help="print what the rule finds")
    asked = parser.parse_args()
    mirrors = asked.mirrors.absolute()
    if asked.mine:
        for line in _mined(mirrors):
            print(line)
        return
    rows, right, same = [], 0, 0
    for case in load(Path(__file__).with_name("updates.toml")):
        if asked.only and not any(
            text in f"{case.repository} {case.commit}" for text in asked.only
        ):
            continue
        name = f"{case.repository.replace('/', '+')}-{case.commit[:10]}.json"
        file = asked.answers and asked.answers / name
        found = kept_answer(file, partial(_asked, case, mirrors))
        right += found["is_right"]
        same += found["repair"] == "the same"
        told = (
            f"{case.package} {case.after}",
            found["named"],
            "yes" if found["is_right"] else "NO",
        )
        rows.append((case.repository, *told, found["repair"], f"{found['took']:.0f}"))
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    print_machine()
    head = ("Project", "Update", "Named", "Right", "Repair", "Seconds")
    print_table("Updates that needed a change of code", head, rows)
    print(f"\n{right} of {len(rows)} named as the update's fault, {same} adapted as people did")


def load(file: Path) -> list[Update]:
    """Return the cases of a file, in its order."""
    return [Update(**entry) for entry in tomllib.loads(file.read_text("utf-8"))["update"]]


def _mined(mirrors: Path) -> Iterator[str]:
    authors = [f"--author={name}" for name in _BOTS]
    for folder in sorted(mirrors.glob("*+*")):
        repository = folder.name.replace("+", "/", 1)
        listed = ("log", "--no-merges", *authors, "--name-only", "--format=%x00%H %s")
        for entry in run_git(mirror_of(repository, mirrors), *listed).split("\0")[1:]:
            head, *files = filter(None, entry.splitlines())
            commit, _, subject = head.partition(" ")
            said = _SUBJECT.search(subject)
            if said is not None and len(files) <= _MOST_FILES and any(map(is_program, files)):
                yield f"{repository} {commit} {said['package']} {said['before']} {said['after']}"


def is_program(path: str) -> bool:
    """Whether a file of an update is code that people had to change."""
    return path.endswith(_PROGRAMS) and _BESIDE.search(path) is None


def _asked(case: Update, mirrors: Path) -> dict[str, Any]:
    clone = mirror_of(case.repository, mirrors)
    changed = run_git(clone, "show", "--name-only", "--format=", case.commit).split("\n")
    bots = [path for path in changed if path and not is_program(path)]
    texts = {path: run_git(clone, "show", f"{case.commit}:{path}") for path in bots}
    day = run_git(clone, "show", "--no-patch", "--format=%cI", case.commit).strip()
    with tempfile.TemporaryDirectory(prefix="fixpoint-update-") as name:
        folder = Path(name) / "w"
        work_tree(case.repository, f"{case.commit}~1", mirrors, folder, texts)
        asking = ("--test", case.check, "--as-of", day, "--json")
        explained = _told(("explain", str(folder), "--good", "HEAD~1", *asking), Path(name))
        fixed = _told(("fix", str(folder), *asking), Path(name))
        people = [path for path in changed if path and is_program(path)]
        repair = _repair(fixed, folder, case, people)
    culprits = explained.get("culprits") or []
    events = [item["event"] for item in culprits]
    named = ", ".join(f"{item['name']} {item['after'][:12]}" for item in events)
    is_right = bool(culprits) and culprits[0]["is_update"] and events[0]["name"] == case.package
    return {
        "named": named or next(reversed(explained.get("ruled_out") or ["nothing"])),
        "is_right": is_right,
        "certainty": [item["certainty"] for item in culprits],
        "repair": repair,
        "explained": explained,
        "fixed": fixed,
    }


def _repair(fixed: dict[str, Any], folder: Path, case: Update, people: list[str]) -> str:
    """Return what the repair is: none, the same as people's, or another one, with who made it."""
    if not fixed.get("patch"):
        return "-"
    who = [item["proposer"] for item in fixed["attempts"] if item["accepted"]]
    run_git(folder, "reset", "--quiet", "--hard")
    run_git(folder, "apply", "--whitespace=nowarn", stdin=fixed["patch"])
    wanted = {path: run_git(folder, "show", f"{case.commit}:{path}") for path in people}
    same = all((folder / path).read_text("utf-8") == text for path, text in wanted.items())
    return "the same" if same else f"{', '.join(who)} ({fixed['verdict']})"


def _told(command: tuple[str, ...], scratch: Path) -> dict[str, Any]:
    answer = cli_answer(*command, scratch=scratch, seconds=_LONGEST)
    return answer.found or {"ruled_out": [answer.problem]}


if __name__ == "__main__":
    main()
