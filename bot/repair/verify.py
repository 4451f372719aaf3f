"""Judge a candidate patch where its proposer can't reach: clean sandbox, untouched tree, patch."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.repair.comparison import new_failures, seen_again, uncompared
from bot.repair.guards import is_test_file, path_findings, restored_tests, steering
from bot.repair.job import PathRules
from bot.repair.model import (
    Observation,
    Patch,
    Proposal,
    Severity,
    Verification,
)
from bot.repair.observe import observe
from bot.repair.patching import apply_patch, patch_between
from bot.repair.progress import CommandOutput, Listener
from bot.repair.reins import Reins
from sandbox.base import Opener, Sandbox
from sandbox.git import ObjectStore, PatchDoesNotApply


@dataclass(frozen=True, slots=True)
class Judged:
    """A proposal and its verification; the patch is the part that was judged."""

    proposal: Proposal
    verification: Verification | None


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a believed patch goes.

    Attributes:
        head: The commit that it must fit.
        prepared: Tree of that commit after the setup.
    """

    head: str
    prepared: str


class Verifier:
    """Judges candidate patches of one run."""

    def __init__(
        self,
        opener: Opener,
        store: ObjectStore,
        base_tree: str,
        rules: PathRules,
        *,
        destination: Destination,
        reins: Reins,
        listener: Listener,
        command_seconds: float,
    ) -> None:
        self._opener = opener
        self._store = store
        self._base_tree = base_tree
        self._rules = rules
        self._destination = destination
        self._reins = reins
        self._listener = listener
        self._command_seconds = command_seconds

    async def observe(self, name: str, command: str, patch: Patch) -> Observation:
        """Run a command on the untouched tree with `patch`, in a sandbox made for it alone."""
        sandbox = await self._fresh(name)
        try:
            await apply_patch(sandbox, patch)
            return await self._reins.hold(
                observe(sandbox, command, timeout=self._command_seconds, on_output=self._tell)
            )
        finally:
            await sandbox.close()

    async def passes(self, name: str, command: str, patch: Patch) -> Observation | str:
        """Run a command on the untouched tree with `patch`, or say why the patch does not fit."""
        try:
            return await self.observe(name, command, patch)
        except PatchDoesNotApply as error:
            return str(error)

    async def without_test_edits(self, patch: Patch) -> tuple[Patch, tuple[str, ...]]:
        """Return the patch less its changes to tests that existed, and those tests' paths."""
        existing = set(await self._store.paths(self._base_tree))
        edited = tuple(file for file in patch.files if file in existing and is_test_file(file))
        if not edited:
            return patch, ()
        tree = await self._store.apply(self._base_tree, patch.data)
        kept = tuple(file for file in patch.files if file not in edited)
        return await patch_between(self._store, self._base_tree, tree, kept), edited

    async def judge(
        self,
        name: str,
        proposal: Proposal,
        failing: str,
        keep_test_edits: bool,  # noqa: FBT001 - arguments of a step are positional
    ) -> Judged:
        """Return the proposal, reduced to what may be published, judged by the failing command.

        Args:
            name: Of the sandbox.
            proposal: What to judge.
            failing: The failing command.
            keep_test_edits: Whether changes to existing tests belong to the repair (formatters).
        """
        patch, edited = proposal.patch, tuple[str, ...]()
        if not keep_test_edits:
            try:
                patch, edited = await self.without_test_edits(proposal.patch)
            except PatchDoesNotApply as error:
                return Judged(proposal, Verification(target=None, problem=str(error)))
        reduced = _with_patch(proposal, patch)
        findings = (
            *path_findings(
                patch.files, allowed=self._rules.allowed, protected=self._rules.protected
            ),
            *restored_tests(edited),
            *(() if keep_test_edits else steering(patch.files, failing)),
        )
        tests = tuple(file for file in patch.files if is_test_file(file))
        if not patch:
            problem = "It changes nothing but existing tests." if edited else "It changes nothing."
            return Judged(
                reduced, Verification(None, findings=findings, changed_tests=tests, problem=problem)
            )
        if any(finding.severity is Severity.REJECT for finding in findings):
            problem = "It touches paths that it may not touch."
            return Judged(
                reduced, Verification(None, findings=findings, changed_tests=tests, problem=problem)
            )
        verification = await self._try(name, failing, patch)
        return Judged(reduced, replace(verification, findings=findings, changed_tests=tests))

    async def compare(
        self, name: str, patch: Patch, verification: Verification, baseline: Observation
    ) -> Verification:
        """Return the verification of a patch that passes, with what it breaks in the whole suite.

        Args:
            name: Of the sandbox.
            patch: What was judged.
            verification: By the failing command.
            baseline: The suite on the untouched tree.
        """
        if baseline.timed_out:
            return replace(verification, uncompared=uncompared(baseline))
        suite = await self.observe(f"{name}-suite", baseline.command, patch)
        if not suite.ok and (reason := uncompared(baseline)):
            return replace(verification, suite=suite, uncompared=reason)
        fresh = new_failures(baseline, suite)
        if fresh:  # a test that fails only now and then says nothing against the patch
            suite = await self.observe(f"{name}-suite-again", baseline.command, patch)
            fresh = seen_again(fresh, new_failures(baseline, suite))
        return replace(verification, suite=suite, new_failures=fresh)

    async def _try(self, name: str, failing: str, patch: Patch) -> Verification:
        """Run the failing command with the patch, if that fits where it must."""
        try:
            await self._check_destination(patch)
            return Verification(await self.observe(name, failing, patch))
        except PatchDoesNotApply as error:
            return Verification(None, problem=str(error))

    async def _check_destination(self, patch: Patch) -> None:
        """Raise `PatchDoesNotApply` for a patch of what only the setup made."""
        head, prepared = self._destination.head, self._destination.prepared
        if await self._store.tree_of(head) == self._base_tree:
            return
        tree = await self._store.apply(self._base_tree, patch.data)
        whole = await patch_between(self._store, prepared, tree)
        try:
            await self._store.apply(head, whole.data)
        except PatchDoesNotApply as error:
            raise PatchDoesNotApply(
                "It builds on what the setup commands changed in the work tree, so it does not "
                f"fit the commit itself: {error}"
            ) from error

    async def _fresh(self, name: str) -> Sandbox:
        """Open a sandbox that nothing ran in, also when one of that name was left behind."""
        self._reins.check()
        sandbox = await self._opener(name)
        if sandbox.resumed:
            await sandbox.close()
            sandbox = await self._opener(name)
        return sandbox

    def _tell(self, piece: bytes) -> None:
        self._listener(CommandOutput(piece.decode("utf-8", "replace")))


def _with_patch(proposal: Proposal, patch: Patch) -> Proposal:
    if patch == proposal.patch:
        return proposal
    return Proposal(
        patch=patch,
        summary=proposal.summary,
        model=proposal.model,
        usage=proposal.usage,
        ended=proposal.ended,
        notes=proposal.notes,
    )
