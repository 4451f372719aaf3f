"""What was asked, and the commands that show it."""

from __future__ import annotations

from dataclasses import dataclass

from bot.model.artifacts import ArtifactWish
from bot.model.observation import Failure


@dataclass(frozen=True, slots=True)
class Target:
    """The command of a failed job, which must pass in the end, in its own environment.

    Attributes:
        check: Name of the check that it repeats.
        step: Title of the step that failed.
        workflow: Path of its workflow file.
        setup: Shell commands, in order, run once with network.
        shown: The same as a person would name or type them, one for each.
        again: Those of them, and what goes with them, that a kept environment needs for another
            commit: what they do belongs to the commit.
        enter: Shell text with which every command in its sandboxes begins: the step's variables.
        command: What fails, as a person would type it.
        differences: From GitHub's runner, as sentences, the weightiest first.
        behind: Titles of the steps that GitHub skipped, and `command` goes on with.
        takes: Artifacts of its workflow run that the setup unpacks.
        run_id: That workflow run, where GitHub tells.
    """

    check: str
    step: str
    workflow: str
    setup: tuple[str, ...]
    shown: tuple[str, ...]
    enter: str
    command: str
    differences: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    behind: tuple[str, ...] = ()
    takes: tuple[ArtifactWish, ...] = ()
    run_id: int | None = None


@dataclass(frozen=True, slots=True)
class FailedJob:
    """A failed check as it is reported.

    Attributes:
        check: Its name.
        url: Where a person reads about it, or "".
        step: Title of the step that failed, or "".
        command: The command that repeats it here, or "".
        why_not: Why no step of a workflow repeats it here, as a sentence, or "".
        failing: What failed on GitHub, the first real error first.
        excerpt: What it printed around that error.
        differences: From GitHub's runner, as sentences.
        rerun_helps: Whether it may well pass when GitHub runs it again.
    """

    check: str
    url: str = ""
    step: str = ""
    command: str = ""
    why_not: str = ""
    failing: tuple[Failure, ...] = ()
    excerpt: str = ""
    differences: tuple[str, ...] = ()
    rerun_helps: bool = False


@dataclass(frozen=True, slots=True)
class Commands:
    """What sets a repository up and what tests it, and how that was found out.

    Attributes:
        setup: Shell commands, in order, run once with network.
        test: The whole suite.
        failing: The command that shows the failure; the same as `test` unless somebody named one.
        explanation: One sentence per decision, for the person ("`tox.ini` has ..., so ...").
        ecosystems: `python`, `node`, `rust`, `go`, ... in the order of weight.
        targets: The failed jobs that are repeated here; `setup` and `failing` are the first's.
        healed: What was missing after the setup that was detected: one sentence for each thing,
            as in `explanation`.
        before: Shell text that each command but those of the setup begins with, or "".
        folder: Of the package that was chosen among several, to which detected commands go first.
    """

    setup: tuple[str, ...]
    test: str
    failing: str
    explanation: tuple[str, ...] = ()
    ecosystems: tuple[str, ...] = ()
    targets: tuple[Target, ...] = ()
    healed: tuple[str, ...] = ()
    before: str = ""
    folder: str = ""


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment of the thread as it was at the trigger. The body is data, never instruction."""

    author: str
    body: str
    trusted: bool = False
    """Whether the author may write to the repository."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What should be repaired, in the words of the people who reported it; frozen at the trigger.

    Attributes:
        title: The issue's or pull request's title; empty for a bare failing command.
        body: Its text.
        comments: The thread, oldest first.
        instructions: What the person who triggered wrote after `/fix`: the only trusted text.
        number: Of the issue or pull request, or None.
        is_pull_request: Which of the two it is.
    """

    title: str = ""
    body: str = ""
    comments: tuple[Comment, ...] = ()
    instructions: str = ""
    number: int | None = None
    is_pull_request: bool = False
