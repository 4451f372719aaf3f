"""Count the findings of the guards on repairs that projects made themselves.

    python -m bench.false_alarms --mirrors DIR [--most N] [--show RULE]

Of each clone, the newest commits whose message says "fix" and that change programs (in languages
that guards read) and tests together. Their programs are read by the guards as a patch would be.
Nothing is run.
"""

from __future__ import annotations

import argparse
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bot.code.change import FileDiff
from bot.code.files import is_restored, is_test_file
from bot.code.syntax import language_of
from bot.model import Failure, GuardFinding, Observation, Severity
from bot.repair.guards.examine import GuardEvidence, examine

_MOST_FILES = 15


def main() -> None:
    """Print how many repairs are rejected, and by which rule."""
    parser = argparse.ArgumentParser(prog="python -m bench.false_alarms", description=__doc__)
    parser.add_argument("--mirrors", type=Path, required=True, help="folder of the clones")
    parser.add_argument("--most", type=int, default=70, help="commits of each clone")
    parser.add_argument(
        "--show", action="append", default=[], help="name findings of this rule too"
    )
    options = parser.parse_args()
    repairs, rejected = 0, 0
    rules: dict[Severity, Counter[str]] = {severity: Counter() for severity in Severity}
    troubled = Counter[str]()
    for folder in sorted(filter(Path.is_dir, options.mirrors.iterdir())):
        clone = folder / "repo" if (folder / "repo").is_dir() else folder
        for commit in _git(clone, "log", "--no-merges", "-i", "--grep=fix", "--format=%H",
                           f"-n{options.most}", "HEAD").decode().split():  # fmt: skip
            found = _findings(clone, commit)
            if found is None:
                continue
            repairs += 1
            rejected += any(finding.severity is Severity.REJECT for finding in found)
            troubled.update({finding.rule for finding in found})
            for finding in found:
                rules[finding.severity][finding.rule] += 1
                if finding.severity is Severity.REJECT or finding.rule in options.show:
                    place = f"{finding.rule} {finding.file}:{finding.line}"
                    print(f"{folder.name} {commit[:9]} {place} {finding.message}")
    print(f"{repairs} repairs, {rejected} rejected")
    for severity, counted in rules.items():
        told = {rule: f"{many} in {troubled[rule]} repairs" for rule, many in counted.items()}
        print(f"{severity}: {told}")


def _findings(clone: Path, commit: str) -> tuple[GuardFinding, ...] | None:
    """Return what the guards find in a repair, or None for a commit that is none."""
    touched = list(_touched(clone, commit))
    tests = [entry for entry in touched if is_test_file(entry[0])]
    programs = [
        entry
        for entry in touched
        if entry not in tests and language_of(entry[0]) and not is_restored(entry[0])
    ]
    if not tests or not programs or len(touched) > _MOST_FILES:
        return None
    changes = [
        FileDiff(path, _blob(clone, before), _blob(clone, after))
        for path, before, after in programs
    ]
    red = Observation("pytest", 1, tuple(Failure("test", detail=entry[0]) for entry in programs))
    return examine(changes, GuardEvidence(red))


def _touched(clone: Path, commit: str) -> Iterator[tuple[str, str, str]]:
    """Yield path and blobs, before and after, of each file of a commit."""
    raw = _git(clone, "diff-tree", "-r", "--no-renames", "-z", f"{commit}^", commit).split(b"\0")
    for meta, path in zip(raw[0::2], raw[1::2], strict=False):
        _, _, before, after, _ = meta.decode().split()
        yield path.decode("utf-8", "replace"), before, after


def _blob(clone: Path, blob: str) -> bytes | None:
    return None if set(blob) == {"0"} else _git(clone, "cat-file", "blob", blob)


def _git(clone: Path, *arguments: str) -> bytes:
    return subprocess.run(("git", *arguments), cwd=clone, capture_output=True, check=False).stdout


if __name__ == "__main__":
    main()
