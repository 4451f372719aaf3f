"""Every sentence has one home, an example, and a line on the page where all can be read."""

from __future__ import annotations

from bot.reporting.example import spoken
from tests import sentences


def test_the_page_shows_every_sentence_as_it_is() -> None:
    """`docs/sentences.md` is what the code says today."""
    written = sentences.PAGE.read_text("utf-8")
    assert written == sentences.page(), "`make sentences` renews docs/sentences.md"


def test_every_reason_has_an_example() -> None:
    """A reason that nobody can read on the page would not be proofread."""
    silent = [
        f"{module.__name__}.{function.__name__}"
        for module in sentences.reporting_modules()
        if module.__name__.startswith("bot.reporting.reasons.")
        for function in sentences.functions(module)
        if not spoken(function)
    ]
    assert silent == []
