"""Which failures a patch has to mend, and which it may leave."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.model import Failure, Observation, OtherFailure, OtherKind, Problem
from bot.repair.goal.environment import Surroundings, download_commands, environment_cause
from bot.repair.goal.excluded_failures import NOTHING_ASIDE, aside_of
from bot.repair.goal.failure_classes import (
    of_feature,
    reports_failure,
    sort_failures,
    with_choice,
    with_excused,
)
from bot.repair.goal.older_packages_choice import shows_more, worth_older_packages
from bot.repair.goal.other_causes import excused_by_age, parted_by_place
from bot.repair.workspace.called_code import CalledCode, read_record
from bot.reporting.reasons import outside_causes as reasons

TOTAL = Failure(
    "tests.test_cart::test_total[3]",
    "tests/test_cart.py",
    9,
    "assert 3 == 4",
    "    def test_total(n):\n>       assert total([1, n]) == 4\nE       assert 3 == 4\n\n"
    "tests/test_cart.py:9: AssertionError",
)
PARSER = Failure(
    "tests.test_dates::test_parses",
    "dates/parser.py",
    30,
    "ValueError: no such month: Maerz",
    "    def test_parses():\n>       parse_date('1. Maerz')\n\ntests/test_dates.py:4:\n"
    "E       ValueError: no such month: Maerz\n\ndates/parser.py:30: ValueError",
)
SIBLING = Failure(
    "tests.test_cli::test_prints",
    "dates/parser.py",
    30,
    "ValueError: no such month: Maerz",
    "E       ValueError: no such month: Maerz\n\ndates/parser.py:30: ValueError",
)
NETWORK = Failure(
    "tests.test_client::test_fetches",
    "tests/test_client.py",
    7,
    "OSError: [Errno 101] Network is unreachable",
    ">       fetch('http://10.255.255.1')\nE       OSError: [Errno 101] Network is unreachable",
)


def seen(*failing: Failure, exit_code: int = 1) -> Observation:
    return Observation("pytest", exit_code, failing)


def issue(text: str) -> Problem:
    title, _, body = text.partition("\n")
    return Problem(title, body)


def owns(module: str) -> bool:
    return module in {"dates", "tests"}


DOWNLOADS = ("curl https://codecov.io/download/x", "python -m spacy download en_core_web_sm")
HERE = Surroundings(owns, lambda: {"8000": "dynamodb"}, lambda: DOWNLOADS)
TEXTBLOB = """\
textblob.exceptions.MissingCorpusError:
E   Looks like you are missing some required data for this feature.
E
E   To download the necessary data, simply run
E
E       python -m textblob.download_corpora
E
E   or use the NLTK downloader to download the missing data: http://nltk.org/data.html
E   If this doesn't fix the problem, file an issue at https://github.com/sloria/TextBlob/issues."""
NLTK = """\
LookupError:
E   **********************************************************************
E     Resource punkt not found.
E     Please use the NLTK Downloader to obtain the resource:
E
E     >>> import nltk
E     >>> nltk.download('punkt')"""


def test_an_older_commit_excuses_what_it_has_too() -> None:
    """Numbers and temporary names in a message may differ, as they do from run to run."""
    now = seen(TOTAL, PARSER)
    then = seen(replace(TOTAL, message="assert 12 == 4"), replace(PARSER, message="other words"))
    ids = now.failing_ids
    assert excused_by_age(now, then, ids, "0123456789") == {
        TOTAL.test: OtherFailure(TOTAL.test, OtherKind.OLD, reasons.old("0123456"))
    }
    assert excused_by_age(now, then, {PARSER.test}, "0123456789") == {}
    made_up = (replace(TOTAL, message=f"'/tmp/env-{name}/pip' failed") for name in ("u0qw", "zmek"))
    assert excused_by_age(seen(next(made_up)), seen(next(made_up)), ids, "0123456789")


