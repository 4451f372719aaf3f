"""Compare pieces of programs up to the names in them: copied code often differs in nothing else. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

Renaming = Mapping[str, str]
"""Each word of one text, and what stands in its place in the other; most stay as they are."""

_TOKEN = re.compile(r"\w+|[^\w\s]")
_NAME = re.compile(r"[^\W\d]\w*")

_RESERVED = """
and as assert async await bool break byte case catch chan char class const continue crate debugger
def default defer del delete do double elif else enum except export extends extern fallthrough false
final finally float fn for from func function global go goto if impl implements import in instanceof
int interface is lambda let long loop map match mod move mut namespace new nil None nonlocal not null
or package pass private protected pub public raise range ref return rune select self Self short static
str string struct super switch this throw throws trait true True False try type typeof undefined
unsafe use usize var void where while with yield
"""
RESERVED = frozenset(_RESERVED.split())
"""Words that mean the same everywhere in some language: nobody calls a variable like that."""


def tokens(text: str) -> tuple[str, ...]:
    """Return the words and signs of a text, without the space between them."""
    return tuple(_TOKEN.findall(text))


def is_word(token: str) -> bool:
    """Return whether a token is a word or a number, and no sign."""
    return token[0] == "_" or token[0].isalnum()


def unified(old: Sequence[str], new: Sequence[str], known: Renaming) -> Renaming | None:
    """Return the renaming under which some tokens read as others do; None where there is none.

    It is one to one, and goes on from what is known.
    """
    if len(old) != len(new):
        return None
    there = dict(known)
    back = {name: word for word, name in known.items()}
    for word, name in zip(old, new, strict=True):
        if there.setdefault(word, name) != name or back.setdefault(name, word) != word:
            return None
        if word != name and not (_is_free(word) and _is_free(name)):
            return None
    return there


def renamed(text: str, renaming: Renaming) -> str:
    """Return a text with its words renamed."""
    return _TOKEN.sub(lambda found: renaming.get(found[0], found[0]), text)


def changes(renaming: Renaming) -> tuple[tuple[str, str], ...]:
    """Return the words that have another name, with that, sorted."""
    return tuple(sorted((word, name) for word, name in renaming.items() if word != name))


def is_mostly_kept(renaming: Renaming) -> bool:
    """Return whether at most half of the names are other ones: beyond, the likeness is by chance."""
    names = [word for word in renaming if _is_free(word)]
    return 2 * len(changes(renaming)) <= len(names)


def _is_free(word: str) -> bool:
    return _NAME.fullmatch(word) is not None and word not in RESERVED
