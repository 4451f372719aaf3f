"""Working time."""


def worked(stamps):
    """Return the minutes between `in` and `out`; what was never closed does not count."""
    minutes = 0
    since = None
    for kind, at in stamps:
        if kind == "in" and since is None:
            since = at
        elif kind == "out" and since is not None:
            minutes += at - since
            since = None
    return minutes


def pay(hours, rate, night=0):
    """Return cents: hours beyond eight count half as much again, those at night a quarter more."""
    usual = min(hours, 8)
    more = max(hours - 8, 0)
    amount = usual * rate + more * rate * 3 // 2
    if night > 0:
        amount += min(night, hours) * rate // 4
    return amount