FOREIGN = Failure(
    "tests.test_web::test_get",
    "tests/test_web.py",
    1,
    "ImportError: cannot import name 'url_quote' from 'werkzeug.urls'",
)


WARNED = Failure(
    "tests.test_dates",
    "tests/test_dates.py",
    1,
    "pytest.PytestRemovedIn10Warning: Passing a non-Collection iterable to parametrize is deprecated.",
)


def test_packages_of_the_commits_day_are_worth_a_try() -> None:
    """Where nothing runs, or a package lacks something or warns; not for what the issue is about."""
    nothing = Problem("", "")
    assert worth_older_packages(seen(FOREIGN), nothing, HERE)
    assert worth_older_packages(seen(FOREIGN, TOTAL), nothing, HERE)
    assert worth_older_packages(seen(WARNED, TOTAL), nothing, HERE)
    assert worth_older_packages(seen(Failure("pytest")), nothing, HERE)
    assert not worth_older_packages(seen(TOTAL), nothing, HERE)
    assert not worth_older_packages(Observation("pytest", 0), nothing, HERE)
    assert not worth_older_packages(seen(FOREIGN), issue(FOREIGN.message), HERE)


def test_packages_of_the_commits_day_show_more() -> None:
    """Where more tests run than with today's, and one of them fails."""
    today = seen(FOREIGN)
    assert shows_more(seen(TOTAL), today, HERE)
    assert not shows_more(seen(FOREIGN), today, HERE)
    assert not shows_more(Observation("pytest", 0, passed=frozenset({"a"})), today, HERE)


def test_an_issue_that_names_the_command_means_all_of_it() -> None:
    """Options aside, and but for what the environment causes."""
    red = Observation("make --keep-going check", 2, (TOTAL, PARSER, NETWORK))
    goal = sort_failures(red, issue("`make check` is red\nThe total is wrong"), HERE)
    assert goal.tests == goal.named == {TOTAL.test, PARSER.test}
    assert [failure.test for failure in goal.others] == [NETWORK.test]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("test_total is red", {TOTAL}),
        ("CI says `tests.test_dates::test_parses` fails", {PARSER, SIBLING}),
        ("German dates\nI get: no such month: Maerz", {PARSER, SIBLING}),
        ("`total()` forgets the last price", {TOTAL}),
        ("`total()` is wrong since dates are parsed", {TOTAL}),
        ("Wrong cart\nThe total of my cart is too low", {TOTAL}),
        ("In dates/parser.py `parse_date('1. Maerz')` fails", {PARSER, SIBLING}),
        ("test_fetches hangs", {NETWORK}),
    ],
)
def test_what_the_issue_leads_to_is_meant(text: str, expected: set[Failure]) -> None:
    """A test, its error, its code, its words, in this order; what fails besides stays in the goal."""
    goal = sort_failures(seen(TOTAL, PARSER, SIBLING, NETWORK), issue(text), HERE)
    assert goal.meant == {failure.test for failure in expected}
    assert goal.tests == goal.meant | {failure.test for failure in (TOTAL, PARSER, SIBLING)}
    assert goal.doubted == goal.tests - goal.meant
    assert not goal.undecided
    assert {failure.test for failure in goal.others} == {NETWORK.test} - goal.meant


RATES = Failure("tests.test_rates::test_rate", "rates.py", 3, "KeyError: 'EUR'")
MONTH = Failure("tests.test_month::test_month", "dates/parser.py", 9, "KeyError: 'Maerz'")


@pytest.mark.parametrize(
    ("meant", "other", "parts"),
    [
        (PARSER, RATES, True),  # another exception, in another file
        (PARSER, MONTH, False),  # another exception, in the same file
        (MONTH, RATES, False),  # the same exception, in another file
        (PARSER, TOTAL, False),  # a comparison in a test is no place in the program
        (TOTAL, PARSER, False),
        (PARSER, Failure("t::x", "rates.py", 3), False),  # nobody says why
    ],
)
def test_what_is_raised_parts_failures(
    meant: Failure,
    other: Failure,
    parts: bool,  # noqa: FBT001 - a table
) -> None:
    """By exception and place together."""
    found = parted_by_place(seen(meant, other), {meant.test}, {other.test})
    assert bool(found) is parts


