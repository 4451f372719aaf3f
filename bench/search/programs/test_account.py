import pytest
from account import Account, TooLittle


def test_deposit():
    account = Account("ann")
    account.deposit(5)
    assert account.balance == 5
    with pytest.raises(ValueError):
        account.deposit(0)


def test_withdraw_everything():
    account = Account("ann")
    account.deposit(5)
    account.withdraw(5)
    assert account.balance == 0


def test_too_little():
    account = Account("bo")
    account.deposit(1)
    with pytest.raises(TooLittle, match="bo has 1, not 2"):
        account.withdraw(2)


def test_transfer():
    one, other = Account("a"), Account("b")
    one.deposit(10)
    one.transfer(other, 4)
    assert (one.balance, other.balance) == (6, 4)
    assert one.history == [("deposit", 10), ("withdraw", 4)]


def test_histories_are_apart():
    one, other = Account("a"), Account("b")
    one.deposit(1)
    assert other.history == []
