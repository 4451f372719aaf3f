"""The pull request, its commit and its branch."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from bot.model import (
    Failure,
    GuardFinding,
    MutantResults,
    Patch,
    Problem,
    Report,
    RequestKind,
    Severity,
    Survivor,
    Verdict,
    Verification,
)
from bot.model.culprit import (
    Certainty,
    ChangeEvent,
    Culprit,
    EventKind,
    RunCounts,
    VersionBound,
    WhatChanged,
)
from bot.model.proof_card import Row, RowKind, RowState
from bot.reporting import pull_request
from bot.reporting.commit_text import (
    TitleStyle,
    branch_name,
    branch_slug,
    commit_message,
    plain,
    style_of,
)
from bot.reporting.markdown import LIMIT
from bot.runs.publishing.publisher import mends_the_same
from tests.unit.reports import (
    ACCEPTED,
    COMMAND,
    FAILURE,
    FIXED,
    GREEN,
    MARK,
    PATCH,
    RED,
    REPRODUCTION,
    RUN,
    SUITE_GREEN,
)


def test_an_issue_that_nobody_read_stays_open() -> None:
    """What was mended may be something else, so neither the title nor a word that closes claims it."""
    unread = replace(FIXED, issue_unread=True)
    assert "Fixes #7" not in pull_request.body(unread, MARK)
    assert "For #7" in pull_request.body(unread, MARK)
    assert pull_request.title(unread) == "Fix tests.test_dates::test_leap_year"


def test_body() -> None:
    """The body tells what failed, the cause and the proof first, then every attempt."""
    assert pull_request.body(FIXED, MARK) == snapshot("""\
**Failed:** `pytest -q tests/test_dates.py` at `2c64ae4`, 1 failing test: `tests.test_dates::test_leap_year`: `AssertionError: 1900 is no leap year`.

**Cause and change:** Centuries were taken for leap years.

**Proof:** The failing command passes with this patch (9 tests passed) in a clean sandbox that its author can't reach. The full test suite passes.

Fixes #7

| Proof |  |  |
| --- | --- | --- |
| The tests show the change | shown | 1 test that failed before passes with the patch, in a clean sandbox. |
| Nothing else broke | shown | The full test suite passes. |

<details>
<summary>Evidence, attempts and notes</summary>

### What was wrong

`pytest -q tests/test_dates.py` fails here every time.

- `tests.test_dates::test_leap_year` at `dates.py:12`: `AssertionError: 1900 is no leap year`

<details>
<summary>Test runner output</summary>

`tests.test_dates::test_leap_year`

```
def test_leap_year():
>   assert not is_leap(1900)
E   AssertionError: 1900
```

</details>

### What was changed and why

1 file, +1 -1: `dates.py`

As described by agent, `large-model`:

> Centuries were taken for leap years.
>
> Only those that 400 divides are.

### How it was verified

- Original commit `2c64ae4`: `pytest -q tests/test_dates.py` failed in 2 of 2 runs, exit codes 1, 1.
- With the patch, in a fresh sandbox: `pytest -q tests/test_dates.py`, exit code 0, 9 tests passed, 1 s.
- Full test suite with the patch: `pytest -q`, exit code 0, 41 tests passed; without it: exit code 1, 1 failing test. No new failures.

**Proven**

- `dates.py:12` `tests.test_dates::test_leap_year` passes; without the change it fails: `AssertionError: 1900 is no leap year`

<details>
<summary>Setup and test commands</summary>

```sh
pip install -e .
pytest -q tests/test_dates.py
```

</details>

### Attempts

| # | Proposer | Command | Failing | Patch | Tokens | Cost | Time | Outcome |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| 1 | agent, `small-model` | `pytest -q tests/test_dates.py` | 1 → 1 | 1 file, +1 -1 | 5,400 | $0.0100 | 31 s | still fails (1 test) |
| 2 | agent, `large-model` | `pytest -q tests/test_dates.py` | 1 → 0 | 1 file, +1 -1 | 115,900 | $0.1234 | 1 min 04 s | accepted |

<details>
<summary>Details of 1 other attempt</summary>

**Attempt 1** (agent, `small-model`): still fails (1 test).

> Guarded the call.

Still failing:

- `tests.test_dates::test_leap_year` at `dates.py:12`: `AssertionError: 1900 is no leap year`

</details>

</details>

Run `3fa9c1d20b7e`: 3 min 04 s, $0.1334. To have it done differently, comment `/fix` with what to change.

