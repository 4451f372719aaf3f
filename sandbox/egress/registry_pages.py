"""Look into a registry's page: a large one in a process apart, since it may be written to take much.

Python's JSON keeps all threads waiting, and some kilobytes can unpack to a page that takes seconds
and gigabytes to read. `python -m sandbox.egress.registry_pages` is that process, never started by hand.
"""

from __future__ import annotations

import asyncio
import pickle
import resource
import sys
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import sandbox
from sandbox.egress.listings import Found, Page, Undated, dated, of_packument, unpacked
from sandbox.spawn import finished

SMALL = 2**18
"""Bytes of a page that is looked into at once: whatever is in it, that takes milliseconds."""

_ROOT = Path(sandbox.__file__).parent.parent
_PROCESSOR_SECONDS = 20
_MEMORY = 2**31
_WALL_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class PageQuestion:
    """What is asked of a page.

    Attributes:
        accept: What the client can read.
        before: What was uploaded at this moment or later is left out.
        version: Of a packument, the one version (or tag) that is wanted.
    """

    accept: str
    before: datetime
    version: str | None = None


async def looked_into(page: Page, question: PageQuestion, *, memory: int = _MEMORY) -> Found:
    """Return what a page turns out to be; one that takes too much to read says no times.

    Args:
        page: As the registry sent it.
        question: What is asked of it.
        memory: Bytes of address space that may be used to read a large one.
    """
    whole = unpacked(page.body, page.encoding, SMALL)
    if whole is not None:
        return _answered(replace(page, body=whole, encoding=""), question)
    given = pickle.dumps((page, question, memory))
    try:
        async with asyncio.timeout(_WALL_SECONDS):
            _, answer, _ = await finished(
                *(sys.executable, "-P", "-m", "sandbox.egress.registry_pages"),
                env={"PYTHONPATH": str(_ROOT)},
                cwd=Path("/"),
                given=given,
                stderr=asyncio.subprocess.DEVNULL,
            )
    except TimeoutError:
        return Undated()
    found: Found = pickle.loads(answer) if answer else Undated()  # noqa: S301 - our own code wrote it
    return found


def _answered(page: Page, question: PageQuestion) -> Found:
    try:
        found = dated(page, question.accept, question.before)
    except RecursionError:  # it is nested without end
        return Undated()
    return found if question.version is None else of_packument(found, question.version)


def main() -> None:
    """Answer the question on stdin; the kernel ends what takes too much."""
    page, question, memory = pickle.load(sys.stdin.buffer)  # noqa: S301 - of who started us
    for kind, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, _PROCESSOR_SECONDS),
        (resource.RLIMIT_AS, memory),
    ):
        resource.setrlimit(kind, (most, most))
    sys.stdout.buffer.write(pickle.dumps(_answered(page, question)))


if __name__ == "__main__":
    main()
