"""Bring a sandbox that holds an older commit's environment to the commit of the run."""

from __future__ import annotations

import base64
import shlex
from dataclasses import dataclass
from pathlib import Path

from bot.repair.job import Source
from sandbox.base import HOME, SCRATCH, Sandbox, SandboxError
from sandbox.git import GitError, git
from sandbox.scratch import scratch_folder

_BUNDLE = f"{SCRATCH}/fixpoint-head.bundle"
_DONE = f"{HOME}/.fixpoint-renewed"
_REF = "refs/fixpoint/renewal"

_INLINE_BYTES = 64 * 1024
"""A bundle up to this size is part of the command, which saves another one: Linux takes arguments
of 128 KiB, and base64 makes four characters of three bytes."""


class NotRenewed(SandboxError):
    """The sandbox can't be brought to the commit; the text says why."""


@dataclass
class Renewal:
    """From one commit of a repository to another, in as many sandboxes as need be.

    Attributes:
        source: The commit to come to.
        older: The commit that the environment holds.
        again: Shell commands of the setup whose effect belongs to the commit.
    """

    source: Source
    older: str
    again: tuple[str, ...] = ()
    _bundle: bytes | None = None

    async def bring(self, sandbox: Sandbox, *, seconds: float) -> None:
        """Make the sandbox's work tree that of the commit; untracked files stay.

        Doing it twice is as good as once, so that a sandbox whose opening was cut short is found.

        Raises:
            NotRenewed: When it can't be done.
        """
        moves: list[str] = []
        if self.older != self.source.head:
            if bundle := await self._packed():
                moves += await _brought(sandbox, bundle)
                moves.append(f"git fetch -q --no-tags {_BUNDLE} {_REF}")
            moves.append(f"git reset -q --hard {shlex.quote(self.source.head)}")
        again = (f"bash -c {shlex.quote(text)}" for text in self.again)
        steps = " && ".join([*moves, *again, f"touch {_DONE}"])
        result = await sandbox.run(f"[ -e {_DONE} ] || {{ {steps}; }}", timeout=seconds)
        if not result.ok:
            raise NotRenewed(result.output.strip()[-500:])

    async def _packed(self) -> bytes:
        """Return what the older commit lacks, as a git bundle; nothing when it lacks nothing.

        Raises:
            NotRenewed: When the older commit is not known here.
        """
        if self._bundle is None:
            store = self.source.store
            if not await store.has(self.older):
                raise NotRenewed(f"Commit {self.older} is not in the local store.")
            try:
                lacks = await git(
                    *("rev-list", "-n1", self.source.head, f"^{self.older}"),
                    git_dir=store.directory,
                )
                self._bundle = await self._pack(store.directory) if lacks.strip() else b""
            except GitError as error:
                raise NotRenewed(str(error)) from error
        return self._bundle

    async def _pack(self, git_dir: Path) -> bytes:
        with scratch_folder("bundle") as folder:
            file = folder / "head.bundle"
            await git("update-ref", _REF, self.source.head, git_dir=git_dir)
            words = ("bundle", "create", "--quiet", str(file), _REF, f"^{self.older}")
            await git(*words, git_dir=git_dir)
            return file.read_bytes()


async def _brought(sandbox: Sandbox, bundle: bytes) -> list[str]:
    """Bring a bundle into the sandbox; return the commands that are left to do for it."""
    if len(bundle) <= _INLINE_BYTES:
        text = base64.b64encode(bundle).decode()
        return [f"printf %s {text} | base64 -d > {_BUNDLE}"]
    await sandbox.write_file(_BUNDLE, bundle)
    return []
