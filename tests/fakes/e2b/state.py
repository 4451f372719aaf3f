"""What E2B knows: machines, snapshots, and everything it was asked."""

from __future__ import annotations

import asyncio
import itertools
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.fakes.e2b.disk import Disk
from tests.fakes.e2b.faults import Faults
from tests.fakes.e2b.process import Process, launch
from tests.fakes.e2b.wire import ApiError

KILLED = "killed"
TIMED_OUT = "timed out"
BASE = "base"


@dataclass(slots=True, eq=False)
class Sandbox:
    """One machine, alive or ended.

    Attributes:
        id: E2B's.
        token: Opens the machine's own API.
        asked: The body of the request that created it.
        disk: Erased when it ends.
        timeouts: Seconds, each time one was set: at creation, by `set_timeout`, by `connect`.
        processes: All that were started.
        ended: How it ended, or None.
    """

    id: str
    token: str
    asked: Mapping[str, Any]
    disk: Disk
    started: datetime
    timeouts: list[int] = field(default_factory=list)
    processes: list[Process] = field(default_factory=list)
    ended: str | None = None
    alarm: asyncio.TimerHandle | None = None

    @property
    def metadata(self) -> Mapping[str, str]:
        """What its creator wrote on it."""
        metadata: Mapping[str, str] = self.asked.get("metadata", {})
        return metadata

    @property
    def network(self) -> bool:
        """Whether it reaches the network; E2B's default is yes."""
        return bool(self.asked.get("allow_internet_access", True))

    @property
    def running(self) -> list[Process]:
        """The processes that have not ended."""
        return [process for process in self.processes if process.returncode is None]

    @property
    def end_at(self) -> datetime:
        """When the time-out ends it."""
        return self.started + timedelta(seconds=self.timeouts[-1])


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A template that was once a machine."""

    id: str
    name: str
    source: str
    disk: Disk


@dataclass(slots=True)
class State:
    """All of it.

    Attributes:
        root: Host folder for the disks.
        mounts: Host folders that every machine shows read-only, as if its template had them.
        api_key: The only valid one.
        sandboxes: By id, in the order of creation, the ended ones too.
        snapshots: By name.
        requests: Names of the operations, in order.
        faults: What is to go wrong.
    """

    root: Path
    mounts: Sequence[Path] = ()
    api_key: str = "e2b_local"
    sandboxes: dict[str, Sandbox] = field(default_factory=dict)
    snapshots: dict[str, Snapshot] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    faults: Faults = field(default_factory=Faults)
    _created: dict[str, tuple[Mapping[str, Any], str]] = field(default_factory=dict)
    _numbers: itertools.count[int] = field(default_factory=lambda: itertools.count(1))
    _background: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def running(self) -> list[Sandbox]:
        """The machines that live, the oldest first."""
        return [sandbox for sandbox in self.sandboxes.values() if sandbox.ended is None]

    def find(self, sandbox_id: str) -> Sandbox:
        """Return a living machine. Raises `ApiError` 404."""
        sandbox = self.sandboxes.get(sandbox_id)
        if sandbox is None or sandbox.ended is not None:
            raise ApiError(404, f"sandbox {sandbox_id} not found")
        return sandbox

    async def create(self, asked: Mapping[str, Any], key: str | None) -> Sandbox:
        """Create a machine, or return the one that this idempotency key created, ended or not."""
        if key is not None and key in self._created:
            before, sandbox_id = self._created[key]
            if before != asked:
                raise ApiError(422, "the idempotency key was used for another request")
            return self.sandboxes[sandbox_id]
        sandbox = await self._boot(asked, await self._disk_of(str(asked["templateID"])))
        if key is not None:
            self._created[key] = (asked, sandbox.id)
        return sandbox

    async def fork(self, sandbox: Sandbox, timeout: int) -> Sandbox:
        """Create a machine from the present disk of another."""
        disk = await sandbox.disk.copy(self._new_place())
        return await self._boot({**sandbox.asked, "timeout": timeout}, disk)

    async def snapshot(self, sandbox: Sandbox, name: str | None) -> Snapshot:
        """Keep the present disk; a snapshot of that name is replaced."""
        number = next(self._numbers)
        name = name or f"snapshot-{number}"
        disk = await sandbox.disk.copy(self._new_place())
        await self.forget(name)
        self.snapshots[name] = Snapshot(f"team/{name}:default", name, sandbox.id, disk)
        return self.snapshots[name]

    async def forget(self, name: str) -> None:
        """Delete a snapshot, if there is one."""
        if old := self.snapshots.pop(name, None):
            await old.disk.erase()

    def by_id(self, snapshot_id: str) -> Snapshot | None:
        """Return the snapshot that has an id or, in short, a name."""
        for snapshot in self.snapshots.values():
            if snapshot_id in {snapshot.id, snapshot.name}:
                return snapshot
        return None

    def set_timeout(self, sandbox: Sandbox, seconds: int) -> None:
        """Let the machine end so many seconds from now."""
        sandbox.timeouts.append(seconds)
        if sandbox.alarm is not None:
            sandbox.alarm.cancel()
        sandbox.alarm = asyncio.get_running_loop().call_later(seconds, self._expire, sandbox)

    async def start(self, sandbox: Sandbox, config: Mapping[str, Any], user: str) -> Process:
        """Start a process in the machine."""
        home = "/root" if user == "root" else f"/home/{user}"
        given = dict(config.get("envs", {}))
        bwrap = [
            *("bwrap", *sandbox.disk.arguments(self.mounts)),
            *("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--new-session"),
            *("--hostname", "e2b.local"),
            *(() if sandbox.network else ("--unshare-net",)),
            *("--chdir", config.get("cwd") or home, "--cap-add", "ALL"),
        ]
        become = [] if user == "root" else ["setpriv", f"--reuid={user}", f"--regid={user}"]
        process = await launch(
            bwrap,
            [*become, *(["--keep-groups"] if become else []), config["cmd"], *config["args"]],
            {"PATH": "/usr/bin:/bin", "HOME": home, "USER": user, "LOGNAME": user, **given},
            user,
        )
        sandbox.processes.append(process)
        process.follow()
        if sandbox.ended is not None:  # while it started
            await process.destroy()
        return process

    async def end(self, sandbox: Sandbox, how: str = KILLED) -> None:
        """Switch a machine off and erase its disk."""
        if sandbox.ended is not None:
            return
        sandbox.ended = how
        if sandbox.alarm is not None:
            sandbox.alarm.cancel()
        for process in sandbox.processes:
            await process.destroy()
        await sandbox.disk.erase()

    async def close(self) -> None:
        """Switch everything off and leave nothing on the host."""
        for sandbox in self.running:
            await self.end(sandbox)
        for name in list(self.snapshots):
            await self.forget(name)
        await asyncio.gather(*self._background)

    async def _boot(self, asked: Mapping[str, Any], disk: Disk) -> Sandbox:
        number = next(self._numbers)
        token, now = secrets.token_hex(16), datetime.now(UTC)
        sandbox = Sandbox(f"sbx{number}", token, asked, disk, now)
        self.sandboxes[sandbox.id] = sandbox
        self.set_timeout(sandbox, int(asked.get("timeout", 300)))
        return sandbox

    async def _disk_of(self, template: str) -> Disk:
        if template == BASE:
            disk = Disk(self._new_place())
            disk.format()
            return disk
        snapshot = self.by_id(template)
        if snapshot is None:
            raise ApiError(404, f"template '{template}' not found")
        return await snapshot.disk.copy(self._new_place())

    def _new_place(self) -> Path:
        return self.root / f"disk{next(self._numbers)}"

    def _expire(self, sandbox: Sandbox) -> None:
        ending = asyncio.ensure_future(self.end(sandbox, TIMED_OUT))
        self._background.add(ending)
        ending.add_done_callback(self._background.discard)
