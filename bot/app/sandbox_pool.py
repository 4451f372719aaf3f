"""The kinds of sandbox that a server may use: one works for new runs, the next ones stand in."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import structlog

from bot.app.guarded_sandboxes import GuardedProvider
from bot.app.instrumentation import Measuring
from bot.app.provider_outage import until_admitted
from bot.app.sandboxes import allowed
from bot.background import again_and_again
from bot.errors import RunOutdated, UsageError
from bot.health.service import ServiceFailure, ServiceKind
from bot.health.services import Services
from bot.repair.tools import Tools
from bot.reporting.reasons import run_life, service_health
from bot.runs.sandbox_choice import ChosenSandbox
from bot.settings.environment import LocalSettings
from bot.settings.sandbox_kind import SandboxKind
from sandbox.base import SandboxError, SandboxUnavailable

_KNOWN_SECONDS = 300.0
"""For so long a sandbox that could be had shows that the next one can: a kind that nobody used for
longer is tried out before a run is given to it, where another kind could take the run."""

_log = structlog.get_logger(__name__)


class SandboxPool:
    """The kinds of sandbox that the settings allow, in the order in which they are preferred."""

    def __init__(
        self,
        providers: Sequence[GuardedProvider],
        services: Services,
        *,
        most_wait: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Choose among `providers`; a run waits `most_wait` seconds for one of them to work."""
        self._providers = {provider.kind: provider for provider in providers}
        self._services = services
        self._most_wait = most_wait
        self._clock = clock
        self._tools: Tools | None = None

    @property
    def first(self) -> GuardedProvider:
        """The preferred kind."""
        return next(iter(self._providers.values()))

    def equip(self, tools: Tools) -> None:
        """Give runs these tools, each with its own kind of sandbox."""
        self._tools = tools

    def tools_for(self, kind: str) -> Tools:
        """Return what a run works with in that kind of sandbox.

        Raises:
            RunOutdated: When the settings no longer allow that kind.
        """
        provider = self._providers.get(kind)
        if provider is None or self._tools is None:
            raise RunOutdated(run_life.SERVER_CHANGED)
        return replace(self._tools, sandboxes=provider)

    async def choose(self, waiting: Callable[[str], None]) -> ChosenSandbox:
        """Return the first kind that works; tell `waiting` why the run waits, if it does.

        Raises:
            SandboxError: When none works for long.
        """
        ends, told = self._clock() + self._most_wait, False
        known = _KNOWN_SECONDS if len(self._providers) > 1 else None
        while True:
            failed: list[str] = []
            for kind, provider in self._providers.items():
                if await provider.ready(known_seconds=known):
                    return ChosenSandbox(kind, tuple(failed))
                failed.append(kind)
            reason = self._reason()
            if (left := ends - self._clock()) <= 0:
                raise SandboxError(service_health.no_sandbox(reason))
            if not told:
                waiting(service_health.waits_for_sandbox(reason))
                told = True
            await until_admitted(self._services, ServiceKind.SANDBOX, left)

    async def stand_in(self, lost: Sequence[str]) -> ChosenSandbox | None:
        """Return the first kind that works and is none of those which a run tried, oldest first.

        None when the last of these works after all, so that the run itself is at fault, or when no
        other works.
        """
        if self._providers[lost[-1]].circuit.works:
            return None
        for kind, provider in self._providers.items():
            if kind not in lost and await provider.ready(known_seconds=_KNOWN_SECONDS):
                return ChosenSandbox(kind, tuple(lost))
        return None

    def _reason(self) -> str:
        failures = [view.failure for view in self._services.views(ServiceKind.SANDBOX)]
        return " ".join(
            dict.fromkeys(failure.reason for failure in failures if failure is not None)
        )

    async def keep_probing(self, pause: float) -> None:
        """Find out, for ever, whether kinds that fail work again, so that nobody has to wait."""

        async def look() -> None:
            for provider in self._providers.values():
                await provider.ready()

        await again_and_again(look, pause=pause, failed="sandboxes not probed")

    async def remove(self, name: str) -> None:
        """Destroy the sandbox or snapshot of that name, wherever there is one.

        At a kind that fails it is left, and goes by its lifetime.

        Raises:
            SandboxError: When it is still there.
        """
        for provider in self._providers.values():
            if provider.circuit.works:
                await provider.remove(name)

    async def tidy(self) -> None:
        """Remove the sandboxes whose lifetime is over."""
        for provider in self._providers.values():
            await provider.tidy()

    async def close(self) -> None:
        """Release connections; sandboxes stay."""
        for provider in self._providers.values():
            await provider.close()


async def open_pool(
    settings: LocalSettings,
    folder: Path,
    kinds: Sequence[SandboxKind],
    services: Services,
    *,
    most_wait: float,
    measuring: Measuring | None = None,
) -> SandboxPool:
    """Return the kinds that the settings allow; those that can't run at the moment stand by.

    With `auto`, kinds that can't run here are left out, unless a key was set for them.

    Raises:
        UsageError: When none works, with one sentence for each kind that was tried.
    """
    pool, problems = [], []
    for entry in allowed(settings, kinds):
        provider = entry.build(settings, folder)
        try:
            await provider.check()
        except SandboxUnavailable as error:
            problems.append(f"{entry.kind}: {error}")
            if entry.kind not in kinds and entry.key is None:
                await provider.close()
                continue
        circuit = services.circuit(ServiceKind.SANDBOX, entry.kind)
        if measuring is not None:
            provider = measuring.sandboxes(provider)
        pool.append(GuardedProvider(provider, circuit))
        if problems and problems[-1].startswith(f"{entry.kind}:"):
            circuit.failed(ServiceFailure(problems[-1], certain=True))
    if not any(guarded_provider.circuit.works for guarded_provider in pool):
        for guarded_provider in pool:
            await guarded_provider.close()
        raise UsageError("No sandbox can run here. " + " ".join(problems))
    return SandboxPool(pool, services, most_wait=most_wait)
