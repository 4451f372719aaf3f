"""Let each thread begin late, as on a machine whose processors are busy."""

from __future__ import annotations

import sys
import threading
import time
from typing import Any


def late_threads(seconds: float) -> None:
    """Let threads wait before their first call.

    Args:
        seconds: How long.
    """

    def late(frame: Any, event: str, argument: Any) -> None:
        del frame, event, argument
        sys.setprofile(None)
        time.sleep(seconds)

    threading.setprofile(late)
