"""Where a job of a repository on this machine runs: its commit, and what opens sandboxes for it."""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TextIO

from bot.app import choose_sandbox
from bot.commands.ci_report import RunPrinter
from bot.commands.package_date_option import moment_of
from bot.errors import UsageError
from bot.repair.workspace.checkouts import LocalCheckout
from bot.settings.environment import load_local_settings
from bot.settings.sandbox_kind import SandboxKind
from sandbox.base import Network, Sandbox, SandboxProvider, SandboxSpec


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How it is run; see `fixpoint ci run --help`."""

    sandbox: SandboxKind | None = None
    step: str | None = None
    timeout: float = 1800.0
    package_date: str | None = None
    as_json: bool = False


@dataclass(frozen=True, slots=True)
class JobPlace:
    """Where jobs of a repository run: its commit, and what opens sandboxes for it.

    Attributes:
        committed: When the commit was made; None where that is not known.
    """

    provider: SandboxProvider
    spec: SandboxSpec
    out: TextIO
    committed: datetime | None = None

    def printer(self, steps: int) -> RunPrinter:
        """Return what shows a job of so many steps."""
        return RunPrinter(self.out, steps)

    @asynccontextmanager
    async def opened(self, suffix: str) -> AsyncIterator[Sandbox]:
        """Open a sandbox at the commit, beside those of the job itself."""
        spec = replace(self.spec, name=f"{self.spec.name}-{suffix}")
        async with opened(self.provider, spec) as sandbox:
            yield sandbox


@asynccontextmanager
async def place_of(repository: Path, options: RunOptions) -> AsyncIterator[JobPlace]:
    """Give a place for a repository's commit as its work tree is now; nothing of it stays."""
    settings = load_local_settings(os.environ)
    kinds = (options.sandbox,) if options.sandbox else settings.fixpoint_sandbox
    folder = settings.fixpoint_data / "local"
    provider = await choose_sandbox(settings, folder / "sandboxes", kinds)
    name = f"ci-{secrets.token_hex(4)}"
    scratch = folder / name
    try:
        scratch.mkdir(parents=True)
        checkout = LocalCheckout(repository, scratch)
        source = await checkout.provide(await checkout.head())
        network = Network(
            everything=True, package_date=await moment_of(options.package_date, repository)
        )
        spec = SandboxSpec(name, source=source.directory, network=network)
        out = sys.stderr if options.as_json else sys.stdout
        yield JobPlace(provider, spec, out, await _committed(repository))
    finally:
        await provider.close()
        await asyncio.to_thread(shutil.rmtree, scratch, ignore_errors=True)


async def _committed(repository: Path) -> datetime | None:
    try:
        return await moment_of("commit", repository)
    except UsageError:
        return None


@asynccontextmanager
async def opened(provider: SandboxProvider, spec: SandboxSpec) -> AsyncIterator[Sandbox]:
    """Open a sandbox, and destroy it in the end."""
    sandbox = await provider.open(spec)
    try:
        yield sandbox
    finally:
        await sandbox.close()