def test_each_of_several_that_are_meant_counts() -> None:
    """What fails like any of them is not parted."""
    red = seen(PARSER, RATES, replace(RATES, test="tests.test_rates::test_other"))
    meant = {PARSER.test, RATES.test}
    assert parted_by_place(red, meant, red.failing_ids - meant) == {}


def test_something_new_is_no_failure_that_was_there() -> None:
    """Unless the request names the test that is there already."""
    red = seen(TOTAL, PARSER, NETWORK)
    goal = of_feature(sort_failures(red, issue("add a tax"), HERE), red)
    assert goal.tests == frozenset()
    assert {failure.test: failure.kind for failure in goal.others} == {
        TOTAL.test: OtherKind.OLD, PARSER.test: OtherKind.OLD, NETWORK.test: OtherKind.ENVIRONMENT,
    }  # fmt: skip
    named = of_feature(sort_failures(red, issue("add what test_total asks for"), HERE), red)
    assert named.tests == {TOTAL.test}


CODE = CalledCode(frozenset({("app/cart.py", "total")}), frozenset({"total", "prices"}))


@pytest.mark.parametrize(
    ("functions", "names", "apart"),
    [
        ({("app/cart.py", "least")}, {"least"}, True),
        ({("app/cart.py", "total"), ("app/cart.py", "least")}, {"least"}, False),
        ({("app/cart.py", "least")}, {"least", "prices"}, False),  # perhaps a constant of both
        (set(), set(), False),  # nothing was seen
    ],
)
def test_code_that_two_tests_share(
    functions: set[tuple[str, str]],
    names: set[str],
    apart: bool,  # noqa: FBT001 - a table
) -> None:
    """Tests that run no function and use no name in common have no fault in common."""
    other = CalledCode(frozenset(functions), frozenset(names))
    assert CODE.is_apart_from(other) is apart
    assert other.is_apart_from(CODE) is apart


def test_a_record_of_called_code() -> None:
    """Functions of tests are no code of the program, and other lines mean nothing."""
    lines = [
        '["app/cart.py", "total", ["prices"]]',
        '["tests/test_a.py", "test_a", ["x"]]',
        "[1]",
        "{",
    ]
    assert read_record("\n".join(lines).encode()) == CODE


def test_without_a_word_everything_else_is_the_goal() -> None:
    """Nobody described it: what the environment explains is left out."""
    goal = sort_failures(seen(TOTAL, PARSER, NETWORK), Problem(), HERE)
    assert goal.tests == {TOTAL.test, PARSER.test}
    assert [(failure.kind, failure.cause) for failure in goal.others] == [
        (OtherKind.ENVIRONMENT, reasons.NEEDS_NETWORK)
    ]
    assert sort_failures(seen(NETWORK), Problem(), HERE).tests == {NETWORK.test}


def test_where_nothing_tells_them_apart_all_are_the_goal() -> None:
    """And the goal says so."""
    goal = sort_failures(seen(TOTAL, PARSER, NETWORK), issue("It is broken"), HERE)
    assert goal.tests == {TOTAL.test, PARSER.test}
    assert goal.undecided
    assert not sort_failures(seen(TOTAL, NETWORK), issue("It is broken"), HERE).undecided


def test_an_issue_that_no_failure_shows_has_no_goal() -> None:
    """Then a test has to be written."""
    assert sort_failures(seen(NETWORK), issue("The total is wrong"), HERE).tests == frozenset()


