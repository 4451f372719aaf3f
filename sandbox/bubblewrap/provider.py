"""Open, find again and remove bubblewrap sandboxes."""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from sandbox.base import ResourceLimits, SandboxError, SandboxGone, SandboxSpec, SandboxUnavailable
from sandbox.bubblewrap import jail
from sandbox.bubblewrap.cgroups import GROUPS, control_group, sweep_groups
from sandbox.bubblewrap.etc_files import digest, etc_files, write_etc
from sandbox.bubblewrap.host_system import HostViews, host_views
from sandbox.bubblewrap.layers import Layers
from sandbox.bubblewrap.processes import Jail, Jailed
from sandbox.bubblewrap.root_guards import devices
from sandbox.bubblewrap.sandbox import COPY, BubblewrapSandbox, bwrap
from sandbox.bubblewrap.trees import SharedTrees, chain_of
from sandbox.egress import (
    Operator,
    Registries,
    RegistryCredential,
    operator,
    way_out,
)
from sandbox.store import Store, host_command

_CHECK_SECONDS = 300.0
_EMPTY_SECONDS = 3600.0
"""Age of a cgroup that is removed while no process is in it; whose sandbox goes on makes it again."""

_SWITCHES = {
    "kernel/unprivileged_userns_clone": ("0", "kernel.unprivileged_userns_clone=1"),
    "kernel/apparmor_restrict_unprivileged_userns": (
        "1",
        "kernel.apparmor_restrict_unprivileged_userns=0",
    ),
    "user/max_user_namespaces": ("0", "user.max_user_namespaces=15000"),
}
"""Files below `/proc/sys`, the value that forbids user namespaces, and the remedy."""


