"""Decide whether what somebody says on one of our pull requests is meant for us. Pure.

People talk to each other there as well, and a run costs money: a mention asks, and whatever asks
nobody else only where the repository says so.
"""

from __future__ import annotations

import re

from bot.intake.answered_mail import without_answered_mail
from bot.intake.command_word import COMMAND

_NOT_SAID = re.compile(
    r"```.*?(?:```|\Z)|`[^`\n]*`|<!--.*?(?:-->|\Z)|^ {0,3}>[^\n]*", re.DOTALL | re.MULTILINE
)
"""Code, what nobody sees, and what others said before."""

_MENTION = re.compile(r"(?<![\w@/.+-])@(?P<name>\w[\w-]*+)(?P<bot>\[bot\])?(?!/)", re.ASCII)
"""https://github.com/shinnn/github-username-regex; a team is none."""
_TEAM = re.compile(r"(?<![\w@/.+-])@\w[\w-]*+/", re.ASCII)

_FEWEST_WORDS = 3
"""Of what is said to nobody by name: thanks and praise ask for nothing."""


def is_for_us(text: str, slug: str, *, every: bool) -> bool:
    """Return whether a text mentions us, or, with `every`, nobody and says more than thanks."""
    said = _NOT_SAID.sub(" ", text)
    named = {found_match["name"].lower() for found_match in _MENTION.finditer(said)}
    if slug.lower() in named:
        return True
    is_for_others = bool(named) or _TEAM.search(said) is not None
    return every and not is_for_others and len(said.split()) >= _FEWEST_WORDS


def without_mention(text: str, slug: str) -> str:
    """Return what a text says to us, without our name."""
    return re.sub(rf"{_named(slug)}[,:]?[ \t]*", "", text, flags=re.IGNORECASE).strip()


def as_commands(text: str, slug: str) -> str:
    """Return a text without the mail that it answers, in which `@fixpoint /fix ...` is `/fix ...`.

    Our name counts at the beginning of a line.
    """
    return re.sub(
        rf"^([ \t]*){_named(slug)}[,:]?[ \t]+(?={COMMAND})", r"\1", without_answered_mail(text),
        flags=re.IGNORECASE | re.MULTILINE,
    )  # fmt: skip


def _named(slug: str) -> str:
    return rf"(?<![\w@/.+-])@{re.escape(slug)}(?:\[bot\])?(?![\w/-])"
