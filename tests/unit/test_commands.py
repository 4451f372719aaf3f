"""Which comments hold which commands."""
# ruff: noqa: RUF001 - phones write these characters

from __future__ import annotations

import time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.intake.command_text import said_behind_commands
from bot.intake.commands import (
    Approve,
    Auto,
    BadCommand,
    Command,
    Explain,
    Fix,
    Help,
    Reject,
    Remember,
    Retry,
    Status,
    Stop,
    chosen,
    may_hold_command,
    new_commands,
    parse,
)
from bot.model.request import MOST_INSTRUCTIONS, Effort, Options
from bot.reporting.reasons import fix_commands

OPTIONS = ("attempts", "budget-usd", "model", "test", "effort", "timeout", "draft", "no-draft")


@pytest.mark.parametrize(
    "body",
    [
        "/fix",
        "/FIX",
        "/Fix",
        "  /fix  ",
        "/fix\t",
        "/fix\u00a0",
        "/fix\r\n",
        "\n\n/fix\n\n",
        "Hello!\n/fix",
        "Hello!  \n/fix",
        "Hello!\\\n/fix",
        "Hello!\n\n/fix",
        "Hello!\n   /fix",
        "> It crashes.\n\n/fix",
        "```\ncode\n```\n/fix",
        "<!-- a hidden note -->\n/fix",
        "<details>\n\n/fix\n\n</details>",
        "- /fix",
        "1. /fix",
        "- It crashes\n  /fix",
        "* a\n  * /fix",
        "/fix\n---",
        "/fix\n-- \nAda",
        "# It crashes\n/fix",
        "| a |\n|---|\n| b |\n\n/fix",
        "`code`\n/fix",
        "an unclosed `code\n/fix",
        "an unclosed [link\n/fix",
        "an unclosed <!-- comment\n/fix",
    ],
)
def test_a_plain_fix_is_found(body: str) -> None:
    """`/fix` as the first word of a line of text starts a run, wherever that line is."""
    assert parse(body) == (Fix(),)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "fix",
        "/",
        "/fixup",
        "/fix/",
        "/fixes it",
        "/fix-it",
        "/fix/it",
        "/fix.py fails",
        "/fix,it",
        "/fix!!important",
        "/fixed!",
        "/fix`",
        "//fix",
        "./fix",
        "\\/fix",
        "/ fix",
        "please /fix",
        "a /fix",
        "@fixpoint /fix",
        "src/fix",
        "https://example.org/fix",
        "`/fix`",
        "`/fix` starts a run",
        "``/fix``",
        "`a\n/fix\nb`",
        "**/fix**",
        "*/fix*",
        "[/fix](https://example.org)",
        "[a\n/fix](https://example.org)",
        "# /fix",
        "    /fix",
        "\t/fix",
        "text\n\n    /fix",
        "```\n/fix\n```",
        "```\n/fix",
        "~~~\n/fix\n~~~",
        "````\n```\n/fix\n```\n````",
        "```sh\n/fix --attempts 3\n```",
        "- ```\n  /fix\n  ```",
        "> /fix",
        ">/fix",
        "> a\n/fix",
        "> > /fix",
        "- > /fix",
        "> - /fix",
        "> ```\n> /fix\n> ```",
        "<!-- /fix -->",
        "<!--\n/fix\n-->",
        "<!--\n\n/fix\n\n-->",
        "text <!--\n/fix\n--> text",
        "<pre>\n/fix\n</pre>",
        "<div>\n/fix\n</div>",
        "| /fix |\n|---|\n| /fix |",
        "/fix | a\n--- | ---\n/fix | b",
        "[a]: https://example.org\n'\n/fix\n'",
        "- [ ] /fix",
        "/\uff46\uff49\uff58",
        "/fix\u200b",
        "\u200b/fix",
    ],
)
def test_what_only_looks_like_a_command_is_none(body: str) -> None:
    """Other words, other places in the line, code, quotes, links, tables, headings, HTML."""
    assert parse(body) == ()


