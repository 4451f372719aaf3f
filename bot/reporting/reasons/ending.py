"""Why a run ends without a patch that passed."""

from __future__ import annotations

from collections.abc import Sequence

from bot.model.untrusted import clip
from bot.reporting.example import example
from bot.reporting.series import series

_WORDS = 1_000
"""Characters of a model's words."""


@example(attempts=1)
@example(attempts=3)
def attempts_used(attempts: int) -> str:
    """The budget's attempts are used."""
    return (
        "The one attempt of the budget is used."
        if attempts == 1
        else f"All {attempts} attempts of the budget are used."
    )


@example(2)
def attempts_in_vain(attempts: int) -> str:
    """The last attempts left no change."""
    return f"{attempts} attempts in a row changed nothing, so no other one is made."


@example("`total` is the name that the other functions have, so I left it.")
@example("")
def changes_nothing(words: str) -> str:
    """Somebody asked for a change that no test shows, and the model made none."""
    said = clip(" ".join(words.split()), _WORDS)
    return f"The model changed nothing. It says: {said}" if said else "The model changed nothing."


@example()
def nobody_else_to_ask() -> str:
    """Every proposer was asked."""
    return "No patch passed, and no other proposer is configured."


@example()
def suggested() -> str:
    """A patch passes everything, and is not likely enough to be right."""
    return (
        "A patch passes the failing command and breaks nothing that the tests see, but the tests "
        "say too little to be confident that it is right."
    )


@example()
def no_proposer() -> str:
    """The run has none."""
    return "No proposer is configured."


@example(["mechanical", "search"])
@example(["mechanical"], ["search"])
@example([], ["search"])
def nothing_to_change(looked: Sequence[str], not_looked: Sequence[str] = ()) -> str:
    """The proposers that need no model left no patch, and there is no model.

    Args:
        looked: Those that found nothing.
        not_looked: Those that can't look: not in this language, or not with this test runner.
    """
    said = [f"{series(looked)} found nothing to change"] if looked else []
    if not_looked:
        said.append(f"{series(not_looked)} only repairs Python programs with pytest or unittest")
    return f"{', '.join(said)}, and no model is configured."


@example(["mechanical"])
@example(["mechanical", "search"])
def instructions_unread(asked: Sequence[str]) -> str:
    """Somebody said how to repair it, and no model was asked."""
    do = "does" if len(asked) == 1 else "do"
    return (
        f"The instructions were not read: only a model reads them, and {' and '.join(asked)} {do} not "
        "ask one."
    )


@example()
@example(uncompared="The full test suite `make test` has no test that passes without the patch.")
@example(others=1)
@example(others=3)
@example(tested=False)
@example(others=1, mended=2)
@example(mended=1)
def fixed(uncompared: str = "", others: int = 0, mended: int = 0, *, tested: bool = True) -> str:
    """A patch is accepted.

    Args:
        uncompared: Why the full test suite shows nothing, as a sentence.
        others: Tests that failed without the patch, and still do: it did not have to mend them.
        mended: Such tests that pass with it.
        tested: Whether a test ran with the patch, and not only a linter or a compiler.
    """
    passes = "What had to be fixed passes" if others or mended else "The failing command passes"
    if uncompared or tested:
        broke = f". {uncompared}" if uncompared else ", and nothing else that ran broke."
    else:
        broke = ". No test was run, so nothing shows what else the patch changes."
    said = f"{passes} with the patch{broke}"
    if mended:
        tests = (
            "1 test that was set aside passes"
            if mended == 1
            else f"{mended} tests that were set aside pass"
        )
        said = f"{said} {tests} now, too."
    if not others:
        return said
    tests = "1 other test fails" if others == 1 else f"{others} other tests fail"
    its = "its" if others == 1 else "their"
    return f"{said} {tests} for reasons of {its} own; see the notes."
