"""What is answered in a review thread, once a run worked on what was said there."""

from __future__ import annotations

from typing import Literal

from bot.model import Verdict
from bot.reporting.example import example
from bot.reporting.markdown import code, quote
from bot.reporting.marker import marker, signed
from bot.reporting.prose import line, prose
from bot.reporting.verdict_text import headline

_MARK = marker("3fa9c1d20b7e", "thread-1")
_COMMIT = "https://github.com/acme/app/commit/7d1f0b2"


@example(_COMMIT, "Close the file when reading fails.", _MARK)
def done(url: str, summary: str, mark: str) -> str:
    """Say which commit does what was asked, and how, in its proposer's words."""
    told = [f"Fixed in {url}."]
    if summary.strip():
        told.append(quote(prose(summary, limit=600)))
    return signed("\n\n".join(told), mark)


@example(_COMMIT, "Call the parameter `amount`.", _MARK)
def done_untested(url: str, summary: str, mark: str) -> str:
    """Say which commit does what was asked, where nothing but its proposer's words shows it."""
    told = [f"Changed in {url}. No test shows it, so the thread stays open for you to check."]
    if summary.strip():
        told.append(quote(prose(summary, limit=600)))
    return signed("\n\n".join(told), mark)


@example("review", "ann", _MARK)
@example("comment", "ann", _MARK, asks=True)
def waits(what: Literal["review", "comment"], by: str, mark: str, *, asks: bool = False) -> str:
    """Say that a review, or a comment, is worked on after the run that is active.

    Args:
        what: Is worked on.
        by: Login of who said it.
        mark: The hidden marker.
        asks: Whether that run waits for a person, who may have meant to answer.
    """
    active = "A run is active here"
    if asks:
        active += " and waits for an answer, `/fix approve` or `/fix reject`"
    return signed(
        f"{active}. Fixpoint will work on the {what} by {code(by)} when it is over.", mark
    )


@example(_COMMIT, _MARK)
def another_file(url: str, mark: str) -> str:
    """Say that the commit leaves this file as it was."""
    text = f"The fix is {url}. It doesn't change this file, so the thread stays open."
    return signed(text, mark)


@example(_COMMIT, _MARK)
def partly(url: str, mark: str) -> str:
    """Say that the commit mends some of the failures only."""
    return signed(f"Partly fixed in {url}. The thread stays open.", mark)


@example("https://github.com/acme/app/pull/13", _MARK)
def not_on_this_branch(url: str, mark: str) -> str:
    """Say that the repair is a pull request of its own."""
    return signed(f"Fixed in {url}, which is not on this branch yet. The thread stays open.", mark)


@example("The branch fix-login moved to 7d1f0b2 while Fixpoint was working on 2c64ae4.", _MARK)
def not_pushed(reason: str, mark: str) -> str:
    """Say why there is a patch and no commit."""
    return signed(f"Fixpoint found a patch, but did not push it. {line(reason)}", mark)


@example(_MARK)
def only_reported(mark: str) -> str:
    """Say that the repository wants reports alone."""
    return not_pushed("This repository's `confidence` is `diagnose`.", mark)


@example(Verdict.GAVE_UP, "3 attempts left the test failing.", _MARK)
def not_fixed(verdict: Verdict, reason: str, mark: str) -> str:
    """Say how the run ended instead."""
    return signed(f"{headline(verdict)}. {line(reason)}".rstrip(), mark)
