"""Find the protected paths that trusted text asks to change. Pure.

Text that only mentions a path asks for nothing: a verb stands before it, in a sentence that denies
nothing. What is found is kept in a patch and waits for a person, so a sentence that is misread
costs an approval and publishes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pathspec import GitIgnoreSpec

from bot.code.files import RESTORED, is_test_file

REQUESTED = "protected-requested"
"""The rule of what is kept: a patch with such a finding waits for an approval."""

NEVER = (".git/", ".github/fixpoint.yml")
"""Globs that nobody can ask for: git's own files, and the rules that patches are verified by."""

WORKFLOWS = (".github/workflows/", ".github/actions/")
"""Globs of what GitHub Actions runs."""

_MOST = 20
"""Paths that one text may ask for."""

_VERB = re.compile(
    r"\b(?:chang|updat|adapt|adjust|correct|rewrit|edit|modif|delet|remov|replac|renam|extend|rais"
    r"|lower|bump|upgrad|switch|simplif|merg|mov|add|creat|writ|set|pin|drop|use)\w*\s",
    re.IGNORECASE,
)
_PATH = r"[\w@+.-]*(?:/[\w@+.-]+)*"
_NAMED = re.compile(rf"(?<![\w./@+-])(?:\./)?(?P<path>[.\w]{_PATH})")
_REPAIRED = re.compile(
    r"\b(?:fix|repair)\w*\s+(?:also\s+)?(?:the\s+|this\s+|our\s+)?(?:workflow\s+)?(?:file\s+)?"
    rf"`?(?:\./)?(?P<path>[.\w]{_PATH})",
    re.IGNORECASE,
)
"""Of these two verbs the path itself is the object: "fix the crash in a.py" names a place."""
_WORKFLOW = re.compile(
    r"\b(?:(?:ci|github|actions|build|release|test|lint|publish|deploy)\s+workflows?"
    r"|workflow\s+(?:files?|definitions?)|ci\s+(?:config(?:uration)?|definition)"
    r"|(?:the|our|this)\s+workflows?(?=\s*(?:$|[.,;:!]|(?:to|so|and|for|that)\b)))",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:not|no|never|without|don'?t|nor|except)\b", re.IGNORECASE)
_SENTENCES = re.compile(r"(?<=[.!?;])\s+|\n\s*(?:\n|[-*+]\s|\d+[.)]\s)")
_FENCED = re.compile(r"^(?P<mark>`{3,}|~{3,}).*?(?:^(?P=mark)|\Z)", re.DOTALL | re.MULTILINE)
_ASIDE = re.compile(r"^(?:>|\t| {4}).*$", re.MULTILINE)


def requested_paths(text: str) -> tuple[str, ...]:
    """Return the paths that a text asks to change, as globs in gitignore syntax.

    A name without folders means every file of that name. Quotes and blocks of code are what
    somebody else said.

    Args:
        text: Markdown of a person who may write to the repository; never of anybody else.
    """
    own = _ASIDE.sub("", _FENCED.sub("\n\n", text))
    found = [glob for sentence in _SENTENCES.split(own) for glob in _asked_in(sentence)]
    return tuple(dict.fromkeys(found))[:_MOST]


def as_command(instructions: str) -> str:
    """Return what stands behind `/fix` as a sentence: the command is its verb."""
    return f"fix {instructions}" if instructions else ""


def _asked_in(sentence: str) -> Iterator[str]:
    if _DENIED.search(sentence):
        return
    for repaired in _REPAIRED.finditer(sentence):
        yield from _glob(repaired["path"])
    verb = _VERB.search(sentence)
    if verb is None:
        return
    wish = sentence[verb.end() :]
    for named in _NAMED.finditer(wish):
        yield from _glob(named["path"])
    if _WORKFLOW.search(wish):
        yield from WORKFLOWS


def _glob(name: str) -> Iterator[str]:
    """Return the glob of what looks like a file's name or path; a plain word is none."""
    path = name.rstrip(".")
    if ".." not in path and re.search(r"[./]", path) and re.search(r"\w", path):
        yield f"**/{path}"


def is_requested(path: str, requested: Sequence[str]) -> bool:
    """Whether a file that patches may not change otherwise is one that a request asks for."""
    if not requested or _spec(NEVER).match_file(path):
        return False
    return _spec(requested).match_file(path)


def kept_on_request(
    files: Sequence[str], protected: Sequence[str], requested: Sequence[str]
) -> tuple[str, ...]:
    """Return the protected files and configuration that a patch changes because it was asked to.

    Args:
        files: Of the patch.
        protected: Globs that no patch touches unasked, besides `RESTORED`.
        requested: See `requested_paths`.
    """
    closed = _spec((*RESTORED, *protected))
    return tuple(
        file
        for file in files
        if is_requested(file, requested) and closed.match_file(file) and not is_test_file(file)
    )


def _spec(globs: Sequence[str]) -> GitIgnoreSpec:
    return GitIgnoreSpec.from_lines(globs)
