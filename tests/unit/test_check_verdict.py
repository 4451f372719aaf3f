"""What a failed check is, from its evidence and from what happened here."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.ci.evidence import EventFacts, JobEvidence, StepFacts
from bot.ci.failing_job import NotPlanned, target_of
from bot.ecosystems.tree import DirectoryTree
from bot.model import Cause, Failure, Observation, StartedProgram, Target
from bot.model.request import FailedCheck
from bot.repair.goal.joined_observation import joined
from bot.repair.goal.older_packages_choice import is_old
from bot.repair.reproduction.checks.failed_checks import of_both, worth_its_date
from bot.repair.reproduction.checks.verdict import (
    CheckConclusion,
    base_alone,
    conclude_at_base,
    conclude_at_head,
    outside,
    overall,
    to_leave,
    wants_another_run,
    wants_registries,
    with_evidence,
)
from bot.repair.reproduction.project_evidence import Project
from bot.repair.workspace.programs import NOTHING_SEEN, FileRead, Trace
from bot.repair.workspace.setup_inputs import touches_setup
from bot.reporting.reason import because
from bot.reporting.reasons import failed_jobs, package_dates

TARGET = Target(
    "test", "Run pytest", ".github/workflows/ci.yml", (), (), "", "pytest", ("It differs.",)
)
BARE = JobEvidence(FailedCheck("test", "github-actions"))


def seen(code: int, *failing: str, timed_out: bool = False) -> Observation:
    return Observation(
        "pytest", code, tuple(Failure(test) for test in failing), timed_out=timed_out
    )


def known(*failing: str, passed_on_base: bool | None = None) -> JobEvidence:
    return replace(
        BARE, failing=tuple(Failure(test) for test in failing), passed_on_base=passed_on_base
    )


RED, GREEN = seen(1, "a::x"), seen(0)


@pytest.mark.parametrize(
    ("runs", "flaky_words", "again"),
    [
        ([RED], False, True),
        ([RED, RED], False, False),
        ([RED, RED], True, True),
        ([RED, RED, RED], True, False),
        ([GREEN], False, True),
        ([GREEN, GREEN], False, True),
        ([GREEN, GREEN, GREEN], False, False),
        ([GREEN, GREEN, GREEN], True, True),
        ([RED, GREEN], False, True),
        ([RED, GREEN, RED, GREEN], True, False),
        ([seen(124, timed_out=True)], True, False),
    ],
)
def test_how_often_it_runs(runs: list[Observation], flaky_words: bool, again: bool) -> None:  # noqa: FBT001 - a table
    """Twice when red, three times when green, four when two disagree or the words are flaky."""
    assert wants_another_run(runs, replace(BARE, may_be_flaky=flaky_words)) is again


@pytest.mark.parametrize(
    ("runs", "evidence", "cause", "words"),
    [
        ([RED, RED], known("a::x"), Cause.REAL, "every time"),
        ([RED, RED], known(), Cause.REAL, "every time"),
        ([RED, RED], known("a::x", "b::y"), Cause.REAL, "every time"),
        ([RED, GREEN, RED, GREEN], known("a::x"), Cause.FLAKY, "2 of 4 runs"),
        ([GREEN, RED, GREEN, GREEN], known("a::x"), Cause.FLAKY, "1 of 4 runs"),
        ([GREEN] * 3, known("a::x"), Cause.NOT_REPRODUCED, "passed here 3 times"),
        ([RED, RED], known("b::y"), Cause.NOT_REPRODUCED, "with `a::x`, but failed on GitHub with `b::y`"),
        ([seen(127)] * 2, known(), Cause.NOT_REPRODUCED, "a program"),
    ],
)  # fmt: skip
def test_what_the_head_says(
    runs: list[Observation], evidence: JobEvidence, cause: Cause, words: str
) -> None:
    """Real only what fails here every time with what failed there."""
    conclusion = conclude_at_head(TARGET, evidence, runs)
    assert conclusion.cause is cause
    assert words in conclusion.reason
    assert ("It differs." in conclusion.reason) == (cause is Cause.NOT_REPRODUCED)


OFFLINE = "curl: (6) Could not resolve host: example.org"


@pytest.mark.parametrize(
    ("run", "evidence", "words"),
    [
        (replace(seen(2, "pytest"), output="pytest: error: no such option"), known("a::x"),
         "fails here with `pytest: error: no such option`, but failed on GitHub with `a::x`"),
        (RED, replace(BARE, excerpt="error: the schema is out of date"),
         "with `a::x`, but failed on GitHub with `error: the schema is out of date`"),
        (replace(seen(6, "pytest"), output=OFFLINE), known("a::x"), "can't reach what it needs"),
        (replace(seen(6, "pytest"), output=OFFLINE), known(), "can't reach what it needs"),
        (replace(seen(1, "pytest"), refused=("example.org",)), known("a::x"),
         "It asked for `example.org`"),
        (replace(seen(124, "pytest", timed_out=True), seconds=60.2), known("a::x"),
         "was ended here after 60 s"),
    ],
)  # fmt: skip
def test_another_failure_is_never_real(run: Observation, evidence: JobEvidence, words: str) -> None:
    """Names on one side only, no network, no time: said with what shows on both sides."""
    conclusion = conclude_at_head(TARGET, evidence, [run, run])
    assert conclusion.cause is Cause.NOT_REPRODUCED
    assert words in conclusion.reason


def test_what_cannot_be_compared_is_said() -> None:
    """Nothing is known of how it failed there; a word about a host on the way says nothing."""
    noisy = replace(RED, output=OFFLINE)
    assert "could not be compared" in conclude_at_head(TARGET, known(), [noisy, noisy]).reason
    assert "could not be compared" in conclude_at_head(TARGET, known(), [RED, RED]).reason


def test_what_fails_here_alone_may_stay() -> None:
    """The sandbox adds failures of its own: GitHub's is repaired, and they are named."""
    run, evidence = seen(1, "a::x", "a::net"), known("a::x", "a::y")
    conclusion = conclude_at_head(TARGET, evidence, [run, run])
    assert conclusion.cause is Cause.REAL
    assert "`a::net` fails here too, but not on GitHub" in conclusion.reason
    assert [each.test for each in to_leave(evidence, run)] == ["a::net"]
    many = known("a::x", *(f"a::{n}" for n in range(200)))
    assert not to_leave(many, run)