def test_what_turns_out_to_be_unstable_leaves_the_goal() -> None:
    """Unless nothing is left of it."""
    red = seen(TOTAL, PARSER)
    goal = sort_failures(red, Problem(), HERE)
    unstable = {
        test: OtherFailure(test, OtherKind.UNSTABLE, reasons.UNSTABLE) for test in goal.tests
    }
    assert with_excused(goal, red, unstable) == goal
    left = with_excused(goal, red, {TOTAL.test: unstable[TOTAL.test]})
    assert left.tests == {PARSER.test}
    assert left.others == (unstable[TOTAL.test],)


def test_a_reader_does_not_take_away_what_is_named() -> None:
    """It adds to it, and knows no other tests."""
    red = seen(TOTAL, PARSER, SIBLING)
    goal = sort_failures(red, issue("test_total is red"), HERE)
    chosen = with_choice(goal, red, frozenset({PARSER.test, "another"}))
    assert chosen.meant == {TOTAL.test, PARSER.test}
    assert chosen.doubted == {SIBLING.test}


def test_a_reader_may_find_nothing_of_the_problem() -> None:
    """Then a test has to be written."""
    red = seen(TOTAL, PARSER)
    goal = sort_failures(red, issue("It is broken"), HERE)
    assert with_choice(goal, red, frozenset()).tests == frozenset()


@pytest.mark.parametrize(
    ("error", "cause"),
    [
        ("socket.gaierror: [Errno -2] Name or service not known", reasons.NEEDS_NETWORK),
        ("connect to localhost:5432 refused", reasons.NEEDS_SERVICE),
        ('botocore.exceptions.EndpointConnectionError: Could not connect to the endpoint URL: "http://localhost:8000/"', reasons.needs_service("dynamodb", "8000")),
        ("Error: connect ECONNREFUSED 127.0.0.1:8000", reasons.needs_service("dynamodb", "8000")),
        ("Error: connect ECONNREFUSED 127.0.0.1:8001", ""),
        ("Failed: DID NOT RAISE <class 'PermissionError'>", reasons.NEEDS_OTHER_RIGHTS),
        ("OSError: [Errno 30] Read-only file system: '/etc/x'", reasons.NEEDS_WRITABLE_FILES),
        ("locale.Error: unsupported locale setting", reasons.NEEDS_LOCALE),
        ("browserType.launch: Executable doesn't exist at /home/a/.cache/ms-playwright/chromium-1/chrome", reasons.NEEDS_BROWSER),
        ("Error: Could not find Chrome (ver. 127.0.6533.88).", reasons.NEEDS_BROWSER),
        ("fixture 'mocker' not found", reasons.NEEDS_PLUGIN),
        ("ModuleNotFoundError: No module named 'trustme'", reasons.needs_module("trustme")),
        ("AttributeError: module 'ast' has no attribute 'Str'", reasons.needs_other_version("ast")),
        ("pytest.PytestRemovedIn9Warning: old", reasons.warning_as_error("PytestRemovedIn9Warning")),
        ("sh: 1: hg: not found", reasons.needs_program("hg")),
        ("ModuleNotFoundError: No module named 'dates.words'", ""),
        ("AttributeError: module 'dates' has no attribute 'parse'", ""),
        ("FileNotFoundError: [Errno 2] No such file or directory: 'git'", ""),
        ("DeprecationWarning: parse is old", ""),
        ("ConnectionRefusedError: [Errno 111] Connection refused", ""),
        ("AssertionError: assert 3 == 4", ""),
        (TEXTBLOB, reasons.needs_download("python -m textblob.download_corpora")),  # sloria/TextBlob
        (NLTK, reasons.needs_download("nltk.download('punkt')")),
        ("RuntimeError: Dataset not found. You can use download=True to download it", reasons.needs_download("")),
        ("OSError: [E050] Can't find model 'en_core_web_sm'. It doesn't seem to be a Python package or a valid path to a data directory.", reasons.needs_download("python -m spacy download en_core_web_sm")),
        ("OSError: [E050] Can't find model 'en_core_web_lg'. It doesn't seem to be a Python package or a valid path to a data directory.", ""),
        ("ResourcesFileNotFoundError: Resources file not found at: /root/stanza. Please download the resources first.", reasons.needs_download("")),
        ("FileNotFoundError: big.bin is missing: run `./scripts/download_fixtures.sh`", reasons.needs_download("./scripts/download_fixtures.sh")),
        ("HTTPError: failed to download index.json: not found", ""),
        ("TypeError: Client.download() missing 1 required positional argument: 'url'", ""),
        ("AssertionError: 'Not found. Please download it.' != ''", ""),
        ("KeyError: 'downloads'", ""),
        ("RuntimeError: `python -m app download x` failed: no such file", ""),
    ],
)  # fmt: skip
def test_a_cause_in_the_environment(error: str, cause: str) -> None:
    """It is known by the error; what is the project's own is none."""
    failure = Failure("t::x", "tests/t.py", 1, error, f"E   {error}\n\ntests/t.py:1: Error")
    assert environment_cause(failure, HERE) == cause


