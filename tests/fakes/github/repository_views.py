"""How the API shows repositories, roles in them, labels and tokens for them."""

from __future__ import annotations

from tests.fakes.github.account_views import AccountViews, Json, node, stamp
from tests.fakes.github.model import Account, Label, Repository, Token

PERMISSION_OF_ROLE = {
    "admin": "admin",
    "maintain": "write",
    "write": "write",
    "triage": "read",
    "read": "read",
    "none": "none",
}


# suffixes of the URLs that every repository object lists; `{/x}` are GitHub's own templates
_REPOSITORY_URLS = {
    "archive_url": "/{archive_format}{/ref}",
    "assignees_url": "/assignees{/user}",
    "blobs_url": "/git/blobs{/sha}",
    "branches_url": "/branches{/branch}",
    "collaborators_url": "/collaborators{/collaborator}",
    "comments_url": "/comments{/number}",
    "commits_url": "/commits{/sha}",
    "compare_url": "/compare/{base}...{head}",
    "contents_url": "/contents/{+path}",
    "contributors_url": "/contributors",
    "deployments_url": "/deployments",
    "downloads_url": "/downloads",
    "events_url": "/events",
    "forks_url": "/forks",
    "git_commits_url": "/git/commits{/sha}",
    "git_refs_url": "/git/refs{/sha}",
    "git_tags_url": "/git/tags{/sha}",
    "hooks_url": "/hooks",
    "issue_comment_url": "/issues/comments{/number}",
    "issue_events_url": "/issues/events{/number}",
    "issues_url": "/issues{/number}",
    "keys_url": "/keys{/key_id}",
    "labels_url": "/labels{/name}",
    "languages_url": "/languages",
    "merges_url": "/merges",
    "milestones_url": "/milestones{/number}",
    "notifications_url": "/notifications{?since,all,participating}",
    "pulls_url": "/pulls{/number}",
    "releases_url": "/releases{/id}",
    "stargazers_url": "/stargazers",
    "statuses_url": "/statuses/{sha}",
    "subscribers_url": "/subscribers",
    "subscription_url": "/subscription",
    "tags_url": "/tags",
    "teams_url": "/teams",
    "trees_url": "/git/trees{/sha}",
}


class RepositoryViews(AccountViews):
    """Adds repositories."""

    def token(self, token: Token) -> Json:
        """Show `installation-token`."""
        answer: Json = {
            "token": token.value,
            "expires_at": stamp(token.expires_at),
            "permissions": token.permissions,
            "repository_selection": "all" if token.repositories is None else "selected",
        }
        if token.repositories is not None:
            answer["repositories"] = [self.repository(repo) for repo in token.repositories]
        return answer

    def repository(self, repo: Repository) -> Json:
        """Show `full-repository`, which has all that `repository` has."""
        url, page = self.repo_url(repo), f"{self.web}/{repo.full_name}"
        open_issues = sum(issue.state == "open" for issue in repo.issues.values())
        answer: Json = {
            "id": repo.id,
            "node_id": node("R", repo.id),
            "name": repo.name,
            "full_name": repo.full_name,
            "owner": self.user(repo.owner),
            "private": repo.private,
            "html_url": page,
            "description": None,
            "fork": repo.parent is not None,
            "url": url,
            **{name: url + suffix for name, suffix in _REPOSITORY_URLS.items()},
            "git_url": f"git://{page.partition('://')[2]}.git",
            "ssh_url": f"git@{page.partition('://')[2]}.git",
            "clone_url": f"{page}.git",
            "svn_url": page,
            "mirror_url": None,
            "homepage": None,
            "language": None,
            "license": None,
            "size": repo.size,
            "default_branch": repo.default_branch,
            "archived": repo.archived,
            "disabled": False,
            "visibility": "private" if repo.private else "public",
            "topics": [],
            "is_template": False,
            "web_commit_signoff_required": False,
            "allow_forking": True,
            **{f"has_{what}": True for what in ("issues", "projects", "wiki", "downloads")},
            **{f"has_{what}": False for what in ("pages", "discussions")},
            **dict.fromkeys(("forks", "forks_count", "network_count", "subscribers_count"), 0),
            **dict.fromkeys(("stargazers_count", "watchers", "watchers_count"), 0),
            "open_issues": open_issues,
            "open_issues_count": open_issues,
            "pushed_at": stamp(repo.created_at),
            "created_at": stamp(repo.created_at),
            "updated_at": stamp(repo.created_at),
        }
        return answer

    def repository_of(self, repo: Repository, account: Account) -> Json:
        """Show `repository` as a list of a person's shows it, with what that person may."""
        ranks = ("none", "read", "triage", "write", "maintain", "admin")
        rank = ranks.index(repo.role(account))
        names = ("pull", "triage", "push", "maintain", "admin")
        may = {name: rank >= least for least, name in enumerate(names, start=1)}
        return {**self.repository(repo), "permissions": may}

    def repo_url(self, repo: Repository) -> str:
        """Return where the API has the repository."""
        return f"{self.api}/repos/{repo.full_name}"

    def permission(self, repo: Repository, account: Account) -> Json:
        """Show `repository-collaborator-permission`."""
        role = repo.role(account)
        permission = PERMISSION_OF_ROLE[role]
        rights = {
            "admin": role == "admin",
            "maintain": role in {"admin", "maintain"},
            "push": role in {"admin", "maintain", "write"},
            "triage": role in {"admin", "maintain", "write", "triage"},
            "pull": role != "none",
        }
        user = {**self.user(account), "permissions": rights, "role_name": role}
        return {"permission": permission, "role_name": role, "user": user}

    def label(self, repo: Repository, label: Label) -> Json:
        """Show `label`."""
        return {
            "id": label.id,
            "node_id": node("LA", label.id),
            "url": f"{self.repo_url(repo)}/labels/{label.name}",
            "name": label.name,
            "description": label.description,
            "color": label.color,
            "default": False,
            "archived_at": None,
            "archived_by": None,
        }
