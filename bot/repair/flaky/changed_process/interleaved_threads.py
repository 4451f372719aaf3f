"""Let threads take turns after each operation of the project's code."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import Any

FIRST, LONG, SHORT = 50, 1e-3, 1e-5
"""Turns of a thread in which others may only be starting, and the seconds of those and of later ones."""


def interleaved_threads(most: int) -> None:
    """Let threads that are started from now on do so.

    Args:
        most: Turns of a thread.
    """
    here = os.getcwd() + os.sep

    def begin(frame: Any, event: str, argument: Any) -> Any:
        left = [most]

        def trace(frame: Any, event: str, argument: Any) -> Any:
            del argument
            name = frame.f_code.co_filename
            if left[0] <= 0 or not name.startswith(here) or "site-packages" in name:
                return None
            frame.f_trace_opcodes = True
            if event == "opcode":
                left[0] -= 1
                time.sleep(LONG if most - left[0] < FIRST else SHORT)
            return trace

        sys.settrace(trace)
        return trace(frame, event, argument)

    threading.settrace(begin)
