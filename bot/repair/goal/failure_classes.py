"""Sort what fails into what a patch has to mend and what it may leave. Pure."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from bot.model import Failure, Observation, OtherFailure, OtherKind, Problem
from bot.repair.goal.environment import Surroundings, causes_by_test, environment_cause
from bot.repair.goal.failure_location import errors, run_by, signature
from bot.repair.goal.issue_words import IssueWords, levelled, words_of
from bot.reporting.reasons import outside_causes as reasons

# A problem that names a test, or quotes what it fails with, is about that test and those that fail
# in the same place. Else names of code and quoted values, and then words, are looked for in what each
# test is called, runs and says; what all of the failing tests share tells none from the others.

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


@dataclass(frozen=True, slots=True)
class Goal:
    """What a patch has to mend.

    Attributes:
        tests: Ids of the failures; empty where none of them is what the problem is about.
        others: The other failures, and why each is one.
        named: Those of `tests` that the problem names.
        undecided: Nothing tells which of several failures the problem is about.
        meant: Those of `tests` that it leads to, by its words or by who read it.
    """

    tests: frozenset[str]
    others: tuple[OtherFailure, ...] = ()
    named: frozenset[str] = frozenset()
    undecided: bool = False
    meant: frozenset[str] = frozenset()

    @property
    def doubted(self) -> frozenset[str]:
        """What fails together with what the problem leads to, and may have another cause."""
        return self.tests - self.meant if self.meant else frozenset()


def sort_failures(
    seen: Observation,
    problem: Problem,
    surroundings: Surroundings,
    excused: Mapping[str, OtherFailure] | None = None,
) -> Goal:
    """Return what a patch has to mend of what fails on the untouched tree.

    What the problem names counts, whatever it fails of. Of the rest, failures of the environment
    and `excused` ones are left out. What the problem does not lead to stays: its words don't tell
    one fault from two.

    Args:
        seen: The failing command there.
        problem: What people reported, perhaps nothing.
        surroundings: Of the project.
        excused: Failures that are known to be no goal, by id.
    """
    failing = seen.failing
    outside = _of_environment(failing, surroundings) | dict(excused or {})
    likely = tuple(failure for failure in failing if failure.test not in outside)
    if not described(problem):
        chosen = frozenset(failure.test for failure in likely) or seen.failing_ids
        return Goal(chosen, _rest(failing, chosen, outside))
    if likely and _names_command(problem, seen.command):
        chosen = frozenset(failure.test for failure in likely)
        return Goal(chosen, _rest(failing, chosen, outside), chosen, meant=chosen)
    meant = meant_by(words_of(problem), failing, likely)
    chosen = meant.named.union(failure.test for failure in likely)
    undecided = not meant.tests and len(chosen) > 1
    return Goal(chosen, _rest(failing, chosen, outside), meant.named, undecided, meant.tests)


def reports_failure(problem: Problem, seen: Observation) -> bool:
    """Whether people tell what is seen failing: the command, a test, or something that it fails with.

    The name of what a test runs is not enough: a wish names that as well.
    """
    words = words_of(problem)
    names = words.identifiers | words.quoted
    return _names_command(problem, seen.command) or any(
        _is_named(words, failure) or names & {*_WORD.findall(failure.message), failure.message}
        for failure in seen.failing
    )


def described(problem: Problem) -> bool:
    """Whether anybody wrote what is wrong."""
    return bool(problem.title or problem.body or problem.instructions)


def _names_command(problem: Problem, command: str) -> bool:
    """Whether people say that the command itself fails, options aside: then all of it is meant."""
    words = [word for word in command.split() if not word.startswith("-")]
    told = " ".join(f"{problem.title} {problem.body} {problem.instructions}".split())
    return len(words) > 1 and re.search(rf"`{re.escape(' '.join(words))}`", told) is not None


def with_excused(goal: Goal, seen: Observation, excused: Mapping[str, OtherFailure]) -> Goal:
    """Return the goal less the failures that turned out to be none, unless nothing is left of it."""
    left = goal.tests - excused.keys()
    if not left:
        return goal
    known = {failure.test: failure for failure in goal.others} | dict(excused)
    undecided = goal.undecided and len(left) > 1
    rest = _rest(seen.failing, left, known)
    return Goal(left, rest, goal.named & left, undecided, goal.meant & left)


def with_choice(goal: Goal, seen: Observation, chosen: frozenset[str]) -> Goal:
    """Return the goal as a reader of the problem understood it; what the problem names stays meant.

    Where the reader says that the problem is about none of them, a test has to be written.
    """
    meant = (chosen & seen.failing_ids) | goal.named
    tests = goal.tests | meant if meant else frozenset()
    known = {failure.test: failure for failure in goal.others}
    return Goal(tests, _rest(seen.failing, tests, known), goal.named, meant=meant)


def of_feature(goal: Goal, seen: Observation) -> Goal:
    """Return the goal of a request for something new: what it names, or a test yet to be written.

    What was red before it is no part of it.
    """
    known = {failure.test: failure for failure in goal.others if failure.test not in goal.tests} | {
        test: OtherFailure(test, OtherKind.OLD, reasons.BEFORE_THE_FEATURE)
        for test in goal.tests - goal.named
    }
    return Goal(goal.named, _rest(seen.failing, goal.named, known), goal.named, meant=goal.named)


def _of_environment(
    failing: tuple[Failure, ...], surroundings: Surroundings
) -> dict[str, OtherFailure]:
    causes = causes_by_test(failing, surroundings, environment_cause)
    return {
        test: OtherFailure(test, OtherKind.ENVIRONMENT, cause)
        for test, cause in causes.items()
        if cause
    }


def _rest(
    failing: tuple[Failure, ...], chosen: frozenset[str], known: Mapping[str, OtherFailure]
) -> tuple[OtherFailure, ...]:
    return tuple(
        known.get(failure.test) or OtherFailure(failure.test, OtherKind.UNRELATED, reasons.UNNAMED)
        for failure in failing
        if failure.test not in chosen
    )
