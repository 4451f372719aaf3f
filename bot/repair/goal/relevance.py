"""Decide which failing tests a problem is about, by what it names. Pure.

A problem that names a test, or quotes what it fails with, is about that test and those that fail
in the same place. Else names of code, quoted values and words are looked for in what each test is
called, runs and says; what all of the failing tests share tells none of them from the others.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from bot.model import Failure
from bot.repair.goal.account import errors, signature
from bot.repair.goal.issue_words import IssueWords, levelled

_CASE = re.compile(r"[\[( ].*", re.DOTALL)
_SEPARATOR = re.compile(r"::|\.|/| \u203a | > ")
_PART = re.compile(r"[A-Za-z][a-z]+|[A-Z]+(?![a-z])|[a-z]+")
_WORD = re.compile(r"\w{3,}")
_SHORTEST_NAME = 6
"""Characters of a test's name that a text can contain only on purpose."""

_SHORTEST_MESSAGE = 12
_PLACE_WEIGHT = 2.0
"""Of a file or class of tests that the problem names."""

_CODE_WEIGHT = 1.0
_WORD_WEIGHT = 0.4
_SHARE = 0.35
"""Of the best score, what another test needs to be meant too."""


@dataclass(frozen=True, slots=True)
class Meant:
    """The failing tests that a problem is about.

    Attributes:
        tests: Their ids.
        named: Those of them that it names, or whose error it quotes.
    """

    tests: frozenset[str]
    named: frozenset[str]


def meant_by(words: IssueWords, failing: Sequence[Failure], likely: Sequence[Failure]) -> Meant:
    """Return which failing tests a problem is about; none where nothing tells them apart.

    Args:
        words: What it names.
        failing: All of them: each can be named.
        likely: Those that nothing else explains.
    """
    named = frozenset(one.test for one in failing if _is_named(words, one))
    if named:
        causes = {signature(one) for one in failing if one.test in named and _in_program(one)}
        mates = {one.test for one in likely if signature(one) in causes}
        return Meant(named | mates, named)
    return Meant(_by_score(words, likely), named)


def _is_named(words: IssueWords, failure: Failure) -> bool:
    return _names_test(words, failure.test) or _quotes_error(words, failure)


def _names_test(words: IssueWords, test: str) -> bool:
    """Whether the text has a test's id or its own name as a word."""
    plain = _CASE.sub("", test)
    own = _SEPARATOR.split(plain)[-1]
    if len(own) < _SHORTEST_NAME or ("_" not in own and own.islower()):
        return test in words.text
    return re.search(rf"(?<!\w){re.escape(own)}(?!\w)", words.text) is not None


def _quotes_error(words: IssueWords, failure: Failure) -> bool:
    """Whether the text has the line that says why, with or without the name of the error."""
    message = levelled(failure.message)
    bare = re.sub(r"^(?:\w+\.)*\w+(?:Error|Exception|Warning): ", "", message)
    tells = len(bare) >= _SHORTEST_MESSAGE and len(set(_WORD.findall(bare))) > 1
    return tells and bare in words.text


def _in_program(failure: Failure) -> bool:
    """Whether a failure's place is the program's: tests of one cause meet there."""
    return bool(failure.file) and "test" not in PurePosixPath(failure.file or "").name


def _by_score(words: IssueWords, likely: Sequence[Failure]) -> frozenset[str]:
    hits = {one.test: _hits(words, one) for one in likely}
    shared = Counter(hit for found in hits.values() for hit in found)
    scores = {
        test: sum(weight * math.log(len(likely) / shared[hit]) for hit, weight in found.items())
        for test, found in hits.items()
    }
    best = max(scores.values(), default=0.0)
    return frozenset(test for test, score in scores.items() if best and score >= _SHARE * best)


def _hits(words: IssueWords, failure: Failure) -> dict[str, float]:
    """Return what of a problem is found in a failure, with its weight."""
    name = _CASE.sub("", failure.test)
    parts = {part.lower() for part in _PART.findall(name)}
    account = f"{failure.test}\n{failure.message}\n{failure.detail}\n{failure.file or ''}"
    there = {*_WORD.findall(account)}
    said = {word.lower() for word in _WORD.findall(errors(failure))}
    places = {part for part in re.split(r"::|\.|/", name)[:-1] if len(part) >= _SHORTEST_NAME}
    found = dict.fromkeys(words.words & (parts | said), _WORD_WEIGHT)
    found |= {text: _CODE_WEIGHT for text in words.quoted if text in account}
    found |= dict.fromkeys(words.identifiers & there, _CODE_WEIGHT)
    found |= {word.lower(): _CODE_WEIGHT for word in words.identifiers if word.lower() in parts}
    found |= dict.fromkeys(places & words.identifiers, _PLACE_WEIGHT)
    return found