<!-- fixpoint:run=3fa9c1d20b7e kind=test -->
""")


def test_what_the_tests_notice_of_mutants() -> None:
    """It stands beside the runs, for a model's patch too."""
    assert ACCEPTED.proposer == "agent"
    assert ACCEPTED.verification is not None
    mutants = MutantResults(9, (Survivor("dates.py", 3, "has `<` instead of `<=`"),))
    verified = replace(ACCEPTED.verification, mutants=mutants)
    attempts = (*FIXED.attempts[:-1], replace(ACCEPTED, verification=verified))
    told = pull_request.body(replace(FIXED, attempts=attempts), MARK)
    assert "| Mutants of the changed lines: 9 of 10 caught by the tests. " in told
    assert "`dates.py:3` has `<` instead of `<=`" in told


def test_few_words_stand_above_the_fold() -> None:
    """However much there is to say, a maintainer reads at most 150 words before the details."""
    said = "A long explanation of the change goes on. " * 40
    rows = tuple(
        Row(kind, RowState.SHOWN, "A sentence that says in some words how this was shown.")
        for kind in (RowKind.NECESSITY, RowKind.BEHAVIOUR, RowKind.CAPABILITIES, RowKind.STABILITY)
    )
    assert ACCEPTED.verification is not None
    accepted = replace(
        ACCEPTED,
        proposal=replace(ACCEPTED.proposal, summary=said),
        verification=replace(ACCEPTED.verification, rows=rows),
    )
    body = pull_request.body(replace(FIXED, attempts=(accepted,)), MARK)
    above, _, below = body.partition("<details>")
    words = [word for word in above.split() if re.search(r"\w", word)]
    assert len(words) <= 150
    assert "each part is needed; " in above
    assert len(said) // 2 < len(below)


def test_what_a_person_has_to_check_is_not_folded() -> None:
    """A finding that needs a person stands above the fold, whichever row would have it."""
    found = GuardFinding("new-skip", Severity.NEEDS_PERSON, "A test is skipped now.", "a.py", 3)
    for rows in ((), (Row(RowKind.CAPABILITIES, RowState.SHOWN, "Nothing new."),)):
        verification = Verification(GREEN, SUITE_GREEN, findings=(found,), rows=rows)
        report = replace(FIXED, attempts=(replace(ACCEPTED, verification=verification),))
        above = pull_request.body(report, MARK).partition("<details>")[0]
        assert above.count("A test is skipped now.") == 1


def test_body_of_a_test_written_first() -> None:
    """When nothing failed before, both runs of the new test are shown."""
    reproduction = replace(REPRODUCTION, test_patch=Patch(b"x", ("tests/test_dates.py",), 4, 0))
    report = replace(FIXED, reproduction=reproduction, attempts=(ACCEPTED,))
    body = pull_request.body(report, MARK)
    assert _section(body, "### The new test") == snapshot("""\
### The new test

| Tree | Command | Result |
| --- | --- | --- |
| Original commit with the new test | `pytest -q tests/test_dates.py` | exit code 1, 1 failing test |
| The same with the fix | `pytest -q tests/test_dates.py` | exit code 0, 9 tests passed |
""")
    assert "A new test that failed on the original commit passes" in body


def test_body_names_what_the_guards_found() -> None:
    """Findings, changed tests and failures that stay are said before the attempts."""
    found = (
        GuardFinding("test-restored", Severity.NOTE, "A change to a test was left out.", "t.py"),
        GuardFinding("new-skip", Severity.NEEDS_PERSON, "A test is skipped now.", "tests/a.py", 3),
    )
    suite = replace(SUITE_GREEN, exit_code=1, failing=(replace(FAILURE, test="other"),))
    verification = Verification(GREEN, suite, findings=found, changed_tests=("tests/a.py",))
    report = replace(FIXED, attempts=(replace(ACCEPTED, verification=verification),))
    body = pull_request.body(report, MARK)
    assert _section(body, "### Please review") == snapshot("""\
### Please review

Test files changed by this patch: `tests/a.py`.

Guard findings:

- Please check: A test is skipped now. (`tests/a.py:3`)
- Note: A change to a test was left out. (`t.py`)
""")
    assert "The full test suite has no new failures." in body


def test_words_of_a_model_close_nothing() -> None:
    """Only the issue of the run is closed; a summary can't name another one or a person."""
    summary = (
        "Fixes #99, closes o/r#3 and https://github.com/o/r/issues/4. Thanks @ann!\n<!-- x -->"
    )
    attempt = replace(ACCEPTED, proposal=replace(ACCEPTED.proposal, summary=summary))
    body = pull_request.body(replace(FIXED, attempts=(attempt,)), MARK)
    assert re.findall(r"(?i)(?:fixes|closes) \S+", body.replace("Fixes #7", "")) == snapshot(
        ["Fixes `#99`,", "closes `o/r#3`", "Fixes `#99`,", "closes `o/r#3`"]
    )
    assert "> ```\n> <!-- x -->\n> ```" in body


