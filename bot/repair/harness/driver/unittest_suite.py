"""unittest's tests: the command's own loading, stopped where a runner would begin to run them."""

from __future__ import annotations

import inspect
import runpy
import sys
import unittest
from typing import Any, Iterator, Sequence

from .protocol import Collection
from .suite import Act, Finished, Outcome, Started, Stopwatch, Suite, TestFailure, Took, relative


class UnittestSuite(Suite):
    """The test cases of a loaded suite."""

    def __init__(self, suite: Any, root: str) -> None:
        super().__init__()
        self._tests: list[Any] = []
        for test in _cases(suite):
            error = getattr(test, "_exception", None)  # of unittest.loader._FailedTest
            if error is not None and type(test).__name__ == "_FailedTest":
                self.errors[test.id()] = TestFailure(error.__cause__ or error, str(error))
            else:
                self._tests.append(test)
        self.ids = [test.id() for test in self._tests]
        self.files = [relative(_file(test), root) for test in self._tests]

    def run(self, chosen: Sequence[int], started: Started, finished: Finished) -> None:
        """Run cases as one suite, so that fixtures of classes and modules work."""
        chain = unittest.TestSuite(self._tests[index] for index in chosen)
        chain.run(_Result(chosen, started, finished))


class _Result(unittest.TestResult):
    """Tells of each test as it ends."""

    def __init__(self, chosen: Sequence[int], started: Started, finished: Finished) -> None:
        super().__init__()
        self._chosen = list(chosen)
        self._place = -1
        self._started = started
        self._finished = finished
        self._stopwatch = Stopwatch()
        self._outcome = "passed"
        self._failure: TestFailure | None = None

    def startTest(self, test: Any) -> None:  # noqa: N802 - unittest's name
        super().startTest(test)
        self._place += 1
        self._outcome, self._failure = "passed", None
        self._started(self._chosen[self._place])
        self._stopwatch = Stopwatch()

    def _failed(self, error: Any) -> None:
        self._outcome = "failed"
        self._failure = self._failure or TestFailure(error[1])

    def addError(self, test: Any, err: Any) -> None:  # noqa: N802 - unittest's name
        super().addError(test, err)
        self._failed(err)
        if not isinstance(test, unittest.TestCase):  # a class's or module's fixture
            for index in self._chosen[self._place + 1 :]:
                self._started(index)
                self._finished(index, Outcome("failed", Took(), self._failure))
            self.shouldStop = True

    def addFailure(self, test: Any, err: Any) -> None:  # noqa: N802 - unittest's name
        super().addFailure(test, err)
        self._failed(err)

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802 - unittest's name
        super().addSubTest(test, subtest, err)
        if err is not None:
            self._failed(err)

    def addSkip(self, test: Any, reason: str) -> None:  # noqa: N802 - unittest's name
        super().addSkip(test, reason)
        self._outcome = "skipped"

    def addUnexpectedSuccess(self, test: Any) -> None:  # noqa: N802 - unittest's name
        super().addUnexpectedSuccess(test)
        self._outcome = "failed"

    def stopTest(self, test: Any) -> None:  # noqa: N802 - unittest's name
        super().stopTest(test)
        outcome = Outcome(self._outcome, self._stopwatch.read(), self._failure)
        if not self._finished(self._chosen[self._place], outcome):
            self.shouldStop = True


def _cases(suite: Any) -> Iterator[Any]:
    if isinstance(suite, unittest.TestSuite):
        for part in suite:
            yield from _cases(part)
    else:
        yield suite


def _file(test: Any) -> str:
    try:
        return inspect.getfile(type(test))
    except (TypeError, OSError):
        return ""


def collect(tests: Collection, act: Act) -> None:
    """Start the command in this process and do `act` where a runner would run the tests."""

    def run(_: Any, suite: Any) -> Any:
        act(UnittestSuite(suite, tests.root))
        return unittest.TestResult()

    setattr(unittest.TextTestRunner, "run", run)  # noqa: B010 - types do not allow to replace it
    program, *arguments = tests.start
    sys.argv = [program, *arguments]
    if program == "-m":
        sys.argv = arguments
        runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)
    else:
        runpy.run_path(program, run_name="__main__")
