"""A job's log: its steps, the first real error, what lies outside of the code, the excerpt."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.ci.evidence import CheckAnnotation, JobEvidence, StepFacts
from bot.ci.evidence_reader import (
    Collected,
    excerpt,
    understand,
)
from bot.ci.failures import registry
from bot.ci.joblog.infrastructure import OUTPUT_SIGNS, RUNNER_SIGNS, may_be_flaky, recognise
from bot.ci.joblog.job_log import failing_section, image, read_lines, sections
from bot.ci.joblog.window import LogWindow
from bot.model.request import FailedCheck
from bot.reporting.reasons import outside_causes
from tests.flows.failing_commit import runner_log

CONSOLE = Path(__file__).parent.parent / "payloads" / "console"
BARE = JobEvidence(FailedCheck("test", "github-actions"))


def evidence(log: bytes | str, bare: JobEvidence = BARE) -> JobEvidence:
    text = log.decode() if isinstance(log, bytes) else log
    return understand(bare, Collected(log=text))


@pytest.mark.parametrize("path", sorted(CONSOLE.glob("*.txt")), ids=lambda path: path.stem)
def test_the_runners_log_says_what_the_tool_said(path: Path) -> None:
    """Stamps, colours and the runner's own lines change nothing of what a tool is read to say."""
    said = path.read_text(encoding="utf-8")
    direct = registry.read(said, command="the step")
    found = evidence(runner_log("make check", said))
    assert [each.test for each in found.failing] == [each.test for each in direct.failing]
    assert (found.title, found.script) == ("make check", "make check")
    assert found.image == "ubuntu-24.04"


INSTALLED = """\
Collecting ruff
Installing collected packages: ruff, click, black
Successfully installed black-24.1.0 click-8.1.7 ruff-0.4.1
Resolved 3 packages in 12ms
 + mypy==1.10.0
 + mypy-extensions==1.0.0
  - Installing isort (5.13.2)
Successfully installed ruff-0.4.10
"""


def test_a_log_tells_which_tools_a_job_had() -> None:
    """As pip, uv and Poetry say it; the last word counts, and only for tools nothing depends on."""
    found = evidence(runner_log("pip install ruff", INSTALLED))
    assert found.versions == ("black==24.1.0", "isort==5.13.2", "mypy==1.10.0", "ruff==0.4.10")


def test_a_log_falls_apart_into_its_steps() -> None:
    """Groups named `Run` begin steps; the script stands above `shell:`, an action has none."""
    log = """\
2026-11-20T10:00:00.0000000Z Image: ubuntu-22.04
2026-11-20T10:00:01.0000000Z ##[group]Run actions/setup-python@v6
2026-11-20T10:00:01.0000000Z with:
2026-11-20T10:00:01.0000000Z   python-version: 3.12
2026-11-20T10:00:01.0000000Z ##[endgroup]
2026-11-20T10:00:02.0000000Z ##[group]Run set -x
2026-11-20T10:00:02.0000000Z \x1b[36;1mset -x\x1b[0m
2026-11-20T10:00:02.0000000Z \x1b[36;1mmake test\x1b[0m
2026-11-20T10:00:02.0000000Z shell: /usr/bin/bash -e {0}
2026-11-20T10:00:02.0000000Z env:
2026-11-20T10:00:02.0000000Z   LEVEL: 3
2026-11-20T10:00:02.0000000Z ##[endgroup]
2026-11-20T10:00:03.0000000Z ##[group]my own group
2026-11-20T10:00:03.0000000Z inside
2026-11-20T10:00:03.0000000Z ##[endgroup]
2026-11-20T10:00:03.0000000Z ##[error]Process completed with exit code 2.
"""
    lines = read_lines(log)
    _, action, run = sections(lines)
    assert (action.title, action.script) == ("actions/setup-python@v6", "")
    assert (run.title, run.script) == ("set -x", "set -x\nmake test")
    assert run.output == "my own group\ninside"
    assert (run.exit_code, image(lines)) == (2, "ubuntu-22.04")
    assert failing_section(sections(lines)) == run


