"""What fails besides, and why no patch has to mend it."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example
from bot.reporting.figures import count
from bot.reporting.series import series

_MOST_NAMED = 5


@example("needs the network, which the sandbox does not have", ["tests.test_a::test_get"])
@example("fails for a reason that has nothing to do with the issue", ["a", "b", "c", "d", "e", "f"])
def left_alone(cause: str, tests: Sequence[str]) -> str:
    """Tests that fail with and without a patch, for one cause."""
    named = series([f"`{test}`" for test in tests], most=_MOST_NAMED)
    if len(tests) == 1:
        return f"1 failing test is not part of this repair: {named}. It {cause}."
    number = count(len(tests), "failing test")
    return f"{number} are not part of this repair: {named}. Each of them {cause}."


@example(["example.com/app.TestB"], ["example.com/app.TestC"], 4)
@example(["tests.test_a::test_b"], [], 4)
def ran_without(crashed: Sequence[str], failing: Sequence[str], passed: int) -> str:
    """Tests that a crash had hidden ran without the one that crashed."""
    names = series([f"`{test}`" for test in crashed])
    ended = "ends the test process" if len(crashed) == 1 else "end the test process"
    it = "it" if len(crashed) == 1 else "them"
    fails = (
        f"{series([f'`{test}`' for test in failing], most=_MOST_NAMED)} fails" if failing else ""
    )
    if len(failing) > 1:
        fails = fails.removesuffix("s")
    passes = count(passed, "test passes", "tests pass") if passed else ""
    told = " and ".join(filter(None, (passes, fails))) or "no other test fails"
    return f"{names} {ended} early, so the tests after {it} did not run. Without {it}, {told}."


@example("npm test")
@example("go test ./...", "example.com/app.TestB")
def hides_tests(command: str, test: str = "") -> str:
    """A test program ended early, and what it would have run besides could not be run."""
    who = f"`{test}`" if test else "A test"
    return (
        f"{who} ends the test process of `{command}` early. The tests after it did not run here, so "
        "others may fail as well."
    )


@example()
def needs_network() -> str:
    """A name is not resolved, or an address not reached."""
    return "needs the network, which the sandbox does not have"


@example()
def needs_service() -> str:
    """A database or the like does not answer."""
    return "needs a service that does not run in the sandbox"


@example()
def needs_other_rights() -> str:
    """A test of permissions, run by a user who may do everything, or little."""
    return "depends on the rights of the user who runs it"


@example()
def needs_writable_files() -> str:
    """A path of the system is written."""
    return "writes to a read-only file system"


@example()
def needs_locale() -> str:
    """A locale or a time zone is not installed."""
    return "needs a locale or time zone that is not installed"


@example()
def needs_display() -> str:
    """A window is to be opened."""
    return "needs a display"


@example()
def needs_browser() -> str:
    """Playwright, Puppeteer, Selenium or Karma finds none."""
    return "needs a browser that is not installed"


@example()
def needs_room() -> str:
    """Disk, memory or file handles are used up."""
    return "needs more disk, memory or open files than the sandbox allows"


@example()
def needs_plugin() -> str:
    """The test runner lacks an extension."""
    return "needs a plugin of the test runner that is not installed"


@example("git")
def needs_program(name: str) -> str:
    """A program is not installed."""
    return f"needs the program `{name}`, which is not installed"


@example("trustme")
def needs_module(name: str) -> str:
    """A package is not installed."""
    return f"needs the module `{name}`, which is not installed"


@example("numpy")
def needs_other_version(name: str) -> str:
    """An installed package no longer has, or doesn't have yet, what is used of it."""
    return f"needs another version of `{name}` than the installed one"


@example("DeprecationWarning")
def warning_as_error(name: str) -> str:
    """A warning of an installed package counts as an error."""
    return f"fails on a {name} of an installed package"


@example()
def unstable() -> str:
    """It failed in one of two runs."""
    return "failed in only one of two runs on the same tree"


@example("2c64ae4")
def old(commit: str) -> str:
    """It fails at an older commit too."""
    return f"fails in the same way at the older commit `{commit}`"


@example()
def before_the_feature() -> str:
    """Something new is asked for, and the test was red without it."""
    return "failed before the feature was asked for"


@example("KeyError", "app/rates.py")
def raised_elsewhere(exception: str, file: str) -> str:
    """What the issue leads to raises something else, in another file."""
    return f"raises {exception} in `{file}`, unlike the failures that the issue is about"


@example()
def runs_other_code() -> str:
    """Its test was watched, and those that the issue leads to were."""
    return "runs none of the code that the tests of the issue run"


@example(["tests.test_a::test_get"])
@example(["a", "b"])
def passes_now(tests: Sequence[str]) -> str:
    """A patch turned green what it did not have to."""
    named = series([f"`{test}`" for test in tests], most=_MOST_NAMED)
    were, passes = ("was", "passes") if len(tests) == 1 else ("were", "pass")
    return f"{count(len(tests), 'test')} that {were} set aside {passes} with the patch: {named}."


@example()
def not_on_github() -> str:
    """GitHub's log of the same job does not show it."""
    return "does not fail on GitHub"


@example()
def on_base_alone() -> str:
    """It fails at the base commit here, and GitHub's log does not show it."""
    return "fails here at the base commit too, but not on GitHub"


@example()
def unnamed() -> str:
    """Nothing in the issue leads to it."""
    return "fails for a reason that the issue does not mention"


@example(3)
def undecided(tests: int) -> str:
    """No failure is closer to the issue than the others."""
    return (
        f"The issue does not say which of {count(tests, 'failing test')} it is about, so a patch "
        "has to fix all of them."
    )


@example(meant=1, tests=3)
@example(meant=2, tests=3)
def not_parted(meant: int, tests: int) -> str:
    """The words of an issue lead to some of the failures, and nothing shows that the others differ."""
    return (
        f"The issue points to {meant} of {count(tests, 'failing test')}. Nothing shows that the "
        f"{'other has' if tests - meant == 1 else 'others have'} a different cause, so a patch has to "
        "fix all of them."
    )


@example(mended=2, tests=3)
def draft(mended: int, tests: int) -> str:
    """The best patch of a run that could not tell what it was about."""
    return (
        f"The issue does not say which of {count(tests, 'failing test')} it is about. This patch "
        f"fixes {mended} of them and breaks nothing; {tests - mended} still "
        f"{'fails' if tests - mended == 1 else 'fail'}."
    )
