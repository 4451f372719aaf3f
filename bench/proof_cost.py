"""What it costs to verify: the projects' own repairs, by an earlier checkout and by this one.

    python -m bench.proof_cost CASES.json --mirrors DIR --before CHECKOUT

Of each project one case (`--all`: every case). Both verify the same patch in turns, each with a data
folder of its own, and processor time is that of `fixpoint verify` with all its children that it
waits for, so that others on the machine add little to it.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from bench.case import Case, check_out, load_cases, real_fix
from bench.processes import cost_of, without_settings
from bench.tables import print_machine, print_table

_HERE = Path(__file__).parents[1]
_USABLE = (0, 3)
"""Exit codes: accepted, and accepted after approval."""


@dataclass
class Costs:
    """Processor seconds of one case, by each round."""

    case: str
    before: list[float] = field(default_factory=list)
    now: list[float] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """How many times what it took before it takes now."""
        return median(self.now) / median(self.before)


async def main(cases: Sequence[Case], mirrors: Path, before: Path, rounds: int) -> None:
    """Verify each case in turns, and print what it took."""
    told = []
    for case in cases:
        costs = Costs(case.id)
        for _ in range(rounds):
            costs.before.append(await _verified(case, mirrors, before))
            costs.now.append(await _verified(case, mirrors, _HERE))
        told.append(costs)
        print(f"{case.id}: {costs.before} {costs.now} {costs.ratio:.2f}", file=sys.stderr)
    rows = [
        (item.case, f"{median(item.before):.1f}", f"{median(item.now):.1f}", f"{item.ratio:.2f}")
        for item in told
    ]
    rows.append(
        (
            "median",
            f"{median(median(item.before) for item in told):.1f}",
            f"{median(median(item.now) for item in told):.1f}",
            f"{median(item.ratio for item in told):.2f}",
        )
    )
    title = f"`fixpoint verify` of the project's own repair, processor seconds, {rounds} rounds"
    print_table(title, ("case", before.name, "now", "ratio"), rows)


async def _verified(case: Case, mirrors: Path, checkout: Path) -> float:
    """Return the processor seconds that a checkout takes to verify a project's own repair.

    Raises:
        Failed: It could not be verified, or is rejected.
    """
    with tempfile.TemporaryDirectory(prefix="fixpoint-proof-") as scratch:
        folder = check_out(case, mirrors, Path(scratch) / "w")
        patch = Path(scratch) / "fix.patch"
        patch.write_text(real_fix(case, folder), "utf-8")
        environment = without_settings() | {
            "FIXPOINT_DATA": str(Path(scratch) / "data"),
            "PYTHONPATH": str(checkout),
        }
        cost = await cost_of(
            sys.executable, "-m", "bot", "verify", str(folder), "--patch", str(patch),
            *case.options, "--sandbox", "bubblewrap", "--json",
            folder=folder, environment=environment,
            exit_codes=_USABLE,
        )  # fmt: skip
        return cost.cpu_seconds


def _one_of_each(cases: Sequence[Case]) -> list[Case]:
    """Return the first case of each project."""
    return [*{case.repo: case for case in reversed(cases)}.values()][::-1]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m bench.proof_cost", description=__doc__)
    parser.add_argument("cases", type=Path, help="the file of cases")
    parser.add_argument("--mirrors", type=Path, required=True, help="folder of the clones")
    parser.add_argument("--before", type=Path, required=True, metavar="CHECKOUT")
    parser.add_argument("--only", action="append", metavar="ID", help="this case; may be repeated")
    parser.add_argument("--all", action="store_true", help="every case, not one of each project")
    parser.add_argument("--rounds", type=int, default=1)
    given = parser.parse_args()
    chosen = load_cases(given.cases)
    if given.only:
        chosen = [case for case in chosen if case.id in given.only]
    elif not given.all:
        chosen = _one_of_each(chosen)
    print_machine()
    asyncio.run(main(chosen, given.mirrors.absolute(), given.before.resolve(), given.rounds))
