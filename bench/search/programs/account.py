"""An account with a history."""


class TooLittle(Exception):
    """There is not enough on the account."""


class Account:
    """Money of one owner, in cents."""

    def __init__(self, owner, history=None):
        self.owner = owner
        self.balance = 0
        self.history = [] if history is None else history

    def deposit(self, amount):
        """Put money in."""
        if amount <= 0:
            raise ValueError("amount must be positive")
        self.balance += amount
        self.history.append(("deposit", amount))

    def withdraw(self, amount):
        """Take money out."""
        if amount > self.balance:
            raise TooLittle(f"{self.owner} has {self.balance}, not {amount}")
        self.balance -= amount
        self.history.append(("withdraw", amount))

    def transfer(self, other, amount):
        """Give money to another account."""
        self.withdraw(amount)
        other.deposit(amount)
