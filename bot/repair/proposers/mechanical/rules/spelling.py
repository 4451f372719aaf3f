"""Misspelt words for which the tool names one correction."""

from __future__ import annotations

import re

from bot.repair.proposers.mechanical.rules.rule import Example, Repair, Reported, Rule
from bot.reporting.reasons import rules

_SPELT = re.compile(
    r"^(?P<wrong>\S+) ==> (?P<right>[^\s,|]+(?: [^\s,|]+)?)$"
    r"|^`(?P<typo>[^`]+)` should be `(?P<meant>[^`]+)`$"
)
"""codespell: `teh ==> the`; typos: "`teh` should be `the`"."""


def _spelt(reported: Reported) -> Repair | None:
    """Replace the word on its line, in its own case."""
    match = _SPELT.search(reported.diagnostic.message)
    if match is None:
        return None
    wrong, right = match["wrong"] or match["typo"], match["right"] or match["meant"]
    line = reported.source.line(reported.line)
    text = re.sub(rf"(?<![^\W_]){re.escape(wrong)}(?![^\W_])", lambda _: right, line)
    return Repair(
        reported.source.with_line(reported.line, text), rules.spelling_corrected(wrong, right)
    )


RULES = (
    Rule(
        "spelling",
        frozenset({"codespell", "typos", "error"}),
        _SPELT,
        _spelt,
        Example(
            "# Where teh prices are.\n",
            1,
            "codespell",
            "teh ==> the",
            "# Where the prices are.\n",
        ),
        suffixes=(),
    ),
)
