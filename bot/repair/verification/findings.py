"""What the guards find in a candidate before it is run. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from bot.code.files import test_paths
from bot.model import GuardFinding, Severity
from bot.model.guard_rules import PatchRules, configured, found, softened
from bot.repair.changed_texts import only_renewed
from bot.repair.guards import is_test_file, on_request, path_findings, restored, steering
from bot.repair.guards.corrections import corrected_by_tool
from bot.repair.guards.examine import GuardEvidence, examine
from bot.repair.verification.candidate import SEEN_WHOLE, CandidatePatch, TestEdits
from bot.repair.verification.criteria import Criteria
from bot.reporting.reasons import guards, verification


def findings_in(
    candidate: CandidatePatch, question: Criteria, evidence: GuardEvidence, rules: PatchRules
) -> tuple[GuardFinding, ...]:
    """Return the findings, each with the severity that the repository gives it."""
    files = candidate.patch.files
    if question.edits in SEEN_WHOLE:
        files = tuple(change.path for change in candidate.changes)
    on_demand = on_request(files, rules.protected, rules.requested)
    asked = {guard_finding.file for guard_finding in on_demand}
    if question.edits is TestEdits.REQUESTED:
        asked |= set(test_paths(change.path for change in candidate.changes))
    asked |= _following(candidate, question)
    examined = tuple(
        softened([finding], Severity.NEEDS_PERSON)[0] if finding.file in asked else finding
        for finding in examine(candidate.changes, evidence)
    )
    if question.edits is TestEdits.KEPT and question.red is not None:
        examined = corrected_by_tool(examined, candidate.changes, question.red)
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
                *_embedded(candidate, question),
                *(() if formatter else steering(candidate.patch.files, question.failing)),
            ),
            rules.guards,
        ),
    )


def _embedded(candidate: CandidatePatch, question: Criteria) -> list[GuardFinding]:
    """Return findings for tests inside of programs: left out, or for a person to look at."""
    shown = question.edits is TestEdits.SHOWN
    rule = "test-data-changed" if shown else "test-restored"
    return [found(rule, guards.embedded_tests(path), path) for path in candidate.embedded]


def _following(candidate: CandidatePatch, question: Criteria) -> set[str]:
    """Return the tests in which a tool changed nothing but texts that the commit changed as well."""
    if question.edits is not TestEdits.KEPT or not question.texts:
        return set()
    return {
        change.path
        for change in candidate.changes
        if is_test_file(change.path)
        and change.before is not None
        and change.after is not None
        and only_renewed(_text(change.before), _text(change.after), question.texts)
    }


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def problem_of(candidate: CandidatePatch, findings: tuple[GuardFinding, ...]) -> str:
    """Return why a patch is not even run, as a sentence, or nothing."""
    if not candidate.patch:
        if candidate.restored and not test_paths(candidate.restored):
            return verification.ONLY_PROTECTED_CONFIGURATION
        tests = candidate.restored or candidate.embedded
        return verification.ONLY_EXISTING_TESTS if tests else verification.EMPTY
    refused = [finding for finding in findings if finding.severity is Severity.REJECT]
    if any(finding.rule in {"protected-path", "allowed-paths"} for finding in refused):
        return verification.FORBIDDEN_PATHS
    return refusal(refused)


def refusal(findings: Iterable[GuardFinding]) -> str:
    """Return which finding rejects a patch, as a sentence, or nothing."""
    for finding in findings:
        if finding.severity is Severity.REJECT:
            return verification.rejected_by_guards(finding.message)
    return ""
