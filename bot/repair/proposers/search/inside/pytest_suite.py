"""pytest's tests: the command's own collection, stopped where pytest would begin to run them."""

from __future__ import annotations

import importlib.util
import sys
import time
from typing import Any, Sequence

import pytest
from _pytest.runner import runtestprotocol

from .suite import Act, Failure, Finished, Outcome, Started, Suite, relative

# What other plugins do with the run is in the way: parallel runs, coverage, shuffling. Each option
# is only known where its plugin is installed.
_WITHOUT = {
    "xdist": "-n0",
    "pytest_cov": "--no-cov",
    "pytest_randomly": "--randomly-dont-reorganize",
}


class PytestSuite(Suite):
    """The items of a pytest session."""

    def __init__(self, session: Any, plugin: _Plugin, root: str) -> None:
        super().__init__()
        self._items = session.items
        self._plugin = plugin
        self.ids = [item.nodeid for item in self._items]
        self.files = [relative(str(item.fspath), root) for item in self._items]
        self.errors = dict(plugin.errors)

    def run(self, chosen: Sequence[int], started: Started, finished: Finished) -> None:
        """Run items with all of pytest's hooks, but without its reports."""
        for place, index in enumerate(chosen):
            item = self._items[index]
            after = self._items[chosen[place + 1]] if place + 1 < len(chosen) else None
            started(index)
            began = time.perf_counter()
            self._plugin.caught = None
            reports = runtestprotocol(item, log=False, nextitem=after)
            outcome = self._read(reports, time.perf_counter() - began)
            if not finished(index, outcome):
                return

    def _read(self, reports: list[Any], seconds: float) -> Outcome:
        failed = next((report for report in reports if report.failed), None)
        if failed is not None:
            return Outcome("failed", seconds, Failure(self._plugin.caught))
        skipped = any(report.skipped for report in reports)
        return Outcome("skipped" if skipped else "passed", seconds)


class _Plugin:
    """Takes over where the tests would begin to run."""

    def __init__(self, root: str, act: Act, only: set[str] | None) -> None:
        self.caught: BaseException | None = None
        self.errors: dict[str, Failure] = {}
        self._root = root
        self._act = act
        self._only = only

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: Any) -> bool:
        self._act(PytestSuite(session, self, self._root))
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Any:
        """Report without the account of what happened: nobody reads it, and it takes most time."""
        outcome: Any = "passed"
        if call.excinfo is not None:
            self.caught = self.caught or call.excinfo.value
            skipped = isinstance(call.excinfo.value, pytest.skip.Exception)
            outcome = "skipped" if skipped else "failed"
        return pytest.TestReport(
            item.nodeid, item.location, {}, outcome, ("", 0, "") if outcome == "skipped" else None,
            call.when,
        )  # fmt: skip

    @pytest.hookimpl(hookwrapper=True)
    def pytest_make_collect_report(self, collector: Any) -> Any:
        outcome = yield
        report = outcome.get_result()
        if report.failed:
            call = getattr(report, "call", None)
            raised = call.excinfo.value if call is not None and call.excinfo else None
            error = getattr(raised, "__cause__", None) or raised
            self.errors[collector.nodeid] = Failure(error, str(report.longrepr))

    def pytest_ignore_collect(self, collection_path: Any) -> bool | None:
        if self._only is None or not collection_path.is_file():
            return None
        path = relative(str(collection_path), self._root)
        return None if path in self._only or path.endswith("conftest.py") else True


def collect(request: dict[str, Any], act: Act, only: set[str] | None) -> None:
    """Let pytest collect and do `act` instead of running the tests."""
    arguments = [
        *request["arguments"],
        "--capture=sys",  # children share a file that captures descriptors, and its position
        *(option for name, option in _WITHOUT.items() if importlib.util.find_spec(name)),
    ]
    code = pytest.main(arguments, plugins=[_Plugin(request["root"], act, only)])
    sys.exit(int(code))
