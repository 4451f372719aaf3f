"""Open what every run works with: a sandbox, the model, the proposers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from bot.app.providers import build_model, build_rungs
from bot.app.sandboxes import allowed
from bot.ci.failures import REGISTRY
from bot.errors import UsageError
from bot.limited_process import prepare
from bot.model.proposers import PROPOSERS
from bot.redaction import redactor_of
from bot.repair.tools import Tools
from bot.repair.workspace.redaction import Scrub
from bot.settings.environment import LocalSettings
from bot.settings.sandbox_kind import SandboxKind
from sandbox.base import SandboxProvider, SandboxUnavailable

if TYPE_CHECKING:
    from bot.app.instrumentation import Measuring
    from bot.app.sandbox_pool import SandboxPool
    from bot.health.services import Services
    from bot.llm.base import Model
    from bot.repair.goal.failure_reader import FailureJudge
    from bot.repair.proposers.base import BuildProposer, Proposer
    from bot.repair.test_proof import ProofReviewer, SpecificationAuthor
    from bot.repair.workspace.environments import Remover


def _as_it_is(model: Model) -> Model:
    return model


@asynccontextmanager
async def open_tools(
    settings: LocalSettings, *, sandboxes: Path, kinds: Sequence[SandboxKind]
) -> AsyncIterator[Tools]:
    """Open what a run of this process works with, and close its connections in the end.

    Args:
        settings: Keys, models and addresses.
        sandboxes: Folder for what sandboxes keep on this host.
        kinds: Of sandbox, the first of which that works here is taken; `auto` allows all.

    Raises:
        UsageError: When none of them can run here; the text says what is missing.
    """
    async with AsyncExitStack() as stack:
        await prepare("bot.repair.workspace.observe", REGISTRY)  # they read outputs, apart
        scrub, built = await _built(settings, stack, build_model, _as_it_is)
        provider = await choose_sandbox(settings, sandboxes, kinds)
        stack.push_async_callback(provider.close)
        yield _tools(settings, built, provider, provider, sandboxes, scrub)


@asynccontextmanager
async def open_server_tools(
    settings: LocalSettings,
    *,
    sandboxes: Path,
    kinds: Sequence[SandboxKind],
    services: Services,
    most_wait: float,
    watched: Callable[[Model], Model] = _as_it_is,
    measuring: Measuring | None = None,
) -> AsyncIterator[SandboxPool]:
    """Open what the runs of a server work with, one kind of sandbox standing in for another.

    Args:
        settings: Keys, models and addresses.
        sandboxes: Folder for what sandboxes keep on this host.
        kinds: Of sandbox, in the order in which they are preferred; `auto` allows all.
        services: Have the circuits of providers and sandboxes.
        most_wait: Seconds for which a run waits where nothing is left that works.
        watched: Puts something around the model that sees its calls.
        measuring: Where calls of sandboxes are counted; None counts nothing.

    Raises:
        UsageError: When no kind can run here; the text says what is missing.
    """
    from bot.app.sandbox_pool import open_pool  # at a terminal never

    async with AsyncExitStack() as stack:
        scrub, built = await _built(
            settings, stack, partial(build_model, services=services), watched
        )
        pool = await open_pool(
            settings, sandboxes, kinds, services, most_wait=most_wait, measuring=measuring
        )
        stack.push_async_callback(pool.close)
        tools = _tools(settings, built, pool.first, pool, sandboxes, scrub)
        if measuring is not None and tools.environments is not None:
            tools.environments.looked_up = measuring.looked_up("environments")
        pool.equip(tools)
        yield pool


_Built = tuple[
    "Model | None",
    "dict[str, Proposer]",
    "ProofReviewer | None",
    "FailureJudge | None",
    "SpecificationAuthor | None",
]


async def _built(
    settings: LocalSettings,
    stack: AsyncExitStack,
    make: Callable[[LocalSettings], Model | None],
    watched: Callable[[Model], Model],
) -> tuple[Scrub, _Built]:
    scrub = redactor_of(settings, settings.fixpoint_redact).text
    # What is imported for it takes as long as all else at the start: it does so beside that.
    built = await asyncio.to_thread(_build, settings, scrub, make, watched)
    if built[0] is not None:
        stack.push_async_callback(built[0].close)
    return scrub, built


def _tools(
    settings: LocalSettings,
    built: _Built,
    provider: SandboxProvider,
    keeper: Remover,
    folder: Path,
    scrub: Scrub,
) -> Tools:
    from bot.repair.symbols.index import SymbolIndex
    from bot.repair.workspace.environments import Environments
    from bot.repair.workspace.remembered_setups import RememberedSetups

    _, proposers, reviewer, judge, specifier = built
    environments = Environments(folder / "environments", keeper)
    remembered = RememberedSetups(folder / "setups")
    return Tools(
        provider,
        proposers,
        reviewer,
        environments,
        scrub,
        judge,
        remembered,
        symbols=SymbolIndex(folder / "symbols"),
        rungs=build_rungs(settings),
        mcp_servers=settings.fixpoint_mcp,
        specifier=specifier,
    )


def _build(
    settings: LocalSettings,
    scrub: Scrub,
    make: Callable[[LocalSettings], Model | None],
    watched: Callable[[Model], Model],
) -> _Built:
    made = make(settings)
    model = None if made is None else watched(made)
    readers = build_reviewer(model, scrub), build_failure_judge(model, scrub)
    return model, build_proposers(model, scrub), *readers, build_specifier(model, scrub)


async def choose_sandbox(
    settings: LocalSettings, folder: Path, kinds: Sequence[SandboxKind]
) -> SandboxProvider:
    """Return the first of these kinds of sandbox that works here.

    Raises:
        UsageError: With one sentence for each kind that was tried.
    """
    problems = []
    for entry in allowed(settings, kinds):
        provider = entry.build(settings, folder)
        try:
            await provider.check()
        except SandboxUnavailable as error:
            problems.append(f"{entry.kind}: {error}")
            await provider.close()
        else:
            return provider
    raise UsageError("No sandbox can run here. " + " ".join(problems))


def build_proposers(model: Model | None, scrub: Scrub = str) -> dict[str, Proposer]:
    """Return the proposers that this installation has, cheapest first.

    The folder of each has a `build`; it is imported only when it is needed.
    """
    proposers: dict[str, Proposer] = {}
    for name, traits in PROPOSERS.items():
        if model is not None or not traits.needs_model:
            build: BuildProposer = import_module(f"bot.repair.proposers.{name}").build
            proposers[name] = build(model, scrub)
    return proposers


def build_reviewer(model: Model | None, scrub: Scrub = str) -> ProofReviewer | None:
    """Return what says whether a written test shows the problem; None without a model."""
    if model is None:
        return None
    from bot.repair.proposers.agent import ModelReviewer

    return ModelReviewer(model, scrub=scrub)


def build_failure_judge(model: Model | None, scrub: Scrub = str) -> FailureJudge | None:
    """Return what says which failures a problem is about; None without a model."""
    if model is None:
        return None
    from bot.repair.proposers.agent import ModelFailureJudge

    return ModelFailureJudge(model, scrub=scrub)


def build_specifier(model: Model | None, scrub: Scrub = str) -> SpecificationAuthor | None:
    """Return what says in points what a problem asks; None without a model."""
    if model is None:
        return None
    from bot.repair.proposers.agent import ModelSpecifier

    return ModelSpecifier(model, scrub=scrub)