def test_what_a_problem_matcher_marked_is_output() -> None:
    """The runner puts `##[error]` before lines of tsc or eslint, and of tools that ask for it."""
    marked = "##[error]src/a.ts(1,7): error TS2322: Type 'a'\n##[warning]src/b.ts is long"
    found = evidence(runner_log("npx tsc", marked))
    assert [each.test for each in found.failing] == ["src/a.ts:1: TS2322"]
    assert found.excerpt.splitlines() == [
        "src/a.ts(1,7): error TS2322: Type 'a'",
        "src/b.ts is long",
    ]
    here = registry.read(
        "::error title=Ruff (F401),file=/workspace/a.py,line=1::a.py:1:8: F401 `os`"
    )
    assert [each.test for each in here.failing] == ["a.py:1: F401"]


def test_of_several_errors_the_failed_steps_counts() -> None:
    """A tolerated step failed before: the API's times tell which step broke the job."""

    def step(minute: int, name: str) -> str:
        stamp = f"2026-11-20T10:{minute:02}:00.0000000Z "
        lines = (
            f"##[group]Run {name}",
            "##[endgroup]",
            "##[error]Process completed with exit code 1.",
        )
        return "\n".join(stamp + line for line in lines)

    found = sections(read_lines("\n".join([step(1, "tolerated"), step(5, "broken")])))
    start, end = (datetime(2026, 11, 20, 10, minute, tzinfo=UTC) for minute in (4, 6))
    chosen = failing_section(found, started=start, ended=end)
    assert chosen is not None
    assert chosen.title == "broken"


@pytest.mark.parametrize(
    "log", ["", "\ufeff", "no stamps at all\n", "##[error]", "##[group]Run \n"]
)
def test_logs_without_anything_in_them_are_no_error(log: str) -> None:
    """What can't be read leaves a sentence or nothing, and never raises."""
    assert evidence(log).check.name == "test"


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ("tar: write error: No space left on device", outside_causes.DISK_FULL),
        ("curl: (6) Could not resolve host: pypi.org", outside_causes.HOST_NOT_RESOLVED),
        ("npm error code ETIMEDOUT", outside_causes.PACKAGE_REGISTRY_UNREACHABLE),
        ("ERROR: HTTP error 503 while getting https://pypi.org/simple/", outside_causes.SERVER_FAILED),
        ("fatal: unable to access 'https://github.com/a/b/': The requested URL returned error: 502", outside_causes.GIT_SERVER_FAILED),
        ("toomanyrequests: You have reached your pull rate limit.", outside_causes.IMAGE_LIMIT_REACHED),
        ("E: Failed to fetch http://archive.ubuntu.com/x.deb  404", outside_causes.SYSTEM_PACKAGES_UNAVAILABLE),
        ("E: The repository 'http://ppa.net/x jammy Release' does not have a Release file.", outside_causes.SYSTEM_PACKAGES_UNAVAILABLE),
        ("ERROR: HTTPSConnectionPool(host='files.pythonhosted.org', port=443): Read timed out.", outside_causes.PACKAGE_REGISTRY_UNREACHABLE),
        ('Error response from daemon: Get "https://registry-1.docker.io/v2/": context deadline exceeded', outside_causes.PACKAGE_REGISTRY_UNREACHABLE),
        ('go: x/y@v1: Get "https://proxy.golang.org/x/y/@v/v1.mod": dial tcp: i/o timeout', outside_causes.PACKAGE_REGISTRY_UNREACHABLE),
        ("[ERROR] Could not transfer artifact a:b:pom:1 from/to central (https://repo.maven.apache.org/maven2): Connection reset", outside_causes.PACKAGE_REGISTRY_UNREACHABLE),
        (" ERR_PNPM_META_FETCH_FAIL  GET https://registry.npmjs.org/x: request to x failed", outside_causes.PACKAGE_REGISTRY_UNREACHABLE),
        ("##[error]Unexpected HTTP response: 504", outside_causes.SERVER_FAILED),
        ("Error response from daemon: pull access denied for acme/private, repository does not exist", outside_causes.CREDENTIALS_MISSING),
        ("Error: Codecov token not found. Please provide Codecov token with -t flag.", outside_causes.CREDENTIALS_MISSING),
    ],
)  # fmt: skip
def test_failures_outside_of_the_code_are_recognised(said: str, cause: str) -> None:
    """Disk, names, registries, servers: what a step printed last says it."""
    found = evidence(runner_log("make build", said))
    assert found.outside == cause


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        (
            "The hosted runner: GitHub Actions 4 lost communication with the server.",
            outside_causes.RUNNER_DISCONNECTED,
        ),
        ("The runner has received a shutdown signal.", outside_causes.RUNNER_SHUT_DOWN),
        (
            "The job has exceeded the maximum execution time of 6h0m0s",
            outside_causes.TIME_LIMIT_REACHED,
        ),
        (
            "Unable to resolve action `acme/x@v1`, unable to find version `v1`",
            outside_causes.action_missing("acme/x@v1"),
        ),
    ],
)
def test_what_the_runner_itself_says_counts_with_a_failing_test_too(said: str, cause: str) -> None:
    """An annotation of GitHub's weighs more than a test that was cut off."""
    bare = JobEvidence(BARE.check, remarks=(CheckAnnotation(".github", 1, "failure", said),))
    found = evidence(runner_log("pytest", (CONSOLE / "pytest_quiet.txt").read_text()), bare)
    assert found.outside == cause


