"""What is said at the end of a run without a pull request."""

from __future__ import annotations

import base64
import gzip
import re
import subprocess
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.model import (
    Assurance,
    Attempt,
    Cause,
    Failure,
    MutantResults,
    Observation,
    Patch,
    Proposal,
    Report,
    Reproduction,
    Usage,
    Verdict,
    Verification,
    Witnesses,
)
from bot.reporting import final_report
from bot.reporting.evidence import ended
from bot.reporting.figures import failures
from bot.reporting.final_report import next_step
from bot.reporting.markdown import LIMIT
from bot.reporting.outcome import before_after
from bot.reporting.patch_comment import patch_comment
from bot.reporting.progress_comment import finished
from bot.reporting.reasons import run_life
from tests.unit.reports import (
    ACCEPTED,
    FAILURE,
    FIXED,
    GAVE_UP,
    GREEN,
    HEAD,
    MARK,
    PATCH,
    RED,
    REJECTED,
    REPRODUCTION,
)


def test_fixed() -> None:
    """A repaired problem gets the link and one line of proof."""
    assert final_report.fixed(FIXED, "https://github.com/o/r/pull/8", MARK) == snapshot("""\
Fixed in https://github.com/o/r/pull/8

The failing command passes with this patch (9 tests passed) in a clean sandbox that its author can't reach. The full test suite passes.

<!-- fixpoint:run=3fa9c1d20b7e kind=test -->
""")


def test_fixed_by_a_commit_on_the_branch() -> None:
    """No pull request of its own tells the attempts and notes, so the comment does."""
    report = replace(FIXED, notes=("`ann` approved the specification.",))
    text = final_report.fixed(
        report, "https://github.com/o/r/commit/2c6", MARK, in_pull_request=False
    )
    told = text.partition("<summary>Attempts and notes</summary>")[2]
    assert "| 1 | agent, `small-model` |" in told
    assert "| 2 | agent, `large-model` |" in told
    assert "- `ann` approved the specification.\n" in told


def test_gave_up() -> None:
    """A run without an accepted patch shows all evidence and where to look next."""
    assert final_report.not_fixed(GAVE_UP, MARK) == snapshot("""\
**Not fixed: found no patch that passes.** All 1 attempts of the budget are used.

**Next:** Look at `tests.test_dates::test_leap_year` at `dates.py:12`: `AssertionError: 1900 is no leap year`.

### Reproduction

`pytest -q tests/test_dates.py` at `2c64ae4`: exit code 1, 1 failing test; exit codes of 2 runs: 1, 1.

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

<details>
<summary>Details of each attempt</summary>

**Attempt 1** (agent, `small-model`): still fails (1 test).

> Guarded the call.

Still failing:

- `tests.test_dates::test_leap_year` at `dates.py:12`: `AssertionError: 1900 is no leap year`

</details>

### Last patch

1 file, +1 -1: `dates.py`. This patch was not accepted; do not merge it as is.

<details>
<summary>Show the patch</summary>

```diff
diff --git a/dates.py b/dates.py
--- a/dates.py
+++ b/dates.py
@@ -12 +12 @@
-    return year % 4 == 0
+    return year % 4 == 0 and year % 100 != 0
```

</details>

Run `3fa9c1d20b7e`: 3 min 04 s, 5,400 tokens, $0.0100.

<!-- fixpoint:run=3fa9c1d20b7e kind=test -->
""")


def test_setup_failed() -> None:
    """A setup that fails is shown by its output; nothing is said of tests that never ran."""
    reproduction = Reproduction(
        Cause.INFRASTRUCTURE,
        None,
        reason="The setup command `pip install -e .` failed.",
        setup_output="Collecting x\nERROR: No matching distribution found for x==9\n",
    )
    report = Report(
        "ab12",
        Verdict.INFRASTRUCTURE,
        reproduction.reason,
        FIXED.problem,
        HEAD,
        reproduction=reproduction,
        seconds=9,
    )
    assert final_report.not_fixed(report, MARK) == snapshot("""\
**Not fixed: could not run the tests.** The setup command `pip install -e .` failed.

**Next:** The setup output ended with `ERROR: No matching distribution found for x==9`. Correct `setup` in `.github/fixpoint.yml`, then comment `/fix retry`.

### Reproduction

The setup failed at `2c64ae4`, so no tests were run.

<details>
<summary>End of the setup output</summary>

```
Collecting x
ERROR: No matching distribution found for x==9
```

</details>

Run `ab12`: 9 s, 0 tokens, $0.

<!-- fixpoint:run=3fa9c1d20b7e kind=test -->
""")


