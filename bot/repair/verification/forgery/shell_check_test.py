"""Check that a command without named tests can still fail with a patch."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from bot.model import GuardFinding, Observation
from bot.model.guard_rules import found
from bot.repair.verification.clean_room import CleanRoom
from bot.repair.verification.criteria import PatchEvidence
from bot.repair.verification.forgery.shell_checks import (
    LEAST,
    check_files,
    failing_ends,
    other_values,
    spread,
)
from bot.reporting.reasons import guards_runs


def is_shell_check(red: Observation | None) -> bool:
    """Whether a command failed without naming a test: a script or a recipe that checks something."""
    return red is not None and not red.named


@dataclass(frozen=True, slots=True)
class ShellCheckTest:
    """Runs a check that passes with a patch once more, made to fail.

    Attributes:
        room: Where it runs.
    """

    room: CleanRoom

    async def findings(self, evidence: PatchEvidence) -> tuple[GuardFinding, ...]:
        """Return a finding when the check passes although it ends with a failure, or expects something else.

        Raises:
            PatchDoesNotApply: When the patch does not fit the tree.
        """
        if not is_shell_check(evidence.red):
            return ()
        name, patch, trace = evidence.name, evidence.patch, evidence.trace
        command = evidence.question.failing
        paths = check_files(trace, patch.files) if trace is not None else ()
        files = await self.room.store.files(self.room.base_tree, list(paths)) if paths else {}
        if trace is None or not files:
            return ()
        word = f"ended-{secrets.token_hex(8)}"
        ending = failing_ends(files, word)
        if ending:
            seen = await self.room.observe_with(f"{name}-ending", command, patch, ending)
            if seen.ok and word in seen.output:
                return (
                    found("cannot-fail", guards_runs.ends_well(sorted(ending)), patch.files[0]),
                )
        variants = spread(list(other_values(files, trace)))
        for number, (path, data) in enumerate(variants, 1):
            sandbox = f"{name}-expects-{number}"
            seen = await self.room.observe_with(sandbox, command, patch, {path: data})
            if not seen.ok:
                return ()
        if len(variants) < LEAST:
            return ()
        paths = tuple(dict.fromkeys(path for path, _ in variants))
        return (found("cannot-fail", guards_runs.compares_nothing(len(variants), paths)),)