@pytest.mark.parametrize(
    ("body", "instructions"),
    [
        ("/fix keep the public API", "keep the public API"),
        ("/FIX Keep  Case", "Keep  Case"),
        ("/fix don't touch `foo()`", "don't touch `foo()`"),
        ("/fix one\ntwo", "one\ntwo"),
        ("/fix\none", "one"),
        ("/fix one\n\ntwo", "one\n\ntwo"),
        ("/fix one\n- two", "one\n- two"),
        ("/fix one\n> two", "one"),
        ("/fix one\n```\ntwo\n```", "one\n\n```\ntwo\n```"),
        ("- /fix one\n  two\n- three", "one\ntwo\n- three"),
        ("/fix *one* [two](https://example.org)", "*one* [two](https://example.org)"),
        ("/fix one <!-- hidden --> two", "one  two"),
        ("/fix one <!-- --attempts 9 -->", "one"),
        ("/fix <https://example.org/a?b=c>", "<https://example.org/a?b=c>"),
        ("/fix a -- b", "a -- b"),
        ("/fix x--attempts 3", "x--attempts 3"),
        ("/fix `run --attempts 3` fails", "`run --attempts 3` fails"),
        ("/fix ``a` --attempts 3`` fails", "``a` --attempts 3`` fails"),
        ("/fix the `--verbose` flag", "the `--verbose` flag"),
        ("/fix the crash 🎈 für", "the crash 🎈 für"),
        ("/fix /fix", "/fix"),
        ("/fix stop leaking sockets", "stop leaking sockets"),
        ("/fix help text", "help text"),
        ("/fix retry with a longer timeout", "retry with a longer timeout"),
        ("/fix status code 500", "status code 500"),
    ],
)
def test_instructions_are_what_follows(body: str, instructions: str) -> None:
    """As they were written, less what is quoted or hidden."""
    assert parse(body) == (Fix(instructions),)


@pytest.mark.parametrize(
    ("body", "instructions"),
    [
        ("/fix\n\nKeep the API.\n\nAnd the file short.", "Keep the API.\n\nAnd the file short."),
        ("/fix keep these in mind:\n\n- the API\n  - `add`\n- no new file",
         "keep these in mind:\n\n- the API\n  - `add`\n- no new file"),
        ("/fix keep these in mind:\n1. the API\n2. speed", "keep these in mind:\n1. the API\n2. speed"),
        ("/fix\n```py\n>>> add(1)  <!-- x -->\n    2 --attempts 9\n```\nis wrong, --attempts 2",
         "```py\n>>> add(1)  <!-- x -->\n    2 --attempts 9\n```\n\nis wrong"),
        ("/fix so:\n\n    /fix --draft\n\nplease", "so:\n\n    /fix --draft\n\nplease"),
        ("/fix\n~~~\n--- a\n+++ b\n\n~~~", "~~~\n--- a\n+++ b\n\n~~~"),
        ("/fix\n\n| in | out |\n|---|---|\n| 1 | 2 |", "| in | out |\n|---|---|\n| 1 | 2 |"),
        ("/fix so\n\n`a`\n&lt;a&gt;", "so\n\n`a`\n&lt;a&gt;"),
        ("/fix\n\n# Why\nIt crashes.", "# Why\nIt crashes."),
        ("/fix\r\n\r\none\r\n- two\r\n", "one\n- two"),
        ("Hello\n/fix\n\n> It is.\n\nIt is not.", "It is not."),
        ("/fix a\n\nOn Mon, 3 Mar 2025, Ada <ada@example.com> wrote:\n> b\n> c", "a"),
        ("/fix a\n\nOn Mon, 3 Mar 2025 at 10:12, Ada Example\n<ada@example.com> wrote:\n\n> b", "a"),
        ("/fix a\n\nAm 3. 3. 2025 um 10:12 schrieb Ada:\n> b", "a"),
        ("/fix a\n\nThe report says:\n> b\n\nThat is wrong.",
         "a\n\nThe report says:\n\nThat is wrong."),
        ("/fix a\n\n-- \nAda\nExample Inc.", "a"),
        ("/fix a\n\n--\nAda\n\n+1 555", "a"),
        ("/fix a\n—\nReply to this email directly or view it on GitHub.", "a"),
        ("/fix a\n\nSent from my phone", "a"),
        ("/fix a\n\n-----Original Message-----\nFrom: Ada\n\nb", "a"),
        ("/fix a\n\n---\n\nb", "a\n\nb"),
        ("/fix a\n\n<!--\nb\n\nc\n-->\n\nd", "a\n\nd"),
        ("<details>\n\n/fix a\n\nb\n\n</details>", "a\n\nb"),
        ("/fix a\n\n<details>\nb\n</details>", "a\n\n<details>\nb\n</details>"),
        ("/fix\n\n```\n--\nx\n```\ny", "```\n--\nx\n```\n\ny"),
        ("/fix a\n\n`/fix` is the word\n\n> /fix b", "a\n\n`/fix` is the word"),
    ],
)  # fmt: skip
def test_instructions_go_on_behind_empty_lines_lists_and_code(body: str, instructions: str) -> None:
    """To the end of the comment, as they were written; quotes and mail's own lines are left out."""
    [command] = parse(body)
    assert isinstance(command, Fix)
    assert command.instructions == instructions


