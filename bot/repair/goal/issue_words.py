"""Read what a problem names: code, quoted values, and the words of its sentences. Pure."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass

from bot.model import Problem

_CODE = re.compile(r"```[^\n`]*\n(?P<block>.*?)```|`(?P<span>[^`\n]+)`", re.DOTALL)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w{2,}")
_LOOKS_LIKE_CODE = re.compile(
    r"\b(?:\w+_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|\w+(?=\()|\w+(?:\.\w+)+|\w+(?:/\w+)+)"
)
_QUOTED = re.compile(r"'(?P<single>[^'\n]{3,80})'|\"(?P<double>[^\"\n]{3,80})\"")
_WORD = re.compile(r"[A-Za-z]{4,}")
_COMMON = frozenset(
    re.findall(
        r"[\w-]+",
        """able about actual after again also always another because been before being call called
    calls case cases code could does doing done error errors even every exception expect
    expected fail failed failing fails failure file first following from function give given
    gives have help here instead into issue just like line make method more most must need
    never none only other output please problem raise raised raises result return returned
    returns same seems self should show shows since some test tests than that their them
    then there these they this though true false true type used uses using value values
    version want what when where which while will with without work working works would
    wrong your import print none""",
    )
)
_HANG = re.compile(
    r"\b(?:hang(?:s|ing)?|hung|freez(?:es?|ing)|froze|stuck|deadlocks?|endless(?:ly)?|infinite(?:ly)?"
    r"|for ?ever|time[ds]?[ -]?outs?|timing out|takes? too long|slow(?:ly)?|quadratic|exponential(?:ly)?)\b"
    r"|(?:\bnever|\bnot|n['\u2019]t) (?:end|finish|return|terminate|complete|stop|exit)(?:e?s)?\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class IssueWords:
    """What a problem names.

    Attributes:
        text: All of it, white space levelled.
        identifiers: Names in code, and words that can only be such names.
        quoted: What stands in quotes, in code too.
        words: The other words, in lower case, without those that every issue has.
    """

    text: str
    identifiers: frozenset[str]
    quoted: frozenset[str]
    words: frozenset[str]


def speaks_of_a_hang(problem: Problem) -> bool:
    """Whether it says that something never ends, or takes far too long."""
    return _HANG.search(words_of(problem).text) is not None


def words_of(problem: Problem) -> IssueWords:
    """Return what the title, the text, the comments and the instructions name."""
    text = "\n".join(
        (problem.title, problem.body, *(c.body for c in problem.comments), problem.instructions)
    )
    code = "\n".join(match["block"] or match["span"] for match in _CODE.finditer(text))
    prose = _CODE.sub(" ", text)
    named = " ".join([code, *(match[0] for match in _LOOKS_LIKE_CODE.finditer(prose))])
    return IssueWords(
        text=levelled(text),
        identifiers=frozenset(filter(_tells, _IDENTIFIER.findall(named))),
        quoted=frozenset(m["single"] or m["double"] for m in _QUOTED.finditer(text)),
        words=frozenset(w.lower() for w in _WORD.findall(prose)) - _COMMON,
    )


def levelled(text: str) -> str:
    """Return text with one space wherever it has white space."""
    return " ".join(text.split())


def _tells(identifier: str) -> bool:
    return not keyword.iskeyword(identifier) and identifier.lower() not in _COMMON
