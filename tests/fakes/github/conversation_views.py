"""How the API shows issues, pull requests, comments and reactions."""

from __future__ import annotations

from collections.abc import Iterable

from tests.fakes.github.account_views import Json, node, stamp
from tests.fakes.github.model import Account, Branches, Comment, Issue, Reaction, Repository
from tests.fakes.github.repository_views import RepositoryViews

REACTIONS = ("+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes")


class ConversationViews(RepositoryViews):
    """Adds conversations."""

    def issue(self, issue: Issue) -> Json:
        """Show `issue`."""
        url = f"{self.repo_url(issue.repo)}/issues/{issue.number}"
        answer: Json = {
            "id": issue.id,
            "node_id": node("PR", issue.pull.id) if issue.pull else node("I", issue.id),
            "url": url,
            "repository_url": self.repo_url(issue.repo),
            "labels_url": f"{url}/labels{{/name}}",
            "comments_url": f"{url}/comments",
            "events_url": f"{url}/events",
            "timeline_url": f"{url}/timeline",
            "html_url": self.page(issue),
            "number": issue.number,
            "state": issue.state,
            "state_reason": None,
            "title": issue.title,
            "body": issue.body,
            "user": self.user(issue.author),
            "labels": [self.label(issue.repo, label) for label in issue.labels],
            "assignee": None,
            "assignees": [self.user(account) for account in issue.assignees],
            "milestone": None,
            "locked": False,
            "active_lock_reason": None,
            "comments": len(issue.comments),
            "closed_at": None if issue.state == "open" else stamp(issue.updated_at),
            "closed_by": None,
            "created_at": stamp(issue.created_at),
            "updated_at": stamp(issue.updated_at),
            "author_association": self.association(issue.repo, issue.author),
            "reactions": self.rollup(url, issue.reactions),
            "performed_via_github_app": self.app() if issue.by_app else None,
        }
        if issue.pull is not None:
            pull = f"{self.repo_url(issue.repo)}/pulls/{issue.number}"
            answer["draft"] = issue.pull.draft
            answer["pull_request"] = {
                "url": pull,
                "html_url": self.page(issue),
                "diff_url": f"{self.page(issue)}.diff",
                "patch_url": f"{self.page(issue)}.patch",
                "merged_at": None,
            }
        return answer

    def page(self, issue: Issue) -> str:
        """Return the address that a person opens."""
        kind = "issues" if issue.pull is None else "pull"
        return f"{self.web}/{issue.repo.full_name}/{kind}/{issue.number}"

    def comment(self, issue: Issue, comment: Comment) -> Json:
        """Show `issue-comment`."""
        url = f"{self.repo_url(issue.repo)}/issues/comments/{comment.id}"
        return {
            "id": comment.id,
            "node_id": node("IC", comment.id),
            "url": url,
            "html_url": f"{self.page(issue)}#issuecomment-{comment.id}",
            "issue_url": f"{self.repo_url(issue.repo)}/issues/{issue.number}",
            "user": self.user(comment.author),
            "created_at": stamp(comment.created_at),
            "updated_at": stamp(comment.updated_at),
            "author_association": self.association(issue.repo, comment.author),
            "body": comment.body,
            "reactions": self.rollup(url, comment.reactions),
            "performed_via_github_app": self.app() if comment.by_app else None,
        }

    def reaction(self, reaction: Reaction) -> Json:
        """Show `reaction`."""
        return {
            "id": reaction.id,
            "node_id": node("REA", reaction.id),
            "user": self.user(reaction.user),
            "content": reaction.content,
            "created_at": stamp(reaction.created_at),
        }

    @staticmethod
    def rollup(url: str, reactions: Iterable[Reaction]) -> Json:
        """Show `reaction-rollup`."""
        contents = [reaction.content for reaction in reactions]
        counts = {content: contents.count(content) for content in REACTIONS}
        return {"url": f"{url}/reactions", "total_count": len(contents), **counts}

    @staticmethod
    def association(repo: Repository, account: Account) -> str:
        """Return what an author is to the repository."""
        if account is repo.owner:
            return "OWNER"
        return "COLLABORATOR" if account.login in repo.roles else "NONE"

    def pull_simple(self, issue: Issue, pull: Branches) -> Json:
        """Show `pull-request-simple`."""
        repo = issue.repo
        url = f"{self.repo_url(repo)}/pulls/{issue.number}"
        issue_url = f"{self.repo_url(repo)}/issues/{issue.number}"
        head, base = self.heads(issue, pull)
        links = {
            "self": url,
            "html": self.page(issue),
            "issue": issue_url,
            "comments": f"{issue_url}/comments",
            "review_comments": f"{url}/comments",
            "review_comment": f"{self.repo_url(repo)}/pulls/comments{{/number}}",
            "commits": f"{url}/commits",
            "statuses": f"{self.repo_url(repo)}/statuses/{head}",
        }
        return {
            "url": url,
            "id": pull.id,
            "node_id": node("PR", pull.id),
            "html_url": self.page(issue),
            "diff_url": f"{self.page(issue)}.diff",
            "patch_url": f"{self.page(issue)}.patch",
            "issue_url": issue_url,
            "commits_url": links["commits"],
            "review_comments_url": links["review_comments"],
            "review_comment_url": links["review_comment"],
            "comments_url": links["comments"],
            "statuses_url": links["statuses"],
            "number": issue.number,
            "state": issue.state,
            "locked": False,
            "active_lock_reason": None,
            "title": issue.title,
            "body": issue.body,
            "user": self.user(issue.author),
            "labels": [self.label(repo, label) for label in issue.labels],
            "milestone": None,
            "created_at": stamp(issue.created_at),
            "updated_at": stamp(issue.updated_at),
            "closed_at": None if issue.state == "open" else stamp(issue.updated_at),
            "merged_at": stamp(issue.updated_at) if pull.merge_commit else None,
            "merge_commit_sha": pull.merge_commit,
            "assignee": None,
            "assignees": [],
            "requested_reviewers": [self.user(account) for account in pull.reviewers],
            "requested_teams": [],
            "head": self._side(pull.head_repo, pull.head_ref, head, issue.author),
            "base": self._side(repo, pull.base_ref, base, repo.owner),
            "_links": {name: {"href": href} for name, href in links.items()},
            "author_association": self.association(repo, issue.author),
            "auto_merge": None,
            "draft": pull.draft,
        }

    def pull(self, issue: Issue, pull: Branches) -> Json:
        """Show `pull-request`."""
        head, base = self.heads(issue, pull)
        changes = issue.repo.git.changes(base, head)
        mergeable = _mergeable(issue, pull, head, base)
        return {
            **self.pull_simple(issue, pull),
            "merged": pull.merge_commit is not None,
            "mergeable": mergeable,
            "rebaseable": mergeable,
            "mergeable_state": _mergeable_state(pull, mergeable),
            "merged_by": self.user(issue.repo.owner) if pull.merge_commit else None,
            "comments": len(issue.comments),
            "review_comments": 0,
            "maintainer_can_modify": pull.maintainer_can_modify,
            "commits": issue.repo.git.count(base, head),
            "additions": sum(added for _, added, _ in changes),
            "deletions": sum(deleted for _, _, deleted in changes),
            "changed_files": len(changes),
        }

    @staticmethod
    def heads(issue: Issue, pull: Branches) -> tuple[str, str]:
        """Return the head and base commit."""
        git = issue.repo.git
        head = git.reference(f"refs/pull/{issue.number}/head") or ""
        return head, git.reference(f"refs/heads/{pull.base_ref}") or ""

    def _side(self, repo: Repository | None, ref: str, sha: str, author: Account) -> Json:
        owner = repo.owner if repo else author
        return {
            "label": f"{owner.login}:{ref}",
            "ref": ref,
            "sha": sha,
            "user": self.user(owner),
            "repo": self.repository(repo) if repo else None,
        }


def _mergeable(issue: Issue, pull: Branches, head: str, base: str) -> bool | None:
    """Return whether a pull request merges: None until a test merge of these commits was asked for.

    GitHub makes it in the background once somebody looks.
    """
    if issue.state != "open" or not head or not base:
        return None
    known = pull.tested == (head, base)
    pull.tested = (head, base)
    return issue.repo.git.merges(base, head) if known else None


def _mergeable_state(pull: Branches, mergeable: bool | None) -> str:  # noqa: FBT001 - GitHub's field
    if mergeable is None:
        return "unknown"
    if not mergeable:
        return "dirty"
    return "draft" if pull.draft else "clean"
