"""How long it takes until a command line can do its first work: `import bot.commands.cli` and a bare start."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from statistics import median

from bench.processes import FIXPOINT, Cost, cost_of
from bench.tables import print_machine, print_table

ROUNDS = 15

_SUBJECTS = {
    "python -c pass": (sys.executable, "-c", "pass"),
    "import bot.commands.cli": (sys.executable, "-c", "import bot.commands.cli"),
    "fixpoint --version": (FIXPOINT, "--version"),
    "import bot.commands.fix (all of `fixpoint fix` but a model's SDK)": (
        *(sys.executable, "-c"),
        "import bot.commands.fix",
    ),
}


async def main() -> None:
    """Measure every subject in turn, so that what else the machine does hits all alike."""
    costs: dict[str, list[Cost]] = {name: [] for name in _SUBJECTS}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(ROUNDS + 1):
            for name, argv in _SUBJECTS.items():
                costs[name].append(await cost_of(*argv, folder=Path(folder)))
    rows = [
        (name, *_figures(measured[1:]))  # the first round compiles and fills the page cache
        for name, measured in costs.items()
    ]
    print_table(f"Start, medians of {ROUNDS}", ("", "wall ms", "CPU ms", "peak MB"), rows)


def _figures(costs: list[Cost]) -> tuple[str, str, str]:
    return (
        f"{median(cost.seconds for cost in costs) * 1000:.0f}",
        f"{median(cost.cpu_seconds for cost in costs) * 1000:.0f}",
        f"{median(cost.peak_bytes for cost in costs) / 1e6:.0f}",
    )


if __name__ == "__main__":
    print_machine()
    asyncio.run(main())
