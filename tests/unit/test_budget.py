"""Money is reserved before it is spent, and no order of events spends more than a cap."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, create_engine
from sqlalchemy.pool import StaticPool

from bot.errors import BudgetExhausted
from bot.model import Usage
from bot.model.money.accounts import Account, AccountScope, Amount, Balance, Cap
from bot.model.money.budget import Shortage, affordable
from bot.model.money.caps import Caps, stricter
from bot.storage.ledger_tables import Books
from bot.storage.tables import accounts, metadata, reservations

dollars = st.integers(0, 300).map(lambda cents: Decimal(cents) / 100)
amounts = st.builds(Amount, st.none() | dollars, st.integers(0, 300))
caps = st.builds(Cap, st.none() | dollars, st.none() | st.integers(0, 300))
balances = st.builds(
    Balance,
    st.just(Account(AccountScope.RUN)),
    caps,
    st.builds(Amount, dollars, st.integers(0, 300)),
    st.builds(Amount, dollars, st.integers(0, 300)),
)


@given(st.lists(balances, min_size=1), st.lists(amounts, min_size=1))
def test_the_first_offer_that_everybody_covers(paying: list[Balance], offers: list[Amount]) -> None:
    """Or an account that lacks the money, when there is none."""
    chosen = affordable(paying, offers)
    covered = [all(account.covers(offer) for account in paying) for offer in offers]
    if isinstance(chosen, Shortage):
        assert not any(covered)
        with pytest.raises(BudgetExhausted, match=r"^The next model call could "):
            chosen.refuse()
    else:
        assert covered.index(True) == chosen


@given(balances)
def test_what_is_left_is_covered_to_the_cent(balance: Balance) -> None:
    """And a cent more is not."""
    if balance.left is not None and balance.usd <= (balance.cap.usd or 0):
        assert balance.covers(Amount(balance.left, -balance.tokens))
        assert not balance.covers(Amount(balance.left + Decimal("0.01")))


@given(st.none() | st.integers(), st.none() | st.integers())
def test_the_stricter_cap_holds(number: int | None, other: int | None) -> None:
    """None is no cap."""
    given_caps = [cap for cap in (number, other) if cap is not None]
    assert stricter(number, other) == (min(given_caps) if given_caps else None)
    both = Caps(run_tokens=number).within(Caps(run_tokens=other, runs_per_hour=3))
    assert (both.run_tokens, both.runs_per_hour) == (stricter(number, other), 3)


@given(
    st.sampled_from(AccountScope),
    st.text("ab/#-1", max_size=9),
    st.sampled_from(["", "2026-03-01"]),
)
def test_a_key_names_one_account(scope: AccountScope, name: str, day: str) -> None:
    """Read back, it is the same one."""
    account = Account(scope, name, day)
    assert Account.of_key(account.key) == account


RUNS = ("one", "two", "three")
SERVER, THREAD = (
    Account(AccountScope.SERVER, "", "2026-03-01"),
    Account(AccountScope.THREAD, "acme/app#1"),
)
SERVER_CAP, THREAD_CAP, RUN_CAP = Decimal(3), Decimal(2), Decimal("1.50")

reserve = st.tuples(
    st.just("reserve"), st.sampled_from(RUNS), st.integers(1, 3), st.lists(dollars, min_size=1)
)
settle = st.tuples(st.just("settle"), st.sampled_from(RUNS), st.integers(1, 3), st.integers(0, 100))
end = st.tuples(st.just("end"), st.sampled_from(RUNS))


@settings(max_examples=60, deadline=None)
@given(st.lists(reserve | settle | end, max_size=40))
def test_no_interleaving_overspends(events: list[tuple[object, ...]]) -> None:
    """Runs reserve, settle, reserve again after a crash, and end, in any order.

    What a provider may have billed never exceeds what is on the books, nor that a cap.
    """
    billed, under_way = Decimal(0), dict[tuple[str, int], Decimal]()
    with books_of_our_own() as engine:
        for event in events:
            match event:
                case ("reserve", str(run), int(call), list(offers)):
                    billed += under_way.pop((run, call), Decimal(0))  # its answer is lost
                    chosen = reserved(engine, run, call, [Amount(offer) for offer in offers])
                    if chosen is not None:
                        under_way[run, call] = offers[chosen]
                case ("settle", str(run), int(call), int(percent)):
                    most = under_way.pop((run, call), Decimal(0))
                    billed += most * percent / 100
                    with engine.begin() as connection:
                        books = Books(connection, run, [str(call)])
                        books.settle(str(call), Usage(cost_usd=most * percent / 100))
                        books.write()
                case ("end", str(run)):
                    for key in [key for key in under_way if key[0] == run]:
                        billed += under_way.pop(key)
                    with engine.begin() as connection:
                        books = Books(connection, run)
                        books.close()
                        books.write()
            check_books(engine, billed, sum(under_way.values(), Decimal(0)))


def accounts_of(run: str) -> dict[Account, Cap]:
    """Return the accounts of a run; two of the three runs are on one thread."""
    own = {SERVER: Cap(SERVER_CAP), Account(AccountScope.RUN, run): Cap(RUN_CAP)}
    return own if run == "three" else {**own, THREAD: Cap(THREAD_CAP)}


def reserved(engine: Engine, run: str, call: int, offers: list[Amount]) -> int | None:
    """Reserve as the ledger does."""
    capped = accounts_of(run)
    with engine.begin() as connection:
        books = Books(connection, run, [str(call)], [account.key for account in capped])
        books.close()
        chosen = affordable(books.balances(capped), offers)
        if isinstance(chosen, int):
            books.open(run, str(call), [account.key for account in capped], offers[chosen])
        books.write()
    return chosen if isinstance(chosen, int) else None


def check_books(engine: Engine, billed: Decimal, under_way: Decimal) -> None:
    """The server's account has everything; every account is within its cap."""
    capped = {account: cap for run in RUNS for account, cap in accounts_of(run).items()}
    with engine.begin() as connection:
        standing = {
            item.account: item
            for item in Books(connection, keys=[a.key for a in capped]).balances(capped)
        }
    assert standing[SERVER].spent.usd == billed
    assert standing[SERVER].reserved.usd == under_way
    for balance in standing.values():
        assert balance.cap.usd is not None
        assert balance.usd <= balance.cap.usd


@contextmanager
def books_of_our_own() -> Iterator[Engine]:
    """Open empty books on SQLite."""
    engine = create_engine("sqlite://", poolclass=StaticPool)
    metadata.create_all(engine, [accounts, reservations])
    try:
        yield engine
    finally:
        engine.dispose()
