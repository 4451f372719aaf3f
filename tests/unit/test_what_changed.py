"""What a report says of the event that broke the tests."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import pytest
from inline_snapshot import snapshot

from bot.model import Cause, Limits, Observation, Problem, Reproduction
from bot.model.culprit import (
    Certainty,
    ChangedLines,
    ChangeEvent,
    Culprit,
    EventKind,
    RunCounts,
    VersionBound,
    WhatChanged,
)
from bot.model.culprit import TestedState as State
from bot.model.deadline import RunLimits, StopSign
from bot.model.progress import silent
from bot.model.steps import PlainSteps
from bot.repair.culprit.culprit_lines import moved_to
from bot.repair.culprit.explain import explain, is_asked
from bot.repair.culprit.explained_failure import (
    ExplainedFailure,
    Look,
    LookCutShort,
    Looking,
    added,
)
from bot.repair.job import Job
from bot.repair.run import Explanation, Run, RunState
from bot.reporting.what_changed import opening, section

GREEN, RED = "1" * 40, "2" * 40
COMMIT = Culprit(
    ChangeEvent(
        EventKind.COMMIT, RED, GREEN, RED, "Halve by *three*, fixes #9", "Ann", "2026-03-02T10:00Z"
    ),
    Certainty.PROVEN,
    ("tests.test_numbers::test_half",),
    RunCounts(failed=3),
    RunCounts(passed=3),
    lines=(ChangedLines("numbers.py", 4, 5),),
)
RELEASE = Culprit(
    ChangeEvent(EventKind.RELEASE, "lxml", "5.1.1", "5.2.0", date="2024-03-30T08:00Z"),
    Certainty.LIKELY,
    ("tests.test_html::test_clean",),
    RunCounts(failed=2),
    RunCounts(passed=1),
    missing="It decides only together with other releases.",
    bound=VersionBound("lxml<5.2", "-lxml\n+lxml<5.2\n", RunCounts(passed=2)),
)
POINTS = (
    State(GREEN, 0, RunCounts(passed=3)),
    State("3" * 40, 1, skipped="Nothing could be installed as of that moment."),
    State(RED, 2, RunCounts(failed=3)),
)


def test_a_commit_is_named_with_its_proof() -> None:
    """One line for what it is and how that is known; the rest is folded."""
    found = WhatChanged((COMMIT,), (), POINTS, 41.0)
    assert section(found).forms[0] == snapshot("""\
**What changed:** commit 2222222222222222222222222222222222222222 (Halve by \\*three\\*, fixes `#9`) by Ann on 2026-03-02. **Proven:** the tests fail in 3 of 3 runs with it and pass in 3 of 3 runs without it.

<details>
<summary>How that is known</summary>

- Since `222222222222`: `tests.test_numbers::test_half`
- With numbers.py:4-5 undone, the tests passed

| State | Tests |
| --- | --- |
| `111111111111` | passed in 3 runs |
| `333333333333` | Nothing could be installed as of that moment. |
| `222222222222` | failed in 3 runs |

Looked for 41 s.

</details>\
""")
    assert opening(found) == snapshot(
        "Caused by commit 222222222222 (Halve by *three*, fixes #9) by Ann on 2026-03-02."
    )


def test_what_is_likely_says_what_is_missing() -> None:
    """A release, and what was ruled out."""
    found = WhatChanged((RELEASE,), ("With `attrs` alone, the tests pass.",), (), 300.0)
    assert section(found).forms[0] == snapshot("""\
**What changed:** lxml 5.2.0, uploaded on 2024-03-30 (the version before it: 5.1.1). **Likely:** the tests fail in 2 of 2 runs with it and pass in 1 of 1 run without it. It decides only together with other releases.

<details>
<summary>How that is known</summary>

- Since `lxml 5.2.0`: `tests.test_html::test_clean`

Until the code is adapted, lxml&lt;5.2 keeps it out: set up with this patch, the tests passed in 2 of 2 runs:

```diff
-lxml
+lxml<5.2
```

Ruled out:

- With `attrs` alone, the tests pass.

Looked for 5 min 00 s.

