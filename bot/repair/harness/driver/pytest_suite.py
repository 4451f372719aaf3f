"""pytest's tests: the command's own collection, stopped where pytest would begin to run them."""

from __future__ import annotations

import importlib.util
import os
import sys
import unittest
from typing import Any, Sequence

import pytest
from _pytest.runner import runtestprotocol

from .protocol import Collection
from .suite import Act, Finished, Outcome, Started, Stopwatch, Suite, TestFailure, Took, relative

# What other plugins do with the run is in the way: parallel runs, coverage, shuffling. Each option
# is only known where its plugin is loaded. By package and the plugin's own name.
_WITHOUT = {
    ("xdist", "xdist"): "-n0",
    ("pytest_cov", "pytest_cov"): "--no-cov",
    ("pytest_randomly", "randomly"): "--randomly-dont-reorganize",
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
        self.doctests = [type(item).__name__ == "DoctestItem" for item in self._items]

    def run(self, chosen: Sequence[int], started: Started, finished: Finished) -> None:
        """Run items with all of pytest's hooks, but without its reports."""
        for place, index in enumerate(chosen):
            item = self._items[index]
            after = self._items[chosen[place + 1]] if place + 1 < len(chosen) else None
            started(index)
            stopwatch = Stopwatch()
            self._plugin.begin()
            reports = runtestprotocol(item, log=False, nextitem=after)
            outcome = self._read(reports, stopwatch.read())
            if not finished(index, outcome):
                return

    def _read(self, reports: list[Any], took: Took) -> Outcome:
        failed = next((report for report in reports if report.failed), None)
        if failed is not None or self._plugin.part_failed:
            return Outcome("failed", took, TestFailure(self._plugin.caught))
        skipped = any(report.skipped for report in reports)
        return Outcome("skipped" if skipped else "passed", took)


class _Plugin:
    """Takes over where the tests would begin to run."""

    def __init__(self, root: str, act: Act, only: set[str] | None) -> None:
        self.caught: BaseException | None = None
        self.part_failed = False
        self.errors: dict[str, TestFailure] = {}
        self._root = root
        self._act = act
        self._only = only

    def begin(self) -> None:
        """Forget the test before."""
        self.caught, self.part_failed = None, False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: Any) -> bool:
        self._act(PytestSuite(session, self, self._root))
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Any:
        """Report without the account of what happened: nobody reads it, and it takes most time."""
        outcome: Any = "passed"
        waiting = getattr(item, "_excinfo", None)  # where pytest puts what a TestCase raises
        if waiting:
            call.excinfo = waiting.pop(0)
        if call.excinfo is not None:
            self.caught = self.caught or call.excinfo.value
            skipped = isinstance(call.excinfo.value, (pytest.skip.Exception, unittest.SkipTest))
            outcome = "skipped" if skipped else "failed"
        return pytest.TestReport(
            item.nodeid, item.location, {}, outcome, ("", 0, "") if outcome == "skipped" else None,
            call.when,
        )  # fmt: skip

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Hear of subtests, the only ones that are told while a test runs."""
        self.part_failed = self.part_failed or report.failed

    @pytest.hookimpl(hookwrapper=True)
    def pytest_make_collect_report(self, collector: Any) -> Any:
        outcome = yield
        report = outcome.get_result()
        if report.failed:
            call = getattr(report, "call", None)
            raised = call.excinfo.value if call is not None and call.excinfo else None
            error = getattr(raised, "__cause__", None) or raised
            self.errors[collector.nodeid] = TestFailure(error, str(report.longrepr))

    def pytest_ignore_collect(self, collection_path: Any) -> bool | None:
        if self._only is None or not collection_path.is_file():
            return None
        path = relative(str(collection_path), self._root)
        return None if path in self._only or path.endswith("conftest.py") else True


def collect(tests: Collection, act: Act, only: set[str] | None) -> None:
    """Let pytest collect and do `act` instead of running the tests."""
    arguments = [
        *tests.arguments,
        "--capture=sys",  # children share a file that captures descriptors, and its position
    ]
    plugin = _Plugin(tests.root, act, only)
    code = pytest.main([*arguments, *_options(arguments)], plugins=[plugin])
    if code == pytest.ExitCode.USAGE_ERROR:  # a plugin that is installed and not loaded
        code = pytest.main(arguments, plugins=[plugin])
    sys.exit(int(code))


def _options(arguments: Sequence[str]) -> list[str]:
    """Return the options that keep other plugins from interfering, as far as they are loaded."""
    if os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD"):
        return []
    return [
        option
        for (package, plugin), option in _WITHOUT.items()
        if importlib.util.find_spec(package)
        and not {f"no:{plugin}", f"-pno:{plugin}"} & {*arguments}
    ]
