"""Open the tests behind a command with the runner that it names."""

from __future__ import annotations

import os
import sys
from typing import Any

from .suite import Act


def open_suite(request: dict[str, Any], act: Act, only: set[str] | None = None) -> None:
    """Collect the tests of the request's command in this process and do `act` with them.

    Args:
        request: With `harness`, `start`, `arguments`, `folder`, `path` and `root`.
        act: Must not return before everything is done; the project's own code runs after it.
        only: Files outside of which nothing needs to be collected, or None.
    """
    os.chdir(request["folder"])
    sys.argv = list(request["start"])
    sys.path.append(sys.path.pop(0))  # ourselves: last, so that nothing of the project is hidden
    if request["path"] is not None:
        sys.path.insert(0, request["path"])
    if request["harness"] == "pytest":
        from .pytest_suite import collect

        collect(request, act, only)
    else:
        from .unittest_suite import collect as collect_unittest

        collect_unittest(request, act)
