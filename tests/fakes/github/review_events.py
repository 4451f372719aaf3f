"""Webhooks of reviews: what people say at lines of a pull request, or about all of it."""

from __future__ import annotations

from collections.abc import Sequence

from tests.fakes.github.account_views import stamp
from tests.fakes.github.events import context
from tests.fakes.github.model import Account, Event, Issue, ReviewThread
from tests.fakes.github.views import Json, Views, node


def review_comment(
    views: Views,
    issue: Issue,
    author: Account,
    body: str,
    *,
    path: str = "",
    review: int | None = None,
    answers: int | None = None,
) -> Json:
    """Say something at the first line of a file of a pull request, in a thread; return it."""
    assert issue.pull is not None
    thread = None if answers is None else issue.pull.thread_of(answers)
    number, at = views.state.next_id(), stamp(views.state.now())
    head, base = views.heads(issue, issue.pull)
    url = f"{views.repo_url(issue.repo)}/pulls/comments/{number}"
    pull = f"{views.repo_url(issue.repo)}/pulls/{issue.number}"
    page = f"{views.page(issue)}#discussion_r{number}"
    if thread is None:
        path = path or issue.repo.git.changes(base, head)[0][0]
        thread = ReviewThread(views.state.next_id(), path, [])
        issue.pull.threads.append(thread)
    comment: Json = {
        "id": number,
        "node_id": node("PRRC", number),
        "url": url,
        "html_url": page,
        "pull_request_url": pull,
        "pull_request_review_id": review or views.state.next_id(),
        "_links": {
            "self": {"href": url},
            "html": {"href": page},
            "pull_request": {"href": pull},
        },
        "path": thread.path,
        "diff_hunk": "@@ -1 +1 @@",
        "commit_id": head,
        "original_commit_id": head,
        "side": "RIGHT",
        "line": 1,
        "original_line": 1,
        "start_line": None,
        "original_start_line": None,
        "start_side": None,
        "position": 1,
        "original_position": 1,
        "subject_type": "line",
        "user": views.user(author),
        "author_association": views.association(issue.repo, author),
        "body": body,
        "created_at": at,
        "updated_at": at,
        "reactions": views.rollup(url, ()),
    }
    if thread.comments:
        comment["in_reply_to_id"] = thread.comments[0]["id"]
    thread.comments.append(comment)
    return comment


def review_comment_event(
    views: Views, issue: Issue, author: Account, body: str, answers: int | None = None
) -> Event:
    """Return `pull_request_review_comment` of a new remark."""
    comment = review_comment(views, issue, author, body, answers=answers)
    about = {"action": "created", "comment": comment}
    return Event("pull_request_review_comment", _of(views, issue, author, about))


def review_event(
    views: Views,
    issue: Issue,
    author: Account,
    body: str,
    state: str = "commented",
    remarks: Sequence[str | tuple[str, str]] = (),
) -> Event:
    """Return `pull_request_review` of a review that was submitted.

    Its remarks are at the first line of a file: the first one that is changed, or `(path, remark)`.
    """
    assert issue.pull is not None
    number = views.state.next_id()
    for remark in remarks:
        path, text = ("", remark) if isinstance(remark, str) else remark
        review_comment(views, issue, author, text, path=path, review=number)
    head, _ = views.heads(issue, issue.pull)
    pull = f"{views.repo_url(issue.repo)}/pulls/{issue.number}"
    page = f"{views.page(issue)}#pullrequestreview-{number}"
    review: Json = {
        "id": number,
        "node_id": node("PRR", number),
        "user": views.user(author),
        "body": body,
        "state": state,
        "html_url": page,
        "pull_request_url": pull,
        "_links": {"html": {"href": page}, "pull_request": {"href": pull}},
        "submitted_at": stamp(views.state.now()),
        "commit_id": head,
        "author_association": views.association(issue.repo, author),
    }
    about = {"action": "submitted", "review": review}
    return Event("pull_request_review", _of(views, issue, author, about))


def _of(views: Views, issue: Issue, author: Account, about: Json) -> Json:
    assert issue.pull is not None
    pull = views.pull_simple(issue, issue.pull)
    return {**about, "pull_request": pull, **context(views, issue.repo, author)}
