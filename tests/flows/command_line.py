"""`fixpoint` as people run it: a process of its own, in and around a small repository."""

from __future__ import annotations

import asyncio
import os
import subprocess
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.model import ModelServer, Script
from tests.flows import forked
from tests.flows.forked import ForkedProcess, Streams
from tests.flows.world import FILES

PATIENCE = 600.0
"""Seconds that a story waits for the end of a command, which on a busy machine takes a minute."""

_PACKAGES = ("UV_FIND_LINKS", "UV_OFFLINE", "PIP_RETRIES")
"""Where new Python environments get what they begin with: set for all tests."""


@dataclass(frozen=True, slots=True)
class Done:
    """How a command ended, and what it wrote."""

    code: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Started:
    """A command under way, and the files that it reads and writes."""

    process: ForkedProcess
    streams: Streams


@dataclass(frozen=True, slots=True)
class Desk:
    """A person's machine: a repository, a home, and perhaps a model's key.

    Attributes:
        repository: A git repository whose test fails.
        home: Where everything else is kept.
        variables: The environment.
        model: What the key is for.
    """

    repository: Path
    home: Path
    variables: Mapping[str, str]
    model: ModelServer | None

    @property
    def data(self) -> Path:
        """Fixpoint's data folder."""
        return self.home / "data"

    async def start(
        self, *arguments: str, environ: Mapping[str, str] | None = None, stdin: bytes | None = None
    ) -> Started:
        """Start a command; `stdin` is all that it can read there."""
        return await started(
            self.home, {**self.variables, **(environ or {})}, *arguments, stdin=stdin
        )

    async def run(
        self, *arguments: str, environ: Mapping[str, str] | None = None, stdin: bytes | None = None
    ) -> Done:
        """Run a command to its end."""
        return await ended(await self.start(*arguments, environ=environ, stdin=stdin))

    async def fix(self, *arguments: str, stdin: bytes | None = None) -> Done:
        """Run `fixpoint fix` on the repository."""
        return await self.run("fix", str(self.repository), *arguments, stdin=stdin)

    def git(self, *arguments: str) -> str:
        """Run git in the repository and return what it says."""
        return in_git(self.repository, *arguments)

    def everything(self) -> dict[str, tuple[int, bytes]]:
        """Return mode and content of every file of the repository, those of `.git` included."""
        return {
            str(path.relative_to(self.repository)): (path.stat().st_mode, path.read_bytes())
            for path in sorted(self.repository.rglob("*"))
            if path.is_file()
        }


async def started(
    home: Path, environ: Mapping[str, str], *arguments: str, stdin: bytes | None = None
) -> Started:
    """Start a command in a folder, with nothing but these variables."""
    folder = Path(tempfile.mkdtemp(dir=home, prefix="streams-"))
    streams = Streams(folder / "given", folder / "out", folder / "err")
    streams.given.write_bytes(stdin or b"")
    return Started(await forked.start(arguments, environ, home, streams), streams)


async def ended(command: Started) -> Done:
    """Wait for the end of a command."""
    try:
        async with asyncio.timeout(PATIENCE):
            code = await command.process.wait()
    finally:
        await command.process.end()
    streams = command.streams
    return Done(code, streams.out.read_text("utf-8"), streams.err.read_text("utf-8"))


def in_git(folder: Path, *arguments: str, environ: Mapping[str, str] | None = None) -> str:
    """Run git in a folder, without anybody's configuration."""
    plain = {"PATH": os.environ["PATH"], "GIT_CONFIG_GLOBAL": os.devnull, "HOME": str(folder)}
    plain |= environ or {}
    names = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
    done = subprocess.run(
        ["git", *names, *arguments], cwd=folder, env=plain, capture_output=True, check=True
    )
    return done.stdout.decode().strip()


@asynccontextmanager
async def open_desk(
    root: Path, script: Script | None = None, *, files: Mapping[str, str | bytes] | None = None
) -> AsyncIterator[Desk]:
    """Open a desk; with a script there is a model, and a key for it."""
    repository = root / "repository"
    for name, content in (files or FILES).items():
        file = repository / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    in_git(repository, "init", "--quiet", "--initial-branch=main")
    in_git(repository, "add", "--all")
    in_git(repository, "commit", "--quiet", "--message=First")
    variables = {
        "PATH": os.environ["PATH"],
        "HOME": str(root),
        "FIXPOINT_DATA": str(root / "data"),
        "FIXPOINT_SANDBOX": "bubblewrap",
        **{name: os.environ[name] for name in _PACKAGES},
    }
    if script is None:
        yield Desk(repository, root, variables, None)
        return
    async with ModelServer(script) as model:
        variables |= {"ANTHROPIC_API_KEY": "key", "ANTHROPIC_BASE_URL": model.anthropic_url}
        yield Desk(repository, root, variables, model)
