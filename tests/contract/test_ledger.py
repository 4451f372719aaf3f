"""What the ledger promises, on SQLite and on PostgreSQL."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.errors import BudgetExhausted
from bot.model import Limits, Usage
from bot.model.money.accounts import Account, AccountScope, Amount, Balance, Cap
from bot.model.money.budget import Shortage, own_balance
from bot.model.money.caps import Caps, charged
from bot.model.request import FixRequest
from bot.storage.database import Database, open_database
from bot.storage.ledger import Ledger
from bot.storage.ledger_reservations import open_reservations
from bot.storage.runs import RunStatus, RunStore
from tests.contract.databases import url
from tests.contract.ledger_worker import accounts_of

__all__ = ["url"]  # a fixture: pytest finds it by name

REQUEST = FixRequest(
    "acme/app",
    7,
    12,
    is_pull_request=False,
    actor="ada",
    comment_id=501,
    asked_at=datetime(2026, 3, 1, tzinfo=UTC),
)
DAY = Account(AccountScope.SERVER, "", "2026-03-01")
RUN = Account(AccountScope.RUN, "run")
CAPPED = {DAY: Cap(Decimal(1)), RUN: Cap(Decimal("0.50"), tokens=1000)}
HALF, TENTH = Amount(Decimal("0.50"), 500), Amount(Decimal("0.10"), 100)
WORKERS, CHAOS_CAP = 3, Decimal(6)


@pytest.fixture
async def database(url: SecretStr) -> AsyncIterator[Database]:
    """Open an empty database."""
    async with await open_database(url, flushed=False) as opened:
        yield opened


def figures(balances: tuple[Balance, ...]) -> list[tuple[str, str]]:
    """Return dollars spent and reserved of each account."""
    return [(f"{balance.spent.usd:.2f}", f"{balance.reserved.usd:.2f}") for balance in balances]


def refusal(chosen: int | Shortage) -> str:
    """Return the words with which a call is refused."""
    assert isinstance(chosen, Shortage)
    with pytest.raises(BudgetExhausted) as refused:
        chosen.refuse()
    return str(refused.value)


async def test_a_call_reserves_its_worst_case_and_settles_what_it_cost(database: Database) -> None:
    """On every account at once."""
    ledger = Ledger(database)
    assert await ledger.reserve("run", "turn 1", CAPPED, [HALF]) == 0
    assert figures(await ledger.balances(CAPPED)) == [("0.00", "0.50"), ("0.00", "0.50")]
    ledger.settle("run", "turn 1", Usage(input=7, cost_usd=Decimal("0.12")))
    assert figures(await ledger.balances(CAPPED)) == [("0.12", "0.00"), ("0.12", "0.00")]
    [_, run] = await ledger.balances(CAPPED)
    assert (run.left, run.spent.tokens, run.reserved.tokens) == (Decimal("0.38"), 7, 0)


async def test_nothing_is_reserved_where_one_account_lacks(database: Database) -> None:
    """The next offer is tried; the last one's shortage is told."""
    ledger = Ledger(database)
    assert await ledger.reserve("run", "turn 1", CAPPED, [Amount(Decimal(2)), HALF]) == 1
    lacking = await ledger.reserve("run", "turn 2", CAPPED, [HALF, TENTH])
    assert refusal(lacking) == (
        "The next model call could cost $0.1000, which the budget of $0.50 no longer covers "
        "($0.0000 spent, $0.5000 reserved by calls in progress)."
    )
    assert figures(await ledger.balances(CAPPED)) == [("0.00", "0.50"), ("0.00", "0.50")]


async def test_tokens_have_their_cap(database: Database) -> None:
    """Whatever they cost: a price may be unknown, and then no cap in dollars holds."""
    ledger = Ledger(database)
    assert await ledger.reserve("run", "turn 1", CAPPED, [Amount(None, 800)]) == 0
    ledger.settle("run", "turn 1", Usage(input=900, cost_usd=None))
    told = refusal(await ledger.reserve("run", "turn 2", CAPPED, [Amount(None, 101)]))
    assert "101 tokens" in told
    assert "900 spent" in told
    assert [balance.unpriced for balance in await ledger.balances(CAPPED)] == [1, 1]


async def test_settled_once(database: Database) -> None:
    """A second settlement, or one of a call that was never reserved, changes nothing."""
    ledger = Ledger(database)
    await ledger.reserve("run", "turn 1", CAPPED, [HALF])
    for _ in range(2):
        ledger.settle("run", "turn 1", Usage(cost_usd=Decimal("0.12")))
        ledger.settle("run", "turn 9", Usage(cost_usd=Decimal("0.12")))
    assert figures(await ledger.balances(CAPPED)) == [("0.12", "0.00"), ("0.12", "0.00")]


async def test_a_call_that_is_made_again_holds_one_reservation(database: Database) -> None:
    """What the lost try may have cost counts as spent, and the cap holds for both together."""
    await Ledger(database).reserve("run", "turn 1", CAPPED, [TENTH])
    later = Ledger(database)
    assert await later.reserve("run", "turn 1", CAPPED, [TENTH]) == 0
    assert figures(await later.balances(CAPPED)) == [("0.10", "0.10"), ("0.10", "0.10")]
    assert isinstance(await later.reserve("run", "turn 1", CAPPED, [HALF]), Shortage)
    assert figures(await later.balances(CAPPED)) == [("0.20", "0.00"), ("0.20", "0.00")]