ANNOTATIONS = [
    ("The job was not started because recent account payments have failed or your spending limit",
     outside_causes.BILLING, False),
    ("The job was not started because your account is locked due to a billing issue.",
     outside_causes.BILLING, False),
    ("Canceling since a higher priority waiting request for 'ci-refs/pull/1' exists",
     outside_causes.SUPERSEDED, False),
    ("The run was canceled by @wes.", outside_causes.cancelled_by("wes"), False),
    ("The operation was canceled.", outside_causes.CANCELLED, True),
    ("The hosted runner encountered an error while running your job. (Error Type: Disconnect).",
     outside_causes.RUNNER_DISCONNECTED, True),
    ("Job was cancelled because it was waiting for a runner for more than 24 hours",
     outside_causes.NO_RUNNER, True),
    ('Branch "x" is not allowed to deploy to github-pages due to environment protection rules.',
     outside_causes.deployment_refused("github-pages"), False),
    ("Unable to download artifact(s): Artifact not found for name: dist",
     outside_causes.artifact_absent("dist"), False),
    ("Error: Unable to find any artifacts for the associated workflow",
     outside_causes.artifact_absent(), False),
    ("The version '3.5' with architecture 'x64' was not found for Ubuntu 24.04.",
     outside_causes.version_not_offered("3.5"), False),
    ("fatal: Authentication failed for 'https://github.com/a/b/'",
     outside_causes.CREDENTIALS_MISSING, False),
    ("ExpiredToken: The security token included in the request is expired",
     outside_causes.CREDENTIALS_MISSING, False),
    ("You are running out of disk space. The runner will stop working when",
     outside_causes.DISK_FULL, False),
    ("Error: it uses a deprecated version of `actions/upload-artifact: v3`. Learn more: https://",
     outside_causes.action_retired("actions/upload-artifact: v3"), False),
    ("Unable to resolve action. Repository not found: acme/gone",
     outside_causes.action_missing("acme/gone"), False),
    ("Missing download info for actions/cache@v1",
     outside_causes.action_missing("actions/cache@v1"), False),
    ("Failed to download action 'https://api.github.com/repos/a/b/tarball/1'. Error: 502",
     outside_causes.ACTION_NOT_DOWNLOADED, True),
    ("The job was not acquired by Runner of type hosted even after multiple attempts",
     outside_causes.NO_RUNNER, True),
    ("This request was automatically failed because there were no enabled runners online to process",
     outside_causes.NO_RUNNER, True),
    ("The job has exceeded the maximum execution time while awaiting a runner for 24h0m0s",
     outside_causes.NO_RUNNER, True),
    ("The job running on runner GitHub Actions 2 has exceeded the maximum execution time of 360 min",
     outside_causes.TIME_LIMIT_REACHED, False),
    ("The self-hosted runner lost communication with the server. Verify the machine is running",
     outside_causes.RUNNER_DISCONNECTED, True),
    ("Input required and not supplied: token", outside_causes.input_missing("token"), False),
    ("HttpError: Resource not accessible by integration", outside_causes.PERMISSION_MISSING, False),
    ("Failed to CreateArtifact: Artifact storage quota has been hit. Unable to upload any new",
     outside_causes.ARTIFACT_STORAGE_FULL, False),
    ("Failed to CreateArtifact: Failed to make request after 5 attempts: Request timeout",
     outside_causes.STORAGE_SERVICE_FAILED, True),
    ("Invalid workflow file: .github/workflows/ci.yml#L12", outside_causes.WORKFLOW_INVALID, False),
    ("This is a scheduled windows-2019 brownout. The windows-2019 image will be removed on 2025-06-30.",
     outside_causes.IMAGE_RETIRED, False),
    ("GitHub Actions has encountered an internal error when running your job.",
     outside_causes.ACTIONS_BROKEN, True),
    ("Process completed with exit code 137.", outside_causes.MEMORY_FULL, False),
    ("Process completed with exit code 1.", "", False),
]  # fmt: skip


