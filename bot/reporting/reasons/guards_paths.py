"""Which files a patch must not change, and what became of its changes to them."""

from __future__ import annotations

from bot.reporting.example import example


@example("setup.py")
def protected(file: str) -> str:
    """The repo config or Fixpoint protects the file."""
    return f"{file} is protected and must not be changed."


@example("setup.py")
def outside_allowed(file: str) -> str:
    """The repo config allows other paths."""
    return f"{file} is outside the allowed paths."


@example(".github/workflows/ci.yml")
def changed_on_request(file: str) -> str:
    """A person with write access asked for the change."""
    return f"The request asks to change {file}, which is otherwise protected."


@example("src/lib.rs")
def embedded_tests(file: str) -> str:
    """The patch changed tests that stand inside of a program."""
    return (
        f"The change to existing tests inside of {file} was left out: "
        "a patch is verified by the original tests."
    )


@example("tests/test_app.py")
def test_restored(file: str) -> str:
    """The patch changed an existing test."""
    return (
        f"The change to the existing test file {file} was left out: "
        "a patch is verified by the original tests."
    )


@example("pytest.ini")
def configuration_restored(file: str) -> str:
    """The patch changed configuration that is put back."""
    return (
        f"The change to {file} was left out: a patch is verified under the original configuration."
    )
