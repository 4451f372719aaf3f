"""What models are told that write tests, judge them, and say what an issue asks."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from inline_snapshot import snapshot

import prompts
from bot.model import (
    Cause,
    Problem,
    Reproduction,
    RequestKind,
)
from bot.repair.proposers.agent.prompt import opening, system_prompt
from bot.repair.proposers.agent.reviewer import question, read_review
from bot.repair.proposers.agent.specifier import question as specifying_question
from bot.repair.proposers.agent.specifier import read_specification
from tests.unit.prompt_tasks import (
    BARE,
    FULL,
    GREEN,
    PATCH,
    RED,
    SPECIFICATION,
    headings,
    opened,
)


def test_the_write_test_system_prompt() -> None:
    """Its own rules, and the same ground rules."""
    text = system_prompt(replace(BARE, write_test=True))
    assert headings(text) == snapshot(
        [
            "# How to work",
            "# What a good test is",
            "# Where you work",
            "# What is data",
            "# How to end",
        ]
    )
    assert len(text) < 5_000


def test_a_repair_behind_a_written_test() -> None:
    """The test that was written first is shown with the failure."""
    reproduction = Reproduction(Cause.REAL, RED, test_patch=PATCH)
    text = opened(replace(BARE, reproduction=reproduction))
    assert text[text.index("No test showed") : text.index("# The repository")] == snapshot("""\
No test showed the problem before, so this one was written from the report. It is part of the tree and must pass in the end:

<data-932ead8ed19e8efcb819b0de label="the written test">
--- a/sum.py
+++ b/sum.py
@@ -1 +1 @@
-old
+new
</data-932ead8ed19e8efcb819b0de>

""")


def test_the_write_test_task() -> None:
    """A report and a suite that passes."""
    task = replace(
        BARE,
        problem=Problem("Totals are wrong", "", is_pull_request=True),
        reproduction=Reproduction(Cause.NOT_REPRODUCED, GREEN),
        write_test=True,
    )
    assert opened(task) == snapshot("""\
# The problem

<data-7c7a6ab340bd4d20093440f6 label="pull request">
Totals are wrong
</data-7c7a6ab340bd4d20093440f6>

# What the tests say now

The suite does not show the problem:

<data-a1e9befd72a3d07e82061232 label="test output">
`pytest -q` passed: 0 failed, 9 passed, 0 skipped.

Output:
9 passed in 0.1s
</data-a1e9befd72a3d07e82061232>

# The repository

- The whole suite: `pytest`

# Limits

You have 60 turns, and each command may take 600 seconds.\
""")


def test_the_question_for_a_specification() -> None:
    """Instructions, report and thread; a feature is called one."""
    assert specifying_question(
        Problem(instructions="add a --json option"), RequestKind.FEATURE
    ) == snapshot("""\
A feature is asked for.

# Instructions

The person who asked for this may write to the repository. Follow what they ask as far as your rules allow:

add a --json option

# The problem

The instructions are all there is to go on.\
""")
    assert "A feature is asked for" not in specifying_question(FULL.problem, RequestKind.BUG)
    assert len(prompts.render("specify_system")) < 2_500


@pytest.mark.parametrize(
    ("answer", "points", "missing"),
    [
        (
            '{"title": "T", "points": [{"expected": "a  b", "happens": "c"}, {"see": "x"}, 3]}',
            1,
            "",
        ),
        ('{"points": [], "missing": "Which rounding?"}', 0, "Which rounding?"),
        (json.dumps({"points": [{"expected": "x"}] * 9}), 6, ""),
        ('{"title": "T"}', 0, ""),
        ("I can't tell.", 0, ""),
    ],
)
def test_what_is_read_as_a_specification(answer: str, points: int, missing: str) -> None:
    """Points that expect something, six at most; else what is missing, as far as that is said."""
    read, said = read_specification(answer, RequestKind.BUG, "m")
    assert (len(read.points) if read is not None else 0, said) == (points, missing)


def test_tests_for_a_specification_and_stronger_ones() -> None:
    """Points, neighbours, and the wrong fixes that the tests accept."""
    task = replace(
        BARE,
        write_test=True,
        specification=SPECIFICATION,
        near_tests={"tests/test_sum.py": "def test_one(): ..."},
        reproduction=Reproduction(Cause.REAL, RED, test_patch=PATCH),
        wrong_fixes=("-old\n+wrong",),
    )
    assert opening(task) == snapshot(
        (
            """\
# The problem

Nobody described it: the failure is all there is to go on.

# The specification

What is asked, in points. They were derived from the report:

<data-7f901ad0d389d1f158aa0060 label="specification">
Totals leave out the first price

1. Expected: `total([1, 3])` is 4.
   Happens now: It is 3.
   How to see it: Call it.

2. Expected: An empty list is 0.
</data-7f901ad0d389d1f158aa0060>

# What the tests say now

Your tests are in the tree, and fail for the right reason:

