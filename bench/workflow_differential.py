"""Compare our reader of workflows and actions with GitHub's own on the files of a folder.

    python -m bench.workflow_differential FOLDER

GitHub's is `@actions/workflow-parser`, installed from npm. Files with the ending .yml or .yaml count,
at any depth, action.yml and action.yaml as actions; what is no text is left out.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

from tests.language_services.workflows import Disagreement, compared

_SHOWN = 40


def main(folder: Path, *, shown: int = _SHOWN) -> None:
    """Print where the readers are meant to differ, how many files there are, and other differences."""
    files: dict[str, str] = {}
    for path in sorted(path for path in folder.rglob("*") if path.suffix in {".yml", ".yaml"}):
        try:
            files[str(path.relative_to(folder))] = path.read_bytes().decode()
        except UnicodeDecodeError:
            continue
    every = compared(files)
    for kind, count in Counter(each.named for each in every if each.named).most_common():
        print(f"{count:6} meant to differ: {kind}")
    found = [each for each in every if not each.named]
    different = {each.file for each in found}
    print(f"{len(files)} files, {len(different)} with {len(found)} other disagreements")
    kinds = Counter(map(_kind, found))
    for kind, count in kinds.most_common():
        print(f"{count:6} {kind}")
    for each in found[:shown]:
        print(
            f"\n{each.file}: {each.place}\n  ours   {each.ours!r:.300}\n  GitHub {each.theirs!r:.300}"
        )


def _kind(found: Disagreement) -> str:
    if found.place == "valid":
        refused = f"refused by {'us' if found.ours else 'GitHub'} alone: "
        message = (found.ours or found.theirs)[0]
        return (
            refused
            + re.sub(r"'[^']*'|`[^`]*`|\d+|^.*?\): |^\S*w\.yml,?:?|^\S+\.ya?ml: ", "…", message)[
                :90
            ]
        )
    return re.sub(r"jobs\.[^.]+", "jobs.*", re.sub(r"steps\.\d+", "steps.*", found.place))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
