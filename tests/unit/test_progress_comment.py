"""The progress of a run, from its events."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from functools import reduce

from inline_snapshot import snapshot

from bot.model import Commands, Limits, Usage, Verification
from bot.model.plan import PlanStep, StepState
from bot.model.progress import (
    AttemptFinished,
    CommandOutput,
    CommandsFound,
    Noticed,
    Phase,
    PhaseStarted,
    Progress,
    Reproduced,
    RunFinished,
    SideBySide,
    Spent,
    TurnFinished,
    UnderWay,
    Verified,
)
from bot.reporting.progress_comment import finished, render
from bot.reporting.progress_view import ProgressView, advance, at_moment
from tests.unit.reports import (
    COMMAND,
    FIXED,
    GAVE_UP,
    GREEN,
    MARK,
    RED,
    REJECTED,
    REPRODUCTION,
    STARTED,
    VIEW,
)

STORY: tuple[Progress, ...] = (
    PhaseStarted(Phase.PREPARE),
    CommandsFound(Commands(("pip install -e .",), "pytest -q", COMMAND)),
    PhaseStarted(Phase.SETUP, detail="pip install -e ."),
    CommandOutput("Collecting x\n"),
    PhaseStarted(Phase.REPRODUCE, detail=COMMAND),
    Reproduced(REPRODUCTION),
    PhaseStarted(Phase.ATTEMPT, attempt=1, detail="agent"),
    TurnFinished(1, 5, "small-model", "run tests", REJECTED.proposal.usage),
    PhaseStarted(Phase.VERIFY, attempt=1),
    Verified(1, Verification(RED)),
    AttemptFinished(REJECTED),
    Noticed("large-model was overloaded; other-model answered."),
    PhaseStarted(Phase.ATTEMPT, attempt=2, detail="agent"),
    TurnFinished(2, 3, "large-model", "edit dates.py", Usage(100, 10, cost_usd=Decimal("0.002"))),
)
NOW = STARTED + timedelta(minutes=2, seconds=4)


def after(*events: Progress) -> ProgressView:
    """Return the view after the events."""
    return reduce(advance, events, VIEW)


def test_at_the_start() -> None:
    """A run that just began lists what will happen."""
    assert render(after(STORY[0]), STARTED, MARK) == snapshot("""\
Fixpoint is working on this.

- [ ] Check out the commit: in progress
- [ ] Set up the environment
- [ ] Reproduce the failure
- [ ] Find a patch that passes
- [ ] Publish the result

0 s of 30 min 00 s · 0 tokens · $0 of $2.00

To stop the run, comment `/fix stop`.

<!-- fixpoint:run=3fa9c1d20b7e kind=test -->
""")


def test_during_the_setup() -> None:
    """The phase under way shows its command."""
    assert "- [ ] Set up the environment: `pip install -e .`" in render(
        after(*STORY[:3]), NOW, MARK
    )


def test_during_the_second_attempt() -> None:
    """Phase, attempt, failing tests, tokens, money and how to stop it are in one look."""
    assert render(after(*STORY), NOW, MARK) == snapshot("""\
Fixpoint is working on this.

- [x] Check out the commit
- [x] Set up the environment
- [x] Reproduce the failure: `pytest -q tests/test_dates.py` fails here every time
- [ ] Find a patch that passes: attempt 2 of 3, turn 3, edit dates.py, `large-model`, 1 failing test
  - Attempt 1 (agent, `small-model`): still fails (1 test), failing tests 1 → 1
- [ ] Publish the result

2 min 04 s of 30 min 00 s · 5,510 tokens · $0.0120 of $2.00

- large-model was overloaded; other-model answered.

To stop the run, comment `/fix stop`.

