"""Words for which the tool names the right one: misspelt, or not the name that was meant."""

from __future__ import annotations

import re

from bot.repair.proposers.mechanical.rules.rule import Example, Repair, Reported, Rule
from bot.reporting.reasons import mechanical

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
        reported.source.with_line(reported.line, text), mechanical.spelling_corrected(wrong, right)
    )


_SHOULD_BE = re.compile(
    r"^[`'\"](?P<is>\w[\w. ]*)[`'\"] should be [`'\"](?P<should>\w[\w. ]*)[`'\"]$"
)
"""pyflakes: `'raise NotImplemented' should be 'raise NotImplementedError'`."""


def _as_it_should_be(reported: Reported) -> Repair | None:
    """Replace what the message quotes by what it says it should be."""
    match = _SHOULD_BE.search(reported.diagnostic.message)
    line = reported.source.line(reported.line)
    found = re.findall(rf"\b{re.escape(match['is'])}\b", line) if match is not None else []
    if match is None or len(found) != 1:
        return None
    text = re.sub(rf"\b{re.escape(match['is'])}\b", lambda _: match["should"], line)
    return Repair(
        reported.source.with_line(reported.line, text),
        mechanical.spelling_corrected(match["is"], match["should"]),
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
    Rule(
        "what the message says it should be",
        frozenset(),
        _SHOULD_BE,
        _as_it_should_be,
        Example(
            "def size(self):\n    raise NotImplemented\n",
            2,
            "F901",
            "'raise NotImplemented' should be 'raise NotImplementedError'",
            "def size(self):\n    raise NotImplementedError\n",
        ),
        suffixes=(),
    ),
)
