"""Decide which failing tests a problem is about, by what it names. Pure.

A problem that names a test, or quotes what it fails with, is about that test and those that fail
in the same place. Else names of code and quoted values, and then words, are looked for in what each
test is called, runs and says; what all of the failing tests share tells none from the others.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from bot.model import Failure
from bot.repair.goal.account import errors, run_by, signature
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
    named = frozenset(failure.test for failure in failing if _is_named(words, failure))
    if named:
        causes = {
            signature(failure)
            for failure in failing
            if failure.test in named and _in_program(failure)
        }
        mates = {failure.test for failure in likely if signature(failure) in causes}
        return Meant(named | mates, named)
    return Meant(_chosen(words, likely), named)


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


def _chosen(words: IssueWords, likely: Sequence[Failure]) -> frozenset[str]:
    """Return the tests with the most of what the problem names; words count where no code does."""
    by_code = _best({failure.test: _code_hits(words, failure) for failure in likely})
    return by_code or _best({failure.test: _word_hits(words, failure) for failure in likely})


def _best(hits: Mapping[str, Mapping[str, float]]) -> frozenset[str]:
    """Return the tests whose hits come near the best; a hit that all tests have weighs nothing."""
    shared = Counter(hit for found in hits.values() for hit in found)
    scores = {
        test: sum(weight * math.log(len(hits) / shared[hit]) for hit, weight in found.items())
        for test, found in hits.items()
    }
    best = max(scores.values(), default=0.0)
    return frozenset(test for test, score in scores.items() if best and score >= _SHARE * best)


def _code_hits(words: IssueWords, failure: Failure) -> dict[str, float]:
    """Return which names and values of a problem's code a failure has, with their weights."""
    parts = _parts(failure)
    account = f"{failure.test}\n{failure.message}\n{run_by(failure)}\n{failure.file or ''}"
    there = {*_WORD.findall(account)}
    name = _CASE.sub("", failure.test)
    places = {part for part in re.split(r"::|\.|/", name)[:-1] if len(part) >= _SHORTEST_NAME}
    found = {text: _CODE_WEIGHT for text in words.quoted if text in account}
    found |= dict.fromkeys(words.identifiers & there, _CODE_WEIGHT)
    found |= {word: _CODE_WEIGHT for word in words.identifiers if _is_in_name(word, name, parts)}
    found |= dict.fromkeys(places & words.identifiers, _PLACE_WEIGHT)
    return found


def _is_in_name(identifier: str, name: str, parts: set[str]) -> bool:
    """Whether a test is called after a name: `test_parse_date_fails` after `parse_date`."""
    own = _SEPARATOR.split(name)[-1].lower()
    return identifier.lower() in parts or f"_{identifier.lower()}_" in f"_{own}_"


def _word_hits(words: IssueWords, failure: Failure) -> dict[str, float]:
    """Return which words of a problem are in a test's name or in what it fails with."""
    said = {word.lower() for word in _WORD.findall(errors(failure))}
    return dict.fromkeys(words.words & (_parts(failure) | said), 1.0)


def _parts(failure: Failure) -> set[str]:
    return {part.lower() for part in _PART.findall(_CASE.sub("", failure.test))}
