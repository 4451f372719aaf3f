"""How the API shows commits, references, trees and check runs."""

from __future__ import annotations

from tests.fakes.github.account_views import Json, node, stamp
from tests.fakes.github.model import CheckRun, Repository
from tests.fakes.github.repository import Commit, Signature, TreeEntry
from tests.fakes.github.repository_views import RepositoryViews


class GitViews(RepositoryViews):
    """Adds commits and what hangs on them."""

    def check_run(self, repo: Repository, run: CheckRun) -> Json:
        """Show `check-run`."""
        url = f"{self.repo_url(repo)}/check-runs/{run.id}"
        output = run.fields.get("output") or {}
        page = f"{self.web}/{repo.full_name}/runs/{run.id}"
        return {
            "id": run.id,
            "name": run.fields["name"],
            "node_id": node("CR", run.id),
            "head_sha": run.head_sha,
            "external_id": run.fields.get("external_id", ""),
            "url": url,
            "html_url": page,
            "details_url": run.fields.get("details_url", page),
            "status": run.fields.get("status", "queued"),
            "conclusion": run.fields.get("conclusion"),
            "started_at": stamp(run.started_at),
            "completed_at": stamp(run.completed_at),
            "output": {
                "title": output.get("title"),
                "summary": output.get("summary"),
                "text": output.get("text"),
                "annotations_count": len(run.annotations),
                "annotations_url": f"{url}/annotations",
            },
            "check_suite": {"id": run.id + 1_000_000},
            "app": self.app(),
            "pull_requests": [],
        }

    def annotation(self, repo: Repository, run: CheckRun, sent: Json) -> Json:
        """Show `check-annotation`."""
        optional = ("start_column", "end_column", "title", "raw_details")
        blob = f"{self.web}/{repo.full_name}/blob/{run.head_sha}/{sent['path']}"
        return {**dict.fromkeys(optional), **sent, "blob_href": blob}

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
            "author": None,
            "committer": None,
            "parents": git["parents"],
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
