"""What every sandbox offers: run commands in an isolated copy of a work tree."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

WORKSPACE = "/workspace"
"""Where the work tree stands in every sandbox."""

HOME = "/home/fixpoint"
"""The home of the sandboxed user: caches and the prepared environment live below it."""

SCRATCH = "/tmp"  # noqa: S108 - a path inside the sandbox, private to it
"""Files that are neither work tree nor environment; never part of a snapshot's promise."""

OutputListener = Callable[[bytes], None]
"""Called with each piece of raw output (stdout and stderr as they come)."""


class SandboxError(Exception):
    """The sandbox itself failed, not the command in it; the text says what to do."""


class SandboxGone(SandboxError):
    """The sandbox ended before its time (killed, timed out, host restarted)."""


class SandboxFault(SandboxError):
    """A passing fault, such as a cut connection: the same call may succeed when it is repeated."""


class SandboxUnavailable(SandboxError):
    """This kind of sandbox can't run here; the text says what is missing."""


@dataclass(frozen=True, slots=True)
class ResourceLimits:
    """What a sandbox may use. Sizes are bytes, times seconds."""

    memory: int = 4 * 2**30
    processes: int = 1024
    file_size: int = 2 * 2**30
    cpu_seconds: int = 3600
    disk: int = 20 * 2**30
    """How much its files may take up. A command ends sooner when the machine has no room left."""
    files: int = 2_000_000
    """How many files (inodes) it may hold."""
    output: int = 1 * 2**20
    """How much of one command's output is kept: half from its head, half from its tail."""


@dataclass(frozen=True, slots=True)
class Network:
    """What commands may reach, by name; never this machine or its networks.

    Attributes:
        hosts: Such as `pypi.org`, or `*.example.org` for every host below that one.
        everything: Every host of the internet.
        project: Whose source it is, as `owner/name`, or "": settles which private registries
            serve it.
        package_date: Indexes of Python and npm packages show what was uploaded before this
            moment alone; None shows all.
    """

    hosts: tuple[str, ...] = ()
    everything: bool = False
    project: str = ""
    package_date: datetime | None = None


@dataclass(frozen=True, slots=True)
class SandboxSpec:
    """Everything needed to open a sandbox.

    Attributes:
        name: Unique and stable, `[a-z0-9-]{1,60}`. Opening the same name again attaches to the
            sandbox that already has it, so that a restarted run finds its work.
        source: Host directory whose content becomes `WORKSPACE` (a copy), or None.
        snapshot: Id that `Sandbox.snapshot` returned; workspace and home start from it. Exactly
            one of `source` and `snapshot` is given.
        source_stays: Nothing writes the source any more, and it is there as long as it is used: a
            provider may share it between sandboxes, and says by its time stamp that it does.
        network: What commands may reach; nothing at all unless asked for.
        image: Docker image or E2B template; ignored by bubblewrap.
        environment: Extra variables for every command.
        limits: What it may use.
        lifetime: Seconds after which an idle sandbox may be removed by its provider.
    """

    name: str
    source: Path | None = None
    snapshot: str | None = None
    source_stays: bool = False
    network: Network | None = None
    image: str | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    limits: ResourceLimits = field(default_factory=ResourceLimits)
    lifetime: float = 3600.0


@dataclass(frozen=True, slots=True)
class CommandResult:
    """How one command ended.

    Attributes:
        exit_code: The shell's exit status; 128 + N when signal N ended it; 124 on `timed_out`.
        output: stdout and stderr as they came, UTF-8 with replacements. When more than
            `ResourceLimits.output` came, head and tail with one line between that says what is missing.
        omitted: Bytes of output that were dropped from the middle.
        seconds: Wall time.
        timed_out: The command was ended because its time was up.
        refused: Hosts that it asked for and may not reach, as far as the sandbox can tell.
        unreached: Hosts that it may reach and that did not answer, likewise.
        withheld: Hosts whose answers may show their reader's credential, and were not passed on.
        undated: Package indexes that do not say when packages were uploaded, so that nothing was
            left out although `Network.package_date` asked for it.
    """

    exit_code: int
    output: str
    omitted: int
    seconds: float
    timed_out: bool = False
    refused: tuple[str, ...] = ()
    unreached: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    undated: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the command exited with status zero."""
        return self.exit_code == 0


class Sandbox(Protocol):
    """One isolated work tree with a shell.

    Every method raises `SandboxGone` when the sandbox no longer exists, `SandboxError` when it
    misbehaves.
    """

    name: str
    resumed: bool
    """True when `open` found it alive, with the state that earlier commands left."""

    async def run(
        self,
        command: str,
        *,
        timeout: float,
        cwd: str = WORKSPACE,
        environment: Mapping[str, str] | None = None,
        on_output: OutputListener | None = None,
    ) -> CommandResult:
        """Run a `bash -c` command to its end; stdin is empty.

        The command and everything it started is gone when this returns, when its time is up and
        when the awaiting task is cancelled.
        """
        ...

    async def read_file(self, path: str) -> bytes:
        """Return a file's bytes. Raises `FileNotFoundError`, `IsADirectoryError`."""
        ...

    async def write_file(self, path: str, data: bytes) -> None:
        """Create or replace a file and its parent folders; an existing file keeps its mode."""
        ...

    async def tree(self) -> Path:
        """Host directory with the workspace as it is now: read only, valid until the next call."""
        ...

    async def snapshot(self, name: str) -> str:
        """Keep workspace and home under `name` and return the id that `SandboxSpec` takes."""
        ...

    async def close(self) -> None:
        """Destroy the sandbox. Closing twice is fine."""
        ...


Opener = Callable[[str], Awaitable[Sandbox]]
"""Opens the sandbox of that name, or attaches to it; what it starts from is agreed elsewhere."""


class SandboxProvider(Protocol):
    """A kind of sandbox. Providers hold no run state: names and ids find everything again."""

    kind: str
    """`bubblewrap`, `docker` or `e2b`."""

    takes_templates: bool
    """Whether `SandboxSpec.image` is a template of its service, and no Docker image."""

    snapshots_cost: bool
    """Whether it takes long to keep a snapshot: they are not on this host."""

    filters_indexes: bool
    """Whether `Network.package_date` holds for every package client; else only for those that
    have a setting for it."""

    async def check(self) -> None:
        """Raise `SandboxUnavailable`, with the remedy, when this kind can't run here."""
        ...

    async def open(self, spec: SandboxSpec) -> Sandbox:
        """Attach to the sandbox of that name, or create it."""
        ...

    async def remove(self, name: str) -> None:
        """Destroy the sandbox or snapshot of that name, if there is one."""
        ...

    async def tidy(self) -> None:
        """Remove the sandboxes whose lifetime is over, and what dead processes left half-done.

        Opening one does this too.
        """
        ...

    async def close(self) -> None:
        """Release connections; sandboxes stay."""
        ...
