"""Find, create and end sandboxes at E2B."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import re
import shutil
import tempfile
import uuid
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr

from sandbox.base import SandboxError, SandboxGone, SandboxSpec, SandboxUnavailable
from sandbox.e2b import archive, shell
from sandbox.e2b.errors import is_not_found, retried
from sandbox.e2b.lease import whole_seconds
from sandbox.e2b.machine import VirtualMachine
from sandbox.e2b.sandbox import E2BSandbox
from sandbox.egress.credentials import RegistryCredential
from sandbox.scratch import scratch_folder, sweep_scratch

if TYPE_CHECKING:
    from e2b import ApiParams, AsyncSandbox, SandboxInfo, SandboxNetworkOpts
from typing import TYPE_CHECKING

from sandbox.base import Network

if TYPE_CHECKING:
    from e2b import SandboxNetworkOpts

_ALL = "0.0.0.0/0"
_PRIVATE = ("10.0.0.0/8", "100.64.0.0/10", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16")


def is_limited(credential: RegistryCredential) -> bool:
    """Whether a credential is for a part of a host: E2B's rules know hosts alone.

    `SandboxNetworkRule` of E2B's SDK 2 has neither a path nor a method.
    """
    return credential.path.rstrip("/") != ""


def network_rules(
    network: Network | None,
    more: SandboxNetworkOpts | None,
    credentials: Sequence[RegistryCredential] = (),
) -> SandboxNetworkOpts | None:
    """Return the rules for a sandbox; None where none are needed.

    At E2B what is allowed wins over what is denied, so that a few hosts are those hosts and a
    denial of everything else: https://e2b.dev/docs/sandbox/internet-access.

    Args:
        network: What it may reach.
        more: The operator's own rules, which come in addition.
        credentials: Of private registries: E2B's proxy adds them outside of the sandbox, to every
            request to that host, whatever its path and method. So one for a path is left out; see
            `is_limited`.
    """
    if network is None:
        return None
    credentials = [
        credential
        for credential in credentials
        if credential.serves(network.project) and not is_limited(credential)
    ]
    rules: SandboxNetworkOpts = {**more} if more else {}
    if network.everything and "deny_out" not in rules:
        rules["deny_out"] = list(_PRIVATE)
    if not network.everything:
        private = (credential.host for credential in credentials)
        allowed, hosts = rules.get("allow_out") or [], (*network.hosts, *private)
        if callable(allowed):
            choose = allowed
            rules["allow_out"] = lambda context: [*choose(context), *hosts]
        else:
            rules["allow_out"] = [*dict.fromkeys((*allowed, *hosts))]
        rules["deny_out"] = [_ALL]
    if credentials:
        rules["rules"] = {
            **(rules.get("rules") or {}),
            **{
                credential.host: [
                    {"transform": {"headers": {"Authorization": credential.authorization}}}
                ]
                for credential in credentials
            },
        }
    return rules


_NAME = re.compile(r"[a-z0-9-]{1,60}")
_NAME_LABEL = "fixpoint-name"
"""The metadata key that finds a sandbox by our name."""


class E2BProvider:
    """Sandboxes at E2B or at a server that speaks its API.

    Memory and CPU count are properties of the template; `Limits` holds per process.

    Args:
        api_key: E2B's.
        api_url: The control plane, if it isn't `https://api.<domain>`.
        sandbox_url: The gateway to the machines, if it isn't `https://sandbox.<domain>`.
        domain: E2B's domain, if it isn't `e2b.app`.
        template: Template for specs that name no image; E2B's `base` if None.
        network: More rules for sandboxes with network: hosts, and the headers that E2B's egress
            proxy adds so that secrets needn't enter the sandbox.
        credentials: Of private registries, which become such rules.
        request_timeout: Seconds for one call to E2B.
    """

    kind = "e2b"
    takes_templates = True
    snapshots_cost = True
    filters_indexes = False

    def __init__(
        self,
        api_key: SecretStr,
        *,
        api_url: str | None = None,
        sandbox_url: str | None = None,
        domain: str | None = None,
        template: str | None = None,
        network: SandboxNetworkOpts | None = None,
        credentials: Sequence[RegistryCredential] = (),
        request_timeout: float = 60.0,
    ) -> None:
        self._api_key = api_key
        self._api_url = api_url
        self._sandbox_url = sandbox_url
        self._domain = domain
        self._template = template
        self._network = network
        self._credentials = tuple(credentials)
        self._request_timeout = request_timeout
        self._scratch: Path | None = None
        self._held = contextlib.ExitStack()

    async def check(self) -> None:
        """Ask E2B for one sandbox of ours.

        Raises:
            SandboxUnavailable: There is no good answer, or a private registry has a path, to which
                E2B's rules can't keep its credentials.
        """
        from e2b import AsyncSandbox

        if limited := [credential for credential in self._credentials if is_limited(credential)]:
            raise SandboxUnavailable(
                f"E2B would send the credentials for {limited[0].host}{limited[0].path} to every "
                "path on that host: use credentials without a path that may read all of the host, "
                "or choose another sandbox."
            )

        pages = AsyncSandbox.list(limit=1, **self._connection())
        try:
            await retried("list sandboxes", pages.next_items)
        except SandboxUnavailable:
            raise
        except SandboxError as error:
            raise SandboxUnavailable(str(error)) from error

    async def open(self, spec: SandboxSpec) -> E2BSandbox:
        """Attach to the sandbox of that name, or create it."""
        if not _NAME.fullmatch(spec.name):
            raise SandboxError(
                f"{spec.name!r} is not a valid sandbox name: "
                "use 1 to 60 characters of a-z, 0-9 and '-'."
            )
        scratch = self._new_scratch()
        try:
            return await self._attach(spec, scratch) or await self._create(spec, scratch)
        except BaseException:
            shutil.rmtree(scratch, ignore_errors=True)
            raise

    async def remove(self, name: str) -> None:
        """Destroy the sandbox or snapshot of that name, if there is one."""
        from e2b import AsyncSandbox

        for found in await self._find(name):
            await retried(
                "shut down a sandbox",
                partial(AsyncSandbox.kill, found.sandbox_id, **self._connection()),
            )
        pages = AsyncSandbox.list_snapshots(name=name, **self._connection())
        for snapshot in await retried("list snapshots", pages.next_items):
            delete = partial(
                AsyncSandbox.delete_snapshot, snapshot.snapshot_id, **self._connection()
            )
            await retried("delete a snapshot", delete)

    async def tidy(self) -> None:
        """Remove what dead processes left on this host; E2B itself ends what nobody uses."""
        await asyncio.to_thread(sweep_scratch)

    async def close(self) -> None:
        """Remove the host copies of workspaces; the SDK's connections belong to the process."""
        self._scratch = None
        await asyncio.to_thread(self._held.close)

    def _new_scratch(self) -> Path:
        """Return a fresh private folder of this host."""
        if self._scratch is None:
            self._scratch = self._held.enter_context(scratch_folder("e2b"))
        return Path(tempfile.mkdtemp(dir=self._scratch))

    async def _find(self, name: str) -> list[SandboxInfo]:
        """Return the living sandboxes of that name, the oldest first."""
        from e2b import AsyncSandbox, SandboxQuery

        query = SandboxQuery(metadata={_NAME_LABEL: name})
        pages = AsyncSandbox.list(query=query, order="asc", **self._connection())
        return await retried("list sandboxes", pages.next_items)

    async def _attach(self, spec: SandboxSpec, scratch: Path) -> E2BSandbox | None:
        """Connect to the sandbox that has the name, and end what a dead host left running."""
        from e2b import AsyncSandbox

        lifetime = whole_seconds(spec.lifetime)
        for found in await self._find(spec.name):
            connect = partial(
                AsyncSandbox.connect, found.sandbox_id, timeout=lifetime, **self._connection()
            )
            with contextlib.suppress(SandboxGone):  # it ended since it was listed
                machine = VirtualMachine(await retried("connect to a sandbox", connect), lifetime)
                await machine.commands.sweep()
                doing = "inspect a sandbox"
                name = await machine.commands.script(shell.READY_NAME, doing)
                if name == spec.name:
                    return E2BSandbox(machine, spec, resumed=True, scratch=scratch)
                return await self._prepared(machine, spec, scratch)
        return None

    async def _create(self, spec: SandboxSpec, scratch: Path) -> E2BSandbox:
        """Create the sandbox once, however often its answer gets lost.

        E2B may answer a known key with the sandbox it once created for it, even if that has
        ended since; then a second, fresh key creates the new one.
        """
        key = _idempotency_key(spec, self._template)
        try:
            return await self._create_with(key, spec, scratch)
        except SandboxGone:
            return await self._create_with(f"{key}-{uuid.uuid4().hex}", spec, scratch)

    async def _create_with(self, key: str, spec: SandboxSpec, scratch: Path) -> E2BSandbox:
        from e2b import AsyncSandbox

        lifetime = whole_seconds(spec.lifetime)
        create = partial(
            AsyncSandbox.create,
            spec.snapshot or spec.image or self._template,
            timeout=lifetime,
            metadata={_NAME_LABEL: spec.name},
            allow_internet_access=spec.network is not None,
            network=network_rules(spec.network, self._network, self._credentials),
            lifecycle={"on_timeout": "kill"},
            idempotency_key=key,
            **self._connection(),
        )
        creating = asyncio.ensure_future(retried("create a sandbox", create))
        try:
            machine = VirtualMachine(await asyncio.shield(creating), lifetime)
            return await self._prepared(machine, spec, scratch)
        except BaseException as error:
            await asyncio.shield(_discard(creating))
            if spec.snapshot is not None and is_not_found(error.__cause__):
                raise SandboxGone(f"There is no snapshot {spec.snapshot}.") from error
            raise

    async def _prepared(
        self, machine: VirtualMachine, spec: SandboxSpec, scratch: Path
    ) -> E2BSandbox:
        """Fill the workspace, unless somebody who opens the same name is faster."""
        packed, uploaded = None, ""
        if spec.source is not None:
            packed = scratch / "source.tar.gz"
            uploaded = shell.source_archive(uuid.uuid4().hex)
            await asyncio.to_thread(archive.pack, spec.source, packed)
            with packed.open("rb") as file:
                await machine.upload(uploaded, file)
        variables = {"FIXPOINT_NAME": spec.name, "FIXPOINT_SOURCE": uploaded}
        said = await machine.commands.script(shell.PREPARE, "prepare a sandbox", variables)
        first = said.endswith(shell.PREPARED)
        source = packed if first else None
        return E2BSandbox(machine, spec, resumed=not first, scratch=scratch, source=source)

    def _connection(self) -> ApiParams:
        """Return the options of every call; what is None, the SDK takes from its defaults."""
        return {
            "api_key": self._api_key.get_secret_value(),
            "api_url": self._api_url,
            "sandbox_url": self._sandbox_url,
            "domain": self._domain,
            "debug": False,
            "request_timeout": self._request_timeout,
        }


def _idempotency_key(spec: SandboxSpec, template: str | None) -> str:
    """Return a key for this sandbox and what E2B is asked for it.

    E2B takes at most 255 of a-z, 0-9 and the dash, and one key for one request.
    """
    asked = (spec.snapshot, spec.image, template, spec.network, spec.lifetime)
    return f"fixpoint-{spec.name}-{hashlib.sha256(repr(asked).encode()).hexdigest()[:16]}"


async def _discard(creating: asyncio.Future[AsyncSandbox]) -> None:
    """End the machine that is or was being created; the error that led here is reported."""
    with contextlib.suppress(SandboxError):
        await VirtualMachine(await creating, 1).destroy()
