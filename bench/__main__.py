"""Take every figure, one benchmark after the other: `python -m bench`."""

from __future__ import annotations

import asyncio

from bench import deliveries, sandbox, startup, turns
from bench.tables import print_machine


async def main() -> None:
    """Never two at once: they would measure each other."""
    print_machine()
    for benchmark in (startup.main, sandbox.main, turns.main, deliveries.main):
        await benchmark()


if __name__ == "__main__":
    asyncio.run(main())
