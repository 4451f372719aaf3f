"""How the API shows commits, references and trees."""

from __future__ import annotations

from tests.fakes.github.account_views import Json, node, stamp
from tests.fakes.github.model import Repository
from tests.fakes.github.repository import Commit, Signature, TreeEntry
from tests.fakes.github.repository_views import RepositoryViews


class GitViews(RepositoryViews):
    """Adds commits and trees."""

    def git_commit(self, repo: Repository, commit: Commit) -> Json:
        """Show `git-commit`. Commits that the App's bot made are signed by GitHub."""
        url = f"{self.repo_url(repo)}/git"
        return {
            "sha": commit.sha,
            "node_id": node("C", repo.id),
            "url": f"{url}/commits/{commit.sha}",
            "html_url": f"{self.web}/{repo.full_name}/commit/{commit.sha}",
            "author": _person(commit.author),
            "committer": _person(commit.committer),
            "message": commit.message,
            "tree": {"sha": commit.tree, "url": f"{url}/trees/{commit.tree}"},
            "parents": [
                {
                    "sha": parent,
                    "url": f"{url}/commits/{parent}",
                    "html_url": f"{self.web}/{repo.full_name}/commit/{parent}",
                }
                for parent in commit.parents
            ],
            "verification": self._verification(commit),
        }

    def _verification(self, commit: Commit) -> Json:
        signed = commit.committer.name == "GitHub" and "[bot]" in commit.author.name
        return {
            "verified": signed,
            "reason": "valid" if signed else "unsigned",
            "signature": "-----BEGIN PGP SIGNATURE-----" if signed else None,
            "payload": f"tree {commit.tree}" if signed else None,
            "verified_at": stamp(commit.committer.when) if signed else None,
        }

    def commit(self, repo: Repository, commit: Commit) -> Json:
        """Show `commit`."""
        url = f"{self.repo_url(repo)}/commits/{commit.sha}"
        git = self.git_commit(repo, commit)
        return {
            "sha": commit.sha,
            "node_id": git["node_id"],
            "url": url,
            "html_url": git["html_url"],
            "comments_url": f"{url}/comments",
            "commit": {
                "url": git["url"],
                "author": git["author"],
                "committer": git["committer"],
                "message": commit.message,
                "comment_count": 0,
                "tree": git["tree"],
                "verification": git["verification"],
            },
            "author": self._account_of(commit.author),
            "committer": self._account_of(commit.committer),
            "parents": git["parents"],
        }

    def _account_of(self, person: Signature) -> Json | None:
        """Show the account that an address of GitHub's belongs to; others nobody claims here."""
        account = self.state.accounts.get(person.name)
        known = account is not None and person.email.startswith(f"{account.id}+{account.login}@")
        return self.user(account) if account is not None and known else None

    def comparison(self, repo: Repository, base: str, head: str, merge_base: str) -> Json:
        """Show `commit-comparison`."""
        url = f"{self.repo_url(repo)}/compare/{base}...{head}"
        page = f"{self.web}/{repo.full_name}/compare/{base}...{head}"
        git = repo.git
        ahead, behind = git.between(base, head), git.count(head, base)
        diverged = "diverged" if behind else "ahead"
        return {
            "url": url,
            "html_url": page,
            "permalink_url": page,
            "diff_url": f"{page}.diff",
            "patch_url": f"{page}.patch",
            "base_commit": self.commit(repo, git.commit(base)),
            "merge_base_commit": self.commit(repo, git.commit(merge_base)),
            "status": diverged if ahead else "behind" if behind else "identical",
            "ahead_by": len(ahead),
            "behind_by": behind,
            "total_commits": len(ahead),
            "commits": [self.commit(repo, git.commit(sha)) for sha in ahead[:250]],
            "files": [
                self.changed_file(repo, base, head, change)
                for change in git.changes(base, head)[:300]
            ],
        }

    def changed_file(
        self, repo: Repository, base: str, head: str, change: tuple[str, int, int]
    ) -> Json:
        """Show `diff-entry`: path, lines added and lines deleted since two commits parted."""
        path, added, deleted = change
        git, page = repo.git, f"{self.web}/{repo.full_name}"
        before, after = git.entry(git.merge_base(base, head) or base, path), git.entry(head, path)
        entry = after or before
        return {
            "sha": entry.sha if entry else None,
            "filename": path,
            "status": "modified" if before and after else "added" if after else "removed",
            "additions": added,
            "deletions": deleted,
            "changes": added + deleted,
            "blob_url": f"{page}/blob/{head}/{path}",
            "raw_url": f"{page}/raw/{head}/{path}",
            "contents_url": f"{self.repo_url(repo)}/contents/{path}?ref={head}",
            "patch": git.difference(base, head, path),
        }

    def reference(self, repo: Repository, ref: str, sha: str) -> Json:
        """Show `git-ref`; `ref` is the full name."""
        url = self.repo_url(repo)
        return {
            "ref": ref,
            "node_id": node("REF", repo.id),
            "url": f"{url}/git/{ref}",
            "object": {"type": "commit", "sha": sha, "url": f"{url}/git/commits/{sha}"},
        }

    def tree_entry(self, repo: Repository, entry: TreeEntry) -> Json:
        """Show one entry of `git-tree`."""
        answer: Json = {
            "path": entry.path,
            "mode": entry.mode,
            "type": entry.type,
            "sha": entry.sha,
        }
        if entry.type != "commit":
            answer["url"] = f"{self.repo_url(repo)}/git/{entry.type}s/{entry.sha}"
        if entry.size is not None:
            answer["size"] = entry.size
        return answer


def _person(signature: Signature) -> Json:
    return {"name": signature.name, "email": signature.email, "date": stamp(signature.when)}
