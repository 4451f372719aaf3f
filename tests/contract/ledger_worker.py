"""A process that makes model calls of other people's money: `python -m ... URL RUN CAP SEED`.

It says `ready` and waits for a line. Then each line that it prints is money that a provider would
bill now, in dollars.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
from decimal import Decimal

from pydantic import SecretStr

from bot.model import Usage
from bot.model.money.accounts import Account, AccountScope, Amount, Cap
from bot.model.money.budget import Shortage
from bot.storage.database import open_database
from bot.storage.ledger import Ledger

CALLS_AT_ONCE = 3
WORST = (Decimal("0.30"), Decimal("0.07"))


def accounts_of(run: str, cap: Decimal) -> dict[Account, Cap]:
    """Return the accounts of a run; the server's one is everybody's."""
    return {
        Account(AccountScope.SERVER, "", "2026-03-01"): Cap(cap),
        Account(AccountScope.THREAD, "acme/app#1"): Cap(cap * 2),
        Account(AccountScope.RUN, run): Cap(cap / 2),
    }


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


async def main(url: str, run: str, cap: str, seed: str) -> None:
    """Call until the money is gone; the process of seed 0 dies in its first calls."""
    rng = random.Random(seed)
    capped = accounts_of(run, Decimal(cap))
    async with await open_database(SecretStr(url), flushed=False) as database:
        ledger = Ledger(database)

        async def calls(name: int) -> None:
            offers = [Amount(worst) for worst in WORST]
            for number in range(100):
                call = f"{name}-{number}"
                chosen = await ledger.reserve(run, call, capped, offers)
                if isinstance(chosen, Shortage):
                    return
                cost = WORST[chosen] * rng.randint(0, 100) / 100
                say(str(cost))
                if seed == "0":
                    os._exit(9)  # its other calls are under way
                await asyncio.sleep(rng.random() / 500)
                ledger.settle(run, call, Usage(cost_usd=cost))

        say("ready")
        await asyncio.to_thread(sys.stdin.readline)
        await asyncio.gather(*(calls(name) for name in range(CALLS_AT_ONCE)))
        await ledger.written()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
