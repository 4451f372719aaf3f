"""Try candidates in forked children: failing tests first, then those that pass already.

Most candidates fail at once, so a child tries many of them, one after the other, on the failing
tests. What passes those, and whatever a child did not come to, is tried again in a child of its
own: no candidate is judged by what another one left behind.
"""

from __future__ import annotations

import gc
import os
import time
from typing import Any, Callable, Iterator, NamedTuple

from .fork import Child, Pool, Send, limit_processor
from .isolation import TreeState
from .live_code import load_changed
from .mutants import Cold, Invalid, Module, MutantEdit, Patched, Unchanged, edited
from .protocol import collection_in
from .results import Board, Result
from .suite import UNCOMPILABLE, Suite
from .suite_loading import open_suite
from .trial_order import PATIENCE, WALL, Trial

_TOGETHER = 24
"""Candidates that one child tries, where tests leave nothing behind."""

_STARTING = 20.0
"""Seconds of processor time for collecting the tests anew."""

_WITNESSES = 2
"""Passing tests that are run at the end of a child: did a candidate leave something behind?"""

_LOOKING = 0.2
"""Seconds between two looks at the work tree."""


class TryingJob(NamedTuple):
    """A candidate on its way into a child."""

    number: int
    group: str
    patched: Patched


class Trier:
    """Works through the candidates of a request until its time is up, or enough are plausible.

    Attributes:
        writing: Tests write into the work tree: one candidate is tried at a time, and after each
            the tree is put back as it was.
    """

    def __init__(self, request: dict[str, Any], tell: Callable[[str], None]) -> None:
        self.writing: bool = request["writing"]
        self._board = Board(request, tell)
        self._request = request
        self._root: str = request["root"]
        self._pool = Pool(1)
        self._tree = TreeState(self._root)
        self._looked = 0.0

    @property
    def results(self) -> dict[str, Result]:
        """See `Board`."""
        return self._board.results

    def warm(self, suite: Suite) -> None:
        """Try them in forks of this process, which has everything imported."""
        trial = Trial(self._request, suite)
        modules = {
            file: Module(os.path.join(self._root, file), text)
            for file, text in self._request["sources"].items()
        }
        gc.collect()
        gc.freeze()
        if self._request["settle"]:
            trial.settle(self._board.deadline)
        self._undisturbed(lambda: self._try_warm(trial, modules))

    def _undisturbed(self, work: Callable[[], None]) -> None:
        """Do the work; anew, if candidates were seen to find each other's files meanwhile."""
        try:
            self._begin()
            work()
            if not self.writing and self._tree.look():
                self._pool.kill()
                self._tree.restore()
                self.writing = True
                self._begin()
                work()
        finally:
            self._pool.kill()

    def _begin(self) -> None:
        self._board.begin()
        workers = self._request["workers"] or len(os.sched_getaffinity(0))
        self._pool = Pool(1 if self.writing else workers)

    def _disturbed(self) -> bool:
        """Look at the work tree now and then; return whether what was found out is worth nothing."""
        if self.writing:
            self._tree.restore()
            return False
        if time.monotonic() - self._looked > _LOOKING:
            self._tree.look()
            self._looked = time.monotonic()
        return self._tree.changed

    def _try_warm(self, trial: Trial, modules: dict[str, Module]) -> None:
        jobs = self._jobs(modules)
        together = 1 if self.writing or self._request["stateful"] else _TOGETHER
        alone: list[TryingJob] = []
        while True:
            while not self._pool.full and (alone or not self._board.late):
                batch = [alone.pop(0)] if alone else _next(jobs, together)
                if not batch:
                    break
                self._start(trial, batch)
            if not self._pool:
                return
            if self._board.overdue:
                return  # what is under way is told by nobody, and begins anew in the next request
            for batch, child in self._pool.ended():
                alone += self._take(batch, child)
                if self._disturbed():
                    return
            alone = [job for job in alone if self._board.wants(job.number)]

    def _jobs(self, modules: dict[str, Module]) -> Iterator[TryingJob]:
        """Yield what is worth a child; note what is not."""
        seen: dict[str, int] = {}
        for number, file, group, edits in self._request["candidates"]:
            if not self._board.wants(number):
                return
            try:
                patched = modules[file].patched([MutantEdit(*edit) for edit in edits])
            except Invalid:
                self._board.note(number, "invalid")
            except Cold:
                self._board.note(number, "cold")
            except Unchanged:
                self._board.note(number, "same")
            else:
                if seen.setdefault(patched.digest, number) == number:
                    yield TryingJob(number, group, patched)
                else:
                    self._board.note(number, "same")

    def _start(self, trial: Trial, batch: list[TryingJob]) -> None:
        pair = batch[0]
        if len(batch) == 1:

            def work(send: Send) -> None:
                pair.patched.apply()
                told = trial.run_all(pair.group, lambda some: send([pair.number, some]))
                send([pair.number, told])

            seconds = trial.seconds([*trial.failing, *trial.passing(pair.group)])
        else:

            def work(send: Send) -> None:
                for job in batch:
                    job.patched.apply()
                    send([job.number, trial.run(trial.failing, PATIENCE)])
                    job.patched.revert()
                witnesses = trial.passing(pair.group)[:_WITNESSES]
                send(all(ok for _, ok in trial.run(witnesses, 1)))

            seconds = trial.seconds(trial.failing)
        self._pool.start(batch, work, seconds)

    def _take(self, batch: list[TryingJob], child: Child) -> list[TryingJob]:
        """Note how candidates did, and return those to try again alone."""
        told = {value[0]: value[1] for value in child.values if isinstance(value, list)}
        if len(batch) == 1:
            number = batch[0].number
            self._board.take(number, told.get(number, []), child)
            return []
        if child.values and child.values[-1] is False:
            return batch  # a candidate left something behind, so nothing is certain
        again: list[TryingJob] = []
        for job in batch:
            if job.number in told and not all(ok for _, ok in told[job.number]):
                self._board.take(job.number, told[job.number], child)
            elif job.number in told or again or child.values[-1:] != [True]:
                again.append(job)
        return again

    def cold(self) -> None:
        """Try them in forks of this process, which has imported nothing of the project."""
        self._undisturbed(self._try_cold)

    def _try_cold(self) -> None:
        jobs = iter(self._request["candidates"])
        while True:
            while not self._pool.full and not self._board.late:
                candidate = next(jobs, None)
                if candidate is None or not self._board.wants(candidate[0]):
                    break
                self._start_cold(*candidate)
            if not self._pool:
                return
            if self._board.overdue:
                return
            for number, child in self._pool.ended():
                told = child.values[0] if child.values else []
                self._board.take(number, told, child)
                if self._disturbed():
                    return

    def _start_cold(self, number: int, file: str, group: str, edits: list[Any]) -> None:
        text = edited(self._request["sources"][file], [MutantEdit(*edit) for edit in edits])
        try:
            compile(text, file, "exec", dont_inherit=True)
        except UNCOMPILABLE:
            self._board.note(number, "invalid")
            return

        tolerated = set(self._request["tolerated"])

        def work(send: Send) -> None:
            def act(suite: Suite) -> None:
                told = [[name, name not in suite.errors] for name in self._request["errors"]]
                if not set(suite.errors) - tolerated:
                    told += Trial(self._request, suite).run_all(group)
                send(told)
                os._exit(0)

            limit_processor(_STARTING)
            load_changed(os.path.join(self._root, file), text)
            open_suite(collection_in(self._request), act, set(self._request["test_files"]) or None)

        self._pool.start(number, work, 2 + WALL * _STARTING)


def _next(jobs: Iterator[TryingJob], together: int) -> list[TryingJob]:
    batch: list[TryingJob] = []
    for job in jobs:
        batch.append(job)
        if len(batch) == together:
            break
    return batch
