"""Endpoints of conversations: issues, comments, reactions, labels."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from tests.fakes.github.credentials import AsInstallation
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
from tests.fakes.github.events import comment_event
from tests.fakes.github.model import Comment, Issue

READ: Needs = ({"issues": "read"}, {"pull_requests": "read"})
WRITE: Needs = ({"issues": "write"}, {"pull_requests": "write"})

LONGEST_BODY = 65536
"""Characters that a comment or description may have."""


class Text(Fields):
    """A comment."""

    body: str


class NewIssue(Fields):
    """An issue."""

    title: str
    body: str
    labels: tuple[str, ...] = ()


class IssueChange(Fields):
    """A change of an issue."""

    state: Literal["open", "closed"]


class ReactionRequest(Fields):
    """A reaction."""

    content: Literal["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"]


class Logins(Fields):
    """Whom to assign."""

    assignees: list[str]


class LabelNames(Fields):
    """Labels to add."""

    labels: list[str]


def show_issue(call: Call) -> Reply:
    """Show an issue or pull request."""
    return Reply(200, call.views.issue(call.issue))


def list_issues(call: Call) -> Reply:
    """List issues and pull requests, the newest first."""
    state, creator = call.query.get("state", "open"), call.query.get("creator")
    found = [
        issue
        for issue in call.repo.issues.values()
        if state in {"all", issue.state} and creator in {None, issue.author.login}
    ]
    return call.page(found[::-1], call.views.issue)


def create_issue(call: Call) -> Reply:
    """Open an issue as the App's bot."""
    given = call.given(NewIssue)
    if not given.title.strip():
        raise invalid("Issue", "title", "missing_field")
    body = checked_body("Issue", given.body)
    issue = call.state.open_issue(call.repo, call.state.app.bot, given.title, body)
    issue.labels = [call.state.label(call.repo, name) for name in given.labels]
    return Reply(201, call.views.issue(issue))


def change_issue(call: Call) -> Reply:
    """Open or close an issue or pull request."""
    issue = call.issue
    _must_allow(call, issue, "write")
    issue.state = call.given(IssueChange).state
    issue.updated_at = call.state.now()
    return Reply(200, call.views.issue(issue))


def list_comments(call: Call) -> Reply:
    """List comments, oldest first."""
    issue = call.issue
    return call.page(issue.comments, lambda comment: call.views.comment(issue, comment))


def list_all_comments(call: Call) -> Reply:
    """List comments of all threads that changed since a moment, oldest change first."""
    since = datetime.fromisoformat(call.query.get("since", "1970-01-01T00:00:00Z"))
    found = [
        (issue, comment)
        for issue in call.repo.issues.values()
        for comment in issue.comments
        if comment.updated_at >= since
    ]
    ordered = sorted(found, key=lambda item: (item[1].updated_at, item[1].id))
    return call.page(ordered, lambda item: call.views.comment(*item))


def create_comment(call: Call) -> Reply:
    """Write a comment as the App's bot."""
    issue = call.issue
    _must_allow(call, issue, "write")
    body = checked_body("IssueComment", call.given(Text).body)
    comment = call.state.add_comment(issue, call.state.app.bot, body)
    call.state.outbox.append(comment_event(call.views, issue, comment, "created"))
    return Reply(201, call.views.comment(issue, comment))


def show_comment(call: Call) -> Reply:
    """Show one comment."""
    return Reply(200, call.views.comment(*_comment(call)))


def edit_comment(call: Call) -> Reply:
    """Replace the text of a comment."""
    issue, comment = _comment(call)
    _must_allow(call, issue, "write")
    body = checked_body("IssueComment", call.given(Text).body)
    call.state.edit_comment(comment, body, call.state.app.bot)
    call.state.outbox.append(comment_event(call.views, issue, comment, "edited"))
    return Reply(200, call.views.comment(issue, comment))


def delete_comment(call: Call) -> Reply:
    """Delete a comment."""
    issue, comment = _comment(call)
    _must_allow(call, issue, "write")
    issue.comments.remove(comment)
    call.state.outbox.append(comment_event(call.views, issue, comment, "deleted"))
    return Reply(204)


def react_to_issue(call: Call) -> Reply:
    """React to an issue."""
    return _react(call, call.issue, call.issue)


