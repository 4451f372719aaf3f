"""The kinds of sandbox that the contract suite runs against."""

from __future__ import annotations

import os
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from sandbox.base import Sandbox, SandboxProvider, SandboxSpec
from sandbox.bubblewrap import BubblewrapProvider
from sandbox.docker import DockerProvider
from sandbox.egress import RegistryCredential
from tests.contract.docker_engine import NoEngine, PrivateEngine, private_engine
from tests.contract.shared import folder_of_run, shared

SECRET = "not-for-the-sandbox"


@dataclass
class Kind:
    """One kind of sandbox under test, with a small source tree."""

    name: str
    provider: SandboxProvider
    another: Callable[[], SandboxProvider]
    """Builds a provider that a restarted process would have."""

    source: Path
    opened: list[Sandbox] = field(default_factory=list)
    snapshots: list[str] = field(default_factory=list)

    def spec(self, **changes: Any) -> SandboxSpec:
        """A spec with a fresh name and the source, unless `changes` say otherwise."""
        plain = SandboxSpec(name=f"test-{uuid.uuid4().hex[:12]}", source=self.source)
        return replace(plain, **changes)

    async def open(self, **changes: Any) -> Sandbox:
        """Open a sandbox that is closed after the test."""
        sandbox = await self.provider.open(self.spec(**changes))
        self.opened.append(sandbox)
        return sandbox

    def needs_a_plain_user(self) -> None:
        """Skip the test where commands run as the only user there is."""
        if self.name == "e2b" and os.geteuid() != 0:
            pytest.skip("Without root, a machine of E2B's stand-in has no user but root.")

    async def snapshot(self, sandbox: Sandbox) -> str:
        """Take a snapshot that is removed after the test."""
        snapshot = await sandbox.snapshot(f"snapshot-{uuid.uuid4().hex[:12]}")
        self.snapshots.append(snapshot)
        return snapshot


@pytest.fixture(scope="session")
def docker_engine(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[PrivateEngine]:
    """One engine for all tests of a run."""
    folder = folder_of_run(request, tmp_path_factory)
    try:
        with shared(folder, "docker", private_engine) as engine:
            yield engine
    except NoEngine as reason:
        pytest.skip(str(reason))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A small work tree with a script, a link and a nested file."""
    tree = tmp_path / "source"
    (tree / "src").mkdir(parents=True)
    (tree / "src" / "app.py").write_text("print('hello')\n")
    (tree / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (tree / "run.sh").chmod(0o755)
    (tree / "link").symlink_to("src/app.py")
    return tree


@pytest.fixture
def operator_environ() -> dict[str, str]:
    """The operator's variables for package clients and proxies; a test may have others."""
    return {}


@pytest.fixture
def credentials() -> tuple[RegistryCredential, ...]:
    """The operator's credentials for private registries; a test may have some."""
    return ()


@pytest.fixture(
    params=[
        "bubblewrap",
        pytest.param("docker", marks=[pytest.mark.docker, pytest.mark.exhaustive]),
        "e2b",
    ]
)
async def kind(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    source: Path,
    operator_environ: dict[str, str],
    credentials: tuple[RegistryCredential, ...],
) -> AsyncIterator[Kind]:
    """Each kind of sandbox in turn; what a test opened is gone after it."""
    async with AsyncExitStack() as stack:
        build = await _builder(request, tmp_path, stack, operator_environ, credentials)
        kind = Kind(request.param, build(), build, source)
        yield kind
        for sandbox in kind.opened:
            await sandbox.close()
        for snapshot in kind.snapshots:
            await kind.provider.remove(snapshot)
        await kind.provider.close()


async def _builder(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    stack: AsyncExitStack,
    operator_environ: dict[str, str],
    credentials: tuple[RegistryCredential, ...],
) -> Callable[[], SandboxProvider]:
    root = tmp_path / "sandboxes"
    environ = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "HOST_SECRET": SECRET}
    environ |= operator_environ
    if request.param == "bubblewrap":
        return lambda: BubblewrapProvider(root, environ, credentials)
    if request.param == "docker":
        engine: PrivateEngine = request.getfixturevalue("docker_engine")
        return lambda: DockerProvider(root, engine.image, engine.socket, environ, credentials)
    fixture = pytest.importorskip(
        "tests.contract.e2b_fixture", reason="The E2B stand-in is not installed here."
    )
    provider: SandboxProvider = await stack.enter_async_context(fixture.e2b_provider(tmp_path))
    return lambda: provider
