"""The attempt's own sandbox, as acts that a restarted run can take up again."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from bot.model import Observation, Patch
from bot.model.deadline import RunLimits
from bot.model.progress import CommandOutput, Listener
from bot.model.steps import Steps
from bot.repair.goal.excluded_failures import NOTHING_ASIDE, Aside
from bot.repair.workspace.observe import observe
from bot.repair.workspace.patches import apply_patch, patch_between
from bot.repair.workspace.redaction import Scrub, scrubbed, scrubbed_result
from bot.reporting.reasons.verification import DOES_NOT_APPLY
from sandbox.base import HOME, CommandResult, Opener, Sandbox
from sandbox.git import ObjectStore, PatchDoesNotApply

T = TypeVar("T")

_REMAKING = f"{HOME}/.fixpoint-remaking"
"""Stands in a sandbox while it is remade: a process that ended meanwhile left only a part."""


class SandboxWorkbench:
    """A `Workbench` on a real sandbox; it opens with the first act that runs."""

    def __init__(
        self,
        name: str,
        opener: Opener,
        store: ObjectStore,
        base_tree: str,
        *,
        run_limits: RunLimits,
        listener: Listener,
        command_seconds: float,
        scrub: Scrub = str,
        aside: Aside = NOTHING_ASIDE,
    ) -> None:
        self.name = name
        self._opener = opener
        self._store = store
        self._base_tree = base_tree
        self._run_limits = run_limits
        self._listener = listener
        self._command_seconds = command_seconds
        self._scrub = scrub
        self._aside = aside
        self._sandbox: Sandbox | None = None
        self._history: list[tuple[str, tuple[object, ...]]] = []

    async def run(self, command: str, timeout: float) -> CommandResult:
        """Run a shell command in the work tree; output goes to the listener as it comes."""
        sandbox = await self._open()
        result = await self._run_limits.hold(
            sandbox.run(command, timeout=timeout, on_output=self._tell_output)
        )
        return scrubbed_result(result, self._scrub)

    async def observe(self, command: str) -> Observation:
        """Run a test or lint command and read its failures."""
        return await self._observe(command, watch=False)

    async def watch(self, command: str) -> Observation:
        """Do the same, and tell which programs it started."""
        return await self._observe(command, watch=True)

    async def _observe(self, command: str, *, watch: bool) -> Observation:
        sandbox = await self._open()
        seen = await self._run_limits.hold(
            observe(
                sandbox,
                command,
                timeout=self._command_seconds,
                on_output=self._tell_output,
                watch=watch,
            )
        )
        return self._aside.left_by(scrubbed(seen, self._scrub))

    async def untouched(self, paths: tuple[str, ...]) -> dict[str, bytes]:
        """Return the files of the untouched tree that are there; this needs no sandbox."""
        return await self._store.files(self._base_tree, paths, follow=True)

    async def read_file(self, path: str) -> bytes:
        """Return a file of the sandbox. Raises `FileNotFoundError`, `IsADirectoryError`."""
        return await (await self._open()).read_file(path)

    async def write_file(self, path: str, data: bytes) -> None:
        """Create or replace a file of the sandbox."""
        await (await self._open()).write_file(path, data)

    async def apply(self, patch: Patch) -> str:
        """Apply a patch to the work tree; return why it does not fit, or "" when it does."""
        try:
            await apply_patch(await self._open(), patch)
        except PatchDoesNotApply as error:
            return str(error) or DOES_NOT_APPLY
        return ""

    async def patch(self) -> Patch:
        """Return what the work tree has that the untouched one has not."""
        sandbox = self._sandbox or await self._open()
        tree = await self._store.write_tree(await sandbox.tree(), base=self._base_tree)
        return await patch_between(self._store, self._base_tree, tree)

    @asynccontextmanager
    async def attended(self, *, lasting: bool) -> AsyncIterator[None]:
        """Destroy the sandbox in the end; a `lasting` run that is cancelled finds it again."""
        try:
            yield
        except asyncio.CancelledError:
            if lasting:
                self._sandbox = None
            raise
        finally:
            await self.close()

    async def close(self) -> None:
        """Destroy the sandbox."""
        if self._sandbox is not None:
            await self._sandbox.close()

    def remembering(self, steps: Steps) -> Steps:
        """Return `steps` that also note each finished act, so that a lost sandbox can be remade."""
        return _RememberedSteps(steps, self)

    def remember(self, act: str, arguments: tuple[object, ...]) -> None:
        """Note that an act is finished, in this process or in the one before it."""
        if act in {"run", "observe", "watch", "write_file", "apply"}:
            self._history.append((act, arguments))

    async def _open(self) -> Sandbox:
        self._run_limits.check()
        if self._sandbox is None:
            sandbox = await self._opener(self.name)
            if sandbox.resumed and self._history and await _is_half_remade(sandbox):
                await sandbox.close()
                sandbox = await self._opener(self.name)
            self._sandbox = sandbox
            if not sandbox.resumed and self._history:
                await self._remake(sandbox)
        return self._sandbox

    async def _remake(self, sandbox: Sandbox) -> None:
        """Do again, in a new sandbox, what the lost one had seen."""
        await sandbox.write_file(_REMAKING, b"")
        for act, arguments in tuple(self._history):
            await getattr(self, act)(*arguments)
        await sandbox.run(f"rm -f {_REMAKING}", timeout=self._command_seconds)

    def _tell_output(self, piece: bytes) -> None:
        self._listener(CommandOutput(piece.decode("utf-8", "replace")))


async def _is_half_remade(sandbox: Sandbox) -> bool:
    try:
        await sandbox.read_file(_REMAKING)
    except FileNotFoundError:
        return False
    return True


class _RememberedSteps:
    """Steps that tell the workbench which of its acts are finished; those are many and short."""

    def __init__(self, steps: Steps, workbench: SandboxWorkbench) -> None:
        self.lasting = steps.lasting
        self._steps = steps
        self._workbench = workbench

    async def __call__(self, name: str, act: Callable[..., Awaitable[T]], /, *args: object) -> T:
        if getattr(act, "__self__", None) is not self._workbench:
            return await self._steps(name, act, *args)
        return await self.light(name, act, *args)

    async def light(self, name: str, act: Callable[..., Awaitable[T]], /, *args: object) -> T:
        result = await self._steps.light(name, act, *args)
        if getattr(act, "__self__", None) is self._workbench:
            self._workbench.remember(act.__name__, args)
        return result
