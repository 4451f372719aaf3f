"""Work that waits."""


class Jobs:
    """Gives out the most urgent job first, of equal ones the oldest; failed ones come back."""

    def __init__(self, tries=3):
        self.tries = tries
        self.waiting = []
        self.failed = []
        self.number = 0

    def add(self, name, urgency=0):
        self.waiting.append((-urgency, self.number, name, 1))
        self.number += 1

    def take(self):
        if not self.waiting:
            return None
        first = min(self.waiting)
        self.waiting.remove(first)
        return first

    def fail(self, job):
        urgency, number, name, tried = job
        if tried >= self.tries:
            self.failed.append(name)
        else:
            self.waiting.append((urgency, self.number, name, tried + 1))
            self.number += 1


def batches(jobs, capacity):
    """Return jobs in batches whose cost is within the capacity; what costs more is alone."""
    done = []
    current, cost = [], 0
    for name, price in jobs:
        if current and cost + price > capacity:
            done.append(current)
            current, cost = [], 0
        current.append(name)
        cost += price
    if current:
        done.append(current)
    return done