def test_pull_request_is_not_closed() -> None:
    """A repair of a pull request refers to it; it stays open."""
    problem = replace(FIXED.problem, is_pull_request=True)
    body = pull_request.body(replace(FIXED, problem=problem), MARK)
    assert "For #7" in body
    assert "Fixes #7" not in body


def test_body_without_test_ids() -> None:
    """Where the runner names no tests, its output is the evidence."""
    red = replace(RED, failing=(), counts=None)
    attempt = replace(ACCEPTED, failing_before=(), verification=Verification(GREEN))
    report = replace(
        FIXED,
        reproduction=replace(REPRODUCTION, observation=red, baseline=None),
        attempts=(attempt,),
        notes=("A note about @ann.",),
    )
    body = pull_request.body(report, MARK)
    assert _section(body, "### What was wrong") == snapshot("""\
### What was wrong

`pytest -q tests/test_dates.py` fails here every time.

<details>
<summary>Command output</summary>

```
1 failed, 8 passed
```

</details>
""")
    assert "| fails → passes |" in body
    assert "- A note about `@ann`." in body


def test_body_without_evidence() -> None:
    """A report that lacks its parts still makes a body, which claims nothing."""
    report = Report(RUN, Verdict.REFUSED, "It was refused.", Problem(), FIXED.head)
    assert pull_request.body(report, MARK) == snapshot("""\
**Failed:** no command was run at `2c64ae4`.

**Proof:** none. This patch is not verified; do not merge it as is.

<details>
<summary>Evidence, attempts and notes</summary>

### How it was verified

- The patch was not verified.

</details>

Run `3fa9c1d20b7e`: 0 s, $0. To have it done differently, comment `/fix` with what to change.

<!-- fixpoint:run=3fa9c1d20b7e kind=test -->
""")


def test_compiler_errors_are_named_once() -> None:
    """A failure that is named by its place does not repeat it."""
    failure = Failure("dates.py:12: E501", "dates.py", 12, "line too long")
    red = replace(RED, failing=(failure,))
    body = pull_request.body(
        replace(FIXED, reproduction=replace(REPRODUCTION, observation=red)), MARK
    )
    assert "- `dates.py:12: E501`: `line too long`" in body


def test_patch_without_proof_says_so() -> None:
    """A patch that is not accepted is never shown as proven, and closes nothing."""
    report = replace(FIXED, verdict=Verdict.IMPROVED, patch_accepted=False)
    body = pull_request.body(report, MARK)
    assert "**Proof:** none. This patch is not verified; do not merge it as is." in body
    assert "Fixes #7" not in body


@pytest.mark.slow
@pytest.mark.parametrize(("tests", "tries"), [(1, 1), (300, 2), (3, 60)])
@pytest.mark.parametrize("text", ["word ", "|", "`x` ", "> - @ann", "\u200b<!--\n"])
def test_body_fits(tests: int, tries: int, text: str) -> None:
    """However much happened, the body keeps GitHub's limit and its last line is the marker."""
    body = pull_request.body(_huge(tests, tries, text), MARK)
    assert len(body) <= LIMIT
    assert body.endswith(f"\n\n{MARK}\n")
    assert body.startswith("**Failed:** ")


@pytest.mark.parametrize(
    ("problem", "title"),
    [
        (Problem("Crash on empty input", number=3), "Fix: Crash on empty input"),
        (Problem("Fix the parser", number=3), "Fix the parser"),
        (Problem("See #9 @ann [skip ci]", number=3), "Fix: See 9 ann (skip ci)"),
        (Problem("Add leap years", number=3, is_pull_request=True), f"Fix {FAILURE.test}"),
        (Problem(), f"Fix {FAILURE.test}"),
        (Problem("x" * 300), "Fix: " + "x" * 94 + "…"),
    ],
)
def test_title(problem: Problem, title: str) -> None:
    """The title says what was repaired, in one plain line that acts on nothing."""
    assert pull_request.title(replace(FIXED, problem=problem)) == title


