"""Whitespace, blank lines, indentation and comparisons with None, as pycodestyle wants them.

autopep8 has the repairs by pycodestyle's codes; here each is used for the one line that is reported.
"""

from __future__ import annotations

import re

from bot.repair.proposers.mechanical.rules.rule import Example, Repair, Reported, Rule
from bot.repair.proposers.mechanical.rules.source import RuleSource
from bot.reporting.reasons import mechanical

_WIDE = 10_000
"""Columns: lines are not broken here."""

_NEAR = 3
"""Lines around the reported one that its repair may take up."""

_OF_PYLINT = {
    "C0303": "W291",  # trailing-whitespace
    "C0304": "W292",  # missing-final-newline
    "C0305": "W391",  # trailing-newlines
    "C0321": "E701",  # multiple-statements
    "W0311": "E111",  # bad-indentation
    "C0121": "E711",  # singleton-comparison
    "W1401": "W605",  # anomalous-backslash-in-string
}
"""pycodestyle's codes for pylint's."""

_CHANGING = frozenset({"E711", "E713", "E714"})
"""What autopep8 repairs only when asked to be aggressive: it changes the program's text."""

_CODES = frozenset({
    "E101", "E111", "E112", "E114", "E115", "E116", "E117",
    "E121", "E122", "E123", "E124", "E125", "E126", "E127", "E128", "E129", "E131", "E133",
    "E201", "E202", "E203", "E204", "E211", "E221", "E222", "E223", "E224", "E225", "E226", "E227",
    "E228", "E231", "E241", "E242", "E251", "E252", "E261", "E262", "E265", "E266", "E271", "E272",
    "E273", "E274", "E275", "E301", "E302", "E303", "E304", "E305", "E306", "E401", "E502",
    "E701", "E702", "E703", "E704", "E711", "E713", "E714",
    "W191", "W291", "W292", "W293", "W391", "W503", "W504", "W605",
    *_OF_PYLINT,
})  # fmt: skip


def _laid_out(reported: Reported) -> Repair | None:
    """Let autopep8 repair the one code on the one line."""
    source, line = reported.source, reported.line
    code = _OF_PYLINT.get(reported.diagnostic.code, reported.diagnostic.code)
    if code in {"W291", "W293"}:
        text = source.with_line(line, source.line(line).rstrip())
    else:
        text = fixed(source, code, line, line)
        if text == source.text:
            text = fixed(source, code, max(1, line - _NEAR), line + _NEAR)
    if text == source.text or not (code in _CHANGING or source.means_the_same(text)):
        return None
    return Repair(text, mechanical.laid_out(reported.diagnostic.code, reported.diagnostic.message))


def fixed(source: RuleSource, code: str, first: int, last: int, *, columns: int = _WIDE) -> str:
    """Return the text as autopep8 repairs a code of pycodestyle between two lines."""
    import autopep8

    options = {
        "select": [code],
        "line_range": [first, last],
        "max_line_length": columns,
        "aggressive": int(code in _CHANGING),
    }
    repaired = autopep8.fix_code(source.text, options=options)
    return str(repaired)


RULES = (
    Rule(
        "layout",
        _CODES,
        re.compile(""),
        _laid_out,
        Example(
            "import os\ndef size(path):\n    return os.stat(path).st_size \n",
            2,
            "E302",
            "expected 2 blank lines, found 0",
            "import os\n\n\ndef size(path):\n    return os.stat(path).st_size \n",
        ),
    ),
)