def test_what_the_base_fails_with_here_may_stay() -> None:
    """A later command of the step is not reached at the head; the base shows what it says here."""
    base = seen(1, "a::x", "b::old")
    assert [each.test for each in base_alone(known("a::x"), base)] == ["b::old"]
    assert not base_alone(known("a::x"), seen(0))
    assert not base_alone(known(*(f"a::{n}" for n in range(200))), base)


@pytest.mark.parametrize(
    ("run", "evidence", "wanted"),
    [
        (replace(seen(6, "pytest"), output=OFFLINE), known("a::x"), True),
        (replace(seen(6, "pytest"), output=OFFLINE), known(), True),
        (replace(seen(1, "a::x"), output=OFFLINE), known("a::x"), False),
        (seen(1, "b::y"), known("a::x"), False),
        (replace(GREEN, output=OFFLINE), known("a::x"), False),
    ],
)
def test_when_the_registries_are_wanted(
    run: Observation,
    evidence: JobEvidence,
    wanted: bool,  # noqa: FBT001 - a table
) -> None:
    """A host could not be reached, and nothing of GitHub's failure shows."""
    assert wants_registries(evidence, run) is wanted


@pytest.mark.parametrize(
    ("base", "evidence", "cause"),
    [
        (GREEN, known("a::x"), None),
        (RED, known("a::x"), Cause.RED_ON_BASE),
        (seen(1, "other::y"), known("a::x"), None),
        (seen(1, "a::x", "other::y"), known("a::x"), Cause.RED_ON_BASE),
        (RED, known("a::x", passed_on_base=True), Cause.RED_ON_BASE),
        (RED, known(passed_on_base=True), Cause.NOT_REPRODUCED),
        (seen(124, timed_out=True), known("a::x"), None),
        (replace(seen(1, "pytest"), output="error: no such option"), known("a::x"), None),
    ],
)
def test_what_the_base_says(base: Observation, evidence: JobEvidence, cause: Cause | None) -> None:
    """The same failures there: not this change's; where GitHub was green, the sandbox differs."""
    conclusion = conclude_at_base(TARGET, evidence, RED, base)
    assert (conclusion.cause if conclusion else None) is cause