@pytest.mark.parametrize(
    ("proposer", "title"),
    [
        ("adapt", "Adapt to lxml 5.2.0"),
        ("bound", "Require lxml<5.2"),
        ("search", f"Fix {FAILURE.test}"),
    ],
)
def test_title_of_what_is_done_about_a_release(proposer: str, title: str) -> None:
    """Where a release broke the tests, the title names it; a patch that ignores it names the test."""
    release = Culprit(
        ChangeEvent(EventKind.RELEASE, "lxml", "5.1.1", "5.2.0"),
        Certainty.PROVEN,
        (),
        RunCounts(6),
        RunCounts(passed=6),
        bound=VersionBound("lxml<5.2", "", RunCounts(passed=2)),
    )
    attempts = tuple(replace(each, proposer=proposer) for each in FIXED.attempts)
    changed = WhatChanged((release,))
    report = replace(FIXED, problem=Problem(), attempts=attempts, what_changed=changed)
    assert pull_request.title(report) == title


@pytest.mark.parametrize(
    ("given", "title"),
    [
        ("Leap years: 1900", "fix: Leap years: 1900"),
        ("fix: leap years", "fix: leap years"),
        ("Fixes rounding", "fix: rounding"),
        ("Fixture is lost", "fix: Fixture is lost"),
    ],
)
def test_title_of_a_project_with_conventional_commits(given: str, title: str) -> None:
    """The type stands first, once; the commit's first line is the same."""
    report = replace(FIXED, problem=Problem(title=given, number=7))
    assert pull_request.title(report, TitleStyle.CONVENTIONAL) == title
    message = commit_message(report, TitleStyle.CONVENTIONAL)
    assert message.partition("\n")[0] == title
    feature = replace(report, kind=RequestKind.FEATURE, problem=Problem(instructions="add a flag"))
    assert pull_request.title(feature, TitleStyle.CONVENTIONAL) == "feat: a flag"


@pytest.mark.parametrize(
    ("titles", "style"),
    [
        (
            ["fix(core): a", "feat!: b", "Merge pull request #1 from a/b"] * 6,
            TitleStyle.CONVENTIONAL,
        ),
        (["fix: a"] * 9, TitleStyle.PLAIN),
        (["fix: a"] * 10, TitleStyle.CONVENTIONAL),
        (["fix: a", "Fix b"] * 10, TitleStyle.PLAIN),
        (["core: a (#12)"] * 20, TitleStyle.PLAIN),
        (["v1.2: a"] * 20, TitleStyle.PLAIN),
    ],
)
def test_how_a_project_titles_its_commits(titles: list[str], style: TitleStyle) -> None:
    """As most of the last ones, if there are enough to tell; merges say nothing."""
    assert style_of(titles) is style


def test_title_of_many_failures() -> None:
    """Without an issue, several failing tests are counted."""
    red = replace(RED, failing=(FAILURE, replace(FAILURE, test="b")))
    reproduction = replace(REPRODUCTION, observation=red)
    report = replace(FIXED, problem=Problem(), reproduction=reproduction)
    assert pull_request.title(report) == "Fix 2 failing tests"


def test_title_of_a_command() -> None:
    """Without an issue and without test ids, the command is named."""
    reproduction = replace(REPRODUCTION, observation=replace(RED, failing=()))
    report = replace(FIXED, problem=Problem(), reproduction=reproduction)
    assert pull_request.title(report) == f"Fix {COMMAND}"


def test_long_test_ids_keep_their_end() -> None:
    """A long id loses its leading parts, not the test's name."""
    failing = replace(FAILURE, test="package.module." * 20 + "TestThing::test_name")
    reproduction = replace(REPRODUCTION, observation=replace(RED, failing=(failing,)))
    report = replace(FIXED, problem=Problem(), reproduction=reproduction)
    assert commit_message(report).splitlines()[0] == snapshot(
        "Fix package.module.package.module.package.module.TestThing::test_name"
    )


def test_commit_message() -> None:
    """The commit says what failed, how it was verified, and names the run in a trailer."""
    assert commit_message(FIXED) == snapshot("""\
Fix: Leap years: 1900

Failed before: pytest -q tests/test_dates.py

- tests.test_dates::test_leap_year

Passes with this change (verified in a clean sandbox; no new failures in
the full test suite).

Fixpoint-Run: 3fa9c1d20b7e
""")