def test_a_failure_without_an_account_has_the_cause_of_its_like() -> None:
    """Of a hundred failing tests and more, the rest have only a message (textstat/textstat)."""
    told = Failure("t::a", None, None, "LookupError:", f"E   {NLTK}")
    bare, other = replace(told, test="t::b", detail=""), replace(TOTAL, detail="")
    goal = sort_failures(seen(told, bare, TOTAL, other), Problem(), HERE)
    assert goal.tests == {TOTAL.test}
    real = replace(told, test="t::c", detail="E   LookupError: no such colour")
    goal = sort_failures(seen(told, bare, real), Problem(), HERE)
    assert goal.tests == {bare.test, real.test}


def test_what_the_setup_has_downloaded_is_there() -> None:
    """That it is not found then is no fault of the sandbox."""
    failure = Failure("t::x", "tests/t.py", 1, NLTK, f"E   {NLTK}\n\nnltk/data.py:1: LookupError")
    assert environment_cause(failure, replace(HERE, has_downloaded=True)) == ""


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("      - run: python -m spacy download en_core_web_sm\n", ("python -m spacy download en_core_web_sm",)),
        ("    $ npm run download:models\n", ("npm run download:models",)),
        ("Make sure you download it, or make sure to download the data.", ()),
        ("uses: actions/download-artifact@v4", ()),
        ("download:\n\tcurl -L https://example.org/downloads/x.zip\n", ("curl -L https://example.org/downloads/x.zip",)),
    ],
)  # fmt: skip
def test_commands_that_download(text: str, commands: tuple[str, ...]) -> None:
    """As workflows, task files and READMEs have them."""
    assert download_commands(text) == commands


@pytest.mark.parametrize(
    ("text", "reports"),
    [
        ("Add a function for the median", False),
        ("`parse_date` should know a strict mode", False),
        ("`make test` is red", True),
        ("test_parses fails", True),
        ("A ValueError for German months", True),
        ("Months: 'no such month: Maerz'", True),
    ],
)
def test_an_issue_reports_what_fails(text: str, reports: bool) -> None:  # noqa: FBT001
    """It names the command, a test or the error; a wish names what a test runs as well."""
    failing = Observation("make -k test", 1, (PARSER,))
    assert reports_failure(issue(text), failing) is reports


def test_where_an_error_is_raised_matters() -> None:
    """A missing program is one that was started; a warning counts where a package gives it."""
    started = Failure(
        "t::x", None, None, "FileNotFoundError: [Errno 2] No such file or directory: 'git'",
        "/usr/lib/python3.12/subprocess.py:1955: FileNotFoundError",
    )  # fmt: skip
    assert environment_cause(started, HERE) == reasons.needs_program("git")
    warned = Failure(
        "t::x", None, None, "DeprecationWarning: old",
        "E   DeprecationWarning: old\n\n/v/site-packages/six.py:9: DeprecationWarning",
    )  # fmt: skip
    assert environment_cause(warned, HERE) == reasons.warning_as_error("DeprecationWarning")