@pytest.mark.parametrize(("said", "cause", "rerun"), ANNOTATIONS)
def test_an_annotation_is_enough(said: str, cause: str, rerun: bool) -> None:  # noqa: FBT001 - a table
    """A job that never began has no log: GitHub's sentence tells why, and whether a re-run helps."""
    bare = JobEvidence(BARE.check, remarks=(CheckAnnotation(".github", 1, "failure", said),))
    found = understand(bare, Collected())
    assert (found.outside, found.rerun_helps) == (cause, rerun)


@pytest.mark.parametrize(
    ("said", "cause"),
    [
        ("remote: Permission to acme/app.git denied to github-actions[bot].",
         outside_causes.PUSH_DENIED),
        ("fatal: could not read Username for 'https://github.com': terminal prompts disabled",
         outside_causes.CREDENTIALS_MISSING),
        ("/home/runner/work/_temp/1.sh: line 1:  2930 Killed    make", outside_causes.MEMORY_FULL),
        ("ERROR: HTTP error 429 while getting https://pypi.org/x", outside_causes.TOO_MANY_REQUESTS),
        ("the user has Bad credentials, as expected", ""),
    ],
)  # fmt: skip
def test_what_a_step_printed_last(said: str, cause: str) -> None:
    """Rights, memory, too many requests."""
    assert evidence(runner_log("make deploy", said)).outside == cause


def test_a_test_about_a_full_disk_is_a_failing_test() -> None:
    """Where a runner of tests names a failure, its words are the code's, not the machine's."""
    said = (CONSOLE / "pytest_quiet.txt").read_text() + "\nOSError: No space left on device\n"
    assert evidence(runner_log("pytest", said)).outside == ""
    assert recognise([], "HTTP error 503", named=True) is None
    assert all(sign.source for sign in (*RUNNER_SIGNS, *OUTPUT_SIGNS))


def test_githubs_own_step_lies_outside_of_the_code() -> None:
    """`Set up job` failed: no line of the workflow has run."""
    bare = JobEvidence(BARE.check, steps=(StepFacts("Set up job", 1, "failure"),))
    found = evidence("2026-11-20T10:00:00.0000000Z oops", bare)
    assert found.outside == outside_causes.runner_step_failed("Set up job")


def test_flaky_words() -> None:
    """Time, ports and races are words of failures that come and go."""
    assert may_be_flaky("ConnectionRefusedError: Connection refused")
    assert may_be_flaky("test_x timed out after 5 s")
    assert not may_be_flaky("assert 1 == 2")


def test_an_excerpt_has_the_first_error_and_fits() -> None:
    """However far from the end the first error stands, it is in the excerpt."""
    noise = "\n".join(f"line {n}" for n in range(20_000))
    text = f"{noise}\nsrc/a.py:3:1: F401 `os` imported but unused\n{noise}"
    found = registry.read(text, command="x").failing
    shown = excerpt(text, found, budget=4_000)
    assert "F401 `os`" in shown
    assert len(shown) < 4_200
    assert shown.startswith("... ")
    assert excerpt("short", found) == "short"
    assert excerpt(noise, (), budget=1_000).endswith("line 19999")


def test_a_window_keeps_head_tail_and_errors() -> None:
    """The middle of a long log is dropped, but for what speaks of errors, and that is said."""
    window = LogWindow()
    window.feed(b"head\n")
    for n in range(60_000):
        window.feed(f"all is well in line {n}, and it goes on for a while like this\n".encode())
        if n == 20_000:
            window.feed(b"src/a.py:1: error: first\n")
    window.feed(b"tail without an end")
    text = window.text()
    assert len(text) < 2_000_000
    assert text.startswith("head\n")
    assert text.endswith("tail without an end")
    assert "line 19999," in text
    assert "error: first" in text
    assert "left out" in text


def test_a_window_takes_a_line_without_an_end() -> None:
    """One line of many megabytes is cut."""
    window = LogWindow()
    for _ in range(200):
        window.feed(b"x" * 65_536)
    assert len(window.text()) <= 8_192
