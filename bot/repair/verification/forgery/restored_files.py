"""Check that a pass does not come from the files that say how a command's tests run."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from bot.code.syntax import language_of
from bot.model import Failure, GuardFinding, Observation, Patch, Severity
from bot.model.guard_rules import found, softened
from bot.repair.guards import is_test_file, steering
from bot.repair.guards.requested import is_requested
from bot.repair.verification.candidate import TestEdits, without
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.criteria import PatchEvidence
from bot.repair.verification.forgery.command_files import command_files, started_by_name
from bot.reporting.reasons import guards_runs

_VARYING = re.compile(r"0x[0-9a-fA-F]+|\d+")


@dataclass(frozen=True, slots=True)
class PutBackTest:
    """Runs a command with the files put back that it reads to know what to run.

    Attributes:
        room: Where it runs.
        requested: Globs of what a person with write access asks to change.
    """

    room: CleanRoom
    requested: Sequence[str] = ()

    async def findings(self, evidence: PatchEvidence) -> tuple[GuardFinding, ...]:
        """Return a finding when a pass depends on such files; up to four more runs.

        Raises:
            PatchDoesNotApply: When the patch does not fit the tree.
        """
        name, patch, question = evidence.name, evidence.patch, evidence.question
        red, green = evidence.red, evidence.green
        if question.edits is TestEdits.KEPT:
            return ()
        own = await self._own(evidence)
        if not own:
            return ()
        rest = await without(self.room.store, self.room.base_tree, patch, own)
        if red is None or rest:
            seen = await self.room.observe(f"{name}-put-back", question.failing, rest)
        else:
            seen = red
        if not seen.ok:
            return (
                self._finding(
                    own, guards_runs.depends_on(own), is_grave=_repeats(red, green, seen)
                ),
            )
        others = [file for file in patch.files if file not in own]
        only = await without(self.room.store, self.room.base_tree, patch, others)
        alone = await self.room.observe(f"{name}-setup-only", question.failing, only)
        if not alone.ok:
            return ()
        ran = bool(_ran(red, green))
        return (self._finding(own, guards_runs.passes_anyway(own), is_grave=ran),)

    def _finding(self, own: Sequence[str], said: str, *, is_grave: bool) -> GuardFinding:
        finding = found("check-replaced", said, own[0])
        asked = all(is_requested(file, self.requested) for file in own)
        if is_grave and not asked:
            return finding
        return softened([finding], Severity.NEEDS_PERSON)[0]

    async def _own(self, evidence: PatchEvidence) -> tuple[str, ...]:
        """Return the changed files that say how the tests of the command run."""
        name, patch, question = evidence.name, evidence.patch, evidence.question
        trace, is_check = evidence.trace, _checks(question.red)
        changed = [file for file in patch.files if not is_test_file(file)]
        if trace is not None and not trace.programs:  # nobody can watch here
            return tuple(
                finding.file for finding in steering(changed, question.failing) if finding.file
            )
        if trace is None or (not trace.reads and started_by_name(trace, changed)):
            if trace is None and not reads_matter(changed):
                return ()
            _, trace = await self.room.observe_reads(f"{name}-reads", question.failing, patch)
        seen = command_files(trace, changed, is_check)
        own = seen.own
        if seen.undecided:
            _, before = await self.room.observe_reads(
                f"{name}-reads-before", question.failing, Patch()
            )
            own |= command_files(before, seen.undecided, is_check).own
        return tuple(sorted(own))


def reads_matter(changed: Collection[str]) -> bool:
    """Whether a patch changes files besides programs, so that it matters who reads them."""
    return any(language_of(file) is None and not is_test_file(file) for file in changed)


def _checks(red: Observation | None) -> Callable[[str], bool]:
    failing = red.failing if red is not None else ()
    named = {
        failure.file
        for failure in failing
        if failure.file and language_of(failure.file) is not None
    }
    return lambda path: path in named or is_test_file(path)


def _ran(red: Observation | None, green: Observation) -> dict[str, Failure]:
    """Return the tests that ran and failed without the patch; a file that could not be loaded is none."""
    if red is None:
        return {}
    return {
        failure.test: failure
        for failure in red.named
        if not green.passed or failure.test in green.passed
    }


def _repeats(red: Observation | None, green: Observation, seen: Observation) -> bool:
    """Whether a test fails in the same way as without the patch."""
    ran = _ran(red, green)
    return any(
        failure.test in ran and _steady(failure.message) == _steady(ran[failure.test].message)
        for failure in seen.failing
    )


def _steady(message: str) -> str:
    return _VARYING.sub("0", message)
