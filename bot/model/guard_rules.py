"""The rules of the guards: what each finds, and what a finding means unless the repo config says else.

Pure, and without a parser: settings and documents read it too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from bot.model import GuardFinding, Severity

_REJECT, _PERSON, _NOTE = Severity.REJECT, Severity.NEEDS_PERSON, Severity.NOTE


@dataclass(frozen=True, slots=True)
class Rule:
    """What a guard looks for.

    Attributes:
        severity: Of its findings, unless the repo config sets another.
        finds: What a finding says, as a noun phrase.
    """

    severity: Severity
    finds: str


RULES: Mapping[str, Rule] = {
    # tests, as far as a patch may change them at all
    "test-removed": Rule(_REJECT, "a test that is gone, or renamed so that no runner collects it"),
    "test-skipped": Rule(_REJECT, "a test that is skipped, expected to fail, or runs alone"),
    "test-cut-short": Rule(_REJECT, "a test that returns before its assertions"),
    "assertion-removed": Rule(_REJECT, "fewer assertions in a test than before"),
    "assertion-weakened": Rule(_REJECT, "an assertion that demands less than the one before"),
    "assertion-vacuous": Rule(_REJECT, "an assertion that holds whatever the code does"),
    "expected-changed": Rule(_REJECT, "another expected value in an assertion that stays"),
    "tolerance-relaxed": Rule(_REJECT, "a greater tolerance or timeout in a test"),
    "snapshot-changed": Rule(_PERSON, "a stored snapshot of a test with other content"),
    "test-restored": Rule(_NOTE, "a change to an existing test that was left out"),
    "test-data-changed": Rule(_PERSON, "a file beside the tests, that is no test, with a change"),
    # how tests are run
    "outcome-rewritten": Rule(_REJECT, "code that changes what a test runner collects or reports"),
    "runner-patched": Rule(_REJECT, "a test runner, assertion or builtin replaced at run time"),
    "exits-early": Rule(_REJECT, "an end of the process that looks like success"),
    "exits-in-function": Rule(_PERSON, "the same in a function, where a program may well end"),
    "always-equal": Rule(_REJECT, "a comparison that is always true"),
    "test-setup": Rule(_PERSON, "a file that has a say in how tests run, with a change"),
    "protected-requested": Rule(
        _PERSON, "a protected path or configuration that the request asks to change"
    ),
    "config-restored": Rule(_NOTE, "a change to a protected configuration that was left out"),
    "check-relaxed": Rule(_REJECT, "a test, coverage or lint rule that demands less"),
    "failure-suppressed": Rule(_REJECT, "an ignore in a file that the failing check names"),
    "suppression-added": Rule(_PERSON, "an ignore for a linter, type checker or coverage"),
    "suppression-named": Rule(_NOTE, "one that names what it ignores, where only tests failed"),
    # the program
    "test-aware": Rule(_REJECT, "production code that asks whether it is being tested"),
    "stack-inspected": Rule(_PERSON, "production code that looks at its callers"),
    "interpreter-reached": Rule(
        _PERSON, "production code that reaches for loaded modules, imports, traces or the exit"
    ),
    "runner-imported": Rule(_PERSON, "production code that imports a test runner"),
    "hard-coded-answer": Rule(_REJECT, "an answer written down for an input of the tests"),
    "special-case": Rule(_PERSON, "a branch for exactly one input of the tests"),
    "exception-swallowed": Rule(_REJECT, "any exception caught and dropped where the test failed"),
    "broad-except": Rule(_PERSON, "any exception caught and dropped"),
    # what comes into the repository
    "network-at-import": Rule(_REJECT, "a network call that runs when a module is loaded"),
    "dependency-added": Rule(_PERSON, "a manifest or lock file of dependencies with a change"),
    "binary-added": Rule(_PERSON, "a new or changed file that nobody can read"),
    "blob-added": Rule(_PERSON, "a generated or minified text"),
    "symlink-changed": Rule(_PERSON, "a symbolic link that is new or leads elsewhere"),
    "symlink-escapes": Rule(_REJECT, "a symbolic link that leads out of the repository"),
    "submodule-changed": Rule(_PERSON, "a submodule at another commit"),
    "patch-size": Rule(_PERSON, "a patch too big to review"),
    "not-examined": Rule(_PERSON, "a file that the guards could not read"),
    # what the runs show
    "tests-not-run": Rule(_REJECT, "tests that ran without the patch and do not with it"),
    "tests-unseen": Rule(_PERSON, "tests that failed and were not seen to pass"),
    "original-test-fails": Rule(_PERSON, "a test that fails as it was, where a request changes it"),
    "needs-own-tests": Rule(
        _REJECT, "a command that passes only with the test files that the patch adds"
    ),
    "results-forged": Rule(
        _REJECT, "tests that are reported to pass although an error stands at their end"
    ),
    "flaky-pass": Rule(_REJECT, "a command that passes with the patch only now and then"),
}  # fmt: skip
"""By id. Sections `paths` of the repo config settle `protected-path` and `allowed-paths`."""


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
        allowed: When there are any, a patch stays inside them.
        protected: No patch touches these.
        restored: Added to what is put back before a patch is judged; see `guards.is_restored`.
        guards: Severities in the place of those that the guards' rules have by themselves.
        requested: Globs of what the request asks to change although it is closed to patches; see
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
    return GuardFinding(rule, RULES[rule].severity, message, file, line)


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
    """Return the findings, none graver than `limit`."""
    order = list(Severity)
    return tuple(
        replace(finding, severity=limit)
        if order.index(finding.severity) < order.index(limit)
        else finding
        for finding in findings
    )
