"""Endpoints that read a repository: facts, people, branches, commits, files."""

from __future__ import annotations

import base64

from tests.fakes.github.endpoint import Call, Endpoint, Refusal, Reply, not_found
from tests.fakes.github.model import Repository
from tests.fakes.github.repository import TreeEntry
from tests.fakes.github.views import Json

METADATA = ({"metadata": "read"},)
CONTENTS = ({"contents": "read"},)

INLINE = 2**20
"""Bytes up to which the contents API sends a file's content in JSON."""


def show_repository(call: Call) -> Reply:
    """Show a repository."""
    return Reply(200, call.views.repository(call.repo))


def show_permission(call: Call) -> Reply:
    """Show what an account may do."""
    name = call.parameters["username"]
    account = call.state.accounts.get(name)
    if account is None or account.kind != "User":
        raise Refusal(404, f"{name} is not a user")
    return Reply(200, call.views.permission(call.repo, account))


def show_branch(call: Call) -> Reply:
    """Show a branch and its head commit."""
    repo, name = call.repo, call.parameters["branch"]
    sha = repo.git.reference(f"refs/heads/{name}")
    if sha is None:
        raise Refusal(404, "Branch not found")
    url = f"{call.views.repo_url(repo)}/branches/{name}"
    answer = {
        "name": name,
        "commit": call.views.commit(repo, repo.git.commit(sha)),
        "_links": {"self": url, "html": f"{call.views.web}/{repo.full_name}/tree/{name}"},
        "protected": False,
        "protection": {},
        "protection_url": f"{url}/protection",
    }
    return Reply(200, answer)


def show_commit(call: Call) -> Reply:
    """Show a commit by branch, tag or id."""
    repo = call.repo
    sha = repo.git.resolve(call.parameters["ref"])
    if sha is None:
        raise Refusal(422, f"No commit found for SHA: {call.parameters['ref']}")
    return Reply(200, call.views.commit(repo, repo.git.commit(sha)))


def list_commits(call: Call) -> Reply:
    """List a branch's commits, newest first."""
    repo = call.repo
    tip = repo.git.resolve(call.query.get("sha", repo.default_branch))
    if tip is None:
        raise not_found()
    most = min(int(call.query.get("per_page", "30")), 100)
    shown = repo.git.text("rev-list", f"--max-count={most}", tip).split()
    return Reply(200, [call.views.commit(repo, repo.git.commit(sha)) for sha in shown])


def compare(call: Call) -> Reply:
    """Show what one commit or branch has and another one has not, and where they parted."""
    repo, git = call.repo, call.repo.git
    base, dots, head = call.parameters["basehead"].partition("...")
    found = [git.resolve(item) for item in (base, head)] if dots else []
    if len(found) != len((base, head)) or None in found:
        raise not_found()
    one, other = (sha or "" for sha in found)
    parted = git.merge_base(one, other)
    if parted is None:
        raise Refusal(404, f"No common ancestor between {base} and {head}.")
    return Reply(200, call.views.comparison(repo, one, other, parted))


def show_contents(call: Call) -> Reply:
    """Show a file, folder, link or submodule; links to files are followed."""
    repo, path = call.repo, call.parameters["path"]
    ref = call.query.get("ref", repo.default_branch)
    revision = repo.git.resolve(ref)
    if revision is None:
        raise Refusal(404, f"No commit found for the ref {ref}")
    entry = repo.git.entry(revision, path)
    if entry is None:
        raise not_found()
    if entry.mode == "120000":
        target = repo.git.blob(entry.sha).decode()
        linked = repo.git.entry(revision, target)
        if linked is None or linked.type != "blob":
            link = _described(call, repo, entry, "symlink", ref)
            return Reply(200, {**link, "target": target})
        entry = linked
    if entry.type == "commit":
        submodule = _described(call, repo, entry, "submodule", ref)
        return Reply(200, {**submodule, "submodule_git_url": "https://example.com/sub.git"})
    if entry.type == "tree":
        return _folder(call, repo, entry, ref)
    return _file(call, repo, entry, ref)


def _folder(call: Call, repo: Repository, entry: TreeEntry, ref: str) -> Reply:
    kinds = {"tree": "dir", "blob": "file", "commit": "submodule"}
    inside = [
        _described(call, repo, child, kinds[child.type], ref, folder=f"{entry.path}/")
        for child in repo.git.entries(entry.sha)
    ]
    if "object" in call.accept:
        return Reply(200, {**_described(call, repo, entry, "dir", ref), "entries": inside})
    return Reply(200, inside)


def _file(call: Call, repo: Repository, entry: TreeEntry, ref: str) -> Reply:
    answer = _described(call, repo, entry, "file", ref)
    if answer["size"] <= INLINE:
        content = base64.encodebytes(repo.git.blob(entry.sha)).decode()
        return Reply(200, {**answer, "content": content, "encoding": "base64"})
    if "object" not in call.accept:
        raise Refusal(
            403,
            "This API returns blobs up to 1 MB in size. The requested blob is too large.",
            errors=[{"resource": "Blob", "field": "data", "code": "too_large"}],
        )
    return Reply(200, {**answer, "content": "", "encoding": "none"})


def _described(
    call: Call, repo: Repository, entry: TreeEntry, kind: str, ref: str, *, folder: str = ""
) -> Json:
    path = folder + entry.path
    url = f"{call.views.repo_url(repo)}/contents/{path}?ref={ref}"
    git_url = f"{call.views.repo_url(repo)}/git/{entry.type}s/{entry.sha}"
    html_url = f"{call.views.web}/{repo.full_name}/{entry.type}/{ref}/{path}"
    raw = f"{call.views.web}/{repo.full_name}/raw/{ref}/{path}" if kind == "file" else None
    return {
        "type": kind,
        "size": entry.size or 0,
        "name": path.rpartition("/")[2],
        "path": path,
        "sha": entry.sha,
        "url": url,
        "git_url": git_url,
        "html_url": html_url,
        "download_url": raw,
        "_links": {"self": url, "git": git_url, "html": html_url},
    }


ENDPOINTS = (
    Endpoint("GET", "/repos/{owner}/{repo}", show_repository, METADATA),
    Endpoint(
        "GET",
        "/repos/{owner}/{repo}/collaborators/{username}/permission",
        show_permission,
        METADATA,
    ),
    Endpoint("GET", "/repos/{owner}/{repo}/branches/{branch}", show_branch, CONTENTS),
    Endpoint("GET", "/repos/{owner}/{repo}/commits", list_commits, CONTENTS),
    Endpoint("GET", "/repos/{owner}/{repo}/commits/{ref}", show_commit, CONTENTS),
    Endpoint("GET", "/repos/{owner}/{repo}/compare/{basehead}", compare, CONTENTS),
    Endpoint("GET", "/repos/{owner}/{repo}/contents/{path}", show_contents, CONTENTS, public=True),
)
