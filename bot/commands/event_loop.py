"""Run a command's coroutine in the event loop of the process, the only loop that it has.

The server is not run by it: its durable engine has a loop of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from sandbox.spawn import wait_without_threads

T = TypeVar("T")


def run(main: Coroutine[Any, Any, T]) -> T:
    """Run it to its end; programs that it starts need no threads."""
    wait_without_threads()
    return asyncio.run(main)
