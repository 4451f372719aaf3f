"""Which webhooks about checks are kept, and what is read from them."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.errors import MalformedPayload
from bot.intake.check_events import (
    ButtonPressed,
    ChecksFailed,
)
from bot.intake.events import Unhandled, is_handled, parse_event, peek
from bot.intake.pull_events import BranchPushed, Closed, HeadLeft, LabelAdded, PullOffered
from bot.intake.reverts import Reverted, reverted_by
from bot.model.repository import Repo
from tests.fakes.github import GitHubServer, GitHubState
from tests.fakes.github.model import Event

SHA = "a" * 40
REPO = Repo("acme/app", 7, 70)
PULL = {"number": 3, "head": {"sha": SHA}}


def payload(**fields: Any) -> bytes:
    """Return a webhook's body with what every one has."""
    common = {
        "repository": {"id": 70, "full_name": "acme/app"},
        "installation": {"id": 7},
        "sender": {"login": "ada", "type": "User"},
    }
    return json.dumps({**common, **fields}).encode()


def completed(name: str, conclusion: str | None, **more: Any) -> bytes:
    """Return the body of an event whose object ended in some way."""
    about = {"head_sha": SHA, "conclusion": conclusion, **more}
    return payload(action="completed", **{name: about})


@pytest.mark.parametrize("name", ["check_run", "check_suite", "workflow_job", "workflow_run"])
def test_a_failure_is_read_alike_from_every_event(name: str) -> None:
    """Commit, branch where it is said, and the App that made it."""
    body = completed(name, "failure", head_branch="work", app={"slug": "github-actions"})
    assert peek(name, body).outcome(name) == "failure"
    assert parse_event(name, body) == ChecksFailed(REPO, SHA, "work", "github-actions")


def test_the_branch_of_a_check_run_is_its_suites() -> None:
    """Check runs name none themselves; a fork's suite has none either."""
    body = completed("check_run", "timed_out", check_suite={"head_branch": "work"})
    assert parse_event("check_run", body) == ChecksFailed(REPO, SHA, "work", "")
    body = completed("check_run", "timed_out", check_suite={"head_branch": None})
    assert parse_event("check_run", body) == ChecksFailed(REPO, SHA, "", "")


def test_a_status_has_no_action() -> None:
    """Its state says how it ended, while it is pending too."""
    body = payload(sha=SHA, state="error", context="ci/x")
    assert parse_event("status", body) == ChecksFailed(REPO, SHA, "", "")
    pending = payload(sha=SHA, state="pending", context="ci/x")
    assert not is_handled("status", None, peek("status", pending).outcome("status"))
    assert isinstance(parse_event("status", pending), Unhandled)


@pytest.mark.parametrize(
    ("name", "action", "outcome", "kept"),
    [
        ("check_run", "completed", "failure", True),
        ("check_run", "completed", "success", False),
        ("check_run", "completed", None, True),
        ("check_run", "created", None, False),
        ("check_run", "requested_action", None, True),
        ("check_suite", "completed", "startup_failure", True),
        ("check_suite", "requested", None, False),
        ("workflow_job", "completed", "cancelled", False),
        ("workflow_job", "queued", None, False),
        ("workflow_run", "completed", "timed_out", True),
        ("status", None, "success", False),
        ("status", None, "failure", True),
        ("pull_request", "labeled", None, True),
        ("pull_request", "unlabeled", None, False),  # labels are read when they matter
        ("pull_request", "synchronize", None, True),
        ("pull_request", "closed", None, True),
        ("pull_request", "reopened", None, True),
        ("pull_request", "opened", None, True),
        ("pull_request", "edited", None, True),
        ("pull_request", "ready_for_review", None, True),
        ("pull_request", "assigned", None, False),
        ("push", None, None, True),
        ("create", None, None, False),
    ],
)
def test_only_what_could_start_something_is_kept(
    name: str, action: str | None, outcome: str | None, *, kept: bool
) -> None:
    """A busy repository sends far more of what ended well."""
    assert is_handled(name, action, outcome) is kept


def test_a_button_names_who_pressed_it() -> None:
    """GitHub's own `Re-run` of our check run is our `Retry`."""
    run = {
        "id": 7,
        "head_sha": SHA,
        "external_id": "run1",
        "app": {"slug": "fixpoint"},
        "check_suite": {"head_branch": "work"},
    }
    body = payload(
        action="requested_action", check_run=run, requested_action={"identifier": "stop"}
    )
    pressed = ButtonPressed(REPO, "ada", "fixpoint", 7, SHA, "work", "run1", "stop")
    assert parse_event("check_run", body) == pressed
    again = parse_event("check_run", payload(action="rerequested", check_run=run))
    assert isinstance(again, ButtonPressed)
    assert again.button == "retry"


