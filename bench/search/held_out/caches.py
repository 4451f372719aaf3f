"""Things that remember."""

from collections import OrderedDict
from functools import wraps


class LRU:
    """Keeps what was used last."""

    def __init__(self, size):
        self.size = size
        self.kept = OrderedDict()
        self.hits = 0
        self.misses = 0

    def get(self, key, default=None):
        if key not in self.kept:
            self.misses += 1
            return default
        self.hits += 1
        self.kept.move_to_end(key)
        return self.kept[key]

    def put(self, key, value):
        if key in self.kept:
            self.kept.move_to_end(key)
        self.kept[key] = value
        if len(self.kept) > self.size:
            self.kept.popitem(last=False)


class Expiring:
    """Forgets after some time; `clock` tells the time."""

    def __init__(self, seconds, clock):
        self.seconds = seconds
        self.clock = clock
        self.kept = {}

    def put(self, key, value):
        self.kept[key] = (self.clock() + self.seconds, value)

    def get(self, key):
        if key not in self.kept:
            return None
        due, value = self.kept[key]
        if self.clock() >= due:
            del self.kept[key]
            return None
        return value

    def __len__(self):
        now = self.clock()
        return sum(1 for due, _ in self.kept.values() if due > now)


def memoized(function):
    known = {}

    @wraps(function)
    def inner(*arguments):
        if arguments not in known:
            known[arguments] = function(*arguments)
        return known[arguments]

    return inner


def retried(times, errors=(Exception,)):
    """Call again on these errors, `times` times in all."""

    def around(function):
        @wraps(function)
        def inner(*arguments):
            for turn in range(times):
                try:
                    return function(*arguments)
                except errors:
                    if turn == times - 1:
                        raise

        return inner

    return around