def test_refused_before_anything_ran() -> None:
    """A run that never started says why, and shows no empty sections."""
    report = Report("ab12", Verdict.REFUSED, "The branch is gone.", FIXED.problem, HEAD)
    assert final_report.not_fixed(report, MARK) == snapshot("""\
**Not started.** The branch is gone.

**Next:** Fix the problem described above, then comment `/fix retry`.

Run `ab12`: 0 s, 0 tokens, $0.

<!-- fixpoint:run=3fa9c1d20b7e kind=test -->
""")


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_has_its_words(verdict: Verdict) -> None:
    """No verdict ends in silence: each has a headline, a next step and an ending."""
    report = replace(GAVE_UP, verdict=verdict)
    assert re.match(r"\*\*[A-Z][^*]+\.\*\* ", final_report.not_fixed(report, MARK))
    assert re.match(r"[A-Z].+\.", next_step(report))
    assert finished(report, None, MARK).startswith("Fixpoint has finished. ")


def test_next_steps() -> None:
    """The next step follows from the verdict and the evidence."""
    bare = replace(GAVE_UP, reproduction=None, commands=None, attempts=())
    assert [next_step(replace(GAVE_UP, verdict=verdict)) for verdict in Verdict] == snapshot(
        [
            "Review the patch.",
            "Check the suggested patch below before you use it.",
            "The patch below is a partial fix. Look at `tests.test_dates::test_leap_year` at `dates.py:12`: `AssertionError: 1900 is no leap year`.",
            "Fix the flaky test first: passing once would prove nothing. Look at `tests.test_dates::test_leap_year` at `dates.py:12`: `AssertionError: 1900 is no leap year`.",
            "Fix the base branch first. Look at `tests.test_dates::test_leap_year` at `dates.py:12`: `AssertionError: 1900 is no leap year`.",
            'Comment `/fix --test "COMMAND"` with the failing command, or add a test that fails at `2c64ae4`.',
            "Fix the problem described above, then comment `/fix retry`.",
            "Look at `tests.test_dates::test_leap_year` at `dates.py:12`: `AssertionError: 1900 is no leap year`.",
            "Look at `tests.test_dates::test_leap_year` at `dates.py:12`: `AssertionError: 1900 is no leap year`. To continue, raise the limit that was reached (`budget_usd`, `timeout` or `caps` in `.github/fixpoint.yml`), then comment `/fix retry`.",
            "To start a new run, comment `/fix retry`.",
            "Fix the problem described above, then comment `/fix retry`.",
            "To have it fixed, comment `/fix`.",
        ]
    )
    assert [next_step(replace(bare, verdict=verdict)) for verdict in Verdict] == snapshot(
        [
            "Review the patch.",
            "Check the suggested patch below before you use it.",
            "The patch below is a partial fix. Check the server's log for this run.",
            "Fix the flaky test first: passing once would prove nothing. Check the server's log for this run.",
            "Fix the base branch first. Check the server's log for this run.",
            'Comment `/fix --test "COMMAND"` with the failing command.',
            "Fix the problem described above, then comment `/fix retry`.",
            "Check the server's log for this run.",
            "Check the server's log for this run. To continue, raise the limit that was reached (`budget_usd`, `timeout` or `caps` in `.github/fixpoint.yml`), then comment `/fix retry`.",
            "To start a new run, comment `/fix retry`.",
            "Fix the problem described above, then comment `/fix retry`.",
            "To have it fixed, comment `/fix`.",
        ]
    )


def test_next_step_prefers_a_failure_with_a_place() -> None:
    """A person is sent to the first failure that names a file."""
    nowhere = replace(FAILURE, test="first", file=None, line=None)
    red = replace(RED, failing=(nowhere, FAILURE))
    report = replace(GAVE_UP, reproduction=replace(REPRODUCTION, observation=red))
    assert next_step(report).startswith(f"Look at `{FAILURE.test}` at `dates.py:12`")


