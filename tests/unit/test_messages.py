"""Every reply, word for word."""

from __future__ import annotations

from datetime import timedelta

import pytest
from inline_snapshot import snapshot

from bot.intake.commands import BadCommand, parse
from bot.model import Verdict
from bot.reporting import messages
from bot.reporting.marker import marker, signed, without_markers
from tests.unit.reports import MARK, RUN, STARTED, VIEW


def test_marker_names_run_and_kind() -> None:
    """The marker is an HTML comment, which GitHub does not show."""
    assert marker("ab12", "progress") == "<!-- fixpoint:run=ab12 kind=progress -->"


@pytest.mark.parametrize("bad", ["", "a b", "a-->", "a\n"])
def test_marker_refuses_what_could_end_it_early(bad: str) -> None:
    """No value can close the comment and show or hide text."""
    with pytest.raises(ValueError, match="can't be part of a marker"):
        marker(bad, "progress")


def test_strangers_cannot_write_our_marker() -> None:
    """A marker in a stranger's text is not a marker any more."""
    assert MARK not in without_markers(f"see {MARK}")


def test_marker_is_the_last_line() -> None:
    """Every posted text ends with its marker, in a paragraph of its own."""
    assert signed("Text.\n", MARK) == f"Text.\n\n{MARK}\n"


def test_queued() -> None:
    """A run that starts at once says where progress appears and how to stop it."""
    assert messages.queued(MARK) == snapshot("""\
Fixpoint is starting. Progress will appear in this comment. To stop the run, comment `/fix stop`.

<!-- fixpoint:run=3fa9c1d20b7e kind=test -->
""")


def test_help_text() -> None:
    """Help lists every command and option with its meaning."""
    assert messages.help_text(MARK) == snapshot("""\
Commands, each at the start of a line:

- `/fix`: reproduce the failure, fix it, verify the fix, and open a pull request
- `/fix <instructions>`: the same, with instructions to follow
- `/fix add <feature>`: write a specification and tests for a small feature, then build it
- `/fix explain`: say since which commit or release the tests fail, and change nothing; takes `--test` and `--timeout`
- `/fix flaky`: say which tests both fail and pass, what decides, and the command that shows it, and try to repair the first of them; takes `--test`, which then runs the whole suite, and `--timeout`
- `/fix status`: show the progress of the run
- `/fix stop`: stop the run and report its findings
- `/fix approve`: approve what is waiting: a patch, a specification, a tool or more budget
- `/fix reject`: end a run that is waiting for approval
- `/fix retry`: start a new run with the same instructions
- `/fix auto on`: start a run automatically whenever checks of this pull request fail
- `/fix auto off`: never start a run automatically on this pull request
- `/fix memory`: show what is remembered of earlier runs and reviews
- `/fix remember`: keep what was proposed as a lesson in this pull request
- `/fix remember: <text>`: keep this as a lesson for later runs
- `/fix forget <ID or all>`: forget a lesson, what a run tried, or everything
- `/fix help`: show this list

Options of `/fix` and `/fix retry`:

- `--attempts N`: maximum number of patches to try
- `--budget-usd X`: maximum cost of model calls, in US dollars
- `--timeout TIME`: time limit of the run, such as `900` or `15m`
- `--test "COMMAND"`: the failing command
- `--model NAME`: the model to use
- <code>--effort low&#124;medium&#124;high</code>: how hard the model thinks
- `--draft`: open the pull request as a draft
- `--no-draft`: open the pull request ready for review

Defaults come from `.github/fixpoint.yml`.

<!-- fixpoint:run=3fa9c1d20b7e kind=test -->
""")


def test_help_lists_what_the_parser_knows() -> None:
    """Each option in the help is one that the parser takes."""
    values = {"N": "2", "X": "1.50", "TIME": "15m", "low|medium|high": "low", "NAME": "m"}
    for option, _ in messages.OPTIONS:
        name, _, value = option.partition(" ")
        command = f"/fix {name} {values.get(value, value)}".strip()
        assert not isinstance(parse(command)[0], BadCommand), command


def test_status() -> None:
    """Status shows the checklist of the run."""
    assert messages.status(VIEW, STARTED + timedelta(seconds=12), MARK) == snapshot("""\
Run `3fa9c1d20b7e`:

- [ ] Check out the commit: in progress
- [ ] Set up the environment
- [ ] Reproduce the failure
- [ ] Find a patch that passes
- [ ] Publish the result

12 s of 30 min 00 s · 0 tokens · $0 of $2.00

<!-- fixpoint:run=3fa9c1d20b7e kind=test -->
""")


def test_nothing_running() -> None:
    """Without a run, stop and status say how to start one."""
    assert messages.nothing_running(MARK) == snapshot("""\
No run is active here. To start one, comment `/fix`.

<!-- fixpoint:run=3fa9c1d20b7e kind=test -->
""")


