"""Run a command's coroutine in an event loop."""

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