def test_a_test_called_after_what_the_issue_names() -> None:
    """Its account may be missing, where very many tests fail."""
    called = Failure("tests.test_rates::test_parse_rate_is_exact")
    words = Failure("tests.test_rates::test_drop_rate")
    goal = sort_failures(seen(called, words, TOTAL), issue("`parse_rate` should drop zeros"), HERE)
    assert goal.meant == {called.test}


def test_what_stands_beside_the_failing_line_names_nothing() -> None:
    """Pytest prints whole functions; a name in one of them may have no part in the failure."""
    beside = Failure(
        "tests.test_cli::test_reads", "cli.py", 5, "KeyError: 'x'",
        ">       main()\n\ntests/test_cli.py:3:\n_ _ _ _ _\n\n    def main():\n"
        "        total(arguments)\n>       return arguments['x']\nE       KeyError: 'x'\n\ncli.py:5: KeyError",
    )  # fmt: skip
    goal = sort_failures(seen(TOTAL, beside), issue("`total()` is wrong"), HERE)
    assert goal.meant == {TOTAL.test}


def test_what_a_test_prints_is_no_cause() -> None:
    """Only the lines that pytest marks say what was raised."""
    detail = f"{TOTAL.detail}\n--- Captured log ---\nNetwork is unreachable, trying again"
    failure = Failure(TOTAL.test, TOTAL.file, TOTAL.line, TOTAL.message, detail)
    assert environment_cause(failure, HERE) == ""


def test_the_others_are_set_aside() -> None:
    """A command that shows nothing else passes; its exit status stays."""
    aside = aside_of([NETWORK.test], seen(NETWORK, TOTAL))
    both = aside.left_by(seen(NETWORK, TOTAL))
    assert (both.ok, both.failing, both.others) == (False, (TOTAL,), (NETWORK,))
    rest = aside.left_by(seen(NETWORK))
    assert (rest.ok, rest.exit_code, rest.failing_ids) == (True, 1, frozenset())
    assert aside.left_by(seen(TOTAL)) == seen(TOTAL)
    assert NOTHING_ASIDE.left_by(seen(NETWORK)) == seen(NETWORK)


def test_what_is_aside_may_fail_of_something_else() -> None:
    """Then it is another failure, unless its reason differs from run to run anyway."""
    broken = replace(NETWORK, message="KeyError: 'rates'")
    aside = aside_of([NETWORK.test], seen(NETWORK, TOTAL))
    assert aside.left_by(seen(broken)).failing == (broken,)
    varying = aside_of([NETWORK.test], seen(NETWORK), seen(replace(NETWORK, message="no route")))
    assert varying.left_by(seen(broken)).ok
    assert aside_of([NETWORK.test], seen(NETWORK), unstable=[NETWORK.test]).left_by(seen(broken)).ok
    rest = aside_of([TOTAL.test], seen(TOTAL))
    assert aside.joined(rest).left_by(seen(NETWORK, TOTAL)).ok


def test_a_run_that_ends_in_another_way_has_failed() -> None:
    """Whatever its report names: an internal error, a crash."""
    aside = aside_of([NETWORK.test], seen(NETWORK))
    crashed = aside.left_by(seen(NETWORK, exit_code=3))
    assert (crashed.ok, [failure.message for failure in crashed.failing]) == (
        False,
        ["exited with 3"],
    )


def test_addresses_in_names_do_not_count() -> None:
    """They differ from process to process."""
    failure, other = Failure("t::x[<A object at 0x7f01>]"), Failure("t::x[<A object at 0x7fff>]")
    assert aside_of([failure.test], seen(failure)).left_by(seen(other)).ok