@pytest.mark.parametrize(
    ("body", "commands"),
    [
        ("/fix a\n\n- b\n\n/fix status", (Fix("a\n\n- b"), Status())),
        ("/fix a\n\nb\n/fix stop", (Fix("a\n\nb"), Stop())),
        ("/fix a\n- b\n- /fix stop", (Fix("a\n- b"), Stop())),
        ("/fix stop\n\nThis uses --verbose and --attempts.", (Stop(),)),
        ("/fix approve 4f2a1b\n\n- I ran it\n- fine", (Approve("4f2a1b"),)),
        ("/fix approve\nIt works with --fast.", (Approve(),)),
        ("/fix\n\nstatus", (Status(),)),
        ("/fix help\n```\nx\n```", (Help(),)),
        ("/fix retry\n\nKeep the API, --attempts 2",
         (Retry(Options(attempts=2), "Keep the API"),)),
        ("/fix retry --draft\n- keep the API", (Retry(Options(draft=True), "- keep the API"),)),
        ("/fix retry\n\nThanks!", (Retry(),)),
        ("/fix remember: one\n\n- two\n\n> three", (Remember("one - two"),)),
    ],
)  # fmt: skip
def test_what_follows_other_commands(body: str, commands: tuple[Command, ...]) -> None:
    """It is added to what is tried again or remembered; what takes no text is done all the same."""
    assert parse(body) == commands


ANSWERED = "Please leave the check out.\n\n/fix stop\n\n--attempts 9"


@pytest.mark.parametrize(
    "above",
    [
        "From: Ada <ada@example.com>\nSent: Monday, 1 December 2025 10:00\nTo: app\nSubject: Re: It",
        "________________________________\nFrom: Ada\nSent: Monday\nTo: app",
        "**From:** Ada <ada@example.com>\n**Sent:** Monday\n",
        "*From: *Ada <ada@example.com>\n*Date: *Monday, 1 December 2025",
        "From:\tAda [mailto:ada@example.com]\nCc: Bob\n",
        "Von: Ada <ada@example.com>\nGesendet: Montag, 1. Dezember 2025 10:00\nBetreff: Re",
        "De\u00a0: Ada <ada@example.com>\nEnvoyé\u00a0: lundi 1 décembre 2025 10:00",
        "-----Original Message-----\nFrom: Ada",
        "On Mon, Dec 1, 2025 at 10:00 AM Ada Example <notifications@github.com> wrote:\n",
        "On Mon, Dec 1, 2025 at 10:00 AM Ada Example\n<notifications@github.com> wrote:",
        "On Mon, 1 Dec 2025, at 10:00, Ada\nExample <notifications@github.com>\nwrote:\n",
        "On 01/12/2025 10:00, Ada wrote:",
        "Am Mo., 1. Dez. 2025 um 10:00 Uhr schrieb Ada <notifications@github.com>:\n",
        "Le lun. 1 déc. 2025 à 10:00, Ada <notifications@github.com> a écrit :\n",
    ],
)
@pytest.mark.parametrize("own", ["/fix keep the API\n\n", "/fix keep the API\r\n"])
def test_the_mail_that_is_answered_asks_for_nothing(own: str, above: str) -> None:
    """Nor is it an instruction, with and without `>`; where it stands first, nothing is asked."""
    assert parse(f"{own}{above}\n{ANSWERED}") == (Fix("keep the API"),)
    quoted = ANSWERED.replace("\n", "\n> ")
    assert parse(f"{own}{above}\n> {quoted}") == (Fix("keep the API"),)
    assert parse(f"Thanks!\n\n{above}\n{ANSWERED}") == ()


