"""What GitHub knows of failed checks: the real client against the stand-in and its storage."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import aiohttp
import pytest
from pydantic import SecretStr

from bot.ci.evidence import EventFacts, JobEvidence
from bot.ci.joblog.window import LogWindow
from bot.ci.workflow.plan.jobs import workflow_jobs
from bot.ci.workflow.plan.plan import plan_job
from bot.ci.workflow.spec.referenced_workflows import TreeWithCalled
from bot.ecosystems.tree import DirectoryTree
from bot.github.github import GitHub
from bot.github.refusals import GitHubRetries, Gone
from bot.model.artifacts import LARGEST_ARTIFACT, ArtifactWish
from bot.model.repository import Repo
from bot.model.request import FailedCheck
from bot.reporting.reasons import job_steps, job_target, runner_differences
from bot.runs.check_evidence import Gathering
from bot.runs.run_artifacts import RunArtifacts
from tests.fakes.github import GitHubServer, GitHubState, Repository, Trouble
from tests.fakes.github.ci_files import zipped
from tests.fakes.github.ci_model import Artifact, Step, WorkflowRun
from tests.fakes.github.conformance import check_exchanges

LOG = (
    "\ufeff2026-11-20T10:00:00.1000000Z ##[group]Run actions/checkout@v5\n"
    "2026-11-20T10:00:00.2000000Z ##[endgroup]\n"
    "2026-11-20T10:00:01.0000000Z ##[group]Run pytest -q\n"
    "2026-11-20T10:00:01.0000000Z \x1b[36;1mpytest -q\x1b[0m\n"
    "2026-11-20T10:00:01.0000000Z shell: /usr/bin/bash -e {0}\n"
    "2026-11-20T10:00:01.0000000Z ##[endgroup]\n"
    "2026-11-20T10:00:02.0000000Z =========== short test summary info ===========\n"
    "2026-11-20T10:00:02.0000000Z \x1b[31mFAILED\x1b[0m tests/test_a.py::test_a - assert 1 == 2\n"
    "2026-11-20T10:00:02.0000000Z 1 failed, 3 passed in 0.12s\n"
    "2026-11-20T10:00:02.0000000Z ##[error]Process completed with exit code 1.\n"
).encode()
JUNIT = (
    b'<testsuite><testcase classname="tests.test_b" name="test_b">'
    b'<failure message="assert 0">tests/test_b.py:3: AssertionError</failure></testcase></testsuite>'
)
QUICK = GitHubRetries(attempts=3, first_wait=0.01, longest_wait=1.0, timeout=60.0)


@dataclass
class Place:
    """A GitHub with one failed job on the head of `main`, and our client."""

    state: GitHubState
    repository: Repository
    run: WorkflowRun
    repo: Repo
    github: GitHub

    async def evidence(self, *, base: str | None = None) -> JobEvidence:
        """Return what is gathered of the failed job."""
        job = self.run.jobs[0]
        check = FailedCheck(
            job.name,
            "github-actions",
            check_run_id=job.id,
            workflow_run_id=self.run.id,
            job_id=job.id,
        )
        [found] = await Gathering(self.github, self.repo, head=self.run.head_sha, base=base).all_of(
            (check,)
        )
        return found


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    state = GitHubState(tmp_path / "github")
    repository = state.add_repository("acme/app", {"a.txt": "a\n"}, private=True)
    installation = state.install("acme")
    head = repository.git.resolve("main")
    assert head is not None
    run = state.ci.workflow_run(repository, head, "main", event="pull_request")
    steps = [Step("Set up job", "success"), Step("Run pytest -q", "failure")]
    state.ci.job(repository, run, "test (3.12)", conclusion="failure", steps=steps, log=LOG)
    async with GitHubServer(state) as server, aiohttp.ClientSession() as session:
        github = GitHub(
            session,
            app_id=str(state.app.id),
            private_key=SecretStr(state.app.private_key),
            api_url=server.api_url,
            web_url=server.web_url,
            patience=QUICK,
        )
        yield Place(
            state, repository, run, Repo("acme/app", installation.id, repository.id), github
        )
    check_exchanges(state.exchanges)


async def test_everything_that_github_knows_comes_together(place: Place) -> None:
    """Steps, log and the workflow's path; the first real error is read out of the failed step."""
    found = await place.evidence()
    assert (found.workflow, found.event, found.job) == (
        ".github/workflows/ci.yml", "pull_request", "test (3.12)",
    )  # fmt: skip
    assert found.failed_step is not None
    assert found.failed_step.name == "Run pytest -q"
    assert (found.title, found.script) == ("pytest -q", "pytest -q")
    assert [each.test for each in found.failing] == ["tests.test_a::test_a"]
    assert "assert 1 == 2" in found.excerpt
    assert "\x1b" not in found.excerpt
    assert not found.outside
    assert not found.missing


