"""Let the server have as many files and connections open as the machine allows it."""

from __future__ import annotations

import resource

ENOUGH = 65_536
"""Beyond what all runs together need; programs that close every possible descriptor before they
start take seconds for a billion, which some container engines allow."""


def raise_limit() -> int:
    """Raise the soft limit of open files to the hard one, or to enough, and return what it is.

    The usual soft limit is 1024, for programs that use `select`:
    https://0pointer.net/blog/file-descriptor-limits.html
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = ENOUGH if hard == resource.RLIM_INFINITY else min(hard, ENOUGH)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