@pytest.mark.parametrize(
    "text",
    [
        "From: is parsed wrong\nTo: as well",
        "```\nFrom: Ada <ada@example.com>\nSent: 10:00\nTo: app\n```",
        "On Windows it must work, as Ada wrote:\nuse pathlib",
        "It fails since 2024-01-01 for ada@example.com:\n- with this",
        "Python: 3.12\nDate: 2025-12-01 10:00\nHost: example.org",
        "Reported on 2025-12-01 by Ada <ada@example.com>:\n\n```\nboom\n```",
    ],
)
def test_what_only_looks_like_mail_is_instruction(text: str) -> None:
    """Fields and dates of another kind, and what is shown as code."""
    assert parse(f"/fix so\n\n{text}") == (Fix(f"so\n\n{text}"),)


def test_longer_text_than_a_run_is_told_is_refused() -> None:
    """Rather than cut."""
    assert parse("/fix\n\n" + "a" * MOST_INSTRUCTIONS) == (Fix("a" * MOST_INSTRUCTIONS),)
    problem = fix_commands.too_long(MOST_INSTRUCTIONS + 1, MOST_INSTRUCTIONS)
    assert parse("/fix\n\n" + "a" * (MOST_INSTRUCTIONS + 1)) == (BadCommand(problem),)
    assert parse("/fix stop\n\n" + "a" * (MOST_INSTRUCTIONS + 1)) == (Stop(),)


@pytest.mark.parametrize(
    ("body", "command"),
    [
        ("/fix, please", Fix()),
        ("/fix!", Fix()),
        ("/fix explain", Explain()),
        ("/fix explain, please", Explain()),
        ("/fix flaky", Explain(of_flaky=True)),
        ('/fix flaky --test "make t"', Explain(Options(test="make t"), of_flaky=True)),
        ("/fix flaky tests in app.py", Fix("flaky tests in app.py")),
        ('/fix explain --test "make t"', Explain(Options(test="make t"))),
        ("/fix explain why it fails", Fix("explain why it fails")),
        ("/fix.", Fix()),
        ("/fix...", Fix()),
        ("/Fix please!", Fix()),
        ("/fix Please, thank you.", Fix()),
        ("/fix – please", Fix()),
        ("/fix\n\nThanks!", Fix()),
        ("/fix: keep the API", Fix("keep the API")),
        ("/fix, keep the API, please", Fix("keep the API, please")),
        ("/fix please keep the API", Fix("please keep the API")),
        ("/fix please --attempts 2", Fix("", Options(attempts=2))),
        ("/fix, stop!", Stop()),
        ("/fix stop, please", Stop()),
        ("/fix please approve 4f2a1b, thanks", Approve("4f2a1b")),
        ("/fix retry, please", Retry()),
        ("/fix it, please 🙏", Fix()),
        ("/fix - please", Fix()),
        ("/fix stop it now!", Stop()),
        ("/fix status?", Status()),
        ("/fix approve?", Help()),
        ("/fix\n\napprove?", Help()),
        ("/fix approve this, please", Approve()),
        ("/fix?", Help()),
        ("/fix? what is this", Help()),
    ],
)
def test_people_are_polite_and_punctuate(body: str, command: Command) -> None:
    """Neither makes another command of it."""
    assert may_hold_command(body)
    assert parse(body) == (command,)


