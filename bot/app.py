"""The composition root: only here are a concrete sandbox, provider and proposer named."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from bot.errors import UsageError
from bot.model.proposers import PROPOSERS
from bot.redaction import redactor_of
from bot.repair.run import Tools
from bot.repair.workspace.environments import Environments
from bot.repair.workspace.scrubbing import Scrub
from bot.settings.environment import LocalSettings, SandboxKind
from sandbox.base import SandboxProvider, SandboxUnavailable

if TYPE_CHECKING:
    from bot.llm.base import Model
    from bot.repair.proposers.base import BuildProposer, Proposer
    from bot.repair.test_proof import Judge
    from sandbox.egress import RegistryCredential

DOCKER_IMAGE = "python:3.12-bookworm"
"""Where neither settings nor repo config name one: it has git and a C compiler besides Python."""


@asynccontextmanager
async def open_tools(
    settings: LocalSettings, *, sandboxes: Path, kind: SandboxKind
) -> AsyncIterator[Tools]:
    """Open what every run of this process works with, and close its connections in the end.

    Args:
        settings: Keys, models and addresses.
        sandboxes: Folder for what sandboxes keep on this host.
        kind: Which sandbox; `auto` takes the first that works here.

    Raises:
        UsageError: When that kind of sandbox can't run here; the text says what is missing.
    """
    async with AsyncExitStack() as stack:
        scrub = redactor_of(settings, settings.fixpoint_redact).text
        # What is imported for it takes as long as all else at the start: it does so beside that.
        model, proposers, judge = await asyncio.to_thread(_build, settings, scrub)
        if model is not None:
            stack.push_async_callback(model.close)
        provider = await choose_sandbox(settings, sandboxes, kind)
        stack.push_async_callback(provider.close)
        environments = Environments(sandboxes / "environments", provider)
        yield Tools(provider, proposers, judge, environments, scrub)


def _build(
    settings: LocalSettings, scrub: Scrub
) -> tuple[Model | None, dict[str, Proposer], Judge | None]:
    model = build_model(settings)
    return model, build_proposers(model, scrub), build_judge(model, scrub)


async def choose_sandbox(
    settings: LocalSettings, folder: Path, kind: SandboxKind
) -> SandboxProvider:
    """Return the first sandbox of that kind that works here.

    Raises:
        UsageError: With one sentence for each kind that was tried.
    """
    problems = []
    kinds = sandbox_kinds(settings, folder)
    if kind is SandboxKind.E2B and kind not in kinds:
        raise UsageError("The sandbox e2b needs a key: set E2B_API_KEY.")
    for candidate, build in kinds.items():
        if kind not in {SandboxKind.AUTO, candidate}:
            continue
        provider = build()
        try:
            await provider.check()
        except SandboxUnavailable as error:
            problems.append(f"{candidate}: {error}")
            await provider.close()
        else:
            return provider
    raise UsageError("No sandbox can run here. " + " ".join(problems))


def sandbox_kinds(
    settings: LocalSettings, folder: Path
) -> dict[SandboxKind, Callable[[], SandboxProvider]]:
    """Return how each kind that is configured is built, in the order that `auto` tries them."""

    def e2b() -> SandboxProvider:
        from sandbox.e2b import E2BProvider

        if settings.e2b_api_key is None:
            raise UsageError("E2B_API_KEY is not set.")
        return E2BProvider(
            settings.e2b_api_key,
            api_url=settings.e2b_api_url,
            sandbox_url=settings.e2b_sandbox_url,
            domain=settings.e2b_domain,
            template=settings.e2b_template,
            credentials=_registry_credentials(settings),
        )

    def bubblewrap() -> SandboxProvider:
        from sandbox.bubblewrap import BubblewrapProvider

        return BubblewrapProvider(
            folder / "bubblewrap", credentials=_registry_credentials(settings)
        )

    def docker() -> SandboxProvider:
        from sandbox.docker import DockerProvider

        return DockerProvider(
            folder / "docker",
            settings.fixpoint_docker_image or DOCKER_IMAGE,
            credentials=_registry_credentials(settings),
        )

    kinds: dict[SandboxKind, Callable[[], SandboxProvider]] = {}
    if settings.e2b_api_key is not None:
        kinds[SandboxKind.E2B] = e2b
    kinds[SandboxKind.BUBBLEWRAP] = bubblewrap
    kinds[SandboxKind.DOCKER] = docker
    return kinds


def _registry_credentials(settings: LocalSettings) -> tuple[RegistryCredential, ...]:
    from sandbox.egress import registry_credential

    return tuple(
        registry_credential(one.get_secret_value()) for one in settings.fixpoint_registries
    )


def build_model(settings: LocalSettings) -> Model | None:
    """Return the configured providers as one model with fallback, or None when there is none."""
    if settings.anthropic_api_key is None and settings.openai_model is None:
        return None
    from bot.llm import build
    from bot.llm.base import ModelStrength
    from bot.llm.openai_model import OPENAI_URL

    anthropic = openai = None
    if settings.anthropic_api_key is not None:
        models = {
            ModelStrength.DEFAULT: settings.anthropic_model,
            ModelStrength.STRONGER: settings.anthropic_stronger_model,
        }
        anthropic = build.AnthropicAccess(
            settings.anthropic_api_key, settings.anthropic_base_url, models
        )
    if settings.openai_model is not None and (
        settings.openai_base_url is not None or settings.openai_api_key is not None
    ):
        openai = build.OpenAIAccess(
            settings.openai_model,
            settings.openai_base_url or OPENAI_URL,
            settings.openai_api_key,
            settings.openai_stronger_model,
        )
    return build.build_model(anthropic=anthropic, openai=openai)


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


def build_judge(model: Model | None, scrub: Scrub = str) -> Judge | None:
    """Return what says whether a written test shows the problem; None without a model."""
    if model is None:
        return None
    from bot.repair.proposers.agent import ModelJudge

    return ModelJudge(model, scrub=scrub)