def test_one_real_failure_is_enough_to_go_on() -> None:
    """Of several failed checks the real one decides; otherwise all reasons are told."""
    real = conclude_at_head(TARGET, known("a::x"), [RED, RED])
    flaky = conclude_at_head(replace(TARGET, check="e2e"), known(), [RED, GREEN])
    infra = outside(replace(BARE, outside="The disk was full."))
    assert infra is not None
    assert overall([infra, flaky, real]).cause is Cause.REAL
    both = overall([infra, flaky])
    assert both.cause is Cause.FLAKY
    assert "disk" in both.reason


def test_several_observations_are_one() -> None:
    """It passes when all pass; what fails is put together."""
    both = joined([seen(0), replace(seen(2, "b.py:1: E1"), command="ruff check")])
    assert (both.exit_code, both.command) == (2, "pytest && ruff check")
    assert both.failing_ids == {"b.py:1: E1"}
    spared = Observation("pytest", 1, others=(Failure("a::net"),))
    assert joined([spared, seen(0)]).ok


def test_which_files_make_a_new_setup() -> None:
    """Manifests, locks, workflows and sources that are compiled do; sources that are run do not."""
    assert touches_setup(["src/a.py", "requirements/dev.txt"])
    assert touches_setup(["uv.lock"])
    assert touches_setup([".github/workflows/ci.yml"])
    assert touches_setup(["src/fast.pyx"])
    assert touches_setup(["src/lib.rs"], "python")
    assert touches_setup(["build.rs"], "rust")
    assert not touches_setup(["src/lib.rs"], "rust")
    assert not touches_setup(["src/a.py", "tests/test_a.py", "README.md", "web/app.js"])


WORKFLOW = """\
on: [push]
jobs:
  test:
    strategy: {matrix: {python: ["3.11", "3.12"]}}
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - run: pip install -e . && pytest
      - uses: acme/unknown@v1
"""


def repository(tmp_path: Path, text: str = WORKFLOW) -> DirectoryTree:
    place = tmp_path / ".github/workflows/ci.yml"
    place.parent.mkdir(parents=True)
    place.write_text(text, encoding="utf-8")
    return DirectoryTree(tmp_path)


def check(name: str, step: str = "", **more: object) -> JobEvidence:
    steps = (StepFacts(step, 3, "failure"),) if step else ()
    bare = JobEvidence(FailedCheck(name, "github-actions"), steps=steps)
    return replace(bare, **{"workflow": ".github/workflows/ci.yml", **more})  # type: ignore[arg-type] # fields by name


def test_the_failed_step_becomes_the_failing_command(tmp_path: Path) -> None:
    """Found by its name, or by the script in the log; its installs belong to the setup."""
    tree = repository(tmp_path)
    by_name = target_of(tree, check("test (3.12)", "Run pip install -e . && pytest"), EventFacts())
    by_log = target_of(
        tree, check("test (3.12)", script="pip install -e . && pytest"), EventFacts()
    )
    for found in (by_name, by_log):
        assert isinstance(found, Target)
        assert found.command == "pytest"
        assert found.shown[-1] == "pip install -e ."


def test_the_environment_gets_the_versions_of_the_jobs_log(tmp_path: Path) -> None:
    """At the end of the setup, where the network is; a person sees which."""
    known = check("test (3.12)", "Run pip install -e . && pytest", versions=("ruff==0.4.1",))
    found = target_of(repository(tmp_path), known, EventFacts())
    assert isinstance(found, Target)
    assert len(found.setup) == len(found.shown)
    assert found.shown[-1] == "# Use the versions from the job's log: ruff 0.4.1"
    assert "for wanted in ruff==0.4.1" in found.setup[-1]


@pytest.mark.parametrize(
    ("evidence", "text", "words"),
    [
        (check("gone", "Run x"), WORKFLOW, "has no job `gone`"),
        (check("test (3.12)", "Run x"), WORKFLOW, "which step"),
        (check("test (3.12)", "Run acme/unknown@v1"), WORKFLOW, "can't run here"),
        (check("test", "Run x"), "jobs: [", "not valid YAML"),
        (check("test", "Run x", workflow=".github/workflows/no.yml"), WORKFLOW, "missing"),
        (replace(check("test"), workflow=""), WORKFLOW, "which workflow"),
        (JobEvidence(FailedCheck("style", "lint-bot")), WORKFLOW, "the App `lint-bot`"),
        (JobEvidence(FailedCheck("ci/other", "")), WORKFLOW, "a service outside GitHub"),
    ],
)
def test_checks_that_no_step_stands_for(
    tmp_path: Path, evidence: JobEvidence, text: str, words: str
) -> None:
    """Each has its sentence, and the repository's test command takes its place."""
    found = target_of(repository(tmp_path, text), evidence, EventFacts())
    assert isinstance(found, NotPlanned)
    assert words in found.why