async def test_a_log_that_is_gone_is_taken_out_of_the_runs_archive(place: Place) -> None:
    """Where the job's own log is not kept any more, the archive of the run has it perhaps."""
    job = place.run.jobs[0]
    job.log = None
    place.run.archive = zipped({"0_test (3.12).txt": LOG, "1_other.txt": b"nothing"})
    found = await place.evidence()
    assert [each.test for each in found.failing] == ["tests.test_a::test_a"]


async def test_a_log_that_is_gone_for_good_is_said(place: Place) -> None:
    """No log at all: the evidence says so, and keeps what else there is."""
    place.run.jobs[0].log = None
    place.repository.check_runs[place.run.jobs[0].id].annotations.append(
        {
            "path": "src/a.py",
            "start_line": 3,
            "end_line": 3,
            "annotation_level": "failure",
            "message": "undefined name",
        }
    )
    found = await place.evidence()
    assert found.missing == (job_target.LOG_EXPIRED,)
    assert [(each.file, each.line, each.message) for each in found.failing] == [
        ("src/a.py", 3, "undefined name")
    ]


async def test_reports_among_the_artifacts_speak_where_the_log_names_nothing(place: Place) -> None:
    """JUnit files are found in zips; a broken zip and an expired one do no harm."""
    place.run.jobs[
        0
    ].log = b"##[group]Run make\n##[endgroup]\noh no\n##[error]Process completed with exit code 2."
    place.run.artifacts += [
        Artifact(1, "test-results", zipped({"deep/junit.xml": JUNIT, "notes.txt": b"-"})),
        Artifact(2, "junit-broken", b"PK no zip"),
        Artifact(3, "report-old", None),
        Artifact(4, "wheels", zipped({"a.whl": b"-"})),
    ]
    found = await place.evidence()
    assert [each.test for each in found.failing] == ["tests.test_b::test_b"]
    assert not any(exchange.path.endswith("/4/zip") for exchange in place.state.exchanges)


async def test_artifacts_are_brought_as_far_as_they_are_there(place: Place) -> None:
    """The newest of a name; what is expired, too large or was never uploaded is said."""
    wheel = zipped({"a.whl": b"-"})
    place.run.artifacts += [
        Artifact(5, "wheels", zipped({"old.whl": b"-"})),
        Artifact(7, "wheels", wheel),
        Artifact(6, "docs-old", None),
        Artifact(8, "docs-large", bytes(LARGEST_ARTIFACT + 1)),
        Artifact(9, "other", wheel),
    ]
    wanted = (ArtifactWish("wheels"), ArtifactWish("none"), ArtifactWish(pattern="docs-*"))
    brought = await RunArtifacts(place.github, place.repo).bring(place.run.id, wanted)
    assert brought.zips == {"wheels": wheel}
    assert brought.missing == (
        job_target.artifact_not_uploaded("none"),
        job_target.gone(job_target.artifact("docs-old")),
        job_target.artifact_not_taken("docs-large", LARGEST_ARTIFACT + 1),
    )
    assert not any(
        exchange.path.endswith(("/8/zip", "/9/zip")) for exchange in place.state.exchanges
    )


async def test_a_run_that_is_gone_has_no_artifacts(place: Place) -> None:
    """GitHub's answer becomes a sentence."""
    found = await RunArtifacts(place.github, place.repo).bring(404, (ArtifactWish("wheels"),))
    assert (found.zips, len(found.missing)) == ({}, 1)
    assert found.missing[0].startswith("Artifacts of earlier jobs could not be downloaded.")


async def test_the_base_is_asked_whether_the_check_passed_there(place: Place) -> None:
    """The same check on the base commit: passed, failed, or never run."""
    sha = place.state.push(place.repository, "base", {"b.txt": "b\n"})
    assert (await place.evidence(base=sha)).passed_on_base is None
    run = place.state.ci.workflow_run(place.repository, sha, "base")
    place.state.ci.job(place.repository, run, "test (3.12)", conclusion="success")
    assert (await place.evidence(base=sha)).passed_on_base is True


CALLED = """\
on: {workflow_call: {inputs: {word: {type: string}}}}
jobs:
  inner:
    runs-on: ubuntu-latest
    steps: [{run: "echo ${{ inputs.word }}"}]
"""
CALLING = """\
on: push
jobs: {test: {uses: octo/ci/.github/workflows/t.yml@v1, with: {word: hello}}}
"""
USES = "octo/ci/.github/workflows/t.yml@v1"


