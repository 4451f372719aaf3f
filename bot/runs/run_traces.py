"""Trace runs on GitHub: steps as they are done, and the rest from the events once a run is over."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TypeVar

import structlog

from bot.errors import StorageError
from bot.model.events import EventType, KeptEvent
from bot.model.steps import Steps
from bot.storage.runs import RunRecord, RunStatus
from bot.storage.stores import Stores
from bot.telemetry.place import ROOT, RunPlace, here, in_run
from bot.telemetry.run_spans import RunFacts, run_spans
from bot.telemetry.span import AttributeValue, SpanData, Spans

T = TypeVar("T")

_log = structlog.get_logger(__name__)


class TracedRuns:
    """Knows which runs are traced, and tells of each of them once it is over."""

    def __init__(self, stores: Stores, spans: Spans) -> None:
        self._runs = stores.runs
        self._events = stores.events
        self._spans = spans

    @contextmanager
    def inside(self, run_id: str) -> Iterator[RunPlace]:
        """Have what happens in the body belong to the run; its log lines name the trace."""
        sampled = self._spans.samples(run_id)
        with in_run(run_id, sampled=sampled) as place:
            if not sampled:
                yield place
                return
            with structlog.contextvars.bound_contextvars(trace_id=place.trace_id):
                yield place

    def steps(self, steps: Steps) -> Steps:
        """Return steps each of which is a span of the run at hand when it is really done."""
        place = here()
        if place is None or not place.sampled:
            return steps
        return _TracedSteps(steps, place, self._spans)

    async def over(self, run_id: str) -> None:
        """Tell of a run, if it is over: of one that waits for a person, when it was answered."""
        if not self._spans.samples(run_id):
            return
        try:
            run = await self._runs.get(run_id)
            if run is None or run.status is not RunStatus.DONE:
                return
            events = await self._events.without_output(run_id)
        except StorageError as error:
            _log.warning("run not traced", problem=str(error))
            return
        place = here()
        worked_until = 0.0 if place is None else place.worked_until
        told = run_spans(
            _facts(run, events, worked_until), events, with_content=self._spans.with_content
        )
        for span in told:
            self._spans.emit(span)


class _TracedSteps:
    """Steps of the workflow itself: what is done in one of them is a part of its span."""

    def __init__(self, steps: Steps, place: RunPlace, spans: Spans) -> None:
        self.lasting = steps.lasting
        self._steps = steps
        self._place = place
        self._spans = spans

    async def __call__(self, name: str, act: Callable[..., Awaitable[T]], /, *args: object) -> T:
        """Run `act(*args)` as the step `name` and return its result."""
        return await self._steps(name, self._traced(name, act), *args)

    async def light(self, name: str, act: Callable[..., Awaitable[T]], /, *args: object) -> T:
        """Run `act(*args)` as the light step `name` and return its result."""
        return await self._steps.light(name, self._traced(name, act), *args)

    def _traced(self, name: str, act: Callable[..., Awaitable[T]]) -> Callable[..., Awaitable[T]]:
        async def done(*args: object) -> T:
            began, key, error = time.time(), f"step {name}", ""
            with self._place.doing(key):
                try:
                    return await act(*args)
                except Exception as problem:
                    error = str(problem) or type(problem).__name__
                    raise
                finally:
                    self._place.worked_until = ended = time.time()
                    self._spans.emit(
                        SpanData(self._place.run_id, name, ROOT, began, ended, key, error=error)
                    )

        return done


def _facts(run: RunRecord, events: tuple[KeptEvent, ...], worked_until: float) -> RunFacts:
    """Return what the first span of a run says; the last step says that it is done, and goes on."""
    ended = run.updated_at
    for event in reversed(events):
        if event.type is EventType.STATUS and event.data.get("status") == RunStatus.DONE:
            ended = event.at
            break
    ended = max(ended, datetime.fromtimestamp(worked_until, UTC))
    attributes: dict[str, AttributeValue] = {
        "fixpoint.run.id": run.id,
        "fixpoint.verdict": "none" if run.verdict is None else run.verdict.value.replace(" ", "_"),
        "fixpoint.tokens": run.tokens,
        "fixpoint.delivery.id": run.delivery_id,
        "vcs.repository.name": run.repo.full_name,
    }
    if run.head is not None:
        attributes["vcs.ref.head.revision"] = run.head
    if run.request.number is not None:
        attributes["fixpoint.thread"] = run.request.number
    if run.cost_usd is not None:
        attributes["fixpoint.cost_usd"] = float(run.cost_usd)
    broke = run.verdict is None or run.verdict.value == "infrastructure"
    error = run.reason if broke else ""
    return RunFacts(run.id, run.created_at, ended, attributes, error)
