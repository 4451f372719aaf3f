"""What a run should do, and where its source comes from."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Protocol

from bot.ci.evidence import EventFacts, JobEvidence
from bot.model import Attempt, Limits, Patch, Problem, SearchLimits, Specification, Specify, Usage
from bot.model.artifacts import Artifacts, ArtifactWish
from bot.model.culprit import SECONDS
from bot.model.flaky import FlakyQuestion
from bot.model.given_test import GivenTest
from bot.model.guard_rules import PatchRules
from bot.model.memory import TriedRepair
from bot.model.merge_group import MergeGroup
from bot.model.tool_rules import ToolRules
from sandbox.git import ObjectStore

_PROJECT = re.compile(r"[\w.-]+/[\w.-]+")
"""`owner/name` as GitHub has it; addresses could name any host."""


@dataclass(frozen=True, slots=True)
class Job:
    """Everything a person or a config asks of one run. None means: find it out.

    Attributes:
        run_id: Unique, `[a-z0-9]{4,20}`; names sandboxes and the branch.
        problem: What people wrote.
        limits: The budget.
        setup: Shell commands that prepare the environment, with the package registries in reach.
        test: The whole suite's command.
        failing: The command that shows the failure.
        proposers: Names, cheapest first; None means every one that this installation has.
        rules: What patches may do.
        image: Docker image of its sandboxes.
        template: E2B template of its sandboxes.
        allow_snapshots: Whether tools may rewrite the snapshots of tests.
        network: Whether setup, attempts and verification reach the whole internet.
        hosts: What the setup reaches besides the package registries.
        package_date: Packages are installed as they were at this moment; None means today's.
        model: Exact model.
        effort: How hard the model thinks.
        search: What a search without a model may take.
        tool_rules: What the tools of a model may do.
        failed: The failed checks to repair; with them the jobs behind them say what fails.
        event: What their workflows ran for, as far as it is known.
        repository: Its name, address or folder; "" where none is known.
        identity: Under which prepared environments and what a setup lacked are kept, and earlier
            runs found: of GitHub's repository, else its address or folder; "" for none.
        is_fork: The commit belongs to somebody else, and leaves no environment to others.
        red_on_base: Whether failed checks are repaired that fail on the base too.
        earlier: Attempts of the run that this one continues.
        written_tests: Tests that the run which this one continues wrote first, or None.
        given_test: A test that has to pass in the end, or None.
        candidates: Attempts of a model that are made side by side.
        recovery: Whether a model that gets no further is helped within its attempt.
        routing: Whether each attempt's model is chosen; else all ask the default one.
        specify: Whether a specification is written where nothing fails.
        specification: One that a person agreed with, or None.
        spent: What the run cost before it waited for a person.
        agreed_by: Who agreed with the specification, as a sentence; or ().
        may_change: Whether what no test can show is changed all the same, because a person asked for
            it in a pull request of ours.
        test_first: Whether failing tests are written where nothing fails.
        wrong_fixes: Whether tests that are written first are run on wrong fixes too.
        explain_seconds: For finding out what changed, besides the budget; 0: nobody wants to know.
        good: Commit that is said to be green; "" where nobody says.
        only_explains: Whether nothing is to be repaired: what changed is all that is asked.
        group: The merge group that failed: asked is which of its pull requests is the cause. Else None.
        of_flaky: Which flaky tests are asked about instead, or None.
        mends_flaky: Whether a flaky test is repaired once it is known what decides.
        quarantines: Whether the marks are tried with which flaky tests could be quarantined.
        known_repair: What repaired this before the commit that is to be repaired now: it is tried
            first. Else None.
        known_tests: Of it, the tests that came with it, or None.
        only_known_tests_fail: Whether nothing but these shows the problem.
    """

    run_id: str
    problem: Problem
    limits: Limits = field(default_factory=Limits)
    setup: tuple[str, ...] | None = None
    test: str | None = None
    failing: str | None = None
    proposers: tuple[str, ...] | None = None
    rules: PatchRules = field(default_factory=PatchRules)
    image: str | None = None
    template: str | None = None
    allow_snapshots: bool = False
    network: bool = False
    hosts: tuple[str, ...] = ()
    package_date: datetime | None = None
    model: str | None = None
    effort: str | None = None
    search: SearchLimits = field(default_factory=SearchLimits)
    tool_rules: ToolRules = field(default_factory=ToolRules)
    failed: tuple[JobEvidence, ...] = ()
    event: EventFacts = field(default_factory=EventFacts)
    repository: str = ""
    identity: str = ""
    is_fork: bool = False
    red_on_base: bool = False
    earlier: tuple[Attempt, ...] = ()
    written_tests: Patch | None = None
    given_test: GivenTest | None = None
    routing: bool = True
    recovery: bool = True
    candidates: int = 1
    specify: Specify = Specify.ON
    specification: Specification | None = None
    spent: Usage = field(default_factory=Usage)
    agreed_by: tuple[str, ...] = ()
    may_change: bool = False
    test_first: bool = True
    wrong_fixes: bool = True
    explain_seconds: float = SECONDS
    good: str = ""
    only_explains: bool = False
    group: MergeGroup | None = None
    of_flaky: FlakyQuestion | None = None
    mends_flaky: bool = True
    quarantines: bool = False
    known_repair: TriedRepair | None = None
    known_tests: TriedRepair | None = None
    only_known_tests_fail: bool = True

    @property
    def project(self) -> str:
        """`owner/name` of the repository, or "" where that is not known, or the commit a fork's.

        Private registries that serve some repositories alone serve no commit of strangers.
        """
        known = _PROJECT.fullmatch(self.repository) and not self.is_fork
        return self.repository if known else ""

    def image_for(self, *, takes_templates: bool) -> str | None:
        """Return what sandboxes are made from: a template of their service, or a Docker image."""
        return self.template if takes_templates else self.image


@dataclass(frozen=True, slots=True)
class Source:
    """The commit to repair, on this host.

    Attributes:
        store: Objects of the run.
        directory: A repository of its own with the commit checked out.
        head: The commit, 40 hex digits.
        trusted: Commit whose guidance files are trusted: the base branch's for a pull request.
        stays: Nothing writes the directory any more: sandboxes may share it.
        notes: What its directory lacks, as sentences.
    """

    store: ObjectStore
    directory: Path
    head: str
    trusted: str
    stays: bool = False
    notes: tuple[str, ...] = ()


class Checkout(Protocol):
    """Where the source of one run comes from."""

    async def head(self) -> str:
        """Return the commit to repair; asked once per run, its answer is kept.

        Raises:
            UsageError: When there is none; the text says what to do.
        """
        ...

    async def provide(self, head: str) -> Source:
        """Bring that commit to this host, unless it is here already."""
        ...


class Commits(Protocol):
    """Where any commit of a repository comes from."""

    async def provide(self, head: str) -> Source:
        """Bring a commit to this host, unless it is here already."""
        ...


@dataclass(frozen=True, slots=True)
class AtCommit:
    """One commit of a repository as what a run is about."""

    commits: Commits
    commit: str

    async def head(self) -> str:
        """Return the commit."""
        return self.commit

    async def provide(self, head: str) -> Source:
        """Bring a commit to this host, unless it is here already."""
        return await self.commits.provide(head)


class ArtifactSource(Protocol):
    """Where the artifacts of a workflow run come from."""

    async def bring(self, run_id: int, wanted: tuple[ArtifactWish, ...]) -> Artifacts:
        """Return the artifacts that are meant, and what could not be had of them."""
        ...
