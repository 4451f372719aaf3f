"""Run commands where no proposer can reach: a sandbox for each, on the untouched tree."""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import Enum
from functools import partial
from secrets import token_hex
from types import MappingProxyType

from bot.code.change import FileDiff
from bot.model import Observation, Patch
from bot.model.deadline import RunLimits
from bot.model.progress import CommandOutput, Listener
from bot.repair.goal.excluded_failures import NOTHING_ASIDE, Aside
from bot.repair.verification.candidate import changes_between
from bot.repair.verification.random_order import Ordering, ordering_in
from bot.repair.workspace import called_code, disguise, programs, runner_watch
from bot.repair.workspace.called_code import CalledCode
from bot.repair.workspace.observe import observe
from bot.repair.workspace.patches import apply_patch
from bot.repair.workspace.programs import Trace
from bot.repair.workspace.redaction import Scrub, scrubbed
from bot.repair.workspace.runner_watch import RunnerRecord
from sandbox.base import WORKSPACE, Opener, Sandbox
from sandbox.git import ObjectStore, PatchDoesNotApply

_BRIEFLY = Ordering(said="", pytest_options="--maxfail=1")


class WatchKind(Enum):
    """What is watched while a command runs."""

    RUNNER = "the functions of its test runner"
    STARTS = "and the programs that it starts"
    READS = "and the files of the work tree that these read"


