"""Read what a review wants: changes of these lines, or what holds for all work to come. Pure.

What holds in general is only proposed; people decide what is kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.github.values import RemarkAtLine

LONGEST = 500
"""Characters of a remark that can be a rule."""

_SHORTEST_WORDS = 3

_WHO = r"(?:we|our|this (?:repo|repository|project|codebase|package)|here,? we)"
_WHAT = (
    r"(?:use|prefer|avoid|don'?t|do not|never|always|only|require|follow|keep|name|write|support)s?"
)
_GENERAL = re.compile(
    rf"\b{_WHO}\b[^.!?\n]{{0,60}}?\b{_WHAT}\b"
    r"|\b(?:our|the project'?s) (?:convention|style|style guide|policy|rule)s?\b",
    re.IGNORECASE,
)
"""Who speaks of the project speaks of all of it."""

_ALWAYS = re.compile(
    r"(?:(?:please|and|also|but)\b,? ?)*"
    r"(?:never\b(?! mind)|always\b|prefer\b|avoid\b"
    r"|(?:don['\u2019]?t|do not) (?!(?:worry|forget|bother|you|mind|merge|think|know|see|we|i)\b)"
    r"|use \S[^,;\n]{0,80}(?: instead of | rather than | over |, (?:and )?not ))"
    r"|(?=.{0,200}?\b(?:should|must|may|can) (?:never|always)\b)",
    re.IGNORECASE,
)
"""A sentence that says what to do or not to do, without an exception."""

_PLACE = re.compile(
    r"\b(?:this|that|these|those|it|its|here|there|above|below|line|yet|now)\b", re.IGNORECASE
)
"""What such a sentence is about in one place, so that it need not hold in another."""

_SENTENCES = re.compile(r"(?<=[.!?:;])\s+|\n")
_CODE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)


def reads_as_rule(text: str) -> bool:
    """Return whether a remark sounds as if it held in general: "we use X here", "don't touch Y"."""
    words = _CODE.sub("", text[: LONGEST + 1]).strip()
    if len(text) > LONGEST or words.endswith("?"):
        return False
    return _GENERAL.search(words) is not None or any(
        _is_order(sentence) for sentence in _SENTENCES.split(words)
    )


def _is_order(sentence: str) -> bool:
    is_long_enough = len(sentence.split()) >= _SHORTEST_WORDS
    return (
        is_long_enough and _ALWAYS.match(sentence) is not None and _PLACE.search(sentence) is None
    )


MOST_REMARKS = 30
_LONGEST_REQUEST = 8_000


@dataclass(frozen=True, slots=True)
class RequestedChanges:
    """What a review asks for.

    Attributes:
        text: As instructions, "" for nothing.
        remarks: Ids of the review comments whose words are in the text.
    """

    text: str
    remarks: tuple[int, ...]


def requested_changes(body: str, remarks: Sequence[RemarkAtLine]) -> RequestedChanges:
    """Return a review's own text, then each remark with its place, as many as there is room for."""
    text, held = body.strip()[:_LONGEST_REQUEST], []
    for remark in remarks[:MOST_REMARKS]:
        longer = "\n\n".join(filter(None, (text, f"{_place(remark)}: {remark.body.strip()}")))
        if len(longer) > _LONGEST_REQUEST:
            break
        text = longer
        held.append(remark.id)
    return RequestedChanges(text, tuple(held))


def _place(remark: RemarkAtLine) -> str:
    return remark.path if remark.line is None else f"{remark.path}:{remark.line}"
