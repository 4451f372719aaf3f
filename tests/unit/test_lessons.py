"""What in a review may hold for all work to come, and the commands about what is remembered."""

from __future__ import annotations

import pytest

from bot.github.values import RemarkAtLine
from bot.intake.commands import BadCommand, Fix, Forget, Remember, ShowMemory, parse
from bot.intake.review_dispatch import (
    LONGEST,
    RequestedChanges,
    reads_as_rule,
    requested_changes,
)
from bot.model.request import Options
from bot.reporting.reasons import fix_commands


@pytest.mark.parametrize(
    "said",
    [
        "We use pathlib here, not os.path.",
        "we don't mock things in this package",
        "Nit: in this repo we always write the type in full.",
        "Please never touch generated files by hand.",
        "This project keeps its constants in settings.py; prefer that.",
        "That isn't our style: names are whole words.",
        "Thanks! Prefer `assertEqual` over bare asserts.",
        "Don't touch migrations",
        "Never touch vendored code.",
        "don\u2019t touch `schema.sql`!",
        "Use pathlib instead of os.path.",
        "Nit: use tabs, not spaces.",
        "Please use `structlog` rather than print",
        "Please don't add dependencies.",
        "And also, do not log tokens",
        "Looks fine otherwise.\nDo not catch Exception.",
        "Tests should never sleep.",
        "Public functions must always have a docstring.",
    ],
)
def test_a_general_remark_may_become_a_lesson(said: str) -> None:
    """It says what holds in the repository."""
    assert reads_as_rule(said)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "LGTM",
        "This is wrong, the loop ends too early.",
        "Do we use this anywhere?",
        "Could you rename it to `total`?",
        "```suggestion\nwe use this always\n```",
        "We use x. " + "y" * LONGEST,
        "I would have expected a test for the empty list.",
        "Never mind, thanks!",
        "Don't worry about the failing check.",
        "Don't forget the changelog",
        "Don't merge before Tuesday, please.",
        "Do not do that here",
        "Don't do this, the cache is shared.",
        "Use `total` instead of this.",
        "Use `count` here instead of `cnt`",
        "This should never happen.",
        "It should always be closed.",
        "Avoid this, please!",
        "Always nice",
        "I don't see how the list can be empty.",
        "You should rename the argument.",
        "Why not use a set instead of a list?",
    ],
)
def test_a_remark_about_these_lines_does_not(said: str) -> None:
    """Nor does a question, a suggestion or an essay."""
    assert not reads_as_rule(said)


def test_requested_changes_are_the_review_with_its_remarks() -> None:
    """Each remark has its place; there may be nothing but remarks, and never too much."""
    remarks = (
        RemarkAtLine("a.py", 3, "Wrong.\n", 7, "ann"),
        RemarkAtLine("b.py", None, "Unused.", 8, "ann"),
    )
    text = "Please:\n\na.py:3: Wrong.\n\nb.py: Unused."
    assert requested_changes(" Please:\n", remarks) == RequestedChanges(text, (7, 8))
    assert requested_changes("", ()) == RequestedChanges("", ())


def test_a_remark_that_there_is_no_room_for_is_not_said_to_be_acted_on() -> None:
    """Only those whose words are in the instructions are answered later."""
    said = requested_changes(
        "", tuple(RemarkAtLine("a", 1, "x" * 900, at, "ann") for at in range(40))
    )
    assert (len(said.text) <= 8_000, said.remarks) == (True, tuple(range(8)))


@pytest.mark.parametrize(
    ("body", "command"),
    [
        ("/fix memory", ShowMemory()),
        ("/fix remember", Remember()),
        ("/fix remember: We use --strict,\nalways.", Remember("We use --strict, always.")),
        ("/fix Remember :  x", Remember("x")),
        ("/fix forget 3fa9c1d2", Forget(("3fa9c1d2",))),
        ("/fix forget 3FA9C1D20B7E.", Forget(("3fa9c1d20b7e",))),
        ("/fix forget `3fa9c1d20b7e-1`", Forget(("3fa9c1d20b7e-1",))),
        (
            "/fix forget 3fa9c1d2, 3fa9c1d3 and 3fa9c1d4",
            Forget(("3fa9c1d2", "3fa9c1d3", "3fa9c1d4")),
        ),
        ("/fix forget all", Forget()),
        ("/fix forget everything!", Forget()),
        ("/fix forget 3fa9c1d", BadCommand(fix_commands.FORGET_WHAT)),
        ("/fix forget abc", BadCommand(fix_commands.FORGET_WHAT)),
        ("/fix forget", BadCommand(fix_commands.FORGET_WHAT)),
        ("/fix memory --draft", BadCommand(fix_commands.no_options("memory"))),
        ("/fix remember to close the file", Fix("remember to close the file", Options())),
        ("/fix forget the cache", Fix("forget the cache", Options())),
    ],
)
def test_commands_about_memory(body: str, command: object) -> None:
    """Sentences that begin with these words are instructions."""
    assert parse(body) == (command,)
