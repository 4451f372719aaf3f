"""Run each test in several processes at the same time."""

from __future__ import annotations

import os
import unittest
from typing import Any


def beside_itself(others: int, harness: str) -> None:
    """Let a test fail that fails in one of them.

    Args:
        others: Processes besides this one.
        harness: `pytest` or `unittest`.
    """
    said = "The same test failed in a process beside this one."

    def forked(passes: Any) -> list[int]:
        pids = []
        for _ in range(others):
            pid = os.fork()
            if not pid:
                code = 1
                try:
                    code = int(not passes())
                finally:
                    os._exit(code)
            pids.append(pid)
        return pids

    def all_passed(pids: list[int]) -> bool:
        return sum(os.waitpid(pid, 0)[1] for pid in pids) == 0

    def run_by_pytest(item: Any, log: Any = 1, nextitem: Any = None) -> Any:
        pids = forked(lambda: not any(each.failed for each in plain(item, log=False)))
        reports = plain(item, log=False, nextitem=nextitem)
        if not all_passed(pids) and not any(each.failed for each in reports):
            reports[-1].outcome, reports[-1].longrepr = "failed", said
        for report in reports if log else ():
            item.ihook.pytest_runtest_logreport(report=report)
        return reports

    def run_by_unittest(self: Any, result: Any = None) -> Any:
        pids = forked(lambda: alone(self))

        def held() -> None:
            if not all_passed(pids):
                raise AssertionError(said)

        self.addCleanup(held)
        return plain(self, result)

    def alone(case: Any) -> bool:
        result = unittest.TestResult()
        plain(case, result)
        return result.wasSuccessful()

    plain: Any = unittest.TestCase.run
    if harness == "pytest":
        from _pytest import runner

        plain = runner.runtestprotocol
        runner.runtestprotocol = run_by_pytest
    else:
        unittest.TestCase.run = run_by_unittest  # type: ignore[method-assign]
