"""The rules of the guards, and what a finding of each means unless the repo config says otherwise.

Pure, and without a parser: settings and documents read it too. What a rule finds is worded in
`bot.reporting.reasons.guards`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from bot.model import GuardFinding, Severity

_REJECT, _PERSON, _NOTE = Severity.REJECT, Severity.NEEDS_PERSON, Severity.NOTE

RULES: Mapping[str, Severity] = {
    # tests, as far as a patch may change them at all
    "test-removed": _REJECT,
    "test-skipped": _REJECT,
    "test-cut-short": _REJECT,
    "assertion-removed": _REJECT,
    "assertion-weakened": _REJECT,
    "assertion-vacuous": _REJECT,
    "expected-changed": _REJECT,
    "tolerance-relaxed": _REJECT,
    "snapshot-changed": _PERSON,
    "test-restored": _NOTE,
    "test-data-changed": _PERSON,
    # how tests are run
    "exits-early": _PERSON,
    "test-setup": _PERSON,
    "protected-requested": _PERSON,
    "config-restored": _NOTE,
    "check-relaxed": _REJECT,
    "failure-suppressed": _REJECT,
    "suppression-added": _PERSON,
    "suppression-named": _NOTE,
    # the program
    "broad-except": _PERSON,
    "capability-added": _PERSON,
    "protection-removed": _PERSON,
    # what comes into the repository
    "dependency-added": _PERSON,
    "binary-added": _PERSON,
    "blob-added": _PERSON,
    "symlink-changed": _PERSON,
    "symlink-escapes": _REJECT,
    "submodule-changed": _PERSON,
    "patch-size": _PERSON,
    "not-examined": _PERSON,
    # what the runs show
    "tests-not-run": _REJECT,
    "tests-unseen": _PERSON,
    "original-test-fails": _PERSON,
    "reverted-test-fails": _PERSON,
    "needs-own-tests": _REJECT,
    "results-forged": _REJECT,
    "equals-anything": _PERSON,
    "runner-changed": _REJECT,
    "point-untested": _PERSON,
    "tests-weak": _PERSON,
    "tests-read": _PERSON,
    "fails-in-disguise": _REJECT,
    "cannot-fail": _PERSON,
    "check-replaced": _REJECT,
    "flaky-pass": _REJECT,
    "order-fails": _REJECT,
    "fault-unnoticed": _REJECT,
    "suite-uncompared": _PERSON,
}
"""Severities by id. Sections `paths` of the repo config settle `protected-path` and `allowed-paths`."""

SHOWN_BY_CARD = frozenset({
    "special-case", "no-effect-nearby", "effect-wears-off", "condition-unneeded", "inputs-not-varied",
    "hard-coded-answer", "exception-swallowed", "decides-without-input",
})  # fmt: skip
"""Rules of earlier versions: what they found, the proof card shows of any change."""


class Strictness(StrEnum):
    """The severities as the repo config spells them."""

    REJECT = "reject"
    NEEDS_PERSON = "needs-person"
    NOTE = "note"

    @property
    def severity(self) -> Severity:
        """The same in the words of a run."""
        return Severity[self.name]


Severities = tuple[tuple[str, Severity], ...]
"""Pairs of rule and severity that a repository sets: they replace those of `RULES`."""


@dataclass(frozen=True, slots=True)
class PatchRules:
    """What a repository lets patches do. Globs are in gitignore syntax.

    Attributes:
        allowed: If there are any, a patch must stay inside them.
        protected: No patch touches these.
        restored: Added to what is put back before a patch is verified; see `guards.is_restored`.
        guards: Severities that replace those of `RULES`.
        requested: Globs of what the request asks to change although it is protected; see
            `guards.requested`.
    """

    allowed: tuple[str, ...] = ()
    protected: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    guards: Severities = ()
    requested: tuple[str, ...] = ()


def found(
    rule: str, message: str, file: str | None = None, line: int | None = None
) -> GuardFinding:
    """Return a finding with the rule's own severity."""
    return GuardFinding(rule, RULES[rule], message, file, line)


def configured(
    findings: Iterable[GuardFinding], severities: Severities
) -> tuple[GuardFinding, ...]:
    """Return the findings, each once, with the severities that the repository sets."""
    own = dict(severities)
    return tuple(
        dict.fromkeys(
            replace(finding, severity=own.get(finding.rule, finding.severity))
            for finding in findings
        )
    )


def softened(findings: Iterable[GuardFinding], limit: Severity) -> tuple[GuardFinding, ...]:
    """Return the findings, none more severe than `limit`."""
    order = list(Severity)
    return tuple(
        replace(finding, severity=limit)
        if order.index(finding.severity) < order.index(limit)
        else finding
        for finding in findings
    )