RAN = datetime(2023, 11, 8, 12, tzinfo=UTC)
NOT_SEEN = CheckConclusion(Cause.NOT_REPRODUCED, ("It passed here.",))


def ran_at(*moments: datetime | None) -> JobEvidence:
    steps = (StepFacts("x", n, "success", started=moment) for n, moment in enumerate(moments))
    return replace(BARE, steps=tuple(steps))


@pytest.mark.parametrize("cause", Cause)
def test_only_what_does_not_show_is_tried_as_of_its_date(cause: Cause) -> None:
    """Once, and where the day of the run is known."""
    conclusion = CheckConclusion(cause, ("It is so.",))
    evidence = ran_at(None, RAN + timedelta(hours=1), RAN)
    found = worth_its_date(conclusion, evidence, None)
    assert found == (RAN if cause is Cause.NOT_REPRODUCED else None)
    assert worth_its_date(conclusion, evidence, RAN) is None
    assert worth_its_date(conclusion, ran_at(None), None) is None


def test_what_shows_more_than_github_saw_is_tried_as_of_its_date() -> None:
    """Those packages count where less fails beside GitHub's failure."""
    real = CheckConclusion(Cause.REAL, ("It fails here.",))
    more = replace(real, only_here=67)
    assert worth_its_date(more, ran_at(RAN), None) == RAN
    assert worth_its_date(more, ran_at(RAN), RAN) is None
    assert of_both(more, more, "test", RAN) == (False, more)
    assert of_both(more, NOT_SEEN, "test", RAN) == (False, more)
    less = because(package_dates.less_as_of, "test", RAN)
    assert of_both(more, real, "test", RAN) == (
        True,
        replace(real, reasons=("It fails here.", less)),
    )


def test_steps_that_github_skipped_are_tried_as_of_its_date() -> None:
    """A newer linter finds what the one of that day did not, and nothing of GitHub's tells."""
    real = CheckConclusion(Cause.REAL, ("It fails here.",))
    assert worth_its_date(real, ran_at(RAN), None) is None
    assert worth_its_date(real, ran_at(RAN), None, unseen=True) == RAN
    assert worth_its_date(real, ran_at(RAN), RAN, unseen=True) is None


def test_packages_of_yesterday_are_as_good_as_todays() -> None:
    """Another setup would take its time and show the same."""
    assert not is_old(RAN, RAN.timestamp() + 86_000)
    assert is_old(RAN, RAN.timestamp() + 87_000)


def test_what_two_tries_show_is_one_conclusion() -> None:
    """Of packages of its day where they show it; else of today's, and both are told."""
    shown = CheckConclusion(Cause.REAL, ("`test`: it fails here every time.",))
    only_then = because(package_dates.fails_as_of, "test", RAN)
    assert of_both(NOT_SEEN, shown, "test", RAN) == (
        True,
        replace(shown, reasons=(*shown.reasons, only_then)),
    )
    broken = CheckConclusion(Cause.INFRASTRUCTURE, ("The setup timed out.",))
    counts, neither = of_both(NOT_SEEN, broken, "test", RAN)
    assert not counts
    assert neither.cause is Cause.NOT_REPRODUCED
    assert neither.reason == (
        "It passed here. With the packages of 2023-11-08, the day of the run: The setup timed out."
    )


@pytest.mark.parametrize("cause", Cause)
def test_skipped_steps_are_judged_by_the_tools_of_their_day(cause: Cause) -> None:
    """Where those show a real failure as well; what they show else is not told."""
    today, then = CheckConclusion(Cause.REAL, ("now",)), CheckConclusion(cause, ("then",))
    skipped = because(package_dates.skipped_as_of, RAN)
    wanted = (True, replace(then, reasons=("then", skipped)))
    assert of_both(today, then, "test", RAN) == (wanted if cause is Cause.REAL else (False, today))


