"""Why a run ends without a patch that passed."""

from __future__ import annotations

from collections.abc import Sequence

from bot.reporting.example import example


@example(attempts=1)
@example(attempts=3)
def attempts_used(attempts: int) -> str:
    """The budget's attempts are used."""
    return (
        "The one attempt of the budget is used."
        if attempts == 1
        else f"All {attempts} attempts of the budget are used."
    )


@example()
def nobody_else_to_ask() -> str:
    """Every proposer was asked."""
    return "No patch passed, and no other proposer is configured."


@example()
def no_proposer() -> str:
    """The run has none."""
    return "No proposer is configured."


@example(["mechanical", "search"])
def nothing_to_change(asked: Sequence[str]) -> str:
    """The proposers that need no model left no patch, and there is no model."""
    return f"{' and '.join(asked)} found nothing to change, and no model is configured."


@example()
@example(uncompared="The full test suite `make test` has no test that passes without the patch.")
def fixed(uncompared: str = "") -> str:
    """A patch is accepted; `uncompared` says why the full test suite shows nothing."""
    passes = "The failing command passes with the patch"
    return f"{passes}. {uncompared}" if uncompared else f"{passes}, and nothing broke."