def test_report_fits() -> None:
    """A huge patch and endless output are cut; the marker stays the last line."""
    huge = Patch(b"+x\n" * 200_000, ("a",), 200_000, 0)
    red = replace(RED, output="y\n" * 100_000, failing=(FAILURE,) * 3_000)
    report = replace(
        GAVE_UP,
        patch=huge,
        reproduction=replace(REPRODUCTION, observation=red),
        attempts=(REJECTED,) * 300,
    )
    text = final_report.not_fixed(report, MARK)
    assert len(text) <= LIMIT
    assert text.endswith(f"\n\n{MARK}\n")
    assert "**Next:** Look at" in text


@pytest.mark.parametrize(
    ("verification", "words"),
    [
        (None, "no patch: 60 turns used"),
        (Verification(GREEN), "accepted"),
        (Verification(RED), "still fails (1 test)"),
        (Verification(replace(RED, failing=())), "still fails"),
        (Verification(replace(RED, timed_out=True)), "timed out"),
        (Verification(GREEN, RED, (FAILURE, FAILURE)), "breaks 2 other tests"),
        (
            Verification(None, problem="The patch changes nothing."),
            "not accepted: The patch changes nothing",
        ),
    ],
)
def test_outcomes(verification: Verification | None, words: str) -> None:
    """Each way an attempt can end has its own words in the table."""
    attempt = Attempt(
        1, "agent", Proposal(PATCH, "", ended="60 turns used."), verification, (), 1.0
    )
    text = final_report.not_fixed(replace(GAVE_UP, attempts=(attempt,)), MARK)
    assert f"| {words} |" in text


def test_unknown_cost_is_said() -> None:
    """A cost that nobody knows is not shown as zero."""
    text = final_report.not_fixed(replace(GAVE_UP, usage=Usage(input=9, cost_usd=None)), MARK)
    assert "9 tokens, unknown cost." in text


def test_patch_comment() -> None:
    """Without write access the patch itself is the comment, with how to apply it."""
    text = patch_comment(FIXED, "The pull request comes from a fork.", MARK)
    assert text == snapshot("""\
**Fixed, but not pushed.** The pull request comes from a fork. The patch is posted here instead.

**Cause and change:** Centuries were taken for leap years.

**Proof:** The failing command passes with this patch (9 tests passed) in a clean sandbox that its author can't reach. The full test suite passes.

1 file, +1 -1: `dates.py`

To apply it, check out `2c64ae4`, save this as `fixpoint.patch` in the repository root, and run `git apply fixpoint.patch`:

<details>
<summary>Show the patch</summary>

```diff
diff --git a/dates.py b/dates.py
--- a/dates.py
+++ b/dates.py
@@ -12 +12 @@
-    return year % 4 == 0
+    return year % 4 == 0 and year % 100 != 0
```

</details>

<details>
<summary>Attempts and notes</summary>

| # | Proposer | Command | Failing | Patch | Tokens | Cost | Time | Outcome |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| 1 | agent, `small-model` | `pytest -q tests/test_dates.py` | 1 → 1 | 1 file, +1 -1 | 5,400 | $0.0100 | 31 s | still fails (1 test) |
| 2 | agent, `large-model` | `pytest -q tests/test_dates.py` | 1 → 0 | 1 file, +1 -1 | 115,900 | $0.1234 | 1 min 04 s | accepted |

</details>

<!-- fixpoint:run=3fa9c1d20b7e kind=test -->
""")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a\nb\nc\n", b"a\nB\nc\n"),
        (b"a\r\nb\r\n", b"a\r\nB\r\n"),
        (b"a", b"b"),
        (b"\xff\xfe\n", b"\xff\xfd\n"),
        (b"```\nx\n", b"```\n~~~\n````\n"),
        (b"zero\xe2\x80\x8bwidth\n", b"zero width\n"),
        (b"\0binary", b"\0other"),
        (MARK.encode(), b"<!-- fixpoint:run=1 kind=x -->\n"),
        (b"trailing \n\n\n", b"trailing\n\n\n  \n"),
    ],
)
def test_patch_comment_applies(tmp_path: Path, before: bytes, after: bytes) -> None:
    """Following the comment's instruction gives the verified content, byte by byte."""
    file = tmp_path / "file"
    _git(tmp_path, "init", "-q")
    file.write_bytes(before)
    _git(tmp_path, "add", "file")
    file.write_bytes(after)
    patch = Patch(_git(tmp_path, "diff", "--binary", "--full-index"), ("file",), 1, 1)
    file.write_bytes(before)
    text = patch_comment(replace(FIXED, patch=patch, attempts=(ACCEPTED,)), "no access.", MARK)
    _follow(text, tmp_path)
    assert file.read_bytes() == after
    assert text.count(MARK) == 1


