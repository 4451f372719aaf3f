"""What a person sees at the terminal."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from inline_snapshot import snapshot
from rich.console import Console

from bot.model import Cause, Failure, Limits, Patch, Reproduction
from bot.model.progress import CommandOutput, Noticed, Phase, PhaseStarted, RunFinished
from bot.reporting.terminal import block_lines, live_progress
from bot.reporting.terminal_report import print_report
from tests.unit.reports import FIXED, GAVE_UP, RED, REPRODUCTION, RUN, STARTED, VIEW
from tests.unit.test_progress_comment import NOW, STORY, after


def clock() -> Callable[[], datetime]:
    """Return a clock that moves one second each time it is asked."""
    times = (STARTED + timedelta(seconds=n) for n in range(10_000))
    return lambda: next(times)


def console(*, terminal: bool = False, width: int = 80) -> Console:
    """Return a console that writes to memory."""
    return Console(
        file=io.StringIO(), force_terminal=terminal, width=width, height=40, highlight=False
    )


def written(target: Console) -> str:
    """Return what a console has written."""
    assert isinstance(target.file, io.StringIO)
    return target.file.getvalue()


def test_plain_lines() -> None:
    """Without a terminal, each event worth it is one plain line with the time."""
    target = console()
    with live_progress(RUN, Limits(), console=target, clock=clock()) as listener:
        for event in (*STORY, RunFinished(FIXED)):
            listener(event)
    assert written(target) == snapshot("""\
         1 s  prepare
         2 s  failing command: pytest -q tests/test_dates.py.
         3 s  set up: pip install -e .
         4 s  reproduce: pytest -q tests/test_dates.py (up to 7 min 30 s per run)
         5 s  reproduction: real. `pytest -q tests/test_dates.py` fails here every time.
         6 s  attempt 1: agent
         7 s  verify 1
         8 s  attempt 1 verified: still fails (1 test)
         9 s  attempt 1 finished: 31 s, 5,400 tokens, $0.0100
        10 s  large-model was overloaded; other-model answered.
        11 s  attempt 2: agent
  3 min 04 s  fixed: Attempt 2 passed. (3 min 04 s, 121,300 tokens, $0.1334)
""")


def test_live_block() -> None:
    """On a terminal, a few lines say where the run is and what it printed last."""
    view = after(*STORY, CommandOutput("collected 9 items\n\ntests/test_dates.py F\n1 failed\n"))
    assert block_lines(view, NOW) == snapshot(
        [
            "attempt 2 of 3 · large-model · turn 3: edit dates.py",
            "  2 min 04 s · 1 failing test · 5,510 tokens · $0.0120 of $2.00",
            "  collected 9 items",
            "  tests/test_dates.py F",
            "  1 failed",
        ]
    )


def test_live_block_of_a_command_that_may_hang() -> None:
    """A command that prints nothing leaves nobody to guess how long that may go on."""
    view = after(PhaseStarted(Phase.REPRODUCE, detail="pytest -q"))
    assert block_lines(view, NOW) == snapshot(
        [
            "reproduce: pytest -q (up to 7 min 30 s per run)",
            "  2 min 04 s · 0 tokens · $0 of $2.00",
        ]
    )


def test_live_block_at_the_start() -> None:
    """Before the first event there is a block already."""
    assert block_lines(VIEW, STARTED) == snapshot(["prepare", "  0 s · 0 tokens · $0 of $2.00"])


@pytest.mark.parametrize("width", [20, 80, 200])
def test_live_block_never_wraps(width: int) -> None:
    """No line of the block is wider than the terminal, so that it is redrawn in place."""
    target = console(terminal=True, width=width)
    with live_progress(RUN, Limits(), console=target, clock=clock()) as listener:
        listener(PhaseStarted(Phase.SETUP, detail="x" * 500))
        listener(CommandOutput("y" * 500))
    visible = Console(file=io.StringIO(), width=width)
    visible.print(written(target), end="")
    assert "x" * (width + 1) not in written(target)


def test_live_block_is_gone_at_the_end() -> None:
    """Notes stay on the screen, the block does not."""
    target = console(terminal=True)
    with live_progress(RUN, Limits(), console=target, clock=clock()) as listener:
        listener(Noticed("a model was overloaded"))
    assert "a model was overloaded" in written(target)
    assert written(target).rstrip().endswith("\x1b[2K")


def test_untrusted_text_moves_no_cursor() -> None:
    """Escapes in output, notes and reports never reach the terminal."""
    evil = "\x1b]0;owned\x07\x1b[2J\x9b2J\rOK\x08[red]x[/red]"
    target = console()
    with live_progress(RUN, Limits(), console=target, clock=clock()) as listener:
        listener(Noticed(evil))
        listener(PhaseStarted(Phase.SETUP, detail=evil))
    red = replace(RED, command=evil, failing=(Failure(evil, message=evil),))
    report = replace(
        GAVE_UP,
        reason=evil,
        reproduction=replace(REPRODUCTION, observation=red),
        patch=Patch(f"+{evil}\n".encode(), ("a",), 1, 0),
        notes=(evil,),
    )
    print_report(report, target, evil)
    assert set(written(target)) & set("\x1b\x07\x08\x9b\r") == set()
    assert "[red]x[/red]" in written(target)


def test_report_of_a_fix() -> None:
    """The report shows verdict, failure, attempts, patch and where it went."""
    target = console()
    print_report(FIXED, target, "The patch was written to fix.patch.")
    assert written(target) == snapshot("""\