def test_a_label_brings_the_newest_commit() -> None:
    """The label itself is looked up when the commit is."""
    body = payload(action="labeled", pull_request=PULL, label={"name": "robots"})
    assert parse_event("pull_request", body) == LabelAdded(REPO, 3, SHA, "robots")


def test_a_pull_request_that_goes_elsewhere_says_so() -> None:
    """Another base makes another change of the same head; a new title does not."""
    there = {"base": {"ref": {"from": "main"}, "sha": {"from": SHA}}}
    for changes, retargeted in (({"title": {"from": "x"}}, False), (there, True)):
        body = payload(action="edited", pull_request=PULL, changes=changes)
        assert parse_event("pull_request", body) == PullOffered(REPO, 3, retargeted)


def test_a_head_that_is_left_has_its_pull_request_and_who_did_it() -> None:
    """Its commit is asked for when it matters: there may be a newer one."""
    body = payload(action="synchronize", pull_request=PULL)
    assert parse_event("pull_request", body) == HeadLeft(REPO, 3, "ada")


def test_a_closed_pull_request_says_whether_it_was_merged() -> None:
    """A commit that GitHub only tried out is none that merged it."""
    told = {**PULL, "title": "T", "body": "Reverts #2", "merge_commit_sha": "c" * 40}
    body = payload(action="closed", pull_request={**told, "merged": True})
    merged = HeadLeft(REPO, 3, "ada", Closed("c" * 40, "T", "Reverts #2"))
    assert parse_event("pull_request", body) == merged
    body = payload(action="closed", pull_request={**told, "merged": False, "body": None})
    assert parse_event("pull_request", body) == HeadLeft(REPO, 3, "ada", Closed(None, "T", ""))


def test_a_push_counts_where_its_commits_revert_others_on_the_default_branch() -> None:
    """Most pushes revert nothing, and are not kept."""
    commit = {"message": f"Revert it\n\nThis reverts commit {'a' * 40}."}
    repository = {"id": 70, "full_name": REPO.full_name, "default_branch": "main"}
    body = payload(ref="refs/heads/main", repository=repository, commits=[commit])
    assert parse_event("push", body) == BranchPushed(REPO, "main", ("a" * 40,))
    seen = peek("push", body)
    assert is_handled("push", None, None, seen.says)
    body = payload(ref="refs/heads/main", commits=[{"message": "Fix"}])
    assert not is_handled("push", None, None, peek("push", body).says)
    body = payload(ref="refs/heads/other", repository=repository, commits=[commit])
    assert parse_event("push", body) == BranchPushed(REPO, "other")


def test_a_push_to_a_branch_tells_that_it_moved() -> None:
    """A tag doesn't, nor a branch that is gone: nothing conflicts with those."""
    repository = {"id": 70, "full_name": REPO.full_name, "default_branch": "main"}
    body = payload(ref="refs/heads/next/1", repository=repository, commits=[])
    assert parse_event("push", body) == BranchPushed(REPO, "next/1")
    assert peek("push", body).pushed_to == (REPO.identity, "next/1")
    for change in ({"ref": "refs/tags/v1"}, {"deleted": True}):
        told = {"ref": "refs/heads/next", "repository": repository, "commits": [], **change}
        body = payload(**told)
        assert parse_event("push", body) == Unhandled("push", None)
        assert peek("push", body).pushed_to is None


def test_what_a_text_reverts_is_read_from_git_s_words_and_github_s() -> None:
    """Another repository's pull request of the same number is none of ours."""
    text = "Reverts Octo/widgets#12\nReverts other/one#13\nReverts #14, reverts #15\nthis reverts commit ABCDEF0"
    assert reverted_by(text, "octo/Widgets") == Reverted((12, 14), ("abcdef0",))
    assert not reverted_by("Nothing. Reverts commit.", "octo/widgets")


@pytest.mark.parametrize(
    "ours",
    [
        "Fix: the sum\n\n{said}\n\nFixpoint-Run: 0123456789ab",
        "{said}\n\n<!-- fixpoint:run=0123456789ab kind=pull-request -->",
        # as GitHub squashes it, and as a person merges it
        "Fix it (#7)\n\n* {said}\n\nFixpoint-Run: 0123456789ab\n\nCo-authored-by: A <a@b.test>",
        "Merge pull request #7\n\n{said}\n\n<!-- fixpoint:run=a kind=b -->\n\nReviewed-by: Ann",
        "{said} Reverts #3\r\n\r\nFixpoint-Run: 0123456789ab\r\n",
    ],
)
def test_a_text_of_ours_reverts_nothing(ours: str) -> None:
    """It quotes models and strangers, and may become the message of anybody's merge."""
    said = f"This reverts commit {'a' * 40}."
    assert not reverted_by(ours.format(said=said), "octo/widgets")
    commits = [{"message": ours.format(said=said)}, {"message": f"Revert\n\n{said}"}]
    repository = {"id": 70, "full_name": REPO.full_name, "default_branch": "main"}
    body = payload(ref="refs/heads/main", repository=repository, commits=commits)
    assert parse_event("push", body) == BranchPushed(REPO, "main", ("a" * 40,))
    body = payload(ref="refs/heads/main", repository=repository, commits=commits[:1])
    assert parse_event("push", body) == BranchPushed(REPO, "main")