def test_patch_too_large_for_a_comment() -> None:
    """A patch that fits in no comment is said to be so, and shown in part."""
    noise = b"".join(b"+%s\n" % sha256(b"%d" % n).hexdigest().encode() for n in range(4_000))
    text = patch_comment(replace(FIXED, patch=Patch(noise, ("a",), 9_000, 0)), "no access.", MARK)
    assert "is too large for a comment" in text
    assert len(text) <= LIMIT
    assert text.endswith(f"\n\n{MARK}\n")


def _follow(comment: str, folder: Path) -> None:
    """Do what the comment tells its reader."""
    blocks = re.findall(r"^(`{3,})(?:diff)?\n(.*?)\n\1$", comment, re.DOTALL | re.MULTILINE)
    content = blocks[0][1] + "\n"
    if "base64 -d" in comment:
        assert "base64 -d fixpoint.b64 | gunzip | git apply" in comment
        patch = gzip.decompress(base64.b64decode(content))
    else:
        patch = content.encode()
    _git(folder, "apply", stdin=patch)


def _git(folder: Path, *arguments: str, stdin: bytes | None = None) -> bytes:
    command = ["git", "-c", "core.autocrlf=false", *arguments]
    return subprocess.run(command, cwd=folder, input=stdin, check=True, capture_output=True).stdout


def test_suggested() -> None:
    """The patch, what speaks against it, and the test that would decide, in that order of need."""
    doubt = "Another patch passes the same tests and may behave differently."
    seen = Witnesses(6, 2, 1, 0.5, 3, 1, 0.9, 40, 900)
    sure = Assurance(0.42, 0.8, seen, (doubt,), "A test of `f(1)` would decide.")
    assert ACCEPTED.verification is not None
    found = replace(
        ACCEPTED,
        proposer="search",
        proposal=Proposal(PATCH, "In `a.py`, the fix adds `1`.", assurance=sure),
        verification=replace(ACCEPTED.verification, mutants=MutantResults(2)),
    )
    report = replace(GAVE_UP, verdict=Verdict.SUGGESTED, reason="It passes.", attempts=(found,))
    said = final_report.not_fixed(report, MARK)
    first, following, *_ = said.split("\n\n")
    assert first == "**Not fixed, but a patch is suggested.** It passes."
    assert following == (
        "**Next:** Check the suggested patch below before you use it. A test of `f(1)` would decide."
    )
    told = said.partition("### Suggested patch")[2].partition("<details>")[0].strip()
    assert told == snapshot("""\
1 file, +1 -1: `dates.py`. Everything that was run passes with it, but it may be wrong:

- Estimated probability that the patch is right: 42% (80% required).
- Another patch passes the same tests and may behave differently.
- Mutants of the changed lines: 2 of 2 caught by the tests.\
""")
    assert "passes, but is only suggested (42% likely to be right)" in said


