"""Let real servers die while people ask for things, and say what was lost and what came twice.

python -m bench.chaos --seed 7 --kills 50
python -m bench.chaos --seed 7 --minutes 30
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from bench.chaos.footprint import Footprint, footprints
from bench.chaos.plan import Kind, Pace, disasters, for_seconds, plan
from bench.chaos.run import EXPIRY, Findings, chaos
from bench.chaos.stories import Plot
from bench.tables import print_machine, print_table
from tests.contract.postgres import own_server


async def main(given: argparse.Namespace) -> Findings:
    """Do as the command line says."""
    kinds = [Kind[name.upper().replace("-", "_")] for name in given.with_]
    plots = [Plot[name.upper()] for name in given.plots] or list(Plot)
    root = Path(tempfile.mkdtemp(prefix="fixpoint-chaos-", dir=given.folder))
    print(f"seed {given.seed}, in {root}", flush=True)
    with own_server() as postgres:
        async with chaos(
            root,
            postgres,
            seed=given.seed,
            rate=given.rate,
            patience=given.patience,
            sandbox=given.sandbox,
        ) as world:
            await world.learn(plots)
            pace = Pace(given.least, given.most, EXPIRY)
            servers = world.company.members
            started = time.monotonic()
            if given.minutes:
                *struck, spared = servers
                endless = disasters(given.seed, len(struck), pace, kinds)
                async with footprints(world.company, spared, postgres) as seen:
                    coming = for_seconds(endless, 60 * given.minutes)
                    await world.suffer(plots, coming, given.width, given.stories)
                _print_footprints(seen)
            else:
                planned = plan(given.seed, given.kills, len(servers), pace, kinds)
                await world.suffer(plots, planned, given.width, given.stories)
            _print(world.findings, dict(world.weather.met), time.monotonic() - started)
            return world.findings


def _print_footprints(seen: Sequence[Footprint]) -> None:
    """Print ten of the looks."""
    some = seen[:: max(1, len(seen) // 10)]
    print_table(
        "What a server that is spared needs, in MiB",
        ("minute", "its memory", "disk of all", "database"),
        [footprint.row for footprint in some],
    )


def _print(found: Findings, met: dict[str, int], seconds: float) -> None:
    happened = ", ".join(f"{count} x {kind}" for kind, count in found.disasters.items())
    print(f"{happened or 'no disaster'} in {seconds:.0f} s")
    print(", ".join(f"{count} x {what}" for what, count in sorted(met.items())))
    for title, entries in (("lost", found.lost), ("doubled", found.doubled), ("odd", found.odd)):
        for entry in entries:
            print(f"\n--- {title}: {entry}")
    print_table(
        "What became of the stories",
        ("", "stories", "lost", "doubled", "takeovers", "more calls of models"),
        [
            (
                "all",
                str(found.stories),
                str(len(found.lost)),
                str(len(found.doubled)),
                str(found.takeovers),
                str(found.extra_calls),
            )
        ],
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument(
        "--minutes", type=float, default=0, help="in place of --kills; one server is spared"
    )
    parser.add_argument("--stories", type=int, default=0, help="at least")
    parser.add_argument("--width", type=int, default=4, help="stories at a time")
    parser.add_argument("--rate", type=float, default=0.0, help="of calls that go wrong")
    parser.add_argument("--least", type=float, default=2.0, help="seconds between disasters")
    parser.add_argument("--most", type=float, default=8.0)
    parser.add_argument("--patience", type=float, default=600.0)
    parser.add_argument("--sandbox", default="bubblewrap")
    parser.add_argument("--plots", nargs="*", default=[])
    parser.add_argument("--with", dest="with_", nargs="*", default=[], help="stall, stop, ...")
    parser.add_argument("--folder", type=Path, default=None)
    return parser.parse_args()


if __name__ == "__main__":
    print_machine()
    asyncio.run(main(_arguments()))
