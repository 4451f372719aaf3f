"""What is said of the commit or the release since which tests fail, and of what it is not."""

from __future__ import annotations

from bot.reporting.example import example
from bot.reporting.figures import count

NO_HISTORY = "There is only one commit, so no other one could have broken it."
TREE_DIFFERS = "The files of this commit don't fit what the setup leaves."
FAILS_OTHERWISE = "The failing tests fail for another reason there."
NOT_THERE = "The failing tests did not run there."
RUNS_DISAGREE = "For a proof, the runs of the tests contradict each other too often."
_SHORT = 12
_SHA = "4f2a91c07d3e5b6a8f90112233445566778899aa"


@example("The time for the explanation is up.")
def ended_early(why: str) -> str:
    return f"The search ended early: {why}"


@example(3, 8, _SHA, "parser: accept empty values")
def step(n: int, about: int, commit: str, subject: str) -> str:
    return f"Step {n} of about {about}: {commit[:_SHORT]} {subject}"


@example(_SHA)
def deciding(commit: str) -> str:
    return f"{commit[:_SHORT]} is the one; looking for the lines of it that decide"


@example(4, "`pip install -e .` failed (exit code 1).")
@example(2, "")
def between(commits: int, why: str) -> str:
    others = f"one of the {commits - 1} commits" if commits > 2 else "the commit"  # noqa: PLR2004 - itself and another
    said = f"It may also be {others} before it, which could not be tested. {why}"
    return said.rstrip()


@example(62, tested=True)
@example(2, tested=False)
def undecided(commits: int, *, tested: bool) -> str:
    others = f"one of the {commits - 1} commits" if commits > 2 else "the commit"  # noqa: PLR2004 - itself and another
    why = (
        "the runs contradict each other too often to tell"
        if tested
        else "the time was up before that"
    )
    return f"It may also be {others} before it: {why}."


@example(1, _SHA, "2024-03-31T10:00:00+00:00")
@example(3, _SHA, "2024-03-31T10:00:00+00:00")
def still_fails(tests: int, commit: str, date: str) -> str:
    verb = "fails" if tests == 1 else "fail"
    return (
        f"{count(tests, 'test').capitalize()} {verb} at {commit[:_SHORT]} of {date[:10]} already; "
        "there was no time to look further back."
    )


@example(1, _SHA, "2024-03-31T10:00:00+00:00", "The failing tests fail for another reason there.")
@example(3, _SHA, "2024-03-31T10:00:00+00:00", "")
def from_start(tests: int, commit: str, date: str, older: str) -> str:
    verb = "fails" if tests == 1 else "fail"
    said = (
        f"No commit was found that broke it: {count(tests, 'test')} {verb} as far back as can be told, still at "
        f"{commit[:_SHORT]} of {date[:10]}."
    )
    return f"{said} Before that: {older}" if older else said