class CleanRoom:
    """Observes commands of one run; nothing that ran before is left in what they see.

    Attributes:
        store: Has the trees.
        base_tree: The untouched tree, on which they run.
    """

    def __init__(
        self,
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
        self._opener = opener
        self.store = store
        self.base_tree = base_tree
        self._run_limits = run_limits
        self._listener = listener
        self._command_seconds = command_seconds
        self._scrub = scrub
        self._aside = aside
        self._answers: dict[bytes, bytes | None] = {}

    async def changes(self, patch: Patch) -> tuple[FileDiff, ...]:
        """Return the files that a patch changes.

        Raises:
            PatchDoesNotApply: The tree is not what the patch was made for.
        """
        tree = await self.store.apply(self.base_tree, patch.data)
        return await changes_between(self.store, self.base_tree, tree)

    async def observe(self, name: str, command: str, patch: Patch) -> Observation:
        """Run a command on the untouched tree with `patch`.

        Raises:
            PatchDoesNotApply: The tree is not what the patch was made for.
        """
        sandbox = await self._fresh(name)
        try:
            return await self._observed(sandbox, command, patch)
        finally:
            await sandbox.close()

    async def observe_with(
        self, name: str, command: str, patch: Patch, files: Mapping[str, bytes]
    ) -> Observation:
        """Run a command on the untouched tree with `patch`, and then with these files in it.

        Raises:
            PatchDoesNotApply: The tree is not what the patch was made for.
        """
        sandbox = await self._fresh(name)
        try:
            return await self._observed(sandbox, command, patch, files=files)
        finally:
            await sandbox.close()

    async def observe_mutant(
        self, name: str, command: str, patch: Patch, files: Mapping[str, bytes]
    ) -> Observation:
        """Do the same as `observe_with`, and let pytest end with the first test that fails.

        Raises:
            PatchDoesNotApply: The tree is not what the patch was made for.
        """
        sandbox = await self._fresh(name)
        try:
            return await self._observed(sandbox, command, patch, _BRIEFLY, files=files)
        finally:
            await sandbox.close()

    async def passes(self, name: str, command: str, patch: Patch) -> Observation | str:
        """Run a command on the untouched tree with `patch`, or say why the patch does not apply."""
        try:
            return await self.observe(name, command, patch)
        except PatchDoesNotApply as error:
            return str(error)

    async def observe_writes(self, name: str, command: str) -> Observation:
        """Run a command on the untouched tree; the observation tells what it left there."""
        sandbox = await self._fresh(name)
        try:
            observation = await self._observed(sandbox, command, Patch(), cut=True)
            tree = await self.store.write_tree(await sandbox.tree(), base=self.base_tree)
        finally:
            await sandbox.close()
        changes = await self.store.changes(self.base_tree, tree)
        return replace(observation, written=tuple(change.path for change in changes))

    async def observe_shuffled(self, name: str, command: str, patch: Patch) -> Observation:
        """Run a test suite with `patch`, its tests in random order where the project has a plugin for it."""
        sandbox = await self._fresh(name)
        try:
            ordering = await ordering_in(sandbox, command)
            observation = await self._observed(sandbox, command, patch, ordering)
            return replace(observation, order=ordering.said)
        finally:
            await sandbox.close()

    async def observe_runner(
        self, name: str, command: str, patch: Patch, watch: WatchKind = WatchKind.RUNNER
    ) -> tuple[Observation, RunnerRecord, Trace]:
        """Run a command with `patch`, and watch what becomes of its test runner, and what it starts.

        Raises:
            PatchDoesNotApply: The tree is not what the patch was made for.
        """
        root = WORKSPACE if watch is WatchKind.READS else ""

        def wrapped(script: str) -> str:
            inner = runner_watch.watched(script)
            return inner if watch is WatchKind.RUNNER else programs.watched(inner, root=root)

        sandbox = await self._fresh(name)
        try:
            await sandbox.write_file(runner_watch.watcher_path(), runner_watch.watcher())
            await sandbox.write_file(programs.watcher_path(), programs.watcher())
            seen = await self._observed(sandbox, command, patch, wrap=wrapped)
            record = await runner_watch.record_in(sandbox)
            return seen, record, await programs.trace_in(sandbox)
        finally:
            await sandbox.close()

    async def observe_reads(
        self, name: str, command: str, patch: Patch
    ) -> tuple[Observation, Trace]:
        """Run a command with `patch`, and watch what it starts and reads.

        Raises:
            PatchDoesNotApply: The tree is not what the patch was made for.
        """

        def wrapped(script: str) -> str:
            return programs.watched(script, root=WORKSPACE)

        sandbox = await self._fresh(name)
        try:
            await sandbox.write_file(programs.watcher_path(), programs.watcher())
            seen = await self._observed(sandbox, command, patch, wrap=wrapped)
            return seen, await programs.trace_in(sandbox)
        finally:
            await sandbox.close()

    async def called_by(self, name: str, command: str) -> CalledCode:
        """Return which functions of the untouched tree the tests of a command run."""
        sandbox = await self._fresh(name)
        try:
            await called_code.prepare(sandbox)
            await self._observed(sandbox, command, Patch(), wrap=called_code.watched)
            return await called_code.called_in(sandbox)
        finally:
            await sandbox.close()

    async def observe_plainly(self, name: str, command: str, patch: Patch) -> Observation:
        """Run a command with `patch` and ask for no report, as `observe_disguised` does.

        Raises:
            PatchDoesNotApply: The tree is not what the patch was made for.
        """
        sandbox = await self._fresh(name)
        try:
            return await self._observed(sandbox, command, patch, report=False)
        finally:
            await sandbox.close()

    async def observe_disguised(self, name: str, command: str, patch: Patch) -> Observation:
        """Run a command with `patch` where nothing tells of a test.

        Raises:
            PatchDoesNotApply: The tree is not what the patch was made for.
        """
        word = token_hex(4)
        sandbox = await self._fresh(name)
        try:
            await disguise.put_ready(sandbox)
            wrap = partial(disguise.disguised, word=word)
            return await self._observed(
                sandbox,
                command,
                patch,
                wrap=wrap,
                report=False,
                undo=partial(disguise.as_at_home, word=word),
            )
        finally:
            await sandbox.close()

    async def answer_once(
        self, name: str, patch: Patch, question: Mapping[str, bytes], command: str, seconds: float
    ) -> bytes | None:
        """Do the same as `answer`; the same question has the answer that it had before.

        Raises:
            PatchDoesNotApply: The tree is not what the patch was made for.
        """
        asked = (patch.data, *(data for _, data in sorted(question.items())), command.encode())
        key = hashlib.sha256(b"\0".join(asked)).digest()
        if key not in self._answers:
            self._answers[key] = await self.answer(name, patch, question, command, seconds)
        return self._answers[key]

    async def answer(
        self, name: str, patch: Patch, question: Mapping[str, bytes], command: str, seconds: float
    ) -> bytes | None:
        """Run a program of our own on the untouched tree with `patch`; return what it leaves.

        Args:
            name: Of the sandbox.
            patch: What is in the tree.
            question: Files that the program needs, by path.
            command: Starts it; it leaves `answer.json` beside its files.
            seconds: How long it may take.

        Raises:
            PatchDoesNotApply: The tree is not what the patch was made for.
        """
        sandbox = await self._fresh(name)
        try:
            await apply_patch(sandbox, patch)
            for path, data in question.items():
                await sandbox.write_file(path, data)
            await self._run_limits.hold(sandbox.run(command, timeout=seconds))
            return await sandbox.read_file(f"{posixpath.dirname(next(iter(question)))}/answer.json")
        except FileNotFoundError:
            return None
        finally:
            await sandbox.close()

    async def _observed(
        self,
        sandbox: Sandbox,
        command: str,
        patch: Patch,
        ordering: Ordering | None = None,
        files: Mapping[str, bytes] = MappingProxyType({}),
        wrap: Callable[[str], str] = str,
        undo: Scrub = str,
        *,
        report: bool = True,
        cut: bool = False,
    ) -> Observation:
        await apply_patch(sandbox, patch)
        for path, data in files.items():
            await sandbox.write_file(f"{WORKSPACE}/{path}", data)
        seen = await self._run_limits.hold(
            observe(
                sandbox,
                command,
                timeout=self._command_seconds,
                on_output=self._tell,
                pytest_options=ordering.pytest_options if ordering is not None else "",
                wrap=wrap,
                report=report,
                cut=cut,
            )
        )
        return self._aside.left_by(scrubbed(scrubbed(seen, undo), self._scrub))

    async def _fresh(self, name: str) -> Sandbox:
        """Open a sandbox in which nothing ran yet, even if one of that name was left behind."""
        self._run_limits.check()
        sandbox = await self._opener(name)
        if sandbox.resumed:
            await sandbox.close()
            sandbox = await self._opener(name)
        return sandbox

    def _tell(self, piece: bytes) -> None:
        self._listener(CommandOutput(piece.decode("utf-8", "replace")))
