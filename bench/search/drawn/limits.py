"""How often something may happen."""


class Window:
    """Allows so many calls of each client in so many seconds."""

    def __init__(self, most, seconds):
        self.most = most
        self.seconds = seconds
        self.calls = {}

    def allow(self, client, now):
        recent = [at for at in self.calls.get(client, []) if now - at < self.seconds]
        if len(recent) >= self.most:
            self.calls[client] = recent
            return False
        recent.append(now)
        self.calls[client] = recent
        return True

    def wait(self, client, now):
        recent = [at for at in self.calls.get(client, []) if now - at < self.seconds]
        if len(recent) < self.most:
            return 0
        return recent[0] + self.seconds - now


def delays(attempts, first=1, factor=2, most=60):
    """Return how long to wait before each attempt but the first, and that in sum."""
    waits = []
    wait = first
    for _ in range(attempts - 1):
        waits.append(min(wait, most))
        wait *= factor
    return waits, sum(waits)
