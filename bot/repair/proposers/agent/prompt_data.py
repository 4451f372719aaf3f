"""Turn what people and programs wrote into data that a prompt can quote."""

from __future__ import annotations

import re

from bot.model import (
    Comment,
    Observation,
    Patch,
    Point,
    Problem,
    Specification,
)
from bot.model.request import MOST_INSTRUCTIONS
from bot.model.untrusted import quoted, quoted_markdown, strip_hidden
from bot.repair.proposers.agent.observations import describe

_REPORT_CHARACTERS = 24_000
_COMMENT_CHARACTERS = 4_000
_COMMENTS = 20
_FAILURE_CHARACTERS = 20_000
_DIFF_CHARACTERS = 10_000
_SPECIFICATION_CHARACTERS = 8_000
_NEAR_TEST_CHARACTERS = 3_000
_NOT_IN_A_LOGIN = re.compile(r"[^A-Za-z0-9_.\[\]-]")


def instructions(problem: Problem) -> str:
    """Return what the person wrote who asked, who may be followed."""
    return strip_hidden(problem.instructions)[:MOST_INSTRUCTIONS].strip()


def specification_as_data(specification: Specification | None) -> str:
    """Return a specification as data, its points numbered, or empty."""
    if specification is None:
        return ""
    points = (_point(n, point) for n, point in enumerate(specification.points, 1))
    text = "\n\n".join([specification.title, *points])
    return quoted("specification", text, limit=_SPECIFICATION_CHARACTERS)


def _point(n: int, point: Point) -> str:
    parts = [f"{n}. Expected: {point.expected}"]
    parts += [f"   Happens now: {point.happens}"] if point.happens else []
    parts += [f"   How to see it: {point.see}"] if point.see else []
    return "\n".join(parts)


def near_test(path: str, text: str) -> str:
    """Return the beginning of a test file of the project as data."""
    return quoted(f"tests in {path}", text, limit=_NEAR_TEST_CHARACTERS)


def report(problem: Problem) -> str:
    """Return title and body as data, or empty when nobody wrote anything."""
    if not (problem.title or problem.body):
        return ""
    kind = "pull request" if problem.is_pull_request else "issue"
    text = f"{problem.title}\n\n{problem.body}"
    return quoted_markdown(kind, text, limit=_REPORT_CHARACTERS)


def comments(thread: tuple[Comment, ...]) -> list[str]:
    """Return the newest comments as data, oldest first."""
    return [
        quoted_markdown(_comment_label(comment), comment.body, limit=_COMMENT_CHARACTERS)
        for comment in thread[-_COMMENTS:]
    ]


def failure(label: str, observation: Observation | None) -> str:
    """Return what a command showed as data."""
    if observation is None:
        return "Its output is not known."
    return quoted(label, describe(observation), limit=_FAILURE_CHARACTERS)


def patch_as_data(label: str, patch: Patch | None) -> str:
    """Return a patch as data, or empty when there is none."""
    return quoted(label, patch.text, limit=_DIFF_CHARACTERS) if patch else ""


def _comment_label(comment: Comment) -> str:
    author = _NOT_IN_A_LOGIN.sub("", comment.author) or "somebody"
    return f"comment by {author}{', a maintainer' if comment.trusted else ''}"


def in_line(text: str) -> str:
    """Return a text on one line, without what a reader would not see."""
    return " ".join(strip_hidden(text).split())