@pytest.mark.parametrize(
    ("text", "instructions", "options"),
    [
        ("–budget-usd 1", "", Options(budget_usd=Decimal(1))),
        ("—attempts 2, quickly", "quickly", Options(attempts=2)),
        ("−timeout 15m", "", Options(timeout=900)),
        ("-attempts 2", "", Options(attempts=2)),
        ("––budget–usd “1.50”", "", Options(budget_usd=Decimal("1.50"))),
        ("—no‑draft —effort ‘low’", "", Options(draft=False, effort=Effort.LOW)),
        ("—test “pytest -k a”", "", Options(test="pytest -k a")),
        ("--test „make test“ first", "first", Options(test="make test")),
        ("--test ”make test”", "", Options(test="make test")),
        ("--model=«a b»", "", Options(model="a b")),
        ("the API\n\n- keep it\n- —attempts 2", "the API\n\n- keep it\n-", Options(attempts=2)),
        ("keep the API —and nothing else— as it is", "keep the API —and nothing else— as it is", Options()),
        ("it fails with -x and -n 4", "it fails with -x and -n 4", Options()),
        ("a – b — c", "a – b — c", Options()),
        ("— budget-usd 1", "", Options(budget_usd=Decimal(1))),
        ("-- budget–usd=2.50 quickly", "quickly", Options(budget_usd=Decimal("2.50"))),
        ("quickly – attempts 2", "quickly", Options(attempts=2)),
        ("-  timeout “15m”, — no-draft", "", Options(timeout=900, draft=False)),
        ("as below\n\n— effort low\n— draft", "as below", Options(effort=Effort.LOW, draft=True)),
        ("the client – timeout 30 is ignored", "the client – timeout 30 is ignored", Options()),
        ("it — model parsing is broken", "it — model parsing is broken", Options()),
        ("it\n\n- test it first\n- draft a plan", "it\n\n- test it first\n- draft a plan", Options()),
    ],
)  # fmt: skip
def test_dashes_and_quotes_of_phones(text: str, instructions: str, options: Options) -> None:
    """They begin the options that exist; before another word they are dashes."""
    assert parse(f"/fix {text}") == (Fix(instructions, options),)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("—atempts 3", fix_commands.misspelt("atempts", "attempts")),
        ("–budget 1", fix_commands.misspelt("budget", "budget-usd")),
        ("— budget 1", fix_commands.misspelt("budget", "budget-usd")),
        ("— budget-usd much", fix_commands.dollars("budget-usd", most=100)),
        ("—max-cost $1", fix_commands.unknown("max-cost", OPTIONS)),
        ("–budget–us 1", fix_commands.misspelt("budget-us", "budget-usd")),
        ("-timeouts 1h", fix_commands.misspelt("timeouts", "timeout")),
        ("—attempts −1", fix_commands.whole_number("attempts", most=10)),
        ("—attempts —draft", fix_commands.whole_number("attempts", most=10)),
        ("—attempts 2\n\n--attempts 3", fix_commands.set_twice("attempts")),
        ("a\n\n- b --atempts 3", fix_commands.misspelt("atempts", "attempts")),
    ],
)
def test_what_is_nearly_an_option_is_no_instruction(text: str, problem: str) -> None:
    """Whatever dash it has, and wherever it stands."""
    assert parse(f"/fix {text}") == (BadCommand(problem),)


@pytest.mark.parametrize(
    ("body", "command"),
    [
        ("/fix help", Help()),
        ("/fix status", Status()),
        ("/fix stop.", Stop()),
        ("/fix approve!", Approve()),
        ("/fix approve 4f2a1b", Approve("4f2a1b")),
        ("/fix Approve `4F2A1B`.", Approve("4f2a1b")),
        ("/fix reject #4f2a1b", Reject("4f2a1b")),
        ("/fix approve 4f2", Approve("4f2")),
        ("/fix reject 3fa9c1d20b7e", Reject("3fa9c1d20b7e")),
        ("/fix approve facade", Approve("facade")),
        ("/fix approve the patch", Fix("approve the patch")),
        ("/fix reject added rows", Fix("reject added rows")),
        ("/fix approve 4f2a1b --attempts 2", BadCommand("`/fix approve 4f2a1b` takes no options.")),
        ("/fix stop", Stop()),
        ("/fix retry", Retry()),
        ("/fix   STOP  ", Stop()),
        ("/fix stop\nthis leads nowhere", Stop()),
        ("/fix stop\n\nthis leads nowhere", Stop()),
        ("/fix\nstop", Stop()),
        ("/fix retry --attempts 5", Retry(Options(attempts=5))),
        ("/fix --attempts 5 retry", Retry(Options(attempts=5))),
        ("/fix stop --attempts 5", BadCommand("`/fix stop` takes no options.")),
    ],
)
def test_words_that_ask_for_something_else(body: str, command: Command) -> None:
    """`help`, `status`, `stop` and `retry` count only when they are the whole line."""
    assert parse(body) == (command,)