def _with(before: tuple[str, ...], after: tuple[str, ...]) -> Attempt:
    failing = tuple(Failure(test) for test in after)
    seen = Verification(Observation("make lint", int(bool(after)), failing=failing))
    return replace(ACCEPTED, failing_before=before, verification=seen)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (("t::a", "t::b"), ("t::a",), "2 → 1"),
        (("a.py:1: E501", "a.py:9: F401"), ("a.py:8: F401",), "2 → 1"),
        (("a.py:1: E501", "a.py:9: F401"), ("a.py:3: attr-defined",), "2 → 0 and 1 new"),
        (("t::a",), ("t::b", "t::c"), "1 → 0 and 2 new"),
        (("a.py:1: E501",), (), "1 → 0"),
        ((), ("t::b",), "fails → 1"),
        (("a.py:1: E501", "b.py:1: E501"), ("b.py:7: E501", "c.py:1: F401"), "2 → 1 and 1 new"),
        (("a.go:1: vet",), ("a.go:1: build",), "1 → 0 and 1 new"),
        (("a.py:1: E501", "t::a"), ("t::a",), "2 → 1"),
        (("a.sh:3: SC2086", "a.sh:9: SC2086"), ("a.sh:4: SC2086",), "2 → 1"),
        (("t::a", "t::b"), ("a.py:1: mypy", "t::b"), "2 → 1 and 1 new"),
        ((), ("make lint",), "fails → fails"),
        ((), (), "fails → passes"),
        (("t::a", "t::b"), ("make lint",), "2 → fails"),
    ],
)
def test_other_failures_are_no_fewer_ones(
    before: tuple[str, ...], after: tuple[str, ...], said: str
) -> None:
    """A linter that passes and a type checker that fails then are two counts, not one."""
    assert before_after(_with(before, after)) == said


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        ((), "0 failing tests"),
        (("tests.test_a::test_b",), "1 failing test"),
        (("test/cart.test.js adds: one", "example.com/pkg.TestX/a:b"), "2 failing tests"),
        (("src/a.py:3: E501", "Dockerfile:3: DL3008"), "2 problems"),
        (("test/a.test.js: adds two", "Makefile: all"), "2 failing tests"),
        (("src/a.py: INP001", "tests.test_a::test_b"), "1 failing test and 1 problem"),
        (("a.go:7: vet", "b.go:2: build", "c.sh:3: SC2086"), "3 problems"),
        (("pre-commit: shellcheck", "pre-commit: end-of-file-fixer"), "2 problems"),
        (
            ("pre-commit: mypy", "tests/test_hooks.py::test_pre_commit"),
            "1 failing test and 1 problem",
        ),
        ((".github/workflows/ci.yml:9: shellcheck", "it's a.sh:3: SC2086"), "2 problems"),
        (("src/lib.rs:18: clippy::needless-return",), "1 problem"),
        (("a.yml: yamllint", "tests/a.py::test_a[1: x]"), "1 failing test and 1 problem"),
        (
            ("pkg/a b.py:5: codespell", "org.example.SumTest::explodes"),
            "1 failing test and 1 problem",
        ),
        (("a.ts:1: TS2322", "v/a.test.mjs > sums > adds: 1"), "1 failing test and 1 problem"),
    ],
)
def test_problems_are_no_failing_tests(ids: tuple[str, ...], said: str) -> None:
    """What a linter or a compiler reports is counted as that."""
    assert failures(ids) == said


@pytest.mark.parametrize(
    ("command", "failing", "said"),
    [
        ("make lint", ("make lint",), "exit code 2"),
        ("sh check.sh", ("sh check.sh",), "exit code 2"),
        ("ruff check .", ("src/a.py:3: E501",), "exit code 2, 1 problem"),
        ("pre-commit run", ("pre-commit: black",), "exit code 2, 1 problem"),
        ("pytest", ("tests.test_a::test_b",), "exit code 2, 1 failing test"),
    ],
)
def test_a_command_is_no_failing_test(command: str, failing: tuple[str, ...], said: str) -> None:
    """Where nobody names what failed, the command ended, and that is all that is known."""
    assert ended(Observation(command, 2, tuple(map(Failure, failing)))) == said


@pytest.mark.parametrize(
    ("others", "problems", "said"),
    [
        (0, 0, ""),
        (0, 1, "1 other problem stays for reasons of its own"),
        (0, 2, "2 other problems stay for reasons of their own"),
        (1, 1, "1 other test fails and 1 other problem stays for reasons of their own"),
        (2, 3, "2 other tests fail and 3 other problems stay for reasons of their own"),
        (1, 0, "1 other test fails for reasons of its own"),
    ],
)
def test_problems_that_stay_are_no_failing_tests(others: int, problems: int, said: str) -> None:
    """What a linter still reports beside a repair is counted as that, too."""
    text = run_life.fixed(others=others, problems=problems)
    assert text.endswith(f"{said}; see the notes." if said else "nothing else that ran broke.")
