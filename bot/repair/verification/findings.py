"""What the guards find in a candidate before it is run. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.code.change import FileDiff
from bot.code.files import test_paths
from bot.model import GuardFinding, Severity
from bot.model.guard_rules import PatchRules, Severities, configured, found, softened
from bot.repair.changed_texts import only_renewed
from bot.repair.guards import is_test_file, on_request, path_findings, restored, steering
from bot.repair.guards.corrections import corrected_by_tool
from bot.repair.guards.examine import GuardEvidence, examine
from bot.repair.guards.literals import brings_values
from bot.repair.verification.candidate import SEEN_WHOLE, CandidatePatch, TestEdits
from bot.repair.verification.generalisation import Generalisation, Reached
from bot.repair.verification.question import Criteria
from bot.reporting.reasons import guards, guards_runs, verification

DISPROVABLE = frozenset({"hard-coded-answer", "exception-swallowed"})
"""Rules that read a cheat out of code which a repair may need as well: its effect decides."""

_SOFTENED = {
    Generalisation.NEIGHBOURS: Severity.NOTE,
    Generalisation.REFUSALS: Severity.NEEDS_PERSON,
}
"""How severe these are at most, by how far the effect goes."""


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


def of_reach(reached: Reached, candidate: CandidatePatch) -> tuple[GuardFinding, ...]:
    """Return a finding when a patch has an effect on the tests' own inputs, or first calls, alone.

    A patch that brings no values can't hold an answer: it may move a boundary by one.

    Args:
        reached: How far its effect goes.
        candidate: The patch.
    """
    if reached.reach is Generalisation.FIRST_CALLS:
        return (found("effect-wears-off", guards_runs.effect_wears_off(reached.tests)),)
    if reached.reach is Generalisation.NEIGHBOURS or not brings_values(candidate.changes):
        return ()
    if reached.reach in {Generalisation.UNKNOWN, Generalisation.REFUSALS}:
        return ()
    said = guards_runs.no_effect_nearby(reached.inputs, reached.tests)
    return (found("no-effect-nearby", said),)


def near_inputs_matter(findings: tuple[GuardFinding, ...], changes: Sequence[FileDiff]) -> bool:
    """Whether what a patch does near the tests' inputs can change what is said of it.

    It can disprove a finding, or be one itself for a patch that brings values.
    """
    doubted = any(
        finding.rule in DISPROVABLE and finding.severity is not Severity.NOTE
        for finding in findings
    )
    return doubted or brings_values(changes)


def reconsidered(
    findings: tuple[GuardFinding, ...], reached: Reached, severities: Severities
) -> tuple[GuardFinding, ...]:
    """Return the findings; what a patch's effect disproves is a note, if the repository sets nothing.

    Of a patch that refuses inputs near those of the tests, a person has to say whether it should.
    """
    most = _SOFTENED.get(reached.reach)
    if most is None:
        return findings
    rules = DISPROVABLE - dict(severities).keys()
    return tuple(
        softened([finding], most)[0] if finding.rule in rules else finding for finding in findings
    )


def problem_of(candidate: CandidatePatch, findings: tuple[GuardFinding, ...]) -> str:
    """Return why a patch is not even run, as a sentence, or nothing.

    What its effect may disprove is no reason.
    """
    if not candidate.patch:
        if candidate.restored and not test_paths(candidate.restored):
            return verification.ONLY_PROTECTED_CONFIGURATION
        tests = candidate.restored or candidate.embedded
        return verification.ONLY_EXISTING_TESTS if tests else verification.EMPTY
    refused = [finding for finding in findings if finding.severity is Severity.REJECT]
    if any(finding.rule in {"protected-path", "allowed-paths"} for finding in refused):
        return verification.FORBIDDEN_PATHS
    return refusal(finding for finding in refused if finding.rule not in DISPROVABLE)


def refusal(findings: Iterable[GuardFinding]) -> str:
    """Return which finding rejects a patch, as a sentence, or nothing."""
    for finding in findings:
        if finding.severity is Severity.REJECT:
            return verification.rejected_by_guards(finding.message)
    return ""
