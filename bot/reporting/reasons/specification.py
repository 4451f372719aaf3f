"""What becomes of the specification of a problem that no test shows."""

from __future__ import annotations

from bot.reporting.example import example


@example("Which rounding is expected for negative amounts?")
def says_too_little(missing: str) -> str:
    """The model can't tell what is expected."""
    return f"The issue does not say enough to write a failing test. {missing}"


@example()
def unreadable() -> str:
    """The model's answer holds no specification."""
    return "The model wrote no specification that could be read, so the tests are written from the issue alone."


@example()
def waiting() -> str:
    """The config wants a person to agree first."""
    return "The specification is waiting for approval."


@example()
def rejected_here() -> str:
    """The person at the terminal does not agree."""
    return "The specification was rejected."


@example("ann")
def approved(by: str) -> str:
    """A person on GitHub agrees."""
    return f"{by} approved the specification."


@example("ann")
def rejected(by: str) -> str:
    """A person on GitHub does not agree."""
    return f"{by} rejected the specification."


@example()
def no_terminal() -> str:
    """The config wants a person to agree, and there is nobody to ask."""
    return (
        "The repo config has `spec: approve`, and there is no terminal to ask on. Run the command "
        "on a terminal, or set `spec: on`."
    )


@example(2, "`shipping(-1)` raises `ValueError`.")
def untested(point: int, expected: str) -> str:
    """A point that no test shows, of a patch that passes."""
    return f"No test shows point {point} of the specification, so check it by hand: {expected}"


@example()
def change_untested() -> str:
    """A change in a pull request of ours, which nothing shows."""
    return "No test shows what was asked for, so check the change by hand."


@example()
def no_test() -> str:
    """Neither the author of the tests nor the reviewer says anything of a point."""
    return "No test shows this, and the model gave no reason."
