"""Sandboxes whose every call is counted, timed and traced."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Mapping
from typing import TypeVar

from bot.telemetry.metrics import Metrics
from bot.telemetry.place import here
from bot.telemetry.span import ERROR_TYPE, NO_SPANS, AttributeValue, SpanData, Spans
from sandbox.base import (
    WORKSPACE,
    CommandResult,
    OutputListener,
    Sandbox,
    SandboxError,
    SandboxProvider,
    SandboxSpec,
)

T = TypeVar("T")

_SANDBOX = "fixpoint.sandbox"
_KIND = "fixpoint.sandbox.kind"


class _Watch:
    """Counts calls of one kind of sandbox, and tells of them where the run is traced."""

    def __init__(self, kind: str, metrics: Metrics, spans: Spans) -> None:
        self._kind = kind
        self._metrics = metrics
        self._spans = spans

    async def __call__(
        self, operation: str, sandbox: str, call: Awaitable[T], command: str = ""
    ) -> T:
        """Return what the call returns."""
        place = here()  # before it: others may move on meanwhile
        key = place.key if place is not None and place.sampled else ""
        began, started = time.time(), time.perf_counter()
        outcome, error, result = "cancelled", "", None
        try:
            result = await call
        except SandboxError as problem:
            outcome, error = type(problem).__name__, str(problem)
            raise
        else:
            outcome = _outcome(result)
            return result
        finally:
            seconds = time.perf_counter() - started
            self._metrics.calls.used_sandbox(self._kind, operation, outcome, seconds)
            if place is not None and key:
                attributes = {_KIND: self._kind, _SANDBOX: sandbox, **_ending(result, error)}
                if command and self._spans.with_content:
                    attributes["process.command_line"] = command
                name, ended = f"sandbox {operation}", began + seconds
                if outcome == "cancelled":
                    error = "It was cancelled."
                self._spans.emit(
                    SpanData(
                        place.run_id, name, key, began, ended, attributes=attributes, error=error
                    )
                )


def _outcome(result: object) -> str:
    if not isinstance(result, CommandResult) or result.ok:
        return "ok"
    return "timed_out" if result.timed_out else "failed"


def _ending(result: object, error: str) -> dict[str, AttributeValue]:
    if isinstance(result, CommandResult):
        return {"process.exit.code": result.exit_code, "fixpoint.timed_out": result.timed_out}
    return {ERROR_TYPE: "SandboxError"} if error else {}


class MeasuredSandboxes:
    """A provider whose calls are counted; see `SandboxProvider`."""

    def __init__(
        self, provider: SandboxProvider, metrics: Metrics, spans: Spans = NO_SPANS
    ) -> None:
        self.kind = provider.kind
        self.takes_templates = provider.takes_templates
        self.snapshots_cost = provider.snapshots_cost
        self.filters_indexes = provider.filters_indexes
        self._provider = provider
        self._watch = _Watch(provider.kind, metrics, spans)

    async def check(self) -> None:
        """Raise what keeps this kind from running here."""
        await self._provider.check()

    async def open(self, spec: SandboxSpec) -> Sandbox:
        """Attach to the sandbox of that name, or create it."""
        sandbox = await self._watch("open", spec.name, self._provider.open(spec))
        return _MeasuredSandbox(sandbox, self._watch)

    async def remove(self, name: str) -> None:
        """Destroy the sandbox or snapshot of that name."""
        await self._provider.remove(name)

    async def tidy(self) -> None:
        """Remove what nobody uses any more."""
        await self._provider.tidy()

    async def close(self) -> None:
        """Release connections."""
        await self._provider.close()


class _MeasuredSandbox:
    """A sandbox whose commands and snapshots are counted: files are read and written in no time."""

    def __init__(self, sandbox: Sandbox, watch: _Watch) -> None:
        self.name = sandbox.name
        self.resumed = sandbox.resumed
        self._sandbox = sandbox
        self._watch = watch
        self.read_file = sandbox.read_file
        self.write_file = sandbox.write_file
        self.tree = sandbox.tree
        self.close = sandbox.close

    async def run(
        self,
        command: str,
        *,
        timeout: float,
        cwd: str = WORKSPACE,
        environment: Mapping[str, str] | None = None,
        on_output: OutputListener | None = None,
    ) -> CommandResult:
        """Run a command to its end."""
        running = self._sandbox.run(
            command, timeout=timeout, cwd=cwd, environment=environment, on_output=on_output
        )
        return await self._watch("run", self.name, running, command)

    async def snapshot(self, name: str) -> str:
        """Keep workspace and home under that name."""
        return await self._watch("snapshot", self.name, self._sandbox.snapshot(name))
