"""Runs tests side by side in workers that are forked once everything is collected.

Importing and collecting all tests takes longer than many a folder of tests runs. `--workers` does
it once for all of them, where pytest-xdist does it in each.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest

STORIES = Path(__file__).parent / "flows"
FOLDER_OF_RUN = pytest.StashKey[Path]()
"""In a worker: the folder that all workers of a run share."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--workers`."""
    parser.addoption("--workers", type=int, default=0, help="how many run tests side by side")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Leave the loop to workers, if there shall be any and there is something to run."""
    count = min(session.config.getoption("--workers"), len(session.items))
    if not count or session.testsfailed or session.config.option.collectonly:
        return None
    _Workers(session, count).run()
    return True


def stretches(stories: Sequence[bool], count: int) -> list[list[int]]:
    """Deal the numbers of tests out to `count` workers, each a stretch of the stories first.

    A story mostly waits, and a small test mostly computes: what is short and needs nobody else is
    best kept for the end. Neighbours stay together, as they share what was made for their file.
    """
    ordered = [
        [number for number, story in enumerate(stories) if story is wanted]
        for wanted in (True, False)
    ]
    return [
        [
            number
            for part in ordered
            for number in part[len(part) * worker // count : len(part) * (worker + 1) // count]
        ]
        for worker in range(count)
    ]


def next_of(dealt: list[list[int]], worker: int) -> int | None:
    """Take the next test of a worker, which takes over half of what another has left to do."""
    if not dealt[worker]:
        longest = max(dealt, key=len)
        dealt[worker] = longest[(len(longest) + 1) // 2 :] or longest[:]
        del longest[len(longest) - len(dealt[worker]) :]
    return dealt[worker].pop(0) if dealt[worker] else None


class _Workers:
    """Gives each worker a test at a time, and the run what they report.

    A worker holds two tests: the one that it runs, and the one after it, which decides what is put
    away in between.
    """

    def __init__(self, session: pytest.Session, count: int) -> None:
        self._session = session
        self._dealt = stretches([STORIES in item.path.parents for item in session.items], count)
        self._processes: dict[Connection, BaseProcess] = {}
        self._held: dict[Connection, list[int]] = {}
        self._workers: dict[Connection, int] = {}
        # As pytest-xdist: all workers' folders are in that of the run.
        self._folder: Path = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]

    def run(self) -> None:
        """Run everything; end with what pytest's own loop would raise."""
        for worker in range(len(self._dealt)):
            self._start(worker)
        try:
            while self._processes:
                for connection in wait(list(self._processes)):
                    assert isinstance(connection, Connection)
                    try:
                        self._hear(connection, connection.recv())
                    except (EOFError, ConnectionError):
                        self._end(connection)
        finally:
            for connection in self._processes:  # if this was interrupted: nobody hears them
                connection.close()
        if self._session.shouldfail:
            raise self._session.Failed(self._session.shouldfail)
        if self._session.shouldstop:
            raise self._session.Interrupted(self._session.shouldstop)

    def _start(self, worker: int) -> None:
        ours, theirs = multiprocessing.Pipe()
        others = [ours, *self._processes]
        folder = self._folder / f"worker-{worker}-{len(self._held)}"
        process = multiprocessing.get_context("fork").Process(
            target=_work, args=(self._session, theirs, others, folder)
        )
        process.start()
        theirs.close()
        self._processes[ours], self._held[ours], self._workers[ours] = process, [], worker

    def _hear(self, connection: Connection, said: dict[str, Any] | None) -> None:
        """Take a report, or give the next test to who asks."""
        hook = self._session.config.hook
        if said is not None:
            report = hook.pytest_report_from_serializable(config=self._session.config, data=said)
            hook.pytest_runtest_logreport(report=report)
            return
        held = self._held[connection]
        if len(held) == 2:
            self._finish(held.pop(0))
        stopped = self._session.shouldfail or self._session.shouldstop
        number = None if stopped else next_of(self._dealt, self._workers[connection])
        held += [] if number is None else [number]
        connection.send(number)

    def _finish(self, number: int) -> None:
        item = self._session.items[number]
        self._session.config.hook.pytest_runtest_logfinish(
            nodeid=item.nodeid, location=item.location
        )

    def _end(self, connection: Connection) -> None:
        """Let a worker go; if it died, say of what test, and let another one go on.

        Raises:
            RuntimeError: the worker died before it had a test.
        """
        process, held = self._processes.pop(connection), self._held[connection]
        process.join()
        connection.close()
        how = f"A worker ended with {process.exitcode}."
        if process.exitcode and not held:
            raise RuntimeError(how)
        for number in held[:1]:
            item = self._session.items[number]
            if process.exitcode:
                report = pytest.TestReport(item.nodeid, item.location, {}, "failed", how, "call")
                self._session.config.hook.pytest_runtest_logreport(report=report)
            self._finish(number)
        if process.exitcode:
            self._dealt[self._workers[connection]][:0] = held[1:]
            self._start(self._workers[connection])


def _work(
    session: pytest.Session, parent: Connection, others: Sequence[Connection], folder: Path
) -> None:
    """Run tests, in a worker, until there are none left."""
    config, manager = session.config, session.config.pluginmanager
    for connection in others:
        connection.close()
    config.stash[FOLDER_OF_RUN] = folder.parent
    config.option.basetemp = str(folder)
    manager.get_plugin("tmpdir").pytest_configure(config)  # type: ignore[union-attr]
    # What a test writes would land in the files into which the run and all workers write.
    capture = manager.get_plugin("capturemanager")
    assert capture is not None
    capture.stop_global_capturing()
    capture.start_global_capturing()
    for shown in ("terminalreporter", "terminalprogress"):
        manager.unregister(name=shown)
    manager.register(_Teller(config, parent.send))

    def asked() -> pytest.Item | None:
        parent.send(None)
        number: int | None = parent.recv()
        return None if number is None else session.items[number]

    item = asked()
    try:
        while item is not None:
            following = asked()
            config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            item = following
    finally:
        # Puts away what is left if the run was interrupted, and shows why.
        manager.get_plugin("runner").pytest_sessionfinish(session)  # type: ignore[union-attr]
        capture.stop_global_capturing()


class _Teller:
    """Tells a worker's parent what came of its tests."""

    def __init__(self, config: pytest.Config, tell: Callable[[dict[str, Any]], None]) -> None:
        self._config = config
        self._tell = tell

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._tell(
            self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        )
