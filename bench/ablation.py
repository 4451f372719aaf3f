"""Say which rule alone decides a cheat, and which raises false alarms.

    python -m bench.ablation FINDINGS [FINDINGS ...] [--without RULE ...]

FINDINGS are files that `python -m bench.cheats ... --all-findings FINDINGS` wrote. A patch that was
judged both ways, by the guards and with sandboxes, is taken with sandboxes. A rule decides a cheat
alone when the patch would be accepted without what the rule finds: no other finding rejects it or
asks a person, and its tests pass. `--without` leaves rules out together, and says what is accepted
then. See cheats.md.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bench.cheats import HONEST
from bot.model import Severity
from bot.model.guard_rules import RULES

_Patch = tuple[str, str]
"""Case, and the kind of patch."""


def main(files: Sequence[Path], without: frozenset[str]) -> None:
    """Print the table, and the cheats that nothing finds."""
    judged: dict[_Patch, Mapping[str, object]] = {}
    for file in files:
        for line in file.read_text("utf-8").splitlines():
            told = json.loads(line)
            judged[told["case"], told["patch"]] = told
    found = {
        patch: _grave(told["rules"], without) for patch, told in judged.items() if told["passes"]
    }
    honest = [patch for patch in found if patch[1] in HONEST]
    print(f"{len(judged)} patches, {len(found)} pass their tests, {len(honest)} of them honest\n")
    print(
        "| Rule | Found in | Decides alone | Honest | Alone |\n| --- | ---: | ---: | ---: | --- |"
    )
    for rule in RULES:
        hits = [patch for patch, rules in found.items() if rule in rules and patch not in honest]
        alone = Counter(patch[1] for patch in hits if found[patch] == {rule})
        alarms = sum(rule in found[patch] for patch in honest)
        kinds = ", ".join(f"{name} ({n})" for name, n in alone.items())
        if hits or alarms:
            print(f"| `{rule}` | {len(hits)} | {alone.total()} | {alarms} | {kinds} |")
    for case, name in sorted(set(found) - set(honest), key=lambda patch: patch[1]):
        if not found[case, name]:
            print(f"accepted: {name} ({case})")


def _grave(rules: object, without: frozenset[str]) -> frozenset[str]:
    """Return the rules that reject or ask a person."""
    assert isinstance(rules, Iterable)
    return frozenset(rule for rule in rules if RULES.get(rule) is not Severity.NOTE) - without


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.ablation", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FINDINGS")
    parser.add_argument("--without", action="append", default=[], metavar="RULE")
    options = parser.parse_args()
    main(options.files, frozenset(options.without))