@pytest.mark.parametrize("private", [False, True])
async def test_a_workflow_of_another_repository_is_read(
    place: Place,
    tmp_path: Path,
    private: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """As it was at the run, if anybody may read it; the App's own access elsewhere is not used."""
    there = place.state.add_repository(
        "octo/ci", {".github/workflows/t.yml": CALLED}, private=private
    )
    place.state.install("octo")
    sha = there.git.resolve("main")
    assert sha is not None
    place.run.path, place.run.referenced[USES] = ".github/workflows/ci.yml", sha
    place.run.jobs[0].name = "test / inner"
    place.state.push(there, "main", {".github/workflows/t.yml": "on: push\n"})
    found = await place.evidence()
    (tmp_path / "w/.github/workflows").mkdir(parents=True)
    (tmp_path / "w/.github/workflows/ci.yml").write_text(CALLING)
    tree = TreeWithCalled(DirectoryTree(tmp_path / "w"), dict(found.called))
    listing = workflow_jobs(tree, found.workflow)
    if private:
        assert found.missing == (job_target.gone(job_target.called_workflow(USES)),)
        assert "another repository" in listing.problems[0]
        return
    [job] = listing.jobs
    assert (job.names, job.inputs) == (("test / inner",), {"word": "hello"})


USING = """\
on: push
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/setup-python@v5
      - uses: octo/prepare/tools@v2
        with: {word: hello}
      - uses: octo/program@v1
"""
PREPARE = """\
inputs: {word: {default: none}, more: {default: more}}
runs:
  using: composite
  steps:
    - {shell: bash, run: "echo ${{ inputs.word }} ${{ inputs.more }}"}
    - uses: $/tools/deeper
    - {shell: bash, run: "$GITHUB_ACTION_PATH/own.sh"}
"""
DEEPER = "runs: {using: composite, steps: [{shell: sh, run: echo deeper}]}\n"


async def test_a_composite_action_of_another_repository_is_planned(
    place: Place, tmp_path: Path
) -> None:
    """Its steps are those of the job, with its inputs; what it brings besides its file is missing."""
    files = {"tools/action.yml": PREPARE, "tools/deeper/action.yaml": DEEPER}
    place.state.push(place.state.add_repository("octo/prepare", {}), "v2", files)
    place.state.add_repository(
        "octo/program", {"action.yml": "runs: {using: node20, main: a.js}\n"}
    )
    files = {".github/workflows/ci.yml": USING}
    place.run.head_sha = place.state.push(place.repository, "using", files)
    place.run.path = ".github/workflows/ci.yml"
    found = await place.evidence()
    (tmp_path / "w/.github/workflows").mkdir(parents=True)
    (tmp_path / "w/.github/workflows/ci.yml").write_text(USING)
    tree = TreeWithCalled(DirectoryTree(tmp_path / "w"), dict(found.called))
    [job] = workflow_jobs(tree, found.workflow).jobs
    plan = plan_job(tree, job, EventFacts("push"))
    scripts = [node.step.command.script for node in plan.walk() if node.step.command]
    assert [script for script in scripts if "echo" in script] == ["echo hello more", "echo deeper"]
    said = [sentence for node in plan.walk() for sentence in node.step.said]
    assert runner_differences.action_brings_files("octo/prepare/tools/action.yml@v2") in said
    assert job_steps.unknown_action("octo/program") in said


async def test_a_job_that_is_gone_leaves_a_sentence(place: Place) -> None:
    """A check whose job GitHub does not know any more is no error."""
    check = FailedCheck("lost", "github-actions", job_id=999, workflow_run_id=998)
    found = await Gathering(place.github, place.repo, head=place.run.head_sha, base=None).of(check)
    assert found.missing == (
        job_target.gone(job_target.JOB_STEPS),
        job_target.gone(job_target.WORKFLOW_RUN),
        job_target.LOG_EXPIRED,
        job_target.UNEXPLAINED,
    )


async def test_a_check_of_another_app_speaks_for_itself(place: Place) -> None:
    """Title, summary and text of its output are read like a tool's."""
    check = place.state.ci.check(
        place.repository,
        place.run.head_sha,
        "lint",
        app="lint-bot",
        conclusion="failure",
        output={"title": "2 problems", "summary": "src/a.py:3:1: F401 `os` imported but unused"},
    )
    failed = FailedCheck("lint", "lint-bot", check_run_id=check.id)
    found = await Gathering(place.github, place.repo, head=place.run.head_sha, base=None).of(failed)
    assert [each.test for each in found.failing] == ["src/a.py:3: F401"]
    assert not found.of_actions


async def test_a_long_log_is_read_in_little_memory(place: Place) -> None:
    """Of 20 MB head, tail and the lines about errors are kept."""
    noise = b"2026-11-20T10:00:01.0000000Z " + b"all is well " * 20 + b"\n"
    half = noise * (10_000_000 // len(noise))
    place.run.jobs[0].log = b"first\n" + half + LOG + half + b"last\n"
    window = await place.github.job_log(place.repo, place.run.jobs[0].id, LogWindow)
    text = window.text()
    assert window.size > 19_000_000
    assert len(text) < 2_500_000
    assert text.startswith("first\n")
    assert text.endswith("last")
    assert "FAILED" in text
    found = await place.evidence()
    assert [each.test for each in found.failing] == ["tests.test_a::test_a"]


async def test_the_storage_never_sees_our_token(place: Place) -> None:
    """The signed address gets no credential (the storage refuses one), and an outage is outlasted."""
    place.state.faults.add(Trouble.BAD_GATEWAY, path="logs$")
    window = await place.github.job_log(place.repo, place.run.jobs[0].id, LogWindow)
    assert "FAILED" in window.text()
    place.run.jobs[0].log = None
    with pytest.raises(Gone):
        await place.github.job_log(place.repo, place.run.jobs[0].id, LogWindow)
