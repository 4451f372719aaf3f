"""Accounts with bookings."""


class Ledger:
    """Books amounts from one account to another one."""

    def __init__(self, limit=0):
        self.limit = limit
        self.balances = {}
        self.entries = []

    def put(self, account, amount):
        self.balances[account] = self.balances.get(account, 0) + amount
        self.entries.append((None, account, amount))

    def move(self, source, target, amount):
        if amount <= 0 or source == target:
            return False
        if self.balances.get(source, 0) - amount < -self.limit:
            return False
        self.balances[source] = self.balances.get(source, 0) - amount
        self.balances[target] = self.balances.get(target, 0) + amount
        self.entries.append((source, target, amount))
        return True

    def undo(self):
        if not self.entries:
            return None
        source, target, amount = self.entries.pop()
        if source is not None:
            self.balances[source] += amount
        self.balances[target] -= amount
        return amount


def rising(amounts, start=0):
    """Return the longest run of balances of which each is more than the one before, as positions."""
    best = (0, 0)
    first = 0
    balance = start
    for place, amount in enumerate(amounts):
        balance += amount
        if amount <= 0:
            first = place + 1
        elif place + 1 - first > best[1] - best[0]:
            best = (first, place + 1)
    return best, balance