@pytest.mark.parametrize(
    ("text", "instructions", "options"),
    [
        ("keep the API, --attempts 3", "keep the API", Options(attempts=3)),
        ("--attempts 3 keep the API", "keep the API", Options(attempts=3)),
        ("--attempts 3, keep the API", "keep the API", Options(attempts=3)),
        ("keep --attempts=3 it", "keep it", Options(attempts=3)),
        ("one --attempts 3\ntwo", "one\ntwo", Options(attempts=3)),
        ("one\n--attempts 3\ntwo", "one\n\ntwo", Options(attempts=3)),
        ("--ATTEMPTS 10.", "", Options(attempts=10)),
        ("--budget-usd 1.50", "", Options(budget_usd=Decimal("1.50"))),
        ("--budget-usd $2", "", Options(budget_usd=Decimal(2))),
        ("--model claude-opus-5-5", "", Options(model="claude-opus-5-5")),
        ("--model org/model:8b, quickly", "quickly", Options(model="org/model:8b")),
        ('--test "pytest -k a"', "", Options(test="pytest -k a")),
        ("--test 'go test ./...'", "", Options(test="go test ./...")),
        ("--test `make test`, please", "", Options(test="make test")),
        ("--test “make test”", "", Options(test="make test")),
        ("--test pytest", "", Options(test="pytest")),
        ('--test="pytest --attempts 3"', "", Options(test="pytest --attempts 3")),
        ("--effort HIGH", "", Options(effort=Effort.HIGH)),
        ("--timeout 900", "", Options(timeout=900)),
        ("--timeout 15m", "", Options(timeout=900)),
        ("--timeout 1h", "", Options(timeout=3600)),
        ("--draft", "", Options(draft=True)),
        ("--draft keep it", "keep it", Options(draft=True)),
        ("--no-draft, keep it", "keep it", Options(draft=False)),
        ("--draft\nkeep it", "keep it", Options(draft=True)),
        (
            "--attempts 2 --no-draft --effort low quickly",
            "quickly",
            Options(attempts=2, draft=False, effort=Effort.LOW),
        ),
    ],
)
def test_options_are_taken_out_of_the_instructions(
    text: str, instructions: str, options: Options
) -> None:
    """Anywhere in the text, with a blank or `=`, with the punctuation of the sentence."""
    assert parse(f"/fix {text}") == (Fix(instructions, options),)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("--attempts", fix_commands.whole_number("attempts", most=10)),
        ("--attempts many", fix_commands.whole_number("attempts", most=10)),
        ("--attempts 0", fix_commands.whole_number("attempts", most=10)),
        ("--attempts 11", fix_commands.whole_number("attempts", most=10)),
        ("--attempts -1", fix_commands.whole_number("attempts", most=10)),
        ("--attempts ٣", fix_commands.whole_number("attempts", most=10)),
        ("--attempts " + "9" * 5000, fix_commands.whole_number("attempts", most=10)),
        ("--attempts --draft", fix_commands.whole_number("attempts", most=10)),
        ("--attempts 2 --attempts 3", fix_commands.set_twice("attempts")),
        ("--draft --no-draft", fix_commands.set_twice("no-draft")),
        ("--draft=no", fix_commands.takes_no_value("draft")),
        ("--budget-usd lots", fix_commands.dollars("budget-usd", most=100)),
        ("--budget-usd nan", fix_commands.dollars("budget-usd", most=100)),
        ("--budget-usd 1e9", fix_commands.dollars("budget-usd", most=100)),
        ("--budget-usd 0", fix_commands.dollars("budget-usd", most=100)),
        ("--effort extreme", fix_commands.effort("effort")),
        ("--timeout 7h", fix_commands.duration("timeout")),
        (
            "--timeout soon",
            fix_commands.duration("timeout"),
        ),
        (
            '--test "pytest',
            fix_commands.command("test"),
        ),
        ("--test ''", fix_commands.command("test")),
        (
            "--atempts 3",
            fix_commands.misspelt("atempts", "attempts"),
        ),
        (
            "--budget 3",
            fix_commands.misspelt("budget", "budget-usd"),
        ),
        (
            "the --verbose flag",
            fix_commands.unknown("verbose", OPTIONS),
        ),
    ],
)
def test_a_bad_option_is_explained(text: str, problem: str) -> None:
    """The sentence names the option and what it takes, or the nearest one that exists."""
    assert parse(f"/fix {text}") == (BadCommand(problem),)


@pytest.mark.parametrize(
    ("body", "commands"),
    [
        ("/fix one\n/fix two", (Fix("one"), Fix("two"))),
        ("/fix one\n\n/fix status", (Fix("one"), Status())),
        ("- /fix one\n- /fix stop", (Fix("one"), Stop())),
        ("/fix one\ntwo\n/fix stop\n/fix --no", None),
    ],
)
def test_several_commands_are_found_in_order(
    body: str, commands: tuple[Command, ...] | None
) -> None:
    """A line with `/fix` ends the instructions of the one before it."""
    if commands is None:
        first, second, third = parse(body)
        assert (first, second) == (Fix("one\ntwo"), Stop())
        assert isinstance(third, BadCommand)
    else:
        assert parse(body) == commands