def react_to_comment(call: Call) -> Reply:
    """React to a comment."""
    return _react(call, *_comment(call))


def add_labels(call: Call) -> Reply:
    """Add labels, making those that are missing."""
    issue = call.issue
    _must_allow(call, issue, "write")
    for name in call.given(LabelNames).labels:
        if not name.strip() or len(name) > 50:
            raise invalid("Label", "name", "invalid")
        label = call.state.label(issue.repo, name)
        if label not in issue.labels:
            issue.labels.append(label)
    return Reply(200, [call.views.label(issue.repo, label) for label in issue.labels])


def assign(call: Call) -> Reply:
    """Assign people; GitHub leaves out those who may not be."""
    issue = call.issue
    _must_allow(call, issue, "write")
    for login in call.given(Logins).assignees:
        account = call.state.accounts.get(login)
        if account is None or call.repo.role(account) in {"none", "read"}:
            continue
        if account not in issue.assignees:
            issue.assignees.append(account)
    return Reply(201, call.views.issue(issue))


def list_labels(call: Call) -> Reply:
    """List a repository's labels."""
    repo = call.repo
    return call.page(list(repo.labels.values()), lambda label: call.views.label(repo, label))


def checked_body(resource: str, body: str) -> str:
    """Return the text, unless it is empty or too long; raises `Refusal`."""
    if not body.strip():
        raise invalid(resource, "body", "custom", "body cannot be blank")
    if len(body) > LONGEST_BODY:
        message = f"body is too long (maximum is {LONGEST_BODY} characters)"
        raise invalid(resource, "body", "custom", message)
    return body


def _react(call: Call, issue: Issue, to: Issue | Comment) -> Reply:
    _must_allow(call, issue, "write")
    content = call.given(ReactionRequest).content
    reaction, new = call.state.react(to, call.state.app.bot, content)
    return Reply(201 if new else 200, call.views.reaction(reaction))


def _comment(call: Call) -> tuple[Issue, Comment]:
    found = call.state.find_comment(call.repo, call.number("comment_id"))
    if found is None:
        raise not_found()
    return found


def _must_allow(call: Call, issue: Issue, level: str) -> None:
    """Hold issues to `issues` and pull requests to `pull_requests`: one does not open the other."""
    wanted = "issues" if issue.pull is None else "pull_requests"
    if not isinstance(call.caller, AsInstallation) or not call.caller.may(
        issue.repo, wanted, level
    ):
        raise Refusal(
            403,
            "Resource not accessible by integration",
            headers={"X-Accepted-GitHub-Permissions": f"{wanted}={level}"},
        )


_ISSUE = "/repos/{owner}/{repo}/issues/{issue_number}"
_COMMENT = "/repos/{owner}/{repo}/issues/comments/{comment_id}"

ENDPOINTS = (
    Endpoint("GET", "/repos/{owner}/{repo}/issues/comments", list_all_comments, READ),
    Endpoint("GET", _COMMENT, show_comment, READ),
    Endpoint("PATCH", _COMMENT, edit_comment, WRITE, Text),
    Endpoint("DELETE", _COMMENT, delete_comment, WRITE),
    Endpoint("POST", f"{_COMMENT}/reactions", react_to_comment, WRITE, ReactionRequest),
    Endpoint("GET", "/repos/{owner}/{repo}/issues", list_issues, READ),
    Endpoint(
        "POST", "/repos/{owner}/{repo}/issues", create_issue, ({"issues": "write"},), NewIssue
    ),
    Endpoint("GET", _ISSUE, show_issue, READ),
    Endpoint("PATCH", _ISSUE, change_issue, WRITE, IssueChange),
    Endpoint("GET", f"{_ISSUE}/comments", list_comments, READ),
    Endpoint("POST", f"{_ISSUE}/comments", create_comment, WRITE, Text),
    Endpoint("POST", f"{_ISSUE}/reactions", react_to_issue, WRITE, ReactionRequest),
    Endpoint("POST", f"{_ISSUE}/labels", add_labels, WRITE, LabelNames),
    Endpoint("POST", f"{_ISSUE}/assignees", assign, WRITE, Logins),
    Endpoint("GET", "/repos/{owner}/{repo}/labels", list_labels, READ),
)
