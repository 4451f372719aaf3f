"""Give a process a share of a processor, as the quota of a container does."""

from __future__ import annotations

import os
import signal
import time


def slow_process(share: float) -> None:
    """Stop this process, and those that it forks, for the rest of each tenth of a second.

    Args:
        share: Of a processor.
    """
    forking: list[int] = []

    def hold() -> None:
        if forking:  # this is the process that holds the other
            return
        process = os.getpid()
        forking.append(process)
        if os.fork():
            forking.clear()
            return
        os.closerange(0, 256)
        try:
            while os.getppid() == process:
                os.kill(process, signal.SIGSTOP)
                time.sleep(0.1 * (1 - share))
                os.kill(process, signal.SIGCONT)
                time.sleep(0.1 * share)
        finally:
            os._exit(0)

    hold()
    os.register_at_fork(after_in_child=hold)
