"""Find out which tests of a whole suite pass, and which lines of interest they run, in one go."""

from __future__ import annotations

import time
from typing import Any

from .baseline_run import RollCall, nearest
from .isolation import TreeState
from .suite import Suite
from .trace import Files, Noter


def surveyed(suite: Suite, request: dict[str, Any]) -> dict[str, Any]:
    """Return the passing tests as JSON, so many of them, and as far as time reaches.

    Args:
        suite: What was collected.
        request: With `known` (ids of tests that are left out), `most` (tests to run), `near` (files
            whose tests come first), `lines` (of interest, by file), `patience` and `seconds`.
    """
    deadline = time.monotonic() + float(request["seconds"])
    root, known = request["root"], set(request["known"])
    lines = {file: set(numbers) for file, numbers in request["lines"].items()}
    noter = Noter(Files(root, suite.test_files), lines)
    roll = RollCall(suite, root, float(request["patience"]), noter)
    tree = TreeState(root)
    others = [index for index, name in enumerate(suite.ids) if name not in known]
    chosen = nearest(suite, others, set(request["near"]))[: request["most"]]
    roll.run(sorted(chosen), deadline)
    writing = tree.look()
    tree.restore()
    passed = [n for n, test in sorted(roll.tests.items()) if test["outcome"] == "passed"]
    return {
        "tests": [roll.tests[index] for index in passed],
        "noted": [{"index": n, "lines": roll.lines[n]} for n in passed if roll.lines[n]],
        "errors": sorted(suite.errors),
        "stateful": roll.stateful,
        "writing": writing,
        "missed": len(suite.ids) - len(known & set(suite.ids)) - len(roll.tests),
    }
