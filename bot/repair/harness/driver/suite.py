"""The tests behind a command, collected once and run as often as asked."""

from __future__ import annotations

import os
import time
import traceback
from typing import Any, Callable, NamedTuple, Sequence

FRAMES = 60
"""Frames of a traceback that are told, the innermost ones."""

UNCOMPILABLE = (SyntaxError, ValueError, RecursionError, MemoryError, SystemError)
"""What `compile` raises: of code that is nested too deep, the last three, by Python's version."""

CHARACTERS = 2000
"""Of an exception's message."""


class TestFailure:
    """Why a test failed."""

    def __init__(self, error: BaseException | None, text: str = "") -> None:
        self.error = error
        self.text = text

    def told(self, root: str) -> dict[str, Any]:
        """Return it as JSON, with the frames inside `root`."""
        error = self.error
        if error is None:
            return {"type": "", "message": self.text[:CHARACTERS], "frames": []}
        try:
            message = str(error)
        except Exception:  # noqa: BLE001 - the exception is the project's, its __str__ too
            message = ""
        told: dict[str, Any] = {
            "type": type(error).__name__,
            "message": message[:CHARACTERS],
            "frames": frames(error, root),
        }
        if isinstance(error, SyntaxError) and error.filename:
            told["frames"].append([os.path.relpath(error.filename, root), error.lineno or 1, ""])
        return told


def frames(error: BaseException, root: str) -> list[list[Any]]:
    """Return the frames of a traceback inside `root`, outermost first: file, line, function."""
    found: list[list[Any]] = []
    for frame, line in traceback.walk_tb(error.__traceback__):
        name = frame.f_code.co_filename
        path = os.path.realpath(name)
        if path.startswith(root + os.sep) and not name.startswith("<"):  # such as <frozen ...>
            found.append([os.path.relpath(path, root), line, frame.f_code.co_name])
    return found[-FRAMES:]


class Took(NamedTuple):
    """How long something took.

    Attributes:
        seconds: Of processor time: it does not depend on what else the machine does.
        waited: Seconds of wall time besides.
    """

    seconds: float = 0.0
    waited: float = 0.0


class Stopwatch:
    """Runs from when it is made."""

    def __init__(self) -> None:
        self._wall = time.perf_counter()
        self._processor = time.process_time()

    def read(self) -> Took:
        """Return what has passed since."""
        seconds = time.process_time() - self._processor
        return Took(seconds, max(0.0, time.perf_counter() - self._wall - seconds))


class Outcome:
    """How a test ended."""

    def __init__(self, outcome: str, took: Took, failure: TestFailure | None = None) -> None:
        """Take `passed`, `failed` or `skipped`, and how long it took."""
        self.outcome = outcome
        self.took = took
        self.failure = failure


Started = Callable[[int], None]
Finished = Callable[[int, Outcome], bool]
"""Told after each test; returns whether to go on."""


class Suite:
    """What was collected.

    Attributes:
        ids: Of the tests, in the order of the command.
        files: Where each of them is, relative to the root.
        errors: What could not be collected, by its id.
        options: Which the runner needs so that other plugins don't interfere.
        within: Whether each of them is about the file that it comes from: a doctest, or what a linter's
            plugin makes of every source file.
    """

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.files: list[str] = []
        self.errors: dict[str, TestFailure] = {}
        self.options: list[str] = []
        self.within: list[bool] = []

    @property
    def test_files(self) -> set[str]:
        """The files that hold nothing but tests, as far as is known."""
        within = self.within or [False] * len(self.files)
        return {file for file, is_within in zip(self.files, within) if not is_within}

    def run(self, chosen: Sequence[int], started: Started, finished: Finished) -> None:
        """Run the tests of these indexes in this process, in order, until told to stop."""
        raise NotImplementedError

    def release(self) -> None:
        """Tear down what tests so far have set up for those behind them."""

    def long_fixtures(self, index: int) -> list[str]:
        """Return the names of fixtures of a test that live longer than it."""
        del index
        return []


Act = Callable[[Suite], None]
"""What is done with the collected tests. The process ends after it."""


def relative(path: str, root: str) -> str:
    """Return a path relative to the root, or as it is when it lies elsewhere."""
    real = os.path.realpath(path)
    return os.path.relpath(real, root) if real.startswith(root + os.sep) else real
