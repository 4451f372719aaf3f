"""Hand bytes to a program as a file that has no name."""

from __future__ import annotations

import os
from contextlib import AsyncExitStack, ExitStack


def memory_file(data: bytes, stack: ExitStack | AsyncExitStack) -> int:
    """Return a descriptor that reads `data` and is closed with the stack."""
    descriptor = os.memfd_create("fixpoint")
    stack.callback(os.close, descriptor)
    with open(descriptor, "wb", closefd=False) as file:
        file.write(data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