@pytest.mark.parametrize(
    "quoting",
    [
        "> {said}",
        "> The bot wrote:\n{said}\n\nI disagree.",
        "```\n{said}\n```",
        "~~~text\r\n{said}\r\n~~~\r\n",
        "    {said}",
        "`{said}` is what it wrote",
        'Its body says "{said}"',
        "- {said}",
        "<!--\n{said}\n-->",
        "```\n{said}",
    ],
)
@pytest.mark.parametrize("said", [f"This reverts commit {'a' * 40}.", "Reverts octo/widgets#12"])
def test_what_a_text_quotes_it_does_not_do(quoting: str, said: str) -> None:
    """Both git and GitHub begin a line with it; what stands before or behind the quotation counts."""
    quoted = quoting.format(said=said)
    assert not reverted_by(quoted, "octo/widgets")
    own = Reverted((14,), ("b" * 40,))
    text = f"Reverts #14\n\nThis reverts commit {'b' * 40}.\n\n{quoted}"
    assert reverted_by(text, "octo/widgets") == own


def test_what_is_no_commit_is_malformed() -> None:
    """Ids go into URLs and into git's hands."""
    body = payload(action="completed", check_run={"head_sha": "main", "conclusion": "failure"})
    with pytest.raises(MalformedPayload, match=r"check_run\.head_sha"):
        parse_event("check_run", body)


USED = {
    "check_run": {"action", "check_run", "check_run.head_sha", "check_run.conclusion"},
    "check_suite": {"action", "check_suite", "check_suite.head_sha", "check_suite.conclusion"},
    "workflow_run": {"action", "workflow_run", "workflow_run.head_sha", "workflow_run.conclusion"},
    "workflow_job": {"action", "workflow_job", "workflow_job.head_sha", "workflow_job.conclusion"},
    "status": {"sha", "state"},
    "push": {"ref", "commits"},
    "issue_comment": {
        *("action", "sender", "sender.login", "issue", "issue.number"),
        *("comment", "comment.id", "comment.updated_at"),
    },
    "pull_request": {"action", "pull_request", "pull_request.number"},
}
"""Fields without which an event means nothing, besides where it happened."""

WHERE = {"repository", "repository.id", "repository.full_name", "installation", "installation.id"}


def recorded(root: Path) -> list[Event]:
    """Return webhooks as GitHub's description has them."""
    state = GitHubState(root)
    repo = state.add_repository("acme/app", {"a": "a"}, roles={"ada": "admin"})
    state.install("acme")
    server = GitHubServer(state)
    issue = state.open_issue(repo, "ada", "It errs")
    sha = repo.git.resolve("main")
    assert sha is not None
    check = state.ci.job(
        repo, state.ci.workflow_run(repo, sha, "main", name="CI"), "test", conclusion="failure"
    )
    state.push(repo, "work", {"b": "b"})
    pull = state.open_pull_request(repo, "ada", "Change", head="work")
    return [
        server.comment(issue, "ada", "/fix"),
        *server.check_events(repo, check),
        server.pushed(repo, "work", "ada"),
        server.merged(pull, "ada"),
    ]


def paths(value: object, *before: str) -> Iterator[tuple[str, ...]]:
    """Yield where there is something in an object of JSON."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield (*before, name)
            yield from paths(part, *before, name)


def test_only_what_an_event_means_is_asked_for(tmp_path: Path) -> None:
    """Each field of each recorded webhook in turn is missing, then null."""
    for event in recorded(tmp_path):
        intact = parse_event(event.name, json.dumps(event.payload).encode())
        assert not isinstance(intact, Unhandled), event.name
        needed = set()
        for *parents, name in paths(event.payload):
            for gone in (True, False):
                changed = copy.deepcopy(event.payload)
                place = changed
                for parent in parents:
                    place = place[parent]
                if gone:
                    del place[name]
                else:
                    place[name] = None
                try:
                    read = parse_event(event.name, json.dumps(changed).encode())
                except MalformedPayload:
                    read = None
                if type(read) is not type(intact):
                    needed.add(".".join((*parents, name)))
        assert needed <= USED[event.name] | WHERE, event.name