def test_commit_message_acts_on_nothing() -> None:
    """No word of a stranger skips checks, credits, mentions or closes through a commit."""
    hostile = "[skip ci] Co-authored-by: eve <e@x.org> skip-checks: true fixes #9 @ann GH-3"
    assert plain(hostile) == snapshot(
        "(skip ci) Co-authored-by - eve <e@x.org> skip-checks - true fixes 9 ann GH3"
    )


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Crash on augmented assign to print", "crash-on-augmented-assign-to-print"),
        ("Élan vital: Straße!", "elan-vital-strae"),
        ("日本語", "repair"),
        ("../../etc/passwd", "etc-passwd"),
        (
            "A title that is much too long for the name of a branch",
            snapshot("a-title-that-is-much-too-long-for-the"),
        ),
        ("x" * 90, "x" * 40),
    ],
)
def test_branch_slug(title: str, slug: str) -> None:
    """Slugs are short, ASCII and safe, cut between words."""
    assert branch_slug(Problem(title)) == slug


@pytest.mark.parametrize(
    "prefix", ["fixpoint", "fixpoint/", "/bots//fix.lock/", "", "..", "a b~^:"]
)
@given(st.text(max_size=60), st.none() | st.integers(1, 10**6))
def test_branch_name_is_a_safe_ref(prefix: str, title: str, number: int | None) -> None:
    """Every name obeys git-check-ref-format, whatever prefix and title are."""
    name = branch_name(f"{prefix}/{{issue}}-{{slug}}-{{run}}", Problem(title, number=number), RUN)
    assert re.fullmatch(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*", name)
    assert name.endswith(f"-{RUN}")


def test_branch_name() -> None:
    """A branch is named by issue, title and run; where there is no issue, no dash is left of it."""
    problem = Problem("Leap years", number=7)
    assert branch_name("fixpoint/{issue}-{slug}-{run}", problem, "ab12") == (
        "fixpoint/7-leap-years-ab12"
    )
    assert branch_name("fix/{issue}-{slug}", problem, "ab12") == "fix/7-leap-years"
    assert branch_name("fix/gh-{issue}-{slug}", Problem("a"), "ab12") == "fix/gh-a"


def _section(body: str, heading: str) -> str:
    return heading + body.split(heading, 1)[1].split("\n### ", 1)[0]


def _huge(tests: int, tries: int, text: str) -> Report:
    failing = tuple(
        Failure(f"{text}{n}", f"{text}.py", n, text * 30, text * 500) for n in range(tests)
    )
    red = replace(RED, command=text * 50, failing=failing, output=text * 9_000)
    patch = replace(PATCH, files=tuple(f"{text}{n}" for n in range(tests)))
    attempts = tuple(
        replace(
            ACCEPTED,
            n=n + 1,
            proposal=replace(ACCEPTED.proposal, summary=text * 2_000, patch=patch),
            verification=Verification(red if n + 1 < tries else GREEN),
        )
        for n in range(tries)
    )
    return replace(
        FIXED,
        reproduction=replace(REPRODUCTION, observation=red, reason=text * 100),
        attempts=attempts,
        patch=patch,
        notes=tuple(text * 50 for _ in range(tests)),
    )


_CHANGE = b"diff --git a/a.py b/a.py\nindex 1..2 100644\n@@ -3,3 +3,3 @@ def f():\n x = 1\n-    return 1\n+    return 2\n"


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (_CHANGE.replace(b"@@ -3,3 +3,3 @@ def f():", b"@@ -30,3 +30,3 @@ def g():"), True),
        (_CHANGE.replace(b" x = 1", b" y = 1"), True),
        (_CHANGE.replace(b"index 1..2", b"index 7..8"), True),
        (_CHANGE.replace(b"a.py", b"b.py"), False),
        (_CHANGE.replace(b"+    return 2", b"+  return 2"), False),
    ],
)
def test_the_same_fix_is_known_by_what_it_changes(other: bytes, *, same: bool) -> None:
    """Wherever that stands by now; it is not opened a second time."""
    assert (Patch(other).changed_lines == Patch(_CHANGE).changed_lines) is same


def test_a_failure_is_mended_once() -> None:
    """An open repair of ours mends what fails in another run, where it says the same of all of it."""
    seen = FIXED.reproduction
    assert seen is not None
    assert seen.observation is not None

    def failing(*failures: Failure) -> Report:
        observation = replace(seen.observation, failing=failures)  # type: ignore[type-var] # not None
        return replace(FIXED, reproduction=replace(seen, observation=observation))

    other = replace(FAILURE, test="tests.test_dates::test_century")
    both, first = failing(FAILURE, other), failing(FAILURE)
    assert mends_the_same(both, first)
    assert mends_the_same(first, first)
    assert not mends_the_same(first, both)
    assert not mends_the_same(first, failing(replace(FAILURE, message="Another one")))
    assert not mends_the_same(replace(first, patch_accepted=False), first)
    assert not mends_the_same(failing(), failing())
