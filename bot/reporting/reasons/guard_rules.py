"""What each rule of the guards finds."""

from __future__ import annotations

from bot.reporting.example import example

_FINDS: dict[str, str] = {
    "test-removed": "a test that was removed, or renamed so that no runner collects it",
    "test-skipped": "a test that is skipped, expected to fail, or run alone",
    "test-cut-short": "a test that returns before its assertions",
    "assertion-removed": "fewer assertions in a test than before",
    "assertion-weakened": "an assertion that demands less than the one before",
    "assertion-vacuous": "an assertion that holds whatever the code does",
    "expected-changed": "a different expected value in an existing assertion",
    "tolerance-relaxed": "a larger tolerance or timeout in a test",
    "snapshot-changed": "a changed snapshot of a test",
    "test-restored": "a change to an existing test that was left out",
    "test-data-changed": "a changed file that belongs to the tests but is not a test",
    "outcome-rewritten": "code that changes what a test runner collects or reports",
    "runner-patched": "a test runner, assertion or builtin replaced at run time",
    "exits-early": "a process exit that looks like success",
    "exits-in-function": "the same inside a function, where a program may legitimately exit",
    "always-equal": "a comparison that is always true",
    "test-setup": "a changed file that affects how tests run",
    "protected-requested": "a protected path or configuration that the request asks to change",
    "config-restored": "a change to protected configuration that was left out",
    "check-relaxed": "a test, coverage or lint rule that demands less",
    "failure-suppressed": "a suppression in a file that the failing check names",
    "suppression-added": "a suppression for a linter, type checker or coverage",
    "suppression-named": "one that names what it suppresses, where only tests failed",
    "test-aware": "production code that checks whether it is being tested",
    "stack-inspected": "production code that inspects its callers",
    "interpreter-reached": (
        "production code that accesses loaded modules, import hooks, tracing or exit handlers"
    ),
    "runner-imported": "production code that imports a test runner",
    "hard-coded-answer": "a hard-coded answer to an input of the tests",
    "special-case": "a branch for exactly one input of the tests",
    "decides-without-input": (
        "a new condition on calls so far, the clock, the environment or the build, which no input has a part in"
    ),
    "exception-swallowed": "an exception handler that swallows everything where the test failed",
    "broad-except": "an exception handler that swallows everything",
    "capability-added": (
        "changed files that can do what they could not before: start processes, use the network, "
        "run dynamic or native code, read the environment or credentials, write elsewhere, "
        "see their surroundings, end their process, depend on time or chance, replace code of others, "
        "make objects that only look right"
    ),
    "protection-removed": (
        "a check of certificates or signatures switched off, or a constant-time comparison dropped"
    ),
    "network-at-import": "a network call that runs when a module is loaded",
    "dependency-added": "a changed dependency manifest or lock file",
    "binary-added": "a new or changed binary file",
    "blob-added": "generated or minified text",
    "symlink-changed": "a symbolic link that is new or has a new target",
    "symlink-escapes": "a symbolic link that points outside the repository",
    "submodule-changed": "a submodule at another commit",
    "patch-size": "a patch that is too large to review",
    "not-examined": "a file that the guards could not read",
    "tests-not-run": "tests that ran without the patch but not with it",
    "tests-unseen": "tests that failed before and have no recorded pass",
    "original-test-fails": "an original test that fails where a request changes tests",
    "needs-own-tests": "a command that passes only with the test files that the patch adds",
    "results-forged": "tests that are reported as passing although they were made to fail",
    "equals-anything": "a tested value that passes for any other expected value too",
    "runner-changed": "functions of the test runner that the program replaces as it runs",
    "no-effect-nearby": "behaviour that changes for the inputs of the tests, and for none near them",
    "effect-wears-off": "behaviour that changes for the first calls in a process only",
    "condition-unneeded": (
        "a condition that keeps the change from inputs near those of the tests, and that no test needs"
    ),
    "point-untested": "a point of the specification that no test shows",
    "tests-weak": "tests written first that also pass with every wrong fix made from the patch",
    "inputs-not-varied": (
        "new conditions or values of which no input near those of the tests tells what they do"
    ),
    "tests-read": "a program that reads its tests",
    "fails-in-disguise": "a command that passes only where something tells of a test",
    "cannot-fail": "a check without named tests that passes although it was made to fail",
    "check-replaced": "a pass that comes from changed files which say how the tests run",
    "flaky-pass": "a command that passes with the patch only sometimes",
    "suite-uncompared": "a full test suite that can't show what the patch may have broken",
}


def finds(rule: str) -> str:
    """Return what a rule looks for, as a noun phrase."""
    return _FINDS[rule]


for _rule in reversed(_FINDS):
    example(_rule)(finds)
