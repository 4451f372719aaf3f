"""Which comments hold which commands."""

from __future__ import annotations

import time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.intake.commands import (
    Approve,
    Auto,
    BadCommand,
    Command,
    Fix,
    Help,
    Reject,
    Retry,
    Status,
    Stop,
    _paragraphs,
    _texts,
    chosen,
    may_hold_command,
    new_commands,
    parse,
)
from bot.model.request import Effort, Options
from bot.reporting.reasons import fix_options

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
        "/fix.",
        "/fix:",
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
        ("/fix one\n\ntwo", "one"),
        ("/fix one\n- two", "one"),
        ("/fix one\n> two", "one"),
        ("/fix one\n```\ntwo\n```", "one"),
        ("- /fix one\n  two\n- three", "one\ntwo"),
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
def test_instructions_are_the_rest_of_the_paragraph(body: str, instructions: str) -> None:
    """As they were written, up to a blank line or another block, less what is hidden."""
    assert parse(body) == (Fix(instructions),)


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
        ("--test `make test`, please", "please", Options(test="make test")),
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
            "--attempts 2 --no-draft --effort low now",
            "now",
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
        ("--attempts", fix_options.whole_number("attempts", most=10)),
        ("--attempts many", fix_options.whole_number("attempts", most=10)),
        ("--attempts 0", fix_options.whole_number("attempts", most=10)),
        ("--attempts 11", fix_options.whole_number("attempts", most=10)),
        ("--attempts -1", fix_options.whole_number("attempts", most=10)),
        ("--attempts ٣", fix_options.whole_number("attempts", most=10)),
        ("--attempts " + "9" * 5000, fix_options.whole_number("attempts", most=10)),
        ("--attempts --draft", fix_options.whole_number("attempts", most=10)),
        ("--attempts 2 --attempts 3", fix_options.set_twice("attempts")),
        ("--draft --no-draft", fix_options.set_twice("no-draft")),
        ("--draft=no", fix_options.takes_no_value("draft")),
        ("--budget-usd lots", fix_options.dollars("budget-usd", most=100)),
        ("--budget-usd nan", fix_options.dollars("budget-usd", most=100)),
        ("--budget-usd 1e9", fix_options.dollars("budget-usd", most=100)),
        ("--budget-usd 0", fix_options.dollars("budget-usd", most=100)),
        ("--effort extreme", fix_options.effort("effort")),
        ("--timeout 7h", fix_options.duration("timeout")),
        (
            "--timeout soon",
            fix_options.duration("timeout"),
        ),
        (
            '--test "pytest',
            fix_options.command("test"),
        ),
        ("--test ''", fix_options.command("test")),
        (
            "--atempts 3",
            fix_options.misspelt("atempts", "attempts"),
        ),
        (
            "--budget 3",
            fix_options.misspelt("budget", "budget-usd"),
        ),
        (
            "the --verbose flag",
            fix_options.unknown("verbose", OPTIONS),
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
        assert may_hold_command(text) or not _found(text)


def _found(body: str) -> list[str]:
    """Return what stands behind each command, whatever the cheap question says."""
    return [text for paragraph in _paragraphs(body) for text in _texts(paragraph)]


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
