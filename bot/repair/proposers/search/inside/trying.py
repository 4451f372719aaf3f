"""Try candidates in forked children: failing tests first, then those that pass already.

Most candidates fail at once, so a child tries many of them, one after the other, on the failing
tests. What passes those, and whatever a child did not come to, is tried again in a child of its
own: no candidate is judged by what another one left behind.
"""

from __future__ import annotations

import gc
import os
import time
from typing import Any, Callable, Dict, Iterator, NamedTuple, Sequence

from .children import Child, Pool, Send, limit_processor
from .mutants import Cold, Edit, Invalid, Module, Patched, Unchanged, edited, load_changed
from .suite import Suite, open_suite
from .trial import PATIENCE, WALL, Trial

Result = Dict[str, Any]

_TOGETHER = 24
"""Candidates that one child tries."""

_STARTING = 20.0
"""Seconds of processor time for collecting the tests anew."""

_WITNESSES = 2
"""Passing tests that are run at the end of a child: did a candidate leave something behind?"""

_OVERTIME = 10.0
"""Seconds after the end of its time that candidates under way may take: somebody is waiting."""

_TELLING = 1.0
"""Seconds between two lines of progress."""


class Job(NamedTuple):
    """A candidate on its way into a child."""

    number: int
    group: str
    patched: Patched


