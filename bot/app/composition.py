"""Open what every run works with: a sandbox, the model, the proposers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from bot.app.providers import build_model
from bot.app.sandboxes import SANDBOXES
from bot.errors import UsageError
from bot.model.proposers import PROPOSERS
from bot.redaction import redactor_of
from bot.repair.run import Tools
from bot.repair.workspace.environments import Environments
from bot.repair.workspace.remembered_setups import RememberedSetups
from bot.repair.workspace.scrubbing import Scrub
from bot.settings.environment import LocalSettings
from bot.settings.sandbox_kind import SandboxKind
from sandbox.base import SandboxProvider, SandboxUnavailable

if TYPE_CHECKING:
    from bot.llm.base import Model
    from bot.repair.goal.judge import FailureJudge
    from bot.repair.proposers.base import BuildProposer, Proposer
    from bot.repair.test_proof import ProofReviewer


def _as_it_is(model: Model) -> Model:
    return model


@asynccontextmanager
async def open_tools(
    settings: LocalSettings,
    *,
    sandboxes: Path,
    kind: SandboxKind,
    watched: Callable[[Model], Model] = _as_it_is,
) -> AsyncIterator[Tools]:
    """Open what every run of this process works with, and close its connections in the end.

    Args:
        settings: Keys, models and addresses.
        sandboxes: Folder for what sandboxes keep on this host.
        kind: Which sandbox; `auto` takes the first that works here.
        watched: Puts something around the model that sees its calls.

    Raises:
        UsageError: When that kind of sandbox can't run here; the text says what is missing.
    """
    async with AsyncExitStack() as stack:
        scrub = redactor_of(settings, settings.fixpoint_redact).text
        # What is imported for it takes as long as all else at the start: it does so beside that.
        model, proposers, reviewer, judge = await asyncio.to_thread(
            _build, settings, scrub, watched
        )
        if model is not None:
            stack.push_async_callback(model.close)
        provider = await choose_sandbox(settings, sandboxes, kind)
        stack.push_async_callback(provider.close)
        environments = Environments(sandboxes / "environments", provider)
        remembered = RememberedSetups(sandboxes / "setups")
        yield Tools(provider, proposers, reviewer, environments, scrub, judge, remembered)


def _build(
    settings: LocalSettings, scrub: Scrub, watched: Callable[[Model], Model]
) -> tuple[Model | None, dict[str, Proposer], ProofReviewer | None, FailureJudge | None]:
    built = build_model(settings)
    model = None if built is None else watched(built)
    readers = build_reviewer(model, scrub), build_failure_judge(model, scrub)
    return model, build_proposers(model, scrub), *readers


async def choose_sandbox(
    settings: LocalSettings, folder: Path, kind: SandboxKind
) -> SandboxProvider:
    """Return the first sandbox of that kind that works here.

    Raises:
        UsageError: With one sentence for each kind that was tried.
    """
    problems = []
    for entry in SANDBOXES:
        if kind not in {SandboxKind.AUTO, entry.kind}:
            continue
        if not entry.has_key(settings):
            if kind is entry.kind:
                raise UsageError(f"The sandbox {kind} needs a key: set {entry.key}.")
            continue
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