def test_a_comment_is_answered_for_its_first_command() -> None:
    """The first one counts."""
    assert chosen(parse("/fix one\n\n/fix two")) == Fix("one")
    assert chosen(()) is None


def test_stop_comes_before_everything_else() -> None:
    """Whoever writes `/fix stop` anywhere wants nothing to be started."""
    assert chosen(parse("/fix one\n\n/fix stop")) == Stop()


@pytest.mark.parametrize(
    ("old", "new", "commands"),
    [
        ("/fix", "/fix", ()),
        ("/fix", "Hello!\n\n/fix\n\nThanks!", ()),
        ("/fix  a", "/fix a", ()),
        ("Hello!", "Hello!\n\n/fix", (Fix(),)),
        ("`/fix`", "/fix", (Fix(),)),
        ("/fix", "> /fix", ()),
        ("/fix", "", ()),
        ("/fix", "/fix\n\n/fix", (Fix(),)),
        ("/fix", "/fix\n\n/fix stop", (Stop(),)),
        ("/fix one", "/fix two", (Fix("two"),)),
        ("/fix --atempts 3", "/fix --attempts 3", (Fix("", Options(attempts=3)),)),
        ("/fix one\n/fix two", "/fix two\n/fix one", ()),
    ],
)
def test_an_edit_asks_only_for_what_is_new(
    old: str, new: str, commands: tuple[Command, ...]
) -> None:
    """A command that the comment held before does not start anything again."""
    assert new_commands(old, new) == commands


@given(st.text() | st.text("/fix \n`>-|*[]()<!\"'=—stop", max_size=60).map(lambda t: "/fix " + t))
def test_no_text_is_too_odd(body: str) -> None:
    """Whatever people paste, reading it never raises."""
    assert isinstance(parse(body), tuple)


@given(
    st.text("/fixFIX \n\r\t\u2003>-|*+0.)[]<!#`=", max_size=80).map(lambda text: text + "\n/fix")
)
def test_what_can_hold_no_command_holds_none(body: str) -> None:
    """The cheap question never says no to what the parser would find."""
    for text in (body, body.replace("\n/fix", " /fix")):
        assert may_hold_command(text) or not said_behind_commands(text)


def test_what_mentions_a_path_is_not_read() -> None:
    """It would cost a question to GitHub and a process each time."""
    for body in ("see /srv/fix", "/fixture", "run `/fix`", "a /fix b", "https://a.b/fix", ""):
        assert not may_hold_command(body)


@given(st.characters(), st.characters())
def test_lone_surrogates_and_controls_are_read(first: str, last: str) -> None:
    """So do NUL, surrogates and other characters that are no text."""
    parse(f"{first}/fix {last}\n/fix {first}\ud83d\0")


@given(st.text(st.characters(exclude_categories=["C", "Z", "P", "S", "M"]), min_size=1))
def test_words_come_back_as_instructions(words: str) -> None:
    """Plain words after `/fix` are the instructions, unless they are one of the four commands."""
    [command] = parse(f"/fix do {words}")
    assert command == Fix(f"do {words}")


@pytest.mark.slow
@pytest.mark.parametrize(
    "piece",
    ["[", "`a", ">", "<", "*a ", "<!--", "[a](b", "*a_", "- ", "/fix\n", "[](", "![a", "&", "--a ",
     '--test "', "/fix `", "|a", "\\", "<?", "[a]\n", "  - "],
)  # fmt: skip
def test_hostile_text_is_read_in_time(piece: str) -> None:
    """The longest comment that GitHub takes costs seconds, not hours, whatever it repeats."""
    body = "/fix " + piece * (65_536 // len(piece))
    started = time.process_time()
    parse(body)
    assert time.process_time() - started < 60


def test_auto_says_on_or_off() -> None:
    """Only as the whole line: what merely begins so is an instruction."""
    assert parse("/fix auto on") == (Auto(on=True),)
    assert parse("/fix  AUTO   off\nplease") == (Auto(on=False),)
    assert parse("/fix auto") == (BadCommand("`/fix auto` needs `on` or `off`."),)
    assert parse("/fix auto on --draft") == (BadCommand("`/fix auto on` takes no options."),)
    assert parse("/fix auto-imports") == (Fix("auto-imports"),)
