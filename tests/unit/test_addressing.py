"""What on a pull request of ours is meant for us."""

from __future__ import annotations

import json

import pytest

from bot.intake.addressee import as_commands, is_for_us, without_mention
from bot.intake.commands import Approve, Command, Fix, parse
from bot.intake.events import is_handled, peek
from bot.model.request import Options

ONCE = Options(attempts=1)


@pytest.mark.parametrize(
    "text",
    [
        "@fixpoint please cover negative totals",
        "Hm, @Fixpoint[bot]: call it `amount`.",
        "(@fixpoint) and this",
        "@bob look, @fixpoint got it wrong",
        "> It says right now.\n\n@fixpoint not quite.",
    ],
)
def test_a_mention_is_for_us(text: str) -> None:
    """Whoever else is mentioned."""
    assert is_for_us(text, "fixpoint", every=False)


@pytest.mark.parametrize(
    "text",
    [
        "Please cover negative totals",
        "mail to me@fixpoint please",
        "`@fixpoint` is its name",
        "```\n@fixpoint\n```",
        "> @fixpoint cover negative totals\n\nDone by hand.",
        "<!-- @fixpoint -->hello",
        "@fixpoint-two is another",
        "@fixpoint/team have a look",
        "@fixpointer",
    ],
)
def test_what_is_no_mention(text: str) -> None:
    """Code, quotes, what nobody sees, longer names, teams."""
    assert not is_for_us(text, "fixpoint", every=False)


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        ("Please cover negative totals", True),
        ("LGTM", False),
        ("Thank you!", False),
        ("@bob what do you think?", False),
        ("@acme/owners have a look at this", False),
        ("> It says right now.\n\nNice.", False),
        ("mail to me@example.com if it fails", True),
    ],
)
def test_where_every_comment_counts_people_still_talk_to_each_other(
    text: str, *, ours: bool
) -> None:
    """And thanks ask for nothing."""
    assert is_for_us(text, "fixpoint", every=True) is ours


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("@fixpoint please cover negative totals", "please cover negative totals"),
        ("@fixpoint[bot]: use `amount`.", "use `amount`."),
        ("@fixpoint", ""),
        ("Not yet, @fixpoint. Use /fixtures.", "Not yet, . Use /fixtures."),
        ("me@fixpoint and @fixpoint-two", "me@fixpoint and @fixpoint-two"),
    ],
)
def test_the_request_is_what_is_said_to_us(text: str, asks: str) -> None:
    """Without our name."""
    assert without_mention(text, "fixpoint") == asks


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("@fixpoint /fix approve", (Approve(),)),
        ("Well.\n\n@Fixpoint[bot], /fix --attempts 1 the docstring", (Fix("the docstring", ONCE),)),
        ("@ada /fix approve", ()),
        ("Use @fixpoint /fix approve", ()),
        ("@fixpoint /fixtures are wrong", ()),
    ],
)
def test_a_command_may_stand_behind_our_name(text: str, read: tuple[Command, ...]) -> None:
    """Nothing else on its line comes before it."""
    assert parse(as_commands(text, "fixpoint")) == read


@pytest.mark.parametrize(
    ("kind", "pull", "action", "kept"),
    [
        ("Bot", True, "created", True),
        ("Bot", True, "edited", False),
        ("Bot", False, "created", False),
        ("User", True, "created", False),
    ],
)
def test_comments_without_a_command_are_kept_where_they_may_be_for_us(
    kind: str, action: str, *, pull: bool, kept: bool
) -> None:
    """On pull requests that a bot opened; all others would be most of what GitHub sends."""
    issue = {"user": {"login": "x", "type": kind}, **({"pull_request": {}} if pull else {})}
    payload = {"action": action, "issue": issue, "comment": {"body": "hello"}}
    seen = peek("issue_comment", json.dumps(payload).encode())
    assert is_handled("issue_comment", action, seen.outcome("issue_comment"), seen.says) is kept