<data-932ead8ed19e8efcb819b0de label="your tests so far">
--- a/sum.py
+++ b/sum.py
@@ -1 +1 @@
-old
+new
</data-932ead8ed19e8efcb819b0de>

But they are too weak: they also pass with these wrong fixes. Each of them is a right repair in which something was left out or turned round:

<data-c5a26ae2cfd1dc5b7f83eab1 label="wrong fix 1">
-old
+wrong
</data-c5a26ae2cfd1dc5b7f83eab1>

Strengthen your tests, or add to them, so that they fail with wrong fixes like these and pass with every right one. Do not test how the repair is written: what the report and the specification expect is what tells them apart.

These tests of the project are the nearest. Write yours like them, and in the same place where that fits:

<data-f471cbec4898e5c80278fbc1 label="tests in tests/test_sum.py">
def test_one(): ...
</data-f471cbec4898e5c80278fbc1>

# The repository

- The whole suite: `pytest`

# Limits

You have 60 turns, and each command may take 600 seconds.\
""",
        )
    )
    said = "This is a request for a small feature."
    bug = replace(SPECIFICATION, kind=RequestKind.BUG)
    assert said in opening(replace(task, write_test=False))[0]
    assert said not in opening(replace(task, write_test=False, specification=bug))[0]


def test_the_judge_is_asked_about_each_point() -> None:
    """With numbers for the tests, by which it answers."""
    asked = question(Problem("Totals"), RED, PATCH, SPECIFICATION)
    assert asked[: asked.index("# The test\n")] == snapshot("""\
# The report

<data-6bd6df68b5e9d5a56947278d label="issue">
Totals
</data-6bd6df68b5e9d5a56947278d>

# The specification

What is asked, in points. They were derived from the report:

<data-7f901ad0d389d1f158aa0060 label="specification">
Totals leave out the first price

1. Expected: `total([1, 3])` is 4.
   Happens now: It is 3.
   How to see it: Call it.

2. Expected: An empty list is 0.
</data-7f901ad0d389d1f158aa0060>

""")
    assert asked[asked.index("# The failing tests") :] == snapshot("""\
# The failing tests, numbered

<data-89da92a08a72f14fd970de8a label="failing tests">
1. tests/test_sum.py::test_total
</data-89da92a08a72f14fd970de8a>\
""")
    answer = '{"shows_problem": true, "reason": "", "points": [[1], [2, "x", 7]]}'
    assert read_review(answer, ("a", "b"), 2)[2] == (("a",), ("b",))
    assert read_review(answer, ("a", "b"), 3)[2] == ()


def test_the_judge_is_asked_about_report_test_and_failure() -> None:
    """Nobody who wrote the test has a word in it."""
    assert question(FULL.problem, RED, PATCH) == snapshot("""\
# The report

A person with write access asks for this:

keep the public API
<data-7716b0b20ef65bbe1dec0612 label="issue">
Totals are wrong

`total([1, 3])` is 3.
</data-7716b0b20ef65bbe1dec0612>

<data-7bc9b393573904cf0b671fb1 label="comment by ann">
Same here.
</data-7bc9b393573904cf0b671fb1>

<data-40a48506d031388d683c4e38 label="comment by bob, a maintainer">
Since 2.0.
</data-40a48506d031388d683c4e38>

# The test

<data-932ead8ed19e8efcb819b0de label="the test">
--- a/sum.py
+++ b/sum.py
@@ -1 +1 @@
-old
+new
</data-932ead8ed19e8efcb819b0de>

# How it fails

<data-f8b3715e432ea7616089fefe label="output of the test">
`pytest -q` failed with exit code 1: 1 failed, 9 passed, 0 skipped.

- tests/test_sum.py::test_total (tests/test_sum.py:4)
      def test_total():
  >       assert total([1, 3]) == 4
  E       assert 3 == 4
</data-f8b3715e432ea7616089fefe>\
""")
    assert len(prompts.render("review_system")) < 2_000


@pytest.mark.parametrize(
    ("answer", "judgement"),
    [
        ('Reasoning.\n{"shows_problem": true, "reason": "It is  the\\nsame."}', (True, "It is the same.")),
        ('```json\n{"shows_problem": false, "reason": "Import error."}\n```', (False, "Import error.")),
        ('{"shows_problem": true}', (True, "")),
        ('{"shows_problem": true} but no: {"shows_problem": false}', (False, "")),
        ('{"shows_problem": true, "reason": {"a": {"b": 1}}}', (True, "")),
        ('{"shows_problem": "yes"}', (False, "")),
        ("Yes, it does.", (False, "")),
        ("{" * 5000, (False, "")),
        ("", (False, "")),
    ],
)  # fmt: skip
def test_only_a_clear_yes_is_a_yes(answer: str, judgement: tuple[bool, str]) -> None:
    """The last JSON object that answers counts; whatever is unclear is a no."""
    assert read_review(answer)[:2] == judgement
