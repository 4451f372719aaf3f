"""Endpoints of pull requests."""

from __future__ import annotations

from typing import Literal

from tests.fakes.github.endpoint import (
    Call,
    Endpoint,
    Fields,
    Needs,
    Refusal,
    Reply,
    invalid,
    not_found,
)
from tests.fakes.github.events import pull_request_event
from tests.fakes.github.issues import checked_body
from tests.fakes.github.model import Branches, Issue, Repository

READ: Needs = ({"pull_requests": "read"},)
WRITE: Needs = ({"pull_requests": "write"},)


class NewPull(Fields):
    """A pull request to open."""

    title: str
    head: str
    base: str
    body: str | None = None
    draft: bool = False
    maintainer_can_modify: bool = False


class PullChange(Fields):
    """What of a pull request to change."""

    title: str | None = None
    body: str | None = None
    state: Literal["open", "closed"] | None = None
    base: str | None = None
    maintainer_can_modify: bool | None = None


class WantedReviewers(Fields):
    """Whose review is asked for."""

    reviewers: list[str]


def list_pulls(call: Call) -> Reply:
    """List pull requests, newest first."""
    state, head = call.query.get("state", "open"), call.query.get("head", "")
    chosen = [
        issue
        for issue in call.repo.pulls()
        if state in {"all", issue.state} and (":" not in head or _label(issue) == head)
    ]
    return call.page(chosen, lambda issue: call.views.pull_simple(*_pull_of(issue)))


def create_pull(call: Call) -> Reply:
    """Open a pull request as the App's bot."""
    repo, new = call.repo, call.given(NewPull)
    head_repo, branch = _head(call, repo, new.head)
    head = head_repo.git.reference(f"refs/heads/{branch}")
    base = repo.git.reference(f"refs/heads/{new.base}")
    if head is None:
        raise invalid("PullRequest", "head", "invalid")
    if base is None:
        raise invalid("PullRequest", "base", "invalid")
    _refuse_needless(repo, head_repo, branch, new)
    if new.draft and not repo.drafts:
        raise Refusal(422, "Draft pull requests are not supported in this repository.")
    issue = call.state.open_pull_request(
        repo,
        call.state.app.bot,
        new.title,
        head=branch,
        base=new.base,
        body=checked_body("PullRequest", new.body) if new.body else None,
        head_repo=head_repo,
        draft=new.draft,
        maintainer_can_modify=new.maintainer_can_modify,
    )
    call.state.outbox.append(pull_request_event(call.views, issue, "opened"))
    return Reply(201, call.views.pull(*_pull_of(issue)))


def show_pull(call: Call) -> Reply:
    """Show a pull request."""
    return Reply(200, call.views.pull(*_pull(call)))


def change_pull(call: Call) -> Reply:
    """Change title, body, state or base."""
    issue, pull = _pull(call)
    change = call.given(PullChange)
    issue.title = change.title if change.title is not None else issue.title
    issue.body = change.body if change.body is not None else issue.body
    issue.state = change.state or issue.state
    pull.base_ref = change.base or pull.base_ref
    issue.updated_at = call.state.now()
    return Reply(200, call.views.pull(issue, pull))


def request_reviews(call: Call) -> Reply:
    """Ask people for a review; GitHub takes those alone who may read the repository."""
    issue, pull = _pull(call)
    for login in call.given(WantedReviewers).reviewers:
        account = call.state.accounts.get(login)
        if account is None or call.repo.role(account) == "none":
            raise Refusal(
                422, f"Reviews may only be requested from collaborators. {login} is none."
            )
        if account not in pull.reviewers:
            pull.reviewers.append(account)
    return Reply(201, call.views.pull_simple(issue, pull))


def _refuse_needless(repo: Repository, head_repo: Repository, branch: str, new: NewPull) -> None:
    label = f"{head_repo.owner.login}:{branch}"
    if any(_label(pull) == label and pull.state == "open" for pull in repo.pulls()):
        message = f"A pull request already exists for {label}."
        raise _custom(message)
    if head_repo is repo and repo.git.count(f"refs/heads/{new.base}", f"refs/heads/{branch}") == 0:
        raise _custom(f"No commits between {new.base} and {new.head}")


def _custom(message: str) -> Refusal:
    error = {"resource": "PullRequest", "code": "custom", "message": message}
    return Refusal(422, "Validation Failed", errors=[error])


def _head(call: Call, repo: Repository, head: str) -> tuple[Repository, str]:
    owner, colon, branch = head.partition(":")
    if not colon:
        return repo, head
    for candidate in (repo, *call.state.repositories.values()):
        if candidate.owner.login == owner and candidate in {repo, *_forks(call, repo)}:
            return candidate, branch
    raise invalid("PullRequest", "head", "invalid")


def _forks(call: Call, repo: Repository) -> list[Repository]:
    return [
        repository for repository in call.state.repositories.values() if repository.parent is repo
    ]


def _label(issue: Issue) -> str:
    pull = issue.pull
    owner = pull.head_repo.owner.login if pull and pull.head_repo else "unknown"
    return f"{owner}:{pull.head_ref if pull else ''}"


def _pull(call: Call) -> tuple[Issue, Branches]:
    issue = call.repo.issues.get(call.number("pull_number"))
    if issue is None:
        raise not_found()
    return _pull_of(issue)


def _pull_of(issue: Issue) -> tuple[Issue, Branches]:
    if issue.pull is None:
        raise not_found()
    return issue, issue.pull


ENDPOINTS = (
    Endpoint("GET", "/repos/{owner}/{repo}/pulls", list_pulls, READ),
    Endpoint("POST", "/repos/{owner}/{repo}/pulls", create_pull, WRITE, NewPull),
    Endpoint("GET", "/repos/{owner}/{repo}/pulls/{pull_number}", show_pull, READ),
    Endpoint("PATCH", "/repos/{owner}/{repo}/pulls/{pull_number}", change_pull, WRITE, PullChange),
    Endpoint(
        "POST",
        "/repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers",
        request_reviews,
        WRITE,
        WantedReviewers,
    ),
)
