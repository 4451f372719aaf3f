"""Endpoints of what a pull request shows, and of reviews of it."""

from __future__ import annotations

import re
from typing import Literal

from tests.fakes.github.account_views import stamp
from tests.fakes.github.endpoint import Call, Endpoint, Fields, Needs, Refusal, Reply, not_found
from tests.fakes.github.model import Branches, Issue, Review
from tests.fakes.github.review_events import review_comment
from tests.fakes.github.views import Json, node

READ: Needs = ({"pull_requests": "read"},)
WRITE: Needs = ({"pull_requests": "write"},)


class LineComment(Fields):
    """A remark at lines of the new side."""

    path: str
    body: str
    line: int
    side: Literal["RIGHT"]
    start_line: int | None = None
    start_side: Literal["RIGHT"] | None = None


class NewReply(Fields):
    """An answer in a thread."""

    body: str


class NewReview(Fields):
    """A review to submit."""

    commit_id: str
    body: str
    event: Literal["COMMENT"]
    comments: list[LineComment]


def list_files(call: Call) -> Reply:
    """List the files that a pull request changes, each with its hunks."""
    issue, pull = _pull(call)
    head, base = call.views.heads(issue, pull)
    changed = issue.repo.git.changes(base, head)
    show = call.views.changed_file
    return call.page(changed, lambda change: show(issue.repo, base, head, change))


def list_reviews(call: Call) -> Reply:
    """List the reviews of a pull request, oldest first."""
    issue, pull = _pull(call)
    return call.page(pull.reviews, lambda review: _shown(call, issue, review))


def list_remarks(call: Call) -> Reply:
    """List what a review says at lines, in order."""
    _, pull = _pull(call)
    review = call.number("review_id")
    said = [item for item in pull.remarks if item["pull_request_review_id"] == review]
    return call.page(said, lambda remark: remark)


def list_all_remarks(call: Call) -> Reply:
    """List all review comments of a pull request, oldest first."""
    _, pull = _pull(call)
    return call.page(pull.remarks, lambda remark: remark)


def create_reply(call: Call) -> Reply:
    """Answer the comment that began a thread, as the App's bot."""
    issue, pull = _pull(call)
    comment = call.number("comment_id")
    thread = pull.thread_of(comment)
    if thread is None or thread.comments[0]["id"] != comment:
        raise not_found()
    body = call.given(NewReply).body
    said = review_comment(call.views, issue, call.state.app.bot, body, answers=comment)
    return Reply(201, said)


def create_review(call: Call) -> Reply:
    """Submit a review as the App's bot; its comments are at lines that are shown."""
    issue, pull = _pull(call)
    head, base = call.views.heads(issue, pull)
    new = call.given(NewReview)
    for comment in new.comments:
        hunks = _hunks(issue.repo.git.difference(base, head, comment.path))
        lines = {comment.line, comment.start_line or comment.line}
        if new.commit_id != head or not any(lines <= set(hunk) for hunk in hunks):
            raise Refusal(422, "Unprocessable Entity", errors=["Line could not be resolved"])
    review = Review(
        call.state.next_id(),
        call.state.app.bot,
        new.commit_id,
        new.body,
        [comment.model_dump(exclude_none=True) for comment in new.comments],
        call.state.now(),
    )
    pull.reviews.append(review)
    return Reply(200, _shown(call, issue, review))


def _hunks(patch: str) -> list[range]:
    found = re.findall(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", patch, re.MULTILINE)
    return [range(int(at), int(at) + int(size or 1)) for at, size in found]


def _shown(call: Call, issue: Issue, review: Review) -> Json:
    page = f"{call.views.page(issue)}#pullrequestreview-{review.id}"
    pull = f"{call.views.repo_url(issue.repo)}/pulls/{issue.number}"
    return {
        "id": review.id,
        "node_id": node("PRR", review.id),
        "user": call.views.user(review.author),
        "body": review.body,
        "state": "COMMENTED",
        "html_url": page,
        "pull_request_url": pull,
        "_links": {"html": {"href": page}, "pull_request": {"href": pull}},
        "submitted_at": stamp(review.submitted_at),
        "commit_id": review.commit,
        "author_association": "NONE",
    }


def _pull(call: Call) -> tuple[Issue, Branches]:
    issue = call.repo.issues.get(call.number("pull_number"))
    if issue is None or issue.pull is None:
        raise not_found()
    return issue, issue.pull


_PULL = "/repos/{owner}/{repo}/pulls/{pull_number}"

ENDPOINTS = (
    Endpoint("GET", f"{_PULL}/files", list_files, READ),
    Endpoint("GET", f"{_PULL}/reviews", list_reviews, READ),
    Endpoint("GET", f"{_PULL}/reviews/{{review_id}}/comments", list_remarks, READ),
    Endpoint("GET", f"{_PULL}/comments", list_all_remarks, READ),
    Endpoint("POST", f"{_PULL}/comments/{{comment_id}}/replies", create_reply, WRITE, NewReply),
    Endpoint("POST", f"{_PULL}/reviews", create_review, WRITE, NewReview),
)