class BubblewrapProvider:
    """Opens sandboxes whose files stand below `root`.

    Args:
        root: Data folder, on a file system of this machine.
        environ: The host's environment: where its toolchains and package sources are.
        credentials: Of private registries; no sandbox sees them.
    """

    kind = "bubblewrap"
    takes_templates = False
    snapshots_cost = False
    filters_indexes = True

    def __init__(
        self,
        root: Path,
        environ: Mapping[str, str] | None = None,
        credentials: Sequence[RegistryCredential] = (),
    ) -> None:
        self._store = Store(root)
        self._layers = Layers(self._store)
        self._trees = SharedTrees(self._layers)
        self._environ = dict(os.environ if environ is None else environ)
        self._views: HostViews | None = None
        self._operator = Operator()
        self._opened: weakref.WeakSet[BubblewrapSandbox] = weakref.WeakSet()
        self._registries = Registries(credentials, self._environ)

    async def check(self) -> None:
        """Start an empty jail."""
        programs, links = jail.system_mounts()
        empty = [*jail.isolation(), *jail.system(jail.HostView(programs, links))]
        jailed = Jailed(bwrap(), [*empty, "--", "/bin/sh", "-c", ":"], environment={}, rlimits={})
        try:
            code = await Jail(jailed).run(timeout=_CHECK_SECONDS, on_output=bytes)
        except SandboxError as error:
            raise SandboxUnavailable(remedy(str(error), Path("/proc/sys"))) from error
        if code is None:
            raise SandboxUnavailable("Bubblewrap took too long to start a program here.")

    async def open(self, spec: SandboxSpec) -> BubblewrapSandbox:
        """Attach to the folder of that name, or fill a new one."""
        place = self._store.sandbox(spec.name)
        await self._tidy(spec.name)
        self._store.keep_for(place, spec.lifetime)
        resumed = place.is_dir()
        if not resumed:
            resumed = not await self._create(spec, place)
        else:
            await self._layers.mount(place)
            self._trees.mount(place)
        views = self._views or await self._look_at_host()
        group = control_group(_group_name(place), spec.limits)
        out = way_out(spec.network, self._operator, self._registries) if spec.network else None
        sandbox = BubblewrapSandbox(
            spec,
            self._store,
            self._layers,
            self._trees,
            views.of(spec.network),
            group,
            out,
            resumed=resumed,
        )
        self._opened.add(sandbox)
        return sandbox

    async def tidy(self) -> None:
        """Remove what nobody used for its lifetime, and what dead processes left half-done."""
        await self._tidy()

    async def _tidy(self, opened: str = "") -> None:
        await self._store.sweep()
        await asyncio.to_thread(sweep_groups, time.time() - _EMPTY_SECONDS)
        for name in self._store.expired():
            if name != opened:
                await self._destroy(name)

    async def _create(self, spec: SandboxSpec, place: Path) -> bool:
        if (spec.source is None) == (spec.snapshot is None):
            raise SandboxError(
                f"Sandbox {spec.name} needs either a source or a snapshot, not both."
            )
        if spec.source is not None:
            async with self._store.staging("workspace", "home", "scratch") as staged:
                if not (spec.source_stays and await self._trees.begin(staged, spec.source)):
                    await host_command((*COPY, f"{spec.source}/.", str(staged / "workspace")))
                return self._store.publish(staged, place, lifetime=spec.lifetime)
        snapshot = self._store.snapshot(spec.snapshot or "")
        if not snapshot.is_dir():
            raise SandboxGone(f"There is no snapshot {spec.snapshot}.")
        async with self._store.staging("workspace", "home", "scratch") as staged:
            try:
                await self._fill(staged, snapshot)
            except SandboxError as error:
                if snapshot.is_dir():
                    raise
                raise _removed_meanwhile(spec) from error
            if not snapshot.is_dir():  # then what was copied may be a part of it
                raise _removed_meanwhile(spec)
            return self._store.publish(staged, place, lifetime=spec.lifetime)

    async def _fill(self, staged: Path, snapshot: Path) -> None:
        """Give a staged sandbox what a snapshot has."""
        if not await self._trees.start(staged, snapshot):
            await host_command((*COPY, f"{snapshot}/workspace/.", str(staged / "workspace")))
        if (layer := await self._layers.start(staged, snapshot)) is not None:
            await host_command((*COPY, f"{layer}/.", str(staged / "home")))

    async def _look_at_host(self) -> HostViews:
        """Look at the host once; later sandboxes of this provider see the same."""
        files = await asyncio.to_thread(etc_files, Path("/etc"), self._environ)
        etc = self._store.root / f"etc-{digest(files)}"
        if not etc.is_dir():
            async with self._store.staging() as staged:
                await asyncio.to_thread(write_etc, files, staged)
                staged.chmod(0o755)
                self._store.publish(staged, etc)
        pip_config = (etc / "pip.conf").read_text()
        npm_config = (etc / "npmrc").read_text()
        private = self._registries.private
        self._operator = operator(self._environ, pip_config, npm_config, private)
        nodes = devices(self._store.root / "devices")
        self._views = await asyncio.to_thread(
            host_views,
            etc,
            pip_config,
            self._environ,
            devices=nodes,
            trusted=self._operator.trusted,
        )
        return self._views

    async def remove(self, name: str) -> None:
        """Remove the sandbox or snapshot of that name."""
        await self._destroy(name)
        await self._store.remove(self._store.snapshot(name))
        await self._layers.drop_unused(chain_of)

    async def _destroy(self, name: str) -> None:
        place = self._store.sandbox(name)
        await self._store.remove(place)
        if (group := control_group(_group_name(place), ResourceLimits())) is not None:
            group.remove()

    async def close(self) -> None:
        """End what waits for a next command; the folders stay."""
        for sandbox in list(self._opened):
            await sandbox.rest()


def _removed_meanwhile(spec: SandboxSpec) -> SandboxGone:
    return SandboxGone(f"Snapshot {spec.snapshot} was removed while it was being copied.")


def remedy(said: str, switches: Path) -> str:
    """Return a sentence that says how to let bubblewrap work.

    Args:
        said: What it said when it failed.
        switches: `/proc/sys`.
    """
    forbidding = list(_forbidding(switches))
    if forbidding:
        return f"User namespaces are not allowed here: run `sysctl -w {' '.join(forbidding)}`."
    return f"{said.rstrip('.')}. If this is a container, allow it to create user namespaces."


def _forbidding(switches: Path) -> Iterator[str]:
    for name, (forbidden, allowed) in _SWITCHES.items():
        file = switches / name
        if file.is_file() and file.read_text().strip() == forbidden:
            yield allowed


def _group_name(place: Path) -> str:
    """Name the cgroup of a sandbox, apart from those of other data folders."""
    return f"{GROUPS}{hashlib.sha256(os.fsencode(place)).hexdigest()[:24]}"
