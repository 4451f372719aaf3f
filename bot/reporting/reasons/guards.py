"""What guards find in a patch: its paths, additions, capabilities and configuration; and what each rule finds."""

from __future__ import annotations

from collections.abc import Sequence

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
    "exits-early": "a process exit that looks like success, where no program has to end",
    "test-setup": "a changed file that affects how tests run, or that a test runner or Python loads by itself",
    "protected-requested": "a protected path or configuration that the request asks to change",
    "config-restored": "a change to protected configuration that was left out",
    "check-relaxed": "a test, coverage or lint rule that demands less",
    "failure-suppressed": "a suppression in a file that the failing check names",
    "suppression-added": "a suppression for a linter, type checker or coverage",
    "suppression-named": "one that names what it suppresses, where only tests failed",
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
    "reverted-test-fails": "a test of a commit that fails where part of that commit is taken back",
    "needs-own-tests": "a command that passes only with the test files that the patch adds",
    "results-forged": "tests that are reported as passing although they were made to fail",
    "equals-anything": "a tested value that passes for any other expected value too",
    "runner-changed": "functions of the test runner that the program replaces as it runs",
    "point-untested": "a point of the specification that no test shows",
    "tests-weak": "tests written first that also pass with every wrong fix made from the patch",
    "tests-read": "a program that reads its tests",
    "fails-in-disguise": "a command that passes only where something tells of a test",
    "cannot-fail": "a check without named tests that passes although it was made to fail",
    "check-replaced": "a pass that comes from changed files which say how the tests run",
    "flaky-pass": "a command that passes with the patch only sometimes",
    "order-fails": "a test that fails with the repair of a flaky test in an order in which it passed",
    "fault-unnoticed": "a flaky test that notices less with its repair",
    "suite-uncompared": "a full test suite that can't show what the patch may have broken",
}


def finds(rule: str) -> str:
    return _FINDS[rule]


for _rule in reversed(_FINDS):
    example(_rule)(finds)


@example(12.0, 1_200)
def too_large_to_review(mebibytes: float, files: int) -> str:
    return f"The patch is too large to review: {mebibytes:.1f} MiB in {files:,} files."


@example("vendor/lib")
def submodule_changed(path: str) -> str:
    return f"The patch changes the submodule {path}."


@example("logo.png")
def binary(path: str) -> str:
    return f"{path} is a binary file."


@example("data/all.json")
def too_large_to_examine(path: str) -> str:
    return f"{path} is too large to examine."


@example("Reading it takes more than 10 s of processor time or 1024 MiB of memory.")
def too_long_to_examine(why: str) -> str:
    return f"The patch can't be examined. {why}"


@example("requirements.txt")
def dependencies_changed(path: str) -> str:
    return f"The patch changes {path}, which lists dependencies."


@example("config", "/etc/passwd")
def symlink_escapes(path: str, target: str) -> str:
    return f"The symlink {path} points outside the repository, to {target}."


@example("config", "settings.ini")
def symlink(path: str, target: str) -> str:
    return f"{path} is a symlink to {target}."


@example("app.min.js")
def minified(path: str) -> str:
    return f"{path} is minified."


@example(5_000)
def long_line(characters: int) -> str:
    return f"A line has {characters:,} characters, too many to be written by hand."


@example("schema.py")
def generated(path: str) -> str:
    return f"{path} is marked as generated."


_CAN = {
    "processes": "start processes",
    "network": "use the network",
    "dynamic-code": "run code that is put together at run time",
    "environment": "read environment variables",
    "credentials": "read credentials",
    "outside-writes": "write outside the repository",
    "native-code": "load native code",
    "surroundings": "see where they run, below what, and what lies outside the repository",
    "endings": "end their process, or do something as it ends or beside it",
    "clock": "depend on time or chance",
    "foreign-code": "replace code of others: their runner's, their language's, another package's",
    "stand-ins": "make objects that only look like a right result when they are compared or asked",
}
_LOST = {
    "unverified": "switches off a check of certificates or signatures",
    "constant-time": "drops a comparison or check that protects secrets",
}
_MOST = 120


def capability_added(capability: str, line: str) -> str:
    """The changed files have a capability that they didn't have; `line` grants it."""
    return f"The changed files can now {_CAN[capability]}, and could not before: {_short(line)}"


for _one in reversed(_CAN):
    example(_one, "subprocess.run(command, check=True)")(capability_added)


@example("clock", "if time.monotonic() < 5:")
def capability_widened(capability: str, line: str) -> str:
    """The changed files had a capability, and have it in another way as well; `line` grants it."""
    return f"The changed files could already {_CAN[capability]}; this is a new way: {_short(line)}"


def protection_removed(protection: str, line: str) -> str:
    """A check is switched off in `line`, or `line` is gone."""
    return f"The patch {_LOST[protection]}: {_short(line)}"


for _one in reversed(_LOST):
    example(_one, "hmac.compare_digest(given, expected)")(protection_removed)


def _short(line: str) -> str:
    return " ".join(line.split())[:_MOST]


_KEY = "tool.coverage.report.fail_under"
_NAMES = 120
"""Characters of the names that a sentence shows."""


@example(_KEY, 90.0, 80.0)
def limit_lowered(key: str, before: float, after: float) -> str:
    return f"{key} drops from {before:g} to {after:g}."


@example(_KEY, 90.0)
def limit_removed(key: str, before: float) -> str:
    return f"{key} is removed; it was {before:g}."


@example("tool.ruff.line-length", 100.0, 200.0)
def limit_raised(key: str, before: float, after: float) -> str:
    return f"{key} rises from {before:g} to {after:g}."


@example("tool.pytest.ini_options.addopts")
def plugin_loaded(key: str) -> str:
    return f"{key} loads a plugin."


@example("tool.ruff.lint.ignore", ["E501", "F401"])
def now_excluded(key: str, names: Sequence[str]) -> str:
    return f"{key} now excludes {', '.join(names)[:_NAMES]}."


@example("tool.ruff.lint.select", ["B", "F"])
@example("tool.ruff.lint.select", [])
def no_longer_included(key: str, names: Sequence[str]) -> str:
    """A list of what is checked shrinks, or is gone."""
    if not names:
        return f"{key} is no longer set."
    return f"{key} no longer includes {', '.join(names)[:_NAMES]}."


@example("tool.mypy.strict")
def switched_off(key: str) -> str:
    return f"{key} is now off."


@example("tool.mypy.ignore_errors")
def switched_on(key: str) -> str:
    return f"{key} is now on."


@example("pytest -k 'not slow' || true")
def command_checks_less(line: str) -> str:
    return f"A command checks less: {line}"


@example("setup.py")
def protected(file: str) -> str:
    return f"{file} is protected and must not be changed."


@example("setup.py")
def outside_allowed(file: str) -> str:
    return f"{file} is outside the allowed paths."


@example(".github/workflows/ci.yml")
def changed_on_request(file: str) -> str:
    return f"The request asks to change {file}, which is otherwise protected."


@example("src/lib.rs")
def embedded_tests(file: str) -> str:
    return (
        f"The change to existing tests inside of {file} was left out: "
        "a patch is verified by the original tests."
    )


@example("tests/test_app.py")
def test_restored(file: str) -> str:
    return (
        f"The change to the existing test file {file} was left out: "
        "a patch is verified by the original tests."
    )


@example("pytest.ini")
def configuration_restored(file: str) -> str:
    return (
        f"The change to {file} was left out: a patch is verified under the original configuration."
    )
