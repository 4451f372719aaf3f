"""The quotes that the project prefers, as pylint-quotes and flake8-quotes ask for them."""

from __future__ import annotations

import ast
import re

from bot.repair.proposers.mechanical.rules.rule import Example, Repair, Reported, Rule
from bot.reporting.reasons import mechanical

_QUOTE = re.compile(
    r"^Invalid (?:string|docstring|triple) quote (?P<is>\S+?),? should be (?P<should>\S+)$"
    r"|^(?P<word>Double|Single) quotes found but (?P<other>double|single) quotes preferred"
)
_LITERAL = re.compile(
    r"^(?P<prefix>[A-Za-z]*)(?P<quote>\"\"\"|'''|\"|')(?P<text>.*)(?P=quote)$", re.DOTALL
)


def _requoted(reported: Reported) -> Repair | None:
    """Change the quotes of the line's texts that can do without escapes."""
    match = _QUOTE.search(reported.diagnostic.message)
    if match is None:
        return None
    should = match["should"] or {"double": '"', "single": "'"}[match["other"]]
    source = reported.source
    text = source.text
    for token in reversed(source.literals):
        if token.start[0] != reported.line:
            continue
        literal = _LITERAL.match(token.text)
        if literal is None or len(literal["quote"]) != len(should) or literal["quote"] == should:
            continue
        if should[0] in literal["text"] or "\\" in literal["text"]:
            continue
        start, end = source.at(*token.start), source.at(*token.end)
        text = f"{text[:start]}{literal['prefix']}{should}{literal['text']}{should}{text[end:]}"
    if text == source.text or not _is_same(source.text, text):
        return None
    return Repair(text, mechanical.quotes_changed(should))


def _is_same(before: str, after: str) -> bool:
    return ast.dump(ast.parse(before)) == ast.dump(ast.parse(after))


RULES = (
    Rule(
        "quotes",
        frozenset({"C4001", "C4002", "C4003", "Q000", "Q001", "Q002", "invalid-string-quote"}),
        _QUOTE,
        _requoted,
        Example(
            'NAME = "rule"\n',
            1,
            "C4001",
            "Invalid string quote \", should be '",
            "NAME = 'rule'\n",
        ),
    ),
)
