"""How a patch was verified, and why it was not run or not compared."""

from __future__ import annotations

from bot.reporting.example import example

_SUITE = "make test"


@example()
def only_protected_configuration() -> str:
    """Everything else of the patch was put back."""
    return "The patch changes only protected configuration."


@example()
def only_existing_tests() -> str:
    """Everything else of the patch was put back."""
    return "The patch changes only existing tests."


@example()
def empty() -> str:
    """There is nothing to verify."""
    return "The patch changes nothing."


@example()
def forbidden_paths() -> str:
    """The repo config closes a path, or opens others."""
    return "The patch changes paths that it must not change."


@example("The test test_shout was removed or renamed.")
def rejected_by_guards(finding: str) -> str:
    """A finding rejects the patch before it is run."""
    return f"The guards reject the patch: {finding}"


@example()
def does_not_apply() -> str:
    """Git says no more."""
    return "The patch does not apply."


@example()
def fails_with_its_tests() -> str:
    """The command passes while the patch's changes to tests are left out."""
    return "The command passes with the patch, but fails once its changes to tests are included."


@example("make test", 90.0, 60.0)
def ran_once(command: str, seconds: float, longest: float) -> str:
    """A command that takes long isn't repeated."""
    return (
        f"`{command}` ran only once with the patch because it takes {seconds:.0f} s; "
        f"only commands that take less than {longest:.0f} s are repeated."
    )


@example(1)
def exited(exit_code: int) -> str:
    """A runner that names no tests failed."""
    return f"exited with {exit_code}"


@example(_SUITE, 600.0)
def suite_too_slow(suite: str, seconds: float) -> str:
    """The full test suite doesn't end on the untouched tree."""
    return (
        f"The full test suite `{suite}` does not finish within {seconds:.0f} s even without the patch, "
        "so it can't show what the patch may have broken."
    )


@example(_SUITE, 2)
def suite_names_no_test(suite: str, exit_code: int) -> str:
    """The full test suite fails on the untouched tree, and nobody knows with which tests."""
    return (
        f"The full test suite `{suite}` also fails without the patch (exit code {exit_code}) and names "
        "no test, so it can't show what the patch may have broken."
    )


@example(_SUITE)
def suite_passes_nothing(suite: str) -> str:
    """No test passes on the untouched tree, so none can break."""
    return (
        f"The full test suite `{suite}` has no test that passes without the patch, "
        "so it can't show what the patch may have broken."
    )


@example()
def no_ordering_plugin_known() -> str:
    """The suite isn't run by pytest."""
    return "Its tests ran in their default order: no plugin that shuffles them is known."


@example("pytest-randomly")
def shuffled(plugin: str) -> str:
    """A plugin of the project shuffles the tests."""
    return f"Its tests ran in random order, using {plugin}."


@example()
def no_ordering_plugin() -> str:
    """Pytest has no plugin that shuffles the tests."""
    return (
        "Its tests ran in their default order: the project has neither pytest-randomly nor "
        "pytest-random-order."
    )
