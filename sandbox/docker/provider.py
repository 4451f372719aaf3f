"""Open, find again and remove sandboxes in Docker containers."""

from __future__ import annotations

import asyncio
import os
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

from sandbox.base import HOME, WORKSPACE, SandboxError, SandboxGone, SandboxSpec, SandboxUnavailable
from sandbox.docker.archive import pack_tree
from sandbox.docker.container import USER_ID, container, container_name, owner_change, variables
from sandbox.docker.engine import Engine, EngineError
from sandbox.docker.sandbox import DockerSandbox, destroy, wait_for_relay
from sandbox.egress import Registries, RegistryCredential, WayOut, operator, way_out
from sandbox.egress.inside import proxy_environment
from sandbox.store import Store

SOCKET = Path("/var/run/docker.sock")
_NOT_FOUND = 404
_CONFLICT = 409


class DockerProvider:
    """Opens sandboxes in containers.

    A container is filled under a passing name and then renamed, so one that has its name is
    complete. Snapshots are archives on this machine.

    Args:
        root: Data folder for snapshots and work trees.
        image: Used by sandboxes that name none; needs `bash` and GNU coreutils.
        socket: Of the engine.
        environ: The host's environment: the operator's proxies and registries.
    """

    kind = "docker"
    takes_templates = False
    snapshots_cost = False
    filters_indexes = True

    def __init__(
        self,
        root: Path,
        image: str,
        socket: Path = SOCKET,
        environ: Mapping[str, str] | None = None,
        credentials: Sequence[RegistryCredential] = (),
    ) -> None:
        self._store = Store(root)
        self._image = image
        self._engine = Engine(socket)
        environ = os.environ if environ is None else environ
        self._registries = Registries(credentials, environ)
        self._operator = operator(environ, private=self._registries.private)

    async def check(self) -> None:
        """Ask the engine for the image."""
        try:
            await self._engine.ask("GET", f"/images/{self._image}/json")
        except EngineError as error:
            raise SandboxUnavailable(
                f"The Docker Engine has no image {self._image}: run `docker pull {self._image}`."
            ) from error

    async def open(self, spec: SandboxSpec) -> DockerSandbox:
        """Attach to the container of that name, or fill a new one."""
        place = self._store.sandbox(spec.name)
        await self._tidy(spec.name)
        image = spec.image or self._image
        environment = variables(await self._inspect_image(image))
        out = self._way_out(spec)
        if out is not None:
            environment |= proxy_environment(self._operator.trusted) | out[1].environment
            self._gates(spec.name).mkdir(parents=True, exist_ok=True)
        identity = await self._attach(spec.name, network=spec.network is not None)
        resumed = identity is not None
        if identity is None:
            identity = await self._create(spec, image)
        if not place.is_dir():
            async with self._store.staging() as staged:
                self._store.publish(staged, place, lifetime=spec.lifetime)
        self._store.keep_for(place, spec.lifetime)
        return DockerSandbox(
            spec,
            self._engine,
            self._store,
            identity,
            environment,
            out,
            resumed=resumed,
        )

    def _way_out(self, spec: SandboxSpec) -> tuple[Path, WayOut] | None:
        if spec.network is None:
            return None
        return self._gates(spec.name), way_out(spec.network, self._operator, self._registries)

    def _gates(self, name: str) -> Path:
        """Return the folder for the sockets of a sandbox's gates; the one above it is private."""
        return self._store.private("gates") / name

    async def tidy(self) -> None:
        """Remove what nobody used for its lifetime, and what dead processes left half-done."""
        await self._tidy()

    async def _tidy(self, opened: str = "") -> None:
        await self._store.sweep()
        for name in self._store.expired():
            if name != opened:
                await self._destroy(name)

    async def _destroy(self, name: str) -> None:
        await destroy(self._engine, container_name(name))
        await self._store.remove(self._store.sandbox(name))
        await self._store.remove(self._gates(name))

    async def _inspect_image(self, image: str) -> dict[str, object]:
        try:
            answer: dict[str, object] = await self._engine.ask("GET", f"/images/{image}/json")
        except EngineError as error:
            raise SandboxError(
                f"The Docker Engine has no image {image}: run `docker pull {image}`."
            ) from error
        return answer

    async def _attach(self, name: str, *, network: bool) -> str | None:
        """Return the id of the running container of that sandbox, if there is one."""
        try:
            found = await self._engine.ask("GET", f"/containers/{container_name(name)}/json")
        except EngineError as error:
            if error.status == _NOT_FOUND:
                return None
            raise
        if not found["State"]["Running"]:  # the host was restarted; the volumes are still there
            await self._engine.ask("POST", f"/containers/{found['Id']}/start")
            if network:
                await wait_for_relay(self._engine, found["Id"])
        return str(found["Id"])

    async def _create(self, spec: SandboxSpec, image: str) -> str:
        passing = {"name": f"{container_name(spec.name)}-{uuid.uuid4().hex[:12]}"}
        body = container(spec, image, self._gates(spec.name))
        created = await self._engine.ask("POST", "/containers/create", params=passing, body=body)
        identity = str(created["Id"])
        try:
            await self._fill(spec, identity)
            await self._give_away(image, identity)
            await self._start(spec, image, identity)
            await self._engine.ask(
                "POST",
                f"/containers/{identity}/rename",
                params={"name": container_name(spec.name)},
            )
        except BaseException as error:  # cancelled included: no half-filled container stays
            await asyncio.shield(destroy(self._engine, identity))
            if isinstance(error, EngineError) and error.status == _CONFLICT:
                other = await self._attach(spec.name, network=spec.network is not None)
                if other is not None:
                    return other
            raise
        return identity

    async def _start(self, spec: SandboxSpec, image: str, identity: str) -> None:
        try:
            await self._engine.ask("POST", f"/containers/{identity}/start")
            if spec.network is not None:
                await wait_for_relay(self._engine, identity)
        except EngineError as error:
            if spec.network is None or "python3" not in str(error):
                raise
            raise SandboxError(
                f"Image {image} has no `python3`, which the network of a Docker sandbox needs: "
                "use an image that has it."
            ) from error

    async def _give_away(self, image: str, identity: str) -> None:
        body = owner_change(image, identity)
        helper = (await self._engine.ask("POST", "/containers/create", body=body))["Id"]
        try:
            await self._engine.ask("POST", f"/containers/{helper}/start")
            ended = await self._engine.ask("POST", f"/containers/{helper}/wait")
        finally:
            await asyncio.shield(destroy(self._engine, helper))
        if ended["StatusCode"]:
            raise SandboxError(f"Image {image} can't be used: `chown` fails in it.")

    async def _fill(self, spec: SandboxSpec, identity: str) -> None:
        if (spec.source is None) == (spec.snapshot is None):
            raise SandboxError(
                f"Sandbox {spec.name} needs either a source or a snapshot, not both."
            )
        async with self._store.staging("empty") as staged:
            archives = await asyncio.to_thread(self._archives, spec, staged)
            for place, archive in archives.items():
                await self._engine.put_archive(identity, place, archive)

    def _archives(self, spec: SandboxSpec, staged: Path) -> Mapping[str, Path]:
        """Return the archives that workspace and home start from."""
        if spec.source is None:
            snapshot = self._store.snapshot(spec.snapshot or "")
            if not snapshot.is_dir():
                raise SandboxGone(f"There is no snapshot {spec.snapshot}.")
            return {WORKSPACE: snapshot / "workspace.tar", HOME: snapshot / "home.tar"}
        archives = {WORKSPACE: staged / "workspace.tar", HOME: staged / "home.tar"}
        for tree, archive in zip((spec.source, staged / "empty"), archives.values(), strict=True):
            with archive.open("wb") as file:
                pack_tree(tree, file, USER_ID)
        return archives

    async def remove(self, name: str) -> None:
        """Remove the container, or the snapshot, of that name."""
        await self._destroy(name)
        await self._store.remove(self._store.snapshot(name))

    async def close(self) -> None:
        """Close the connections to the engine."""
        await self._engine.close()