class Trier:
    """Works through the candidates of a request until its time is up.

    Once one is plausible, only so many behind it are tried: which ones, that depends on their
    order and not on how fast this machine is.
    """

    def __init__(self, request: dict[str, Any], tell: Callable[[str], None]) -> None:
        self._results: dict[int, Result] = {}
        self._request = request
        self._order = {one[0]: place for place, one in enumerate(request["candidates"])}
        self._last = len(self._order)
        self._root: str = request["root"]
        self._wanted: list[str] = [*request["errors"], *request["failing"]]
        self._started = time.monotonic()
        self._deadline = self._started + float(request["seconds"])
        self._pool = Pool(request["workers"] or len(os.sched_getaffinity(0)))
        self._tell = tell
        self._told = self._started

    @property
    def results(self) -> dict[str, Result]:
        """By the candidate's number: its status, and the failing tests that it mends."""
        return {
            str(number): result
            for number, result in self._results.items()
            if self._order[number] <= self._last
        }

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
            trial.settle(self._deadline)
        jobs = self._jobs(modules)
        alone: list[Job] = []
        try:
            while True:
                while not self._pool.full and (alone or not self._late):
                    batch = [alone.pop(0)] if alone else _next(jobs)
                    if not batch:
                        break
                    self._start(trial, batch)
                if not self._pool:
                    return
                if self._overdue:
                    for batch in self._pool.kill():
                        self._give_up([job.number for job in batch])
                    return
                for batch, child in self._pool.ended():
                    alone += self._take(batch, child)
                alone = [job for job in alone if self._order[job.number] <= self._last]
        finally:
            self._pool.kill()

    @property
    def _late(self) -> bool:
        return time.monotonic() > self._deadline

    @property
    def _overdue(self) -> bool:
        """Whether what is under way is not worth waiting for any more."""
        return time.monotonic() > self._deadline + _OVERTIME

    def _give_up(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            self._note(number, {"status": "slow", "mended": []})

    def _jobs(self, modules: dict[str, Module]) -> Iterator[Job]:
        """Yield what is worth a child; note what is not."""
        seen: dict[str, int] = {}
        for place, (number, file, group, edits) in enumerate(self._request["candidates"]):
            if place > self._last:
                return
            try:
                patched = modules[file].patched([Edit(*edit) for edit in edits])
            except Invalid:
                self._note(number, {"status": "invalid"})
            except Cold:
                self._note(number, {"status": "cold"})
            except Unchanged:
                self._note(number, {"status": "same"})
            else:
                if seen.setdefault(patched.digest, number) == number:
                    yield Job(number, group, patched)
                else:
                    self._note(number, {"status": "same"})

    def _start(self, trial: Trial, batch: list[Job]) -> None:
        one = batch[0]
        if len(batch) == 1:

            def work(send: Send) -> None:
                one.patched.apply()
                send([one.number, trial.run_all(one.group)])

            seconds = trial.seconds([*trial.failing, *trial.passing(one.group)])
        else:

            def work(send: Send) -> None:
                for job in batch:
                    job.patched.apply()
                    send([job.number, trial.run(trial.failing, PATIENCE)])
                    job.patched.revert()
                witnesses = trial.passing(one.group)[:_WITNESSES]
                send(all(ok for _, ok in trial.run(witnesses, 1)))

            seconds = trial.seconds(trial.failing)
        self._pool.start(batch, work, seconds)

    def _take(self, batch: list[Job], child: Child) -> list[Job]:
        """Note how candidates did, and return those to try again alone."""
        told = {value[0]: value[1] for value in child.values if isinstance(value, list)}
        if len(batch) == 1:
            number = batch[0].number
            self._note(number, self._result(told.get(number, []), child))
            return []
        if child.values and child.values[-1] is False:
            return batch  # a candidate left something behind, so nothing is certain
        again: list[Job] = []
        for job in batch:
            if job.number in told and not all(ok for _, ok in told[job.number]):
                self._note(job.number, self._result(told[job.number], child))
            elif job.number in told or again or child.values[-1:] != [True]:
                again.append(job)
        return again

    def cold(self) -> None:
        """Try them in forks of this process, which has imported nothing of the project."""
        jobs = enumerate(self._request["candidates"])
        try:
            while True:
                while not self._pool.full and not self._late:
                    place, candidate = next(jobs, (0, None))
                    if candidate is None or place > self._last:
                        break
                    self._start_cold(*candidate)
                if not self._pool:
                    return
                if self._overdue:
                    self._give_up(self._pool.kill())
                    return
                for number, child in self._pool.ended():
                    told = child.values[0] if child.values else []
                    self._note(number, self._result(told, child))
        finally:
            self._pool.kill()

    def _start_cold(self, number: int, file: str, group: str, edits: list[Any]) -> None:
        text = edited(self._request["sources"][file], [Edit(*edit) for edit in edits])
        try:
            compile(text, file, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError):
            self._note(number, {"status": "invalid"})
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
            open_suite(self._request, act, set(self._request["test_files"]) or None)

        self._pool.start(number, work, 2 + WALL * _STARTING)

    def _result(self, told: list[Any], child: Child) -> Result:
        pairs = [pair for pair in told if pair]
        passed = [name for name, ok in pairs if ok]
        mended = [name for name in self._wanted if name in passed]
        if len(pairs) < len(told):
            return {"status": "plausible", "mended": mended}
        failed = [name for name, ok in pairs if not ok]
        if failed:
            broken = [name for name in failed if name not in self._wanted]
            return {"status": "failed", "mended": mended, "broken": broken}
        return {"status": "slow" if child.killed else "died", "mended": mended}

    def _note(self, number: int, result: Result) -> None:
        self._results[number] = result
        now = time.monotonic()
        if result["status"] == "plausible":
            self._last = min(self._last, self._order[number] + self._request["more"])
            self._deadline = min(self._deadline, now + float(self._request["grace"]))
        if now - self._told > _TELLING:
            self._told = now
            self._tell(self._progress(now - self._started))

    def _progress(self, seconds: float) -> str:
        best = max(len(result.get("mended", ())) for result in self._results.values())
        plausible = sum(result["status"] == "plausible" for result in self._results.values())
        return (
            f"{len(self._results)} candidates tried, {len(self._results) / seconds:.0f} a second; "
            f"{plausible} plausible; the best mends {best} of {len(self._wanted)}"
        )


def _next(jobs: Iterator[Job]) -> list[Job]:
    batch: list[Job] = []
    for job in jobs:
        batch.append(job)
        if len(batch) == _TOGETHER:
            break
    return batch
