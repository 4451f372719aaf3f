"""What the guards find in a candidate before it is run. Pure."""

from __future__ import annotations

from bot.model import GuardFinding, Severity
from bot.model.guard_rules import PatchRules, configured, softened
from bot.repair.guards import on_request, path_findings, restored, steering
from bot.repair.guards.examine import GuardEvidence, examine
from bot.repair.guards.files import test_paths
from bot.repair.verification.candidate import CandidatePatch, TestEdits
from bot.repair.verification.question import Question
from bot.reporting.reasons import verification


def findings_in(
    candidate: CandidatePatch, question: Question, evidence: GuardEvidence, rules: PatchRules
) -> tuple[GuardFinding, ...]:
    """Return the findings, each with the severity that the repository gives it."""
    files = candidate.patch.files
    if question.edits is TestEdits.SHOWN:
        files = tuple(change.path for change in candidate.changes)
    on_demand = on_request(files, rules.protected, rules.requested)
    asked = {one.file for one in on_demand}
    if question.edits is TestEdits.REQUESTED:
        asked |= set(test_paths(change.path for change in candidate.changes))
    examined = tuple(
        softened([one], Severity.NEEDS_PERSON)[0] if one.file in asked else one
        for one in examine(candidate.changes, evidence)
    )
    formatter = question.edits is TestEdits.KEPT
    return (
        *path_findings(
            files, allowed=rules.allowed, protected=rules.protected, requested=rules.requested
        ),
        *configured(
            (
                *on_demand,
                *examined,
                *restored(candidate.restored),
                *(() if formatter else steering(candidate.patch.files, question.failing)),
            ),
            rules.guards,
        ),
    )


def problem_of(candidate: CandidatePatch, findings: tuple[GuardFinding, ...]) -> str:
    """Return why a patch is not even run, as a sentence, or nothing."""
    if not candidate.patch:
        if candidate.restored and not test_paths(candidate.restored):
            return verification.only_protected_configuration()
        return verification.only_existing_tests() if candidate.restored else verification.empty()
    refused = [one for one in findings if one.severity is Severity.REJECT]
    if any(one.rule in {"protected-path", "allowed-paths"} for one in refused):
        return verification.forbidden_paths()
    if refused:
        return verification.rejected_by_guards(refused[0].message)
    return ""
