"""Hold the stand-in to GitHub's own description of its API, as githubkit's models know it.

Only tests import this module: githubkit is a development dependency.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NotRequired

from githubkit_schemas.latest import models
from pydantic import TypeAdapter
from typing_extensions import TypedDict

from tests.fakes.github.model import Event, Exchange

_REPO = "/repos/{owner}/{repo}"
_ISSUE = f"{_REPO}/issues/{{issue_number}}"
_COMMENT = f"{_REPO}/issues/comments/{{comment_id}}"
_CHECK = f"{_REPO}/check-runs/{{check_run_id}}"


class GraphQLRequest(TypedDict):
    """What GraphQL is asked; githubkit describes the REST API alone."""

    query: str
    variables: dict[str, Any]


class GraphQLAnswer(TypedDict):
    """What GraphQL answers with status 200."""

    data: NotRequired[dict[str, Any] | None]
    errors: NotRequired[list[dict[str, Any]]]


RESPONSES: dict[tuple[str, str], Any] = {
    ("GET", "/app"): models.Integration,
    (
        "POST",
        "/app-manifests/{code}/conversions",
    ): models.AppManifestsCodeConversionsPostResponse201,
    ("GET", "/app/installations"): list[models.Installation],
    ("GET", "/app/installations/{installation_id}"): models.Installation,
    (
        "POST",
        "/app/installations/{installation_id}/access_tokens",
    ): models.InstallationToken,
    ("GET", "/user"): models.PublicUser,
    ("GET", "/user/installations"): models.UserInstallationsGetResponse200,
    (
        "GET",
        "/user/installations/{installation_id}/repositories",
    ): models.UserInstallationsInstallationIdRepositoriesGetResponse200,
    ("GET", "/app/hook/deliveries"): list[models.HookDeliveryItem],
    ("GET", f"{_REPO}/installation"): models.Installation,
    ("GET", _REPO): models.FullRepository,
    (
        "GET",
        f"{_REPO}/collaborators/{{username}}/permission",
    ): models.RepositoryCollaboratorPermission,
    ("GET", f"{_REPO}/branches/{{branch}}"): models.BranchWithProtection,
    ("GET", f"{_REPO}/commits"): list[models.Commit],
    ("GET", f"{_REPO}/commits/{{ref}}"): models.Commit,
    ("GET", f"{_REPO}/compare/{{basehead}}"): models.CommitComparison,
    ("GET", f"{_REPO}/contents/{{path}}"): models.ContentTree
    | list[models.ContentDirectoryItems]
    | models.ContentFile
    | models.ContentSymlink
    | models.ContentSubmodule,
    ("GET", f"{_REPO}/issues"): list[models.Issue],
    ("POST", f"{_REPO}/issues"): models.Issue,
    ("GET", _ISSUE): models.Issue,
    ("PATCH", _ISSUE): models.Issue,
    (
        "GET",
        "/installation/repositories",
    ): models.InstallationRepositoriesGetResponse200,
    ("GET", f"{_REPO}/issues/comments"): list[models.IssueComment],
    ("GET", f"{_ISSUE}/comments"): list[models.IssueComment],
    ("POST", f"{_ISSUE}/comments"): models.IssueComment,
    ("POST", f"{_ISSUE}/reactions"): models.Reaction,
    ("POST", f"{_ISSUE}/labels"): list[models.Label],
    ("POST", f"{_ISSUE}/assignees"): models.Issue,
    ("GET", f"{_REPO}/labels"): list[models.Label],
    ("GET", _COMMENT): models.IssueComment,
    ("PATCH", _COMMENT): models.IssueComment,
    ("POST", f"{_COMMENT}/reactions"): models.Reaction,
    ("GET", f"{_REPO}/pulls"): list[models.PullRequestSimple],
    ("POST", f"{_REPO}/pulls"): models.PullRequest,
    ("GET", f"{_REPO}/pulls/{{pull_number}}"): models.PullRequest,
    ("PATCH", f"{_REPO}/pulls/{{pull_number}}"): models.PullRequest,
    (
        "POST",
        f"{_REPO}/pulls/{{pull_number}}/requested_reviewers",
    ): models.PullRequestSimple,
    ("GET", f"{_REPO}/pulls/{{pull_number}}/files"): list[models.DiffEntry],
    ("GET", f"{_REPO}/pulls/{{pull_number}}/reviews"): list[models.PullRequestReview],
    ("POST", f"{_REPO}/pulls/{{pull_number}}/reviews"): models.PullRequestReview,
    (
        "GET",
        f"{_REPO}/pulls/{{pull_number}}/reviews/{{review_id}}/comments",
    ): list[models.ReviewComment],
    ("GET", f"{_REPO}/pulls/{{pull_number}}/comments"): list[models.PullRequestReviewComment],
    (
        "POST",
        f"{_REPO}/pulls/{{pull_number}}/comments/{{comment_id}}/replies",
    ): models.PullRequestReviewComment,
    ("POST", "/graphql"): GraphQLAnswer,
    ("POST", f"{_REPO}/git/blobs"): models.ShortBlob,
    ("GET", f"{_REPO}/git/blobs/{{file_sha}}"): models.Blob,
    ("POST", f"{_REPO}/git/trees"): models.GitTree,
    ("GET", f"{_REPO}/git/trees/{{tree_sha}}"): models.GitTree,
    ("POST", f"{_REPO}/git/commits"): models.GitCommit,
    ("GET", f"{_REPO}/git/commits/{{commit_sha}}"): models.GitCommit,
    ("GET", f"{_REPO}/git/ref/{{ref}}"): models.GitRef,
    ("POST", f"{_REPO}/git/refs"): models.GitRef,
    ("PATCH", f"{_REPO}/git/refs/{{ref}}"): models.GitRef,
    ("POST", f"{_REPO}/check-runs"): models.CheckRun,
    ("GET", _CHECK): models.CheckRun,
    ("PATCH", _CHECK): models.CheckRun,
    ("GET", f"{_CHECK}/annotations"): list[models.CheckAnnotation],
    (
        "GET",
        f"{_REPO}/commits/{{ref}}/check-runs",
    ): models.ReposOwnerRepoCommitsRefCheckRunsGetResponse200,
    (
        "GET",
        f"{_REPO}/commits/{{ref}}/check-suites",
    ): models.ReposOwnerRepoCommitsRefCheckSuitesGetResponse200,
    ("GET", f"{_REPO}/commits/{{ref}}/status"): models.CombinedCommitStatus,
    ("GET", f"{_REPO}/commits/{{commit_sha}}/pulls"): list[models.PullRequestSimple],
    ("GET", f"{_REPO}/actions/runs"): models.ReposOwnerRepoActionsRunsGetResponse200,
    ("GET", f"{_REPO}/actions/runs/{{run_id}}"): models.WorkflowRun,
    (
        "GET",
        f"{_REPO}/actions/runs/{{run_id}}/jobs",
    ): models.ReposOwnerRepoActionsRunsRunIdJobsGetResponse200,
    ("POST", f"{_REPO}/actions/runs/{{run_id}}/rerun-failed-jobs"): models.EmptyObject,
    ("GET", f"{_REPO}/actions/jobs/{{job_id}}"): models.Job,
    (
        "GET",
        f"{_REPO}/actions/runs/{{run_id}}/artifacts",
    ): models.ReposOwnerRepoActionsRunsRunIdArtifactsGetResponse200,
}
REQUESTS: dict[tuple[str, str], Any] = {
    (
        "POST",
        "/app/installations/{installation_id}/access_tokens",
    ): models.AppInstallationsInstallationIdAccessTokensPostBody,
    ("POST", f"{_REPO}/issues"): models.ReposOwnerRepoIssuesPostBody,
    ("PATCH", _ISSUE): models.ReposOwnerRepoIssuesIssueNumberPatchBody,
    ("POST", f"{_ISSUE}/comments"): models.ReposOwnerRepoIssuesIssueNumberCommentsPostBody,
    ("POST", f"{_ISSUE}/reactions"): models.ReposOwnerRepoIssuesIssueNumberReactionsPostBody,
    ("POST", f"{_ISSUE}/labels"): models.ReposOwnerRepoIssuesIssueNumberLabelsPostBodyOneof0,
    ("POST", f"{_ISSUE}/assignees"): models.ReposOwnerRepoIssuesIssueNumberAssigneesPostBody,
    ("PATCH", _COMMENT): models.ReposOwnerRepoIssuesCommentsCommentIdPatchBody,
    (
        "POST",
        f"{_COMMENT}/reactions",
    ): models.ReposOwnerRepoIssuesCommentsCommentIdReactionsPostBody,
    ("POST", f"{_REPO}/pulls"): models.ReposOwnerRepoPullsPostBody,
    (
        "PATCH",
        f"{_REPO}/pulls/{{pull_number}}",
    ): models.ReposOwnerRepoPullsPullNumberPatchBody,
    (
        "POST",
        f"{_REPO}/pulls/{{pull_number}}/reviews",
    ): models.ReposOwnerRepoPullsPullNumberReviewsPostBody,
    (
        "POST",
        f"{_REPO}/pulls/{{pull_number}}/requested_reviewers",
    ): models.ReposOwnerRepoPullsPullNumberRequestedReviewersPostBodyAnyof0,
    (
        "POST",
        f"{_REPO}/pulls/{{pull_number}}/comments/{{comment_id}}/replies",
    ): models.ReposOwnerRepoPullsPullNumberCommentsCommentIdRepliesPostBody,
    ("POST", "/graphql"): GraphQLRequest,
    ("POST", f"{_REPO}/git/blobs"): models.ReposOwnerRepoGitBlobsPostBody,
    ("POST", f"{_REPO}/git/trees"): models.ReposOwnerRepoGitTreesPostBody,
    ("POST", f"{_REPO}/git/commits"): models.ReposOwnerRepoGitCommitsPostBody,
    ("POST", f"{_REPO}/git/refs"): models.ReposOwnerRepoGitRefsPostBody,
    ("PATCH", f"{_REPO}/git/refs/{{ref}}"): models.ReposOwnerRepoGitRefsRefPatchBody,
    (
        "POST",
        f"{_REPO}/actions/runs/{{run_id}}/rerun-failed-jobs",
    ): models.ReposOwnerRepoActionsRunsRunIdRerunFailedJobsPostBody,
    ("POST", f"{_REPO}/check-runs"): models.ReposOwnerRepoCheckRunsPostBodyOneof0
    | models.ReposOwnerRepoCheckRunsPostBodyOneof1,
    ("PATCH", _CHECK): models.ReposOwnerRepoCheckRunsCheckRunIdPatchBodyAnyof0
    | models.ReposOwnerRepoCheckRunsCheckRunIdPatchBodyAnyof1,
}
EVENTS: dict[tuple[str, str | None], Any] = {
    ("issue_comment", "created"): models.WebhookIssueCommentCreated,
    ("issue_comment", "edited"): models.WebhookIssueCommentEdited,
    ("issues", "opened"): models.WebhookIssuesOpened,
    ("pull_request", "opened"): models.WebhookPullRequestOpened,
    ("pull_request", "closed"): models.WebhookPullRequestClosed,
    ("pull_request", "reopened"): models.WebhookPullRequestReopened,
    ("pull_request", "synchronize"): models.WebhookPullRequestSynchronize,
    ("pull_request", "edited"): models.WebhookPullRequestEdited,
    ("pull_request", "ready_for_review"): models.WebhookPullRequestReadyForReview,
    ("pull_request", "labeled"): models.WebhookPullRequestLabeled,
    ("pull_request", "unlabeled"): models.WebhookPullRequestUnlabeled,
    ("pull_request_review_comment", "created"): models.WebhookPullRequestReviewCommentCreated,
    ("pull_request_review", "submitted"): models.WebhookPullRequestReviewSubmitted,
    ("merge_group", "checks_requested"): models.WebhookMergeGroupChecksRequested,
    ("merge_group", "destroyed"): models.WebhookMergeGroupDestroyed,
    ("push", None): models.WebhookPush,
    ("repository", "renamed"): models.WebhookRepositoryRenamed,
    ("check_run", "completed"): models.WebhookCheckRunCompleted,
    ("check_run", "requested_action"): models.WebhookCheckRunRequestedAction,
    ("check_run", "rerequested"): models.WebhookCheckRunRerequested,
    ("check_suite", "completed"): models.WebhookCheckSuiteCompleted,
    ("workflow_run", "completed"): models.WebhookWorkflowRunCompleted,
    ("workflow_job", "completed"): models.WebhookWorkflowJobCompleted,
    ("status", None): models.WebhookStatus,
    ("installation", "created"): models.WebhookInstallationCreated,
    ("ping", None): models.WebhookPing,
}
NO_CONTENT = 204


def check_exchanges(exchanges: Iterable[Exchange]) -> None:
    """Raise `pydantic.ValidationError` where a successful exchange is not as GitHub describes."""
    for exchange in exchanges:
        key = (exchange.method, exchange.route)
        if exchange.status >= 300 or exchange.response in (None, {}):
            continue
        TypeAdapter(RESPONSES[key]).validate_python(exchange.response)
        if exchange.request is not None:
            TypeAdapter(REQUESTS[key]).validate_python(exchange.request)


def check_event(event: Event) -> None:
    """Raise `pydantic.ValidationError` for a payload that is not as GitHub describes."""
    TypeAdapter(EVENTS[event.name, event.payload.get("action")]).validate_python(event.payload)
