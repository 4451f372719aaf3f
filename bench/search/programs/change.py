"""Count the ways to pay an amount with coins."""


def ways(amount, coins):
    """Return in how many ways coins add up to the amount; their order makes no difference."""
    if amount == 0:
        return 1
    if amount < 0 or not coins:
        return 0
    first, *others = coins
    return ways(amount - first, coins) + ways(amount, others)