def test_a_reason_is_a_value() -> None:
    """It compares by its sentence and facts, and is worded in the end."""
    conclusion = conclude_at_head(TARGET, known(), [RED, GREEN])
    assert conclusion.reasons == (because(failed_jobs.flaky, "test", "pytest", failed=1, runs=2),)
    assert conclusion.reason == failed_jobs.flaky("test", "pytest", failed=1, runs=2)


def test_what_a_change_adds_is_not_the_bases() -> None:
    """Beside a failure that the base has, another one that it has not is this change's."""
    head, base = seen(1, "a::x", "b::new"), seen(1, "a::x", "c::old")
    same = conclude_at_base(TARGET, known("a::x"), RED, base)
    assert same is not None
    assert same.reason.endswith("so this change is not the cause.")
    added = conclude_at_base(TARGET, known("a::x"), head, base)
    assert added is not None
    assert "not the cause" not in added.reason
    silent = conclude_at_base(TARGET, known("a::x"), RED, base, ["tests/test_b.py"])
    assert silent is not None
    assert silent.cause is Cause.RED_ON_BASE
    assert "not the cause" not in silent.reason
    assert "the changed tests in `tests/test_b.py`" in silent.reason
    assert added.reason.endswith("where `b::new` does not fail: this change adds that.")


@pytest.mark.parametrize(
    ("head", "base", "adds"),
    [
        (("a::x", "b::new"), ("a::x",), "`b::new`"),
        (("a::x", "b::new", "c::new"), ("a::x", "d::old"), "`b::new` and `c::new`"),
        (("a::x", "b::new"), ("a::x", "b::old", "c::old"), "`b::new`"),
        (("a::x", "a.py:3: F401"), ("a::x", "a.py:3: E501"), "`a.py:3: F401`"),
        (("a::x", "c::old"), ("c::old", "a::x"), ""),
    ],
)
def test_a_new_error_is_this_changes_whatever_else_fails(
    head: tuple[str, ...], base: tuple[str, ...], adds: str
) -> None:
    """By what it is, in whatever number and order."""
    told = conclude_at_base(TARGET, known("a::x"), seen(1, *head), seen(1, *base))
    assert told is not None
    assert ("not the cause" in told.reason) is not bool(adds)
    assert adds in told.reason


MAKE = StartedProgram("/usr/bin/make", ("make", "t"))
MAKE_FAILED = Trace((MAKE,), ends=((0, 2),))


@pytest.mark.parametrize(
    ("said", "trace", "evidence", "cause"),
    [
        ("Could not open input file: vendor/bin/phpunit", MAKE_FAILED, known(), Cause.INFRASTRUCTURE),
        ("bundler: command not found: rspec", MAKE_FAILED, known(), Cause.INFRASTRUCTURE),
        ("./gradlew: gradle-wrapper.jar is absent", MAKE_FAILED, known("T::a"), Cause.INFRASTRUCTURE),
        ("No module named pytest", Trace((MAKE,), ends=((0, 127),)), known(), Cause.INFRASTRUCTURE),
        ("", MAKE_FAILED, known(), Cause.INFRASTRUCTURE),
        ("it broke", replace(MAKE_FAILED, reads=(FileRead("src/a.php", 0, 1),)), known(), Cause.REAL),
        ("FAIL: src/a.php is wrong", MAKE_FAILED, known(), Cause.REAL),
        ("it broke", NOTHING_SEEN, known(), Cause.REAL),
    ],
)  # fmt: skip
def test_a_real_failure_shows_something_of_the_project(
    said: str, trace: Trace, evidence: JobEvidence, cause: Cause
) -> None:
    """Of what it started and read, or in its words; what GitHub names too is real at once."""
    conclusion = CheckConclusion(Cause.REAL, ("`test`: it fails here every time.",))
    unnamed = Observation("make t", 2, (Failure("make t", message=said),), output=said)
    project = Project(("Makefile", "src/a.php"), {"Makefile": "t:\n\t./run\n"}.get)
    found = with_evidence(conclusion, TARGET, evidence, unnamed, trace, project)
    assert found.cause is cause, found
    named = with_evidence(conclusion, TARGET, known("a::x"), RED, trace, project)
    assert named is conclusion
