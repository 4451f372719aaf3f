"""Fill in a repository's template for pull requests, and tick nothing that was not shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from bot.reporting.marker import without_markers

MOST = 20_000
"""Characters of a template beyond which it is left alone."""

NOT_FILLED_IN = "*Not filled in by Fixpoint.*"
LEFT_OPEN = "*Boxes that Fixpoint can't vouch for are left open.*"

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
_HEADING = re.compile(r"#{1,6}[ \t]++\S.*|\*\*[^*]++\*\*:?\s*")
_BOX = re.compile(r"(?P<start>\s*[-*+] )\[ \](?P<text>.*)")
_ANY_BOX = re.compile(r"\s*[-*+] \[[ xX]\]")
_ACTS = re.compile(r"#(?=\d)|(?<!\w)@(?=[A-Za-z0-9])")
"""What would close, link or notify in a text that was written for somebody else's change."""


class TemplatePart(StrEnum):
    """What a section of a template asks for."""

    CHANGE = "change"
    WHY = "why"
    PROOF = "proof"
    ISSUE = "issue"
    TYPE = "type"
    OTHER = "other"


_WORDS = (
    (TemplatePart.TYPE, re.compile(r"\b(?:types?|kinds?) of\b", re.IGNORECASE)),
    (TemplatePart.PROOF, re.compile(r"\b(?:test(?:s|ed|ing)?|verif\w+|proof|qa)\b", re.IGNORECASE)),
    (
        TemplatePart.ISSUE,
        re.compile(r"\b(?:issues?|tickets?|fixes|closes|resolves)\b", re.IGNORECASE),
    ),
    (
        TemplatePart.WHY,
        re.compile(
            r"\b(?:why|motivation|context|problem|background|reason|rationale)\b", re.IGNORECASE
        ),
    ),
    (
        TemplatePart.CHANGE,
        re.compile(
            r"\b(?:descri\w+|summary|what|changes?|overview|solution|proposed)\b", re.IGNORECASE
        ),
    ),
)
_ELSEWHERE = re.compile(r"check ?list|breaking|changelog|release note", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TemplateAnswers:
    """What is known of a change, as Markdown.

    Attributes:
        change: Its cause and what it does.
        why: What failed.
        proof: How it was verified.
        issue: `Fixes #7`, or "".
        is_feature: Whether it adds something rather than repairs it.
        adds_tests: Whether it has a test that fails without it.
        suite_passes: Whether the whole suite ran and passed with it.
    """

    change: str
    why: str
    proof: str
    issue: str
    is_feature: bool = False
    adds_tests: bool = False
    suite_passes: bool = False


def filled(template: str, said: TemplateAnswers) -> str | None:
    """Return the template filled in; None where it has no section that could be.

    Comments and sample text of the template go. Boxes are ticked where the run has shown what they
    say. What no section asks for stands in front of them.
    """
    if len(template) > MOST:
        return None
    text = _COMMENT.sub("", _FRONT_MATTER.sub("", template.replace("\r\n", "\n")))
    sections = list(_sections(_ACTS.sub("", without_markers(text))))
    asked = [part for part, _, _ in sections]
    if not any(title for _, title, _ in sections):
        return None
    written = {
        TemplatePart.CHANGE: said.change,
        TemplatePart.WHY: said.why,
        TemplatePart.PROOF: said.proof,
        TemplatePart.ISSUE: said.issue,
    }
    front = "\n\n".join(text for part, text in written.items() if text and part not in asked)
    told = [front]
    for part, title, lines in sections:
        boxes = _boxes(part, lines, said)
        words = written.pop(part, "")
        body = "\n\n".join(filter(None, [words, boxes]))
        if title:
            told.append(f"{title}\n\n{body or NOT_FILLED_IN}")
        elif body:
            told.append(body)
    if any(_BOX.fullmatch(line) for text in told for line in text.split("\n")):
        told.append(LEFT_OPEN)
    return "\n\n".join(filter(None, told))


def _sections(text: str) -> Iterator[tuple[TemplatePart, str, list[str]]]:
    """Yield kind, heading and lines of each section; what stands before the first has no heading."""
    title, lines = "", list[str]()
    for line in text.split("\n"):
        if _HEADING.fullmatch(line):
            yield _part(title), title, lines
            title, lines = line.strip(), []
        else:
            lines.append(line)
    yield _part(title), title, lines


def _part(title: str) -> TemplatePart:
    if not title or _ELSEWHERE.search(title):
        return TemplatePart.OTHER
    return next((part for part, words in _WORDS if words.search(title)), TemplatePart.OTHER)


def _boxes(part: TemplatePart, lines: Iterable[str], said: TemplateAnswers) -> str:
    return "\n".join(_ticked(part, line, said) for line in lines if _ANY_BOX.match(line)).strip(
        "\n"
    )


def _ticked(part: TemplatePart, line: str, said: TemplateAnswers) -> str:
    box = _BOX.fullmatch(line)
    if box is None or not _holds(part, box["text"].lower(), said):
        return line
    return f"{box['start']}[x]{box['text']}"


def _holds(part: TemplatePart, text: str, said: TemplateAnswers) -> bool:
    """Whether a run has shown what a box says."""
    if part is TemplatePart.TYPE:
        if "breaking" in text.partition("(")[0]:
            return False
        return "feature" in text.partition("(")[0] if said.is_feature else "bug" in text
    tests = re.search(r"\btests?\b", text) is not None
    if tests and re.search(r"\b(?:add(?:ed)?|wr(?:ote|itten)|includ\w+)\b", text):
        return said.adds_tests
    named = re.search(r"\ball\b", text)
    return said.suite_passes and bool(named and re.search(r"\btests? pass", text[named.end() :]))