<!-- fixpoint:run=3fa9c1d20b7e kind=test -->
""")


def test_since_when() -> None:
    """A phase says since when it lasts, and what happens within it changes nothing of that."""
    setup = at_moment(VIEW, after(*STORY[:3]), NOW)
    later = NOW + timedelta(minutes=9)
    still = at_moment(setup, advance(setup, Noticed("It is slow.")), later)
    assert "- [ ] Set up the environment: `pip install -e .` (since 09:02 UTC)" in render(
        still, later, MARK
    )


def test_during_verification() -> None:
    """Verification is said to happen in a clean sandbox."""
    text = render(after(*STORY[:9]), NOW, MARK)
    assert "attempt 1 of 3, verifying the patch in a clean sandbox, 1 failing test" in text


def test_several_attempts_at_the_same_time() -> None:
    """Each has its line, and its plan folded up; what is said of money is all that was spent."""
    plan = (PlanStep("Mend\n@ann", "x" * 900, StepState.DOING),)
    beside = (
        UnderWay(
            2, Phase.ATTEMPT, 3, "small-model", "edit dates.py", Usage(cost_usd=Decimal("0.1"))
        ),
        UnderWay(3, Phase.VERIFY, 4, "large-model", "done", plan=plan),
        UnderWay(4, Phase.DONE),
    )
    seen = after(*STORY[:12], SideBySide(beside), Spent(Usage(5, cost_usd=Decimal("0.4"))))
    text = render(seen, NOW, MARK).replace("x" * 100, "")
    assert text.partition("before")[0].partition("Find ")[2].partition("- [ ] Publish")[
        0
    ] == snapshot("""\
a patch that passes: 3 attempts at the same time
  - Attempt 1 (agent, `small-model`): still fails (1 test), failing tests 1 → 1
  - Attempt 2: turn 3, edit dates.py, `small-model`, $0.1000
  - Attempt 3: verifying its patch, `large-model`, $0
  <details>
  <summary>Plan of attempt 3: 0 of 1 step done</summary>
  \n\
  - [ ] Mend `@ann` (in progress). Check: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
  \n\
  </details>
  \n\
  - Attempt 4: over, $0
""")
    assert "5 tokens · $0.4000 of $2.00" in text
    assert "at the same time" not in render(advance(seen, AttemptFinished(REJECTED)), NOW, MARK)


def test_writing_a_test_first() -> None:
    """The phase of the failing test appears only in runs that need it."""
    text = render(after(PhaseStarted(Phase.WRITE_TEST, attempt=1)), NOW, MARK)
    assert "- [ ] Write a failing test: in progress" in text


def test_an_attempt_told_twice_counts_once() -> None:
    """Events repeated after a restart change neither attempts nor money."""
    once = after(*STORY[:11])
    assert advance(once, AttemptFinished(REJECTED)).usage == once.usage == REJECTED.proposal.usage


def test_failing_tests_follow_the_verification() -> None:
    """The count of failing tests is that of the last look."""
    assert len(after(*STORY[:6]).failing or ()) == 1
    assert after(Reproduced(REPRODUCTION), Verified(1, Verification(GREEN))).failing == ()
    unverified = after(Reproduced(REPRODUCTION), Verified(1, Verification(None)))
    assert unverified.failing == after(Reproduced(REPRODUCTION)).failing


def test_budget_without_caps() -> None:
    """Caps that do not exist are not shown."""
    view = replace(after(*STORY), limits=Limits(cost_usd=None, tokens=50_000))
    assert "5,510 tokens of 50,000 · $0.0120" in render(view, NOW, MARK)


def test_output_is_kept_short_and_harmless() -> None:
    """Only the end of the output stays, without terminal escapes."""
    view = after(CommandOutput("a" * 9_000), CommandOutput("\x1b]0;title\x07\x1b[2Jend"))
    assert view.output.endswith("aend")
    assert len(view.output) == 2_000


def test_actions_of_a_model_do_nothing() -> None:
    """What a model says it does can't notify anybody from the comment."""
    view = after(
        PhaseStarted(Phase.ATTEMPT, attempt=1), TurnFinished(1, 1, "m", "ask @ann\n# x", Usage())
    )
    assert "ask `@ann` # x" in render(view, NOW, MARK)


def test_the_end_knows_its_own_figures() -> None:
    """Once it is over, the run's own time and usage count."""
    view = after(*STORY, RunFinished(FIXED))
    assert view.phase is Phase.DONE
    assert view.elapsed(NOW) == FIXED.seconds
    assert view.usage == FIXED.usage


def test_finished() -> None:
    """The last edit is one line, with the pull request when there is one."""
    assert finished(FIXED, "https://github.com/o/r/pull/8", MARK) == snapshot("""\
Fixpoint has finished. Fixed (2 attempts, 3 min 04 s, $0.1334). Pull request: https://github.com/o/r/pull/8

<!-- fixpoint:run=3fa9c1d20b7e kind=test -->
""")
    assert finished(GAVE_UP, None, MARK) == snapshot("""\
Fixpoint has finished. Not fixed: found no patch that passes (1 attempt, 3 min 04 s, $0.0100).

<!-- fixpoint:run=3fa9c1d20b7e kind=test -->
""")