</details>\
""")


def test_nothing_is_an_answer() -> None:
    """None of these: what was ruled out stands beside it."""
    why = "No commit was found that broke it: 1 test fails as far back as can be told."
    assert section(WhatChanged((), (why,), POINTS, 9.0)).forms[-1] == snapshot(
        "**What changed:** No commit or release was found that explains the failure. Ruled out: No commit was found that broke it: 1 test fails as far back as can be told."
    )


def test_where_nobody_looked_nothing_is_said() -> None:
    """There is no section."""
    assert section(None).forms == ("",)
    assert section(WhatChanged(ruled_out=("There is only one commit.",))).forms == ("",)


def test_a_model_s_and_a_commit_s_words_act_on_nobody() -> None:
    """A subject neither formats nor closes anything."""
    shown = section(WhatChanged((replace(COMMIT, lines=()),), (), POINTS)).forms[-1]
    assert "\\*three\\*" in shown
    assert "fixes `#9`" in shown


def test_lines_are_followed_to_the_head() -> None:
    """They move with what came and went before them; what was changed since is no lead."""
    ranges = (((0, 0), (0, 2)), ((4, 6), (6, 7)))
    assert [moved_to(line, ranges) for line in (1, 4, 5, 6, 7)] == [3, 6, None, None, 8]


@pytest.mark.parametrize(
    ("cause", "alone", "asked"),
    [
        (Cause.REAL, False, True),
        (Cause.FLAKY, False, False),
        (Cause.FLAKY, True, True),
        (Cause.NOT_REPRODUCED, True, False),
    ],
)
def test_what_comes_and_goes_is_explained_to_who_asks_for_that(
    cause: Cause, *, alone: bool, asked: bool
) -> None:
    """A run that repairs leaves a flaky test alone; an explanation decides by the odds."""
    job = Job("r1", Problem("It fails."), Limits(), only_explains=alone)
    assert is_asked(job, Reproduction(cause, Observation("pytest", 1))) is asked
    assert not is_asked(replace(job, explain_seconds=0.0), Reproduction(cause, Observation("", 1)))


def test_a_commit_that_broke_several_jobs_is_one_culprit() -> None:
    """It explains the tests of all; what is only likely stays apart."""
    lint = replace(COMMIT, tests=("lint",))
    both = added(WhatChanged((COMMIT,)), WhatChanged((lint, RELEASE)))
    assert [culprit.tests for culprit in both.culprits] == [
        ("lint", "tests.test_numbers::test_half"),
        ("tests.test_html::test_clean",),
    ]
    likely = replace(lint, certainty=Certainty.LIKELY)
    assert added(WhatChanged((COMMIT,)), WhatChanged((likely,))).culprits == (COMMIT, likely)


SHORT = WhatChanged(ruled_out=("Too little time.",))


async def _cut(looking: Looking) -> WhatChanged:
    del looking
    raise LookCutShort(SHORT)


async def _ask(
    before: Explanation, *ways: Look, tests: tuple[str, ...] = COMMIT.tests
) -> tuple[WhatChanged, Explanation]:
    nothing: Any = None
    limits = RunLimits(time.time() + 60, StopSign())
    run = Run(Job("r1", Problem()), nothing, PlainSteps(), silent, limits, RunState())
    question = ExplainedFailure(Observation("pytest", 1), tests, seconds=60.0)
    return await explain(run, nothing, nothing, question, before, ways)


def _finds(found: WhatChanged) -> Look:
    async def look(looking: Looking) -> WhatChanged:
        del looking
        return found

    return look


async def test_what_takes_too_long_is_asked_once_there_is_time() -> None:
    """Another way goes on meanwhile, and nothing is asked twice."""
    from_start = WhatChanged(ruled_out=("It always failed.",))
    shown, explanation = await _ask(Explanation(), _cut, _finds(from_start))
    assert not explanation.is_over
    assert shown.ruled_out == ("It always failed.", "Too little time.")
    shown, explanation = await _ask(explanation, _finds(WhatChanged((RELEASE,))), _cut)
    assert explanation.is_over
    assert (shown.culprits, shown.ruled_out) == ((RELEASE,), ("It always failed.",))


async def test_a_proof_leaves_nothing_to_ask() -> None:
    """What was cut short before it is not told."""
    shown, explanation = await _ask(Explanation(), _cut, _finds(WhatChanged((COMMIT,))))
    assert explanation.is_over
    assert (shown.culprits, shown.ruled_out) == ((COMMIT,), ())