def test_last_run() -> None:
    """Where a run has ended, status says how, and where its pull request is."""
    assert messages.last_run(Verdict.GAVE_UP, "All 3 attempts are used.", None, MARK) == snapshot("""\
No run is active here. Last run: **Not fixed: found no patch that passes.** All 3 attempts are used.

To start a new run, comment `/fix retry`.

<!-- fixpoint:run=3fa9c1d20b7e kind=test -->
""")
    url = "https://github.com/o/r/pull/8"
    assert messages.last_run(Verdict.FIXED, "Attempt 2 passed.", url, MARK) == snapshot("""\
No run is active here. Last run: **Fixed.** Attempt 2 passed. Pull request: https://github.com/o/r/pull/8

To start a new run, comment `/fix retry`.

<!-- fixpoint:run=3fa9c1d20b7e kind=test -->
""")


def test_stopping() -> None:
    """Stop says what happens next."""
    assert messages.stopping(MARK) == snapshot("""\
Stopping. The report will appear in the run's comment as soon as the current command or model call finishes.

<!-- fixpoint:run=3fa9c1d20b7e kind=test -->
""")


def test_already_running() -> None:
    """A second command leads to the run that is under way."""
    assert messages.already_running("https://github.com/o/r/issues/7#c1", MARK) == snapshot("""\
A run is already active here: https://github.com/o/r/issues/7#c1

To start over, comment `/fix stop`, then `/fix retry`.

<!-- fixpoint:run=3fa9c1d20b7e kind=test -->
""")


def test_not_allowed() -> None:
    """People without write access get one sentence."""
    assert messages.not_allowed(MARK) == snapshot("""\
Only people with write access to this repository can use Fixpoint.

<!-- fixpoint:run=3fa9c1d20b7e kind=test -->
""")


def test_config_invalid() -> None:
    """Each problem of the repo config is listed; strangers' text in it does nothing."""
    problems = ("Line 3: `atempts` is not a key; did you mean `attempts`?", "Line 9: @ann, #12")
    assert messages.config_invalid(".github/fixpoint.yml", problems, MARK) == snapshot("""\
Fixpoint did not start because `.github/fixpoint.yml` has 2 problems:

- Line 3: `atempts` is not a key; did you mean `attempts`?
- Line 9: `@ann`, `#12`

Fix the file, then comment `/fix retry`. To check it on your machine, run `fixpoint config check`.

<!-- fixpoint:run=3fa9c1d20b7e kind=test -->
""")


def test_bad_command() -> None:
    """A command that can't be followed is answered with the reason and where to look."""
    assert messages.bad_command("`--atempts` is not an option", MARK) == snapshot("""\
`--atempts` is not an option. For all commands and options, comment `/fix help`.

<!-- fixpoint:run=3fa9c1d20b7e kind=test -->
""")


def test_could_not_start() -> None:
    """A run that can't start says why and what to do then."""
    reason = "The App may not read this repository: grant it contents: read."
    assert messages.could_not_start(reason, MARK) == snapshot("""\
The App may not read this repository: grant it contents: read.

<!-- fixpoint:run=3fa9c1d20b7e kind=test -->
""")


def test_crashed() -> None:
    """A run that keeps ending its server is given up, and says where the cause stands."""
    assert messages.crashed(RUN, 3, MARK) == snapshot("""\
Fixpoint gave up on run `3fa9c1d20b7e` after 3 interruptions without progress. The cause is in the server's log under `run_id=3fa9c1d20b7e`. Once it is fixed, comment `/fix retry`.

<!-- fixpoint:run=3fa9c1d20b7e kind=test -->
""")


def test_broke() -> None:
    """A run that ends without a report says so; a bug of ours is called one."""
    assert messages.broke(RUN, None, MARK) == snapshot("""\
Run `3fa9c1d20b7e` failed without a report because of a bug in Fixpoint. Details are in the server's log under `run_id=3fa9c1d20b7e`. To start a new run, comment `/fix retry`.

<!-- fixpoint:run=3fa9c1d20b7e kind=test -->
""")


def test_broke_for_a_reason() -> None:
    """What is no bug has its own sentence."""
    assert messages.broke(RUN, "GitHub forbids it: grant issues=write.", MARK) == snapshot("""\
Run `3fa9c1d20b7e` ended early. GitHub forbids it: grant issues=write. Details are in the server's log under `run_id=3fa9c1d20b7e`. To start a new run, comment `/fix retry`.

<!-- fixpoint:run=3fa9c1d20b7e kind=test -->
""")


def test_ended_early() -> None:
    """The progress comment points to the one that says why."""
    assert messages.ended_early(MARK) == snapshot("""\
This run ended early. The reason is given below.

<!-- fixpoint:run=3fa9c1d20b7e kind=test -->
""")


def test_answers_name_no_person() -> None:
    """No reply mentions anybody: the thread's participants are notified anyway."""
    assert "@" not in messages.help_text(MARK) + messages.not_allowed(MARK)
