"""Break programs and messages into the words that a search knows. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

MOST_WORDS = 400
"""Words that are kept of one text."""

_IDENTIFIER = re.compile(r"[A-Za-z0-9_]{2,80}")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SHORTEST = 2


def search_words(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case: identifiers, and the parts that they are made of.

    `KeyError` is `keyerror`, `key` and `error`. All of them are ASCII letters and digits.
    """
    found: list[str] = []
    for word in _words(text):
        found.append(word)
        if len(found) >= MOST_WORDS:
            break
    return tuple(found)


def _words(text: str) -> Iterator[str]:
    for match in _IDENTIFIER.finditer(text):
        whole = match[0].replace("_", "").lower()
        parts = [part.lower() for part in _PART.findall(match[0])]
        if len(whole) >= _SHORTEST:
            yield whole
        if len(parts) > 1:
            yield from (part for part in parts if len(part) >= _SHORTEST)