async def test_a_call_of_unknown_cost_counts_with_its_worst(database: Database) -> None:
    """Where its price is known and its tokens are not; and where nobody settled it at all."""
    ledger = Ledger(database)
    await ledger.reserve("run", "turn 1", CAPPED, [TENTH])
    ledger.settle("run", "turn 1", Usage(cost_usd=None))
    await ledger.reserve("run", "turn 2", CAPPED, [TENTH])
    assert figures(await ledger.close_run("run", CAPPED)) == [("0.20", "0.00"), ("0.20", "0.00")]


async def test_a_run_that_is_over_keeps_nothing_reserved(database: Database) -> None:
    """A server that ended between a run's last word and its ledger's leaves that to the next."""
    runs, ledger = RunStore(database), Ledger(database)
    await runs.create(REQUEST, "delivery")
    await ledger.reserve(REQUEST.run_id, "turn 1", CAPPED, [TENTH])
    await ledger.close_ended_runs()
    assert figures(await ledger.balances(CAPPED))[0] == ("0.00", "0.10")
    await runs.update(REQUEST.run_id, status=RunStatus.DONE)
    await ledger.close_ended_runs()
    assert figures(await ledger.balances(CAPPED))[0] == ("0.10", "0.00")


async def test_a_call_that_ends_after_midnight_is_yesterdays(database: Database) -> None:
    """It is settled on the accounts that it was reserved on."""
    ledger = Ledger(database)
    today = {Account(AccountScope.SERVER, "", "2026-03-02"): Cap(Decimal(1))}
    await ledger.reserve("run", "turn 1", CAPPED, [HALF])
    ledger.settle("run", "turn 1", Usage(cost_usd=Decimal("0.20")))
    assert await ledger.reserve("run", "turn 2", today, [TENTH]) == 0
    both = figures(await ledger.balances({DAY: Cap(), **today}))
    assert both == [("0.20", "0.00"), ("0.00", "0.10")]


async def test_reservations_know_every_account_of_their_run(database: Database) -> None:
    """Server, installation and repository by the day; thread and run for good."""
    caps = Caps(thread_usd=Decimal("0.15"), sandbox_seconds=60)
    ledger = Ledger(database)

    def accounts(now: datetime) -> dict[Account, Cap]:
        return dict(charged(REQUEST, Limits(), caps, now))

    reservations = await open_reservations(ledger, REQUEST.run_id, accounts)
    own = own_balance(Limits(), Usage())
    await reservations.reserve("turn 1", [TENTH], own)
    reservations.settle("turn 1", Usage(cost_usd=Decimal("0.09")))
    reservations.use_sandbox(1.5)
    with pytest.raises(BudgetExhausted, match=r"left of the budget for all runs on acme/app#12"):
        await reservations.reserve("turn 2", [TENTH], own)
    balances = await reservations.close()
    assert [balance.account.scope for balance in balances] == list(AccountScope)
    assert {(balance.spent.usd, balance.sandbox_seconds) for balance in balances} == {
        (Decimal("0.09"), 1.5)
    }
    assert (await open_reservations(ledger, REQUEST.run_id, accounts)).sandbox_seconds == 1.5


@pytest.mark.slow
async def test_processes_together_spend_no_more_than_the_cap(url: SecretStr) -> None:
    """Several at once, one of them killed in the middle of its calls."""
    async with await open_database(url) as database:
        workers = [await _worker(url, seed) for seed in range(WORKERS)]
        for worker in workers:
            assert await _line(worker) == "ready"
        first, *others = workers
        assert first.stdin is not None
        first.stdin.write(b"go\n")
        billed = Decimal(await _line(first))  # before the others have spent everything
        told = await asyncio.gather(
            first.communicate(), *(worker.communicate(b"go\n") for worker in others)
        )
        billed += sum(
            (Decimal(line) for out, _ in told for line in out.decode().split()), Decimal(0)
        )
        assert [worker.returncode for worker in workers] == [9, 0, 0]
        ledger = Ledger(database)
        for seed in range(WORKERS):
            await ledger.close_run(f"run-{seed}", {})
        [server, thread, _] = await ledger.balances(accounts_of("run-0", CHAOS_CAP))
        assert server.reserved.usd == thread.reserved.usd == 0
        assert server.spent == thread.spent
        assert server.spent.usd is not None
        assert billed <= server.spent.usd <= CHAOS_CAP
        assert server.spent.usd > CHAOS_CAP - Decimal("0.1"), "they stop for want of money alone"
        for seed in range(WORKERS):
            [*_, run] = await ledger.balances(accounts_of(f"run-{seed}", CHAOS_CAP))
            assert run.usd <= CHAOS_CAP / 2


async def _worker(url: SecretStr, seed: int) -> asyncio.subprocess.Process:
    arguments = (url.get_secret_value(), f"run-{seed}", str(CHAOS_CAP), str(seed))
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.contract.ledger_worker", *arguments),
        cwd=Path(__file__).parents[2],
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )


async def _line(worker: asyncio.subprocess.Process) -> str:
    assert worker.stdout is not None
    return (await worker.stdout.readline()).decode().strip()