Fixed. Attempt 2 passed.
Failing command: pytest -q tests/test_dates.py (exit code 1)
- tests.test_dates::test_leap_year: AssertionError: 1900 is no leap year


 #   Proposer      Failing   Patch      Cost         Time   Outcome
 ───────────────────────────────────────────────────────────────────────────────
 1   small-model   1 → 1     +1 -1   $0.0100         31 s   still fails (1 test)
 2   large-model   1 → 0     +1 -1   $0.1234   1 min 04 s   accepted

Centuries were taken for leap years.

Only those that 400 divides are.

The patch:
diff --git a/dates.py b/dates.py
--- a/dates.py
+++ b/dates.py
@@ -12 +12 @@
-    return year % 4 == 0
+    return year % 4 == 0 and year % 100 != 0

The patch was written to fix.patch.
2 attempts, 3 min 04 s, 121,300 tokens, $0.1334
""")


def test_report_without_a_fix() -> None:
    """A patch that is not accepted is called so."""
    target = console()
    print_report(GAVE_UP, target)
    assert "The patch so far (not accepted):" in written(target)


def test_report_of_a_failed_setup() -> None:
    """The end of what the setup printed says why."""
    target = console()
    printed = "".join(f"line {n}\n" for n in range(30)) + "ERROR: No matching distribution\n"
    reproduction = Reproduction(Cause.INFRASTRUCTURE, None, setup_output=printed)
    reason = "The setup command `pip install x` exited with 1."
    report = replace(GAVE_UP, reproduction=reproduction, reason=reason, attempts=(), patch=Patch())
    print_report(report, target)
    lines = written(target).splitlines()
    assert "| ERROR: No matching distribution" in lines
    assert "| line 11" in lines
    assert "| line 10" not in lines


def test_report_fits_a_terminal() -> None:
    """Long names are wrapped or cut inside its columns; in a pipe nothing is."""
    target, pipe = console(terminal=True), console()
    proposal = replace(FIXED.attempts[0].proposal, model="provider/" + "m" * 100)
    attempt = replace(FIXED.attempts[0], proposal=proposal)
    report = replace(FIXED, attempts=(attempt,) * 12)
    for shown in (target, pipe):
        print_report(report, shown)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", written(target))
    assert max(len(line) for line in plain.splitlines() if line.startswith(" ")) <= 80
    assert "still fails (1 test)" in written(pipe)


def test_what_still_fails_is_named() -> None:
    """Where no patch was accepted, the last one's failures are listed below the attempts."""
    target = console()
    print_report(GAVE_UP, target)
    left = written(target).partition("Still failing with attempt 1:")[2]
    assert left.startswith(
        "\n- tests.test_dates::test_leap_year: AssertionError: 1900 is no leap year\n"
    )


def test_patch_in_a_pipe_stays_whole() -> None:
    """What is copied out of a build's log still applies, however long its lines are."""
    target = console()
    line = f"+{'long ' * 40}"
    print_report(replace(FIXED, patch=Patch(f"{line}\n".encode(), ("a",), 1, 0)), target)
    assert line.rstrip() in (shown.rstrip() for shown in written(target).splitlines())


def test_huge_patch_is_cut() -> None:
    """On a terminal, one of more than a few screens ends with a count of what is left out."""
    target, pipe = console(terminal=True), console()
    for shown in (target, pipe):
        print_report(replace(FIXED, patch=Patch(b"+x\n" * 5_000, ("a",), 5_000, 0)), shown)
    assert "and 4,600 more lines" in written(target)
    assert written(pipe).count("+x\n") == 5_000


def test_progress_leaves_stdout_alone() -> None:
    """Progress goes to stderr, so that stdout holds nothing but the result."""
    code = (
        "from bot.reporting.terminal import live_progress\n"
        "from bot.model import Limits\n"
        "from bot.model.progress import Noticed\n"
        "with live_progress('ab12', Limits()) as listener:\n"
        "    listener(Noticed('hello'))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == ""
    assert "hello" in done.stderr
