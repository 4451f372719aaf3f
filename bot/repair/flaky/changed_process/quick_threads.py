"""Let each thread go ahead of what started it, as on a machine whose processors are idle."""

from __future__ import annotations

import threading


def quick_threads(seconds: float) -> None:
    """Let what starts a thread wait until that has ended.

    Args:
        seconds: How long at most.
    """
    start = threading.Thread.start

    def started(self: threading.Thread) -> None:
        start(self)
        self.join(seconds)

    threading.Thread.start = started  # type: ignore[method-assign]
