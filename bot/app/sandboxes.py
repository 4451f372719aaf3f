"""Every kind of sandbox: how it is built from the settings, and what `fixpoint doctor` says of it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bot.errors import UsageError
from bot.settings.environment import LocalSettings
from bot.settings.sandbox_kind import KEYS, SandboxKind
from sandbox.base import SandboxProvider

if TYPE_CHECKING:
    from sandbox.egress import RegistryCredential

DOCKER_IMAGE = "python:3.12-bookworm"
"""Where neither settings nor repo config name one: it has git and a C compiler besides Python."""


def _no_words() -> str:
    return ""


@dataclass(frozen=True, slots=True)
class SandboxEntry:
    """One kind of sandbox.

    Attributes:
        kind: By which people choose it.
        build: From the settings and a folder for what sandboxes keep on this host.
        confinement: What holds it, where that depends on this machine.
    """

    kind: SandboxKind
    build: Callable[[LocalSettings, Path], SandboxProvider]
    confinement: Callable[[], str] = _no_words

    @property
    def key(self) -> str | None:
        """The variable without which it can't be had, if there is one."""
        return KEYS.get(self.kind)

    def has_key(self, settings: LocalSettings) -> bool:
        """Whether its key is set, if it needs one."""
        return self.key is None or getattr(settings, self.key.lower()) is not None


def _e2b(settings: LocalSettings, _: Path) -> SandboxProvider:
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


def _bubblewrap(settings: LocalSettings, folder: Path) -> SandboxProvider:
    from sandbox.bubblewrap import BubblewrapProvider

    return BubblewrapProvider(folder / "bubblewrap", credentials=_registry_credentials(settings))


def _jail() -> str:
    from sandbox.bubblewrap.confinement import confinement

    return confinement()


def _docker(settings: LocalSettings, folder: Path) -> SandboxProvider:
    from sandbox.docker import DockerProvider

    return DockerProvider(
        folder / "docker",
        settings.fixpoint_docker_image or DOCKER_IMAGE,
        credentials=_registry_credentials(settings),
    )


def _registry_credentials(settings: LocalSettings) -> tuple[RegistryCredential, ...]:
    from sandbox.egress import registry_credential

    return tuple(
        registry_credential(registry.get_secret_value())
        for registry in settings.fixpoint_registries
    )


SANDBOXES = (
    SandboxEntry(SandboxKind.E2B, _e2b),
    SandboxEntry(SandboxKind.BUBBLEWRAP, _bubblewrap, _jail),
    SandboxEntry(SandboxKind.DOCKER, _docker),
)
"""In the order that `auto` tries them; one whose key is not set is passed by."""


def shown_programs(environ: Mapping[str, str]) -> str:
    """Return a `PATH` on which all programs are that sandboxes of this machine show.

    A manager such as pyenv keeps more versions than its shims on the host's `PATH` find.
    """
    from sandbox.bubblewrap.toolchains import find_toolchains

    folders = (str(folder) for toolchain in find_toolchains(environ) for folder in toolchain.path)
    return os.pathsep.join((*folders, environ.get("PATH", os.defpath)))


def allowed(settings: LocalSettings, kinds: Sequence[SandboxKind]) -> tuple[SandboxEntry, ...]:
    """Return the kinds to try, in order.

    Raises:
        UsageError: When a kind is named whose key is not set.
    """
    if SandboxKind.AUTO in kinds:
        return tuple(entry for entry in SANDBOXES if entry.has_key(settings))
    by_kind = {entry.kind: entry for entry in SANDBOXES}
    for kind in kinds:
        if not by_kind[kind].has_key(settings):
            raise UsageError(f"The sandbox {kind} needs a key: set {by_kind[kind].key}.")
    return tuple(by_kind[kind] for kind in kinds)
