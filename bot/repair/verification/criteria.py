"""The criteria by which a patch is verified, and what its proofs are given."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bot.code.change import FileDiff
from bot.model import GuardFinding, Guess, MutantResults, Observation, Patch, Verification
from bot.model.flaky import FlakyGoal
from bot.model.proof_card import Row
from bot.repair.changed_texts import ChangedText
from bot.repair.verification.candidate import TestEdits
from bot.repair.workspace.programs import Trace


@dataclass(frozen=True, slots=True)
class Criteria:
    """The criteria by which a patch is verified.

    Attributes:
        failing: The failing command.
        red: What it did without the patch, or None.
        edits: What becomes of changes to tests and protected configuration.
        texts: Those of programs that the commit changed: tests may follow them.
        wrong_fixes: Whether tests that were written first are tried on wrong fixes.
        flaky: The flaky test that it mends, or None.
    """

    failing: str
    red: Observation | None = None
    edits: TestEdits = TestEdits.LEFT_OUT
    texts: tuple[ChangedText, ...] = ()
    wrong_fixes: bool = False
    flaky: FlakyGoal | None = None


@dataclass(frozen=True, slots=True)
class PatchEvidence:
    """What every proof is given.

    Attributes:
        name: Of the sandboxes.
        patch: What is verified.
        changes: Its files.
        runs: That passed with it, the failing command's first.
        question: By what it is verified.
        trace: What a watched run of the failing command started and read; None when none was watched.
        guesses: Of its proposer.
        mutants: What its proposer knows of them already, or None.
    """

    name: str
    patch: Patch
    changes: tuple[FileDiff, ...]
    runs: tuple[Observation, ...]
    question: Criteria
    trace: Trace | None = None
    guesses: tuple[Guess, ...] = ()
    mutants: MutantResults | None = None

    @property
    def red(self) -> Observation | None:
        """The failing command without the patch."""
        return self.question.red

    @property
    def green(self) -> Observation:
        """The failing command with the patch."""
        return self.runs[0]


@dataclass(frozen=True, slots=True)
class Proved:
    """What a proof shows, for the fields of `Verification` that have the same names; kept as a step."""

    findings: tuple[GuardFinding, ...] = ()
    mutants: MutantResults | None = None
    wrong_fixes: MutantResults | None = None
    unconfirmed: tuple[Guess, ...] = ()
    rows: tuple[Row, ...] = ()

    def added_to(self, verification: Verification) -> Verification:
        """Return the verification with what is shown; of findings, those whose rule is new to it."""
        known = {finding.rule for finding in verification.findings}
        new = (finding for finding in self.findings if finding.rule not in known)
        return replace(
            verification,
            findings=(*verification.findings, *new),
            mutants=self.mutants or verification.mutants,
            wrong_fixes=self.wrong_fixes or verification.wrong_fixes,
            unconfirmed=self.unconfirmed or verification.unconfirmed,
            rows=(*verification.rows, *self.rows),
        )
