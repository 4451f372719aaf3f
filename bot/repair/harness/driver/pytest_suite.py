"""pytest's tests: the command's own collection, stopped where pytest would begin to run them."""

from __future__ import annotations

import copy
import importlib.util
import os
import re
import sys
import unittest
from typing import Any, Sequence

import pytest
from _pytest.reports import TestReport
from _pytest.runner import runtestprotocol

from .live_modules import is_own_path
from .protocol import Collection
from .suite import Act, Finished, Outcome, Started, Stopwatch, Suite, TestFailure, Took, relative

# What other plugins do with the run is in the way: parallel runs, coverage, shuffling. Each option
# is only known where its plugin is loaded. By package and the plugin's own name.
_WITHOUT = {
    ("xdist", "xdist"): "-n0",
    ("pytest_cov", "pytest_cov"): "--no-cov",
    ("pytest_randomly", "randomly"): "--randomly-dont-reorganize",
}


_SETUP = re.compile(r"setUpClass|setUpModule|setup_module|setup_class")
"""In the names of the fixtures that pytest makes of what tests of unittest and nose set up."""


class PytestSuite(Suite):
    """The items of a pytest session."""

    def __init__(self, session: Any, plugin: _Plugin, root: str) -> None:
        super().__init__()
        self._items = session.items
        self._plugin = plugin
        self._root = root
        self.ids = [item.nodeid for item in self._items]
        self.files = [relative(str(item.fspath), root) for item in self._items]
        self.errors = dict(plugin.errors)
        self.options = list(plugin.options)
        self.within = [not isinstance(item, pytest.Function) for item in self._items]

    def run(self, chosen: Sequence[int], started: Started, finished: Finished) -> None:
        """Run items with all of pytest's hooks, but without its reports."""
        items = self._each(chosen)
        for place, index in enumerate(chosen):
            item = items[place]
            after = items[place + 1] if place + 1 < len(chosen) else None
            started(index)
            stopwatch = Stopwatch()
            self._plugin.begin()
            reports = runtestprotocol(item, log=False, nextitem=after)
            outcome = self._read(reports, stopwatch.read())
            if not finished(index, outcome):
                return

    def release(self) -> None:
        """Tear down what tests so far have set up for those behind them."""
        state = self._items[0].session._setupstate  # noqa: SLF001 - there is no other way to it
        if hasattr(state, "teardown_all"):  # until pytest 6.2
            state.teardown_all()
        else:
            state.teardown_exact(None)

    def long_fixtures(self, index: int) -> list[str]:
        """Return the names of fixtures of a test that live longer than it."""
        info = getattr(self._items[index], "_fixtureinfo", None)
        found = [
            (name, definitions[-1])
            for name, definitions in getattr(info, "name2fixturedefs", {}).items()
            if definitions and definitions[-1].scope != "function"
        ]
        own = [name for name, each in found if is_own_path(_file_of(each.func), self._root)]
        return [name for name in own if not name.startswith("_")] or [
            match[0] for name, _ in found if (match := _SETUP.search(name))
        ]

    def _each(self, chosen: Sequence[int]) -> list[Any]:
        """Return an item for each index; for one that runs again a copy, whose fixtures are its own."""
        items: list[Any] = []
        seen: set[int] = set()
        for index in chosen:
            item = self._items[index]
            if index in seen:
                item = copy.copy(item)
                getattr(item, "_initrequest", lambda: None)()
            seen.add(index)
            items.append(item)
        return items

    def _read(self, reports: list[Any], took: Took) -> Outcome:
        failed = next((report for report in reports if report.failed), None)
        if failed is not None or self._plugin.part_failed:
            return Outcome("failed", took, TestFailure(self._plugin.caught))
        skipped = any(report.skipped for report in reports)
        return Outcome("skipped" if skipped else "passed", took)


class _Plugin:
    """Takes over where the tests would begin to run."""

    def __init__(self, root: str, act: Act, only: set[str] | None) -> None:
        self.options: list[str] = []
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
        return TestReport(
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

    def leaves_out(self, path: str) -> bool | None:
        """Whether a path need not be collected; None where pytest decides."""
        if self._only is None or not os.path.isfile(path):
            return None
        name = relative(path, self._root)
        return None if name in self._only or name.endswith("conftest.py") else True


class _Choosing:
    """Leaves files out of the collection; pytest 7 renamed what it tells."""

    def __init__(self, plugin: _Plugin) -> None:
        self._plugin = plugin

    if hasattr(pytest, "version_tuple"):

        def pytest_ignore_collect(self, collection_path: Any) -> bool | None:
            return self._plugin.leaves_out(str(collection_path))

    else:

        def pytest_ignore_collect(self, path: Any) -> bool | None:  # type: ignore[misc]
            return self._plugin.leaves_out(str(path))


def _file_of(function: Any) -> str:
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return getattr(code, "co_filename", "<unknown>")


def collect(tests: Collection, act: Act, only: set[str] | None) -> None:
    """Let pytest collect and do `act` instead of running the tests."""
    arguments = [
        *tests.arguments,
        "--capture=sys",  # children share a file that captures descriptors, and its position
    ]
    plugin = _Plugin(tests.root, act, only)
    plugin.options = _options(arguments)
    code = pytest.main([*arguments, *plugin.options], plugins=[plugin, _Choosing(plugin)])
    if code == pytest.ExitCode.USAGE_ERROR:  # a plugin that is installed and not loaded
        plugin.options = []
        code = pytest.main(arguments, plugins=[plugin, _Choosing(plugin)])
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
