"""A kind of sandbox whose failures are counted, and told apart from those of what runs in it."""

from __future__ import annotations

import asyncio
import contextlib
import time
import uuid
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import TypeVar

import structlog

from bot.health.circuit import CallPermit, Circuit
from bot.health.service import ServiceFailure
from sandbox.base import (
    Sandbox,
    SandboxError,
    SandboxGone,
    SandboxProvider,
    SandboxSpec,
)
from sandbox.proxy import SandboxProxy
from sandbox.scratch import scratch_folder

_PROBE_SECONDS = 120.0
"""For a whole probe: a machine of a service may take so long to start."""

T = TypeVar("T")

_log = structlog.get_logger(__name__)


class GuardedProvider:
    """A `SandboxProvider` whose circuit knows how its sandboxes fare.

    Where opening or running fails, a probe tells whether that is the kind's fault: one certain
    failure opens the circuit. What a probe survives counts only as one failure among others.
    """

    def __init__(self, provider: SandboxProvider, circuit: Circuit) -> None:
        self._provider = provider
        self.circuit = circuit
        self.kind = provider.kind
        self.takes_templates = provider.takes_templates
        self.snapshots_cost = provider.snapshots_cost
        self.filters_indexes = provider.filters_indexes
        self._confirming = asyncio.Lock()

    async def check(self) -> None:
        """Raise `SandboxUnavailable` when this kind can't run here."""
        await self._provider.check()

    async def open(self, spec: SandboxSpec) -> Sandbox:
        """Attach to the sandbox of that name, or create it; note how that went."""
        started = time.perf_counter()
        try:
            sandbox = await self._provider.open(spec)
        except SandboxError as error:
            if not (isinstance(error, SandboxGone) and spec.snapshot):  # then that is gone
                await self._blame(error, time.perf_counter() - started, sure=spec.image is None)
            raise
        self.circuit.succeeded(time.perf_counter() - started)
        return GuardedSandbox(sandbox, self)

    async def remove(self, name: str) -> None:
        """Destroy the sandbox or snapshot of that name, if there is one."""
        async with self.blamed():
            await self._provider.remove(name)

    async def tidy(self) -> None:
        """Remove the sandboxes whose lifetime is over."""
        await self._provider.tidy()

    async def close(self) -> None:
        """Release connections; sandboxes stay."""
        await self._provider.close()

    async def ready(self, *, known_seconds: float | None = None) -> bool:
        """Return whether sandboxes can be had; where it is time to, find out.

        Args:
            known_seconds: For so long the last sandbox shows that the next one can be had; None
                takes a circuit that is closed at its word.
        """
        async with self._confirming:
            circuit = self.circuit
            stale = known_seconds is not None and not circuit.known_good(known_seconds)
            if not circuit.works or stale:
                admission = circuit.admit()
                if admission is not None:
                    await self._probe(admission)
        return self.circuit.works

    async def _probe(self, admission: CallPermit) -> None:
        started = time.perf_counter()
        try:
            await try_out(self._provider)
        except SandboxError as error:
            seconds = time.perf_counter() - started
            failure = ServiceFailure(str(error), certain=True)
            self.circuit.failed(failure, seconds, admission=admission)
        except BaseException:
            self.circuit.released(admission)
            raise
        else:
            self.circuit.succeeded(time.perf_counter() - started, admission=admission)

    async def _blame(self, error: SandboxError, seconds: float, *, sure: bool) -> None:
        """Find out whether an error is the kind's fault.

        Args:
            error: What happened.
            seconds: That it took.
            sure: Whether it counts although a probe goes well.
        """
        async with self._confirming:
            if not self.circuit.works:
                return  # another run's failure has shown it
            await self._probe(CallPermit(is_probe=False))
        if sure and self.circuit.works:
            self.circuit.failed(ServiceFailure(str(error)), seconds)

    @asynccontextmanager
    async def blamed(self) -> AsyncIterator[None]:
        """Note what goes wrong with a sandbox in the block."""
        started = time.perf_counter()
        try:
            yield
        except SandboxError as error:
            _log.warning("sandbox failed", kind=self.kind, problem=str(error))
            lost = isinstance(error, SandboxGone)
            await self._blame(error, time.perf_counter() - started, sure=lost)
            raise


class GuardedSandbox(SandboxProxy):
    """A `Sandbox` that tells its kind when it fails or is lost."""

    def __init__(self, sandbox: Sandbox, provider: GuardedProvider) -> None:
        super().__init__(sandbox)
        self._provider = provider

    async def around(self, _operation: str, call: Awaitable[T], _command: str = "", /) -> T:
        """Return what the call returns; tell the kind what goes wrong with it."""
        async with self._provider.blamed():
            return await call


async def try_out(provider: SandboxProvider) -> None:
    """Open a small sandbox and run a command in it.

    Raises:
        SandboxError: When that fails, or takes too long.
    """
    name = f"probe-{uuid.uuid4().hex[:12]}"
    try:
        async with asyncio.timeout(_PROBE_SECONDS):
            await provider.check()
            with scratch_folder("probe") as empty:
                spec = SandboxSpec(name, source=empty, lifetime=2 * _PROBE_SECONDS)
                await _run_one(provider, spec)
    except TimeoutError as error:
        raise SandboxError(
            f"A sandbox of {provider.kind} was not ready within {_PROBE_SECONDS:.0f} s."
        ) from error


async def _run_one(provider: SandboxProvider, spec: SandboxSpec) -> None:
    sandbox = await provider.open(spec)
    try:
        result = await sandbox.run("true", timeout=_PROBE_SECONDS)
        if not result.ok:
            raise SandboxError(
                f"`true` failed in a sandbox of {provider.kind} (exit code {result.exit_code})."
            )
    finally:
        with contextlib.suppress(SandboxError):
            await sandbox.close()
