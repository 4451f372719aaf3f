"""Endpoints of the Git data API: blobs, trees, commits and references of the bare repository."""

from __future__ import annotations

import base64
import binascii
from typing import Literal

from pydantic import Field

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
from tests.fakes.github.model import Repository
from tests.fakes.github.repository import GitFailed, Signature

READ: Needs = ({"contents": "read"},)
WRITE: Needs = ({"contents": "write"},)
WORKFLOWS = ".github/workflows/"
GITHUB_EMAIL = "noreply@github.com"


class NewBlob(Fields):
    """A blob."""

    content: str
    encoding: Literal["utf-8", "base64"] = "utf-8"


class NewEntry(Fields):
    """An entry of a tree; `sha` None, when given, deletes."""

    path: str
    mode: Literal["100644", "100755", "040000", "160000", "120000"]
    type: Literal["blob", "tree", "commit"]
    sha: str | None = None
    content: str | None = None


class NewTree(Fields):
    """A tree."""

    tree: list[NewEntry]
    base_tree: str | None = None


class Person(Fields):
    """Who wrote a commit; given by callers that don't want GitHub's signature."""

    name: str
    email: str


class NewCommit(Fields):
    """A commit."""

    message: str
    tree: str
    parents: list[str] = Field(default=[])
    author: Person | None = None
    committer: Person | None = None


class NewReference(Fields):
    """A reference."""

    ref: str
    sha: str


class MovedReference(Fields):
    """Where a reference shall point."""

    sha: str
    force: bool = False


def create_blob(call: Call) -> Reply:
    """Store a blob."""
    blob = call.given(NewBlob)
    if blob.encoding == "base64":
        try:
            content = base64.b64decode(blob.content, validate=True)
        except binascii.Error as error:
            raise Refusal(422, "content is not valid Base64") from error
    else:
        content = blob.content.encode()
    [sha] = call.repo.git.write_blobs([content])
    return Reply(201, {"sha": sha, "url": f"{call.views.repo_url(call.repo)}/git/blobs/{sha}"})


def show_blob(call: Call) -> Reply:
    """Show a blob in base64."""
    repo, sha = call.repo, call.parameters["file_sha"]
    if repo.git.type_of(sha) != "blob":
        raise not_found()
    content = repo.git.blob(sha)
    answer = {
        "sha": sha,
        "node_id": f"B_{sha[:12]}",
        "size": len(content),
        "url": f"{call.views.repo_url(repo)}/git/blobs/{sha}",
        "content": base64.encodebytes(content).decode(),
        "encoding": "base64",
    }
    return Reply(200, answer)


def create_tree(call: Call) -> Reply:
    """Store a tree made of a base and entries."""
    repo, new = call.repo, call.given(NewTree)
    if new.base_tree is not None and repo.git.type_of(new.base_tree) not in {"tree", "commit"}:
        raise Refusal(422, "base_tree is not a valid tree oid")
    for entry in new.tree:
        _check_entry(repo, new.base_tree, entry)
    texts = [entry.content.encode() for entry in new.tree if entry.content is not None]
    written = iter(repo.git.write_blobs(texts))
    entries = [
        (entry.mode, entry.sha if entry.content is None else next(written), entry.path)
        for entry in new.tree
    ]
    try:
        sha = repo.git.write_tree(f"{new.base_tree}^{{tree}}" if new.base_tree else None, entries)
    except GitFailed as error:
        raise Refusal(422, f"GitRPC::BadObjectState ({error})") from error
    return Reply(201, _tree(call, repo, sha))


def _check_entry(repo: Repository, base: str | None, entry: NewEntry) -> None:
    """Refuse what can't be there, and the deletion of what is not there."""
    if entry.content is not None:
        if entry.sha is not None:
            raise Refusal(422, "Must supply either tree.sha or tree.content, not both")
    elif entry.sha is None:
        if base is None or repo.git.entry(base, entry.path) is None:
            raise Refusal(422, "GitRPC::BadObjectState")
    elif entry.type != "commit" and repo.git.type_of(entry.sha) != entry.type:
        raise Refusal(422, f"tree.sha {entry.sha} is not a valid {entry.type}")


def show_tree(call: Call) -> Reply:
    """Show a tree."""
    repo, sha = call.repo, call.parameters["tree_sha"]
    if repo.git.type_of(sha) not in {"tree", "commit"}:
        raise not_found()
    return Reply(200, _tree(call, repo, sha, recursive="recursive" in call.query))


def _tree(call: Call, repo: Repository, sha: str, *, recursive: bool = False) -> dict[str, object]:
    entries = repo.git.entries(sha, recursive=recursive)
    return {
        "sha": sha,
        "url": f"{call.views.repo_url(repo)}/git/trees/{sha}",
        "tree": [call.views.tree_entry(repo, entry) for entry in entries],
        "truncated": False,
    }


def create_commit(call: Call) -> Reply:
    """Store a commit; without an author it is the App's, signed by GitHub."""
    repo, new = call.repo, call.given(NewCommit)
    if repo.git.type_of(new.tree) != "tree":
        raise Refusal(422, "Tree SHA does not exist")
    for parent in new.parents:
        if repo.git.type_of(parent) != "commit":
            raise Refusal(422, "Parent SHA does not exist or is not a commit object")
    bot = call.state.signature(call.state.app.bot)
    given = new.author or new.committer
    author = Signature(given.name, given.email, call.state.now()) if given else bot
    committer = author if given else Signature("GitHub", GITHUB_EMAIL, call.state.now())
    sha = repo.git.write_commit(new.tree, new.parents, new.message, author, committer)
    return Reply(201, call.views.git_commit(repo, repo.git.commit(sha)))


def show_git_commit(call: Call) -> Reply:
    """Show a commit object."""
    repo, sha = call.repo, call.parameters["commit_sha"]
    if repo.git.type_of(sha) != "commit":
        raise not_found()
    return Reply(200, call.views.git_commit(repo, repo.git.commit(sha)))


def show_reference(call: Call) -> Reply:
    """Show one reference by its exact name."""
    repo, ref = call.repo, f"refs/{call.parameters['ref']}"
    sha = repo.git.reference(ref)
    if sha is None:
        raise not_found()
    return Reply(200, call.views.reference(repo, ref, sha))


def create_reference(call: Call) -> Reply:
    """Create a reference."""
    repo, new = call.repo, call.given(NewReference)
    if not new.ref.startswith("refs/") or new.ref.count("/") < 2:
        raise Refusal(422, "Reference name must start with 'refs/' and have at least two slashes")
    if repo.git.type_of(new.sha) is None:
        raise Refusal(422, "Object does not exist")
    _refuse_workflows(call, f"refs/heads/{repo.default_branch}", new.sha)
    if repo.git.reference(new.ref) is not None:
        raise Refusal(422, "Reference already exists")
    try:
        repo.git.create_reference(new.ref, new.sha)
    except GitFailed as error:
        raise Refusal(422, f"{new.ref} is not a valid ref name.") from error
    return Reply(201, call.views.reference(repo, new.ref, new.sha))


def _refuse_workflows(call: Call, before: str, sha: str) -> None:
    """Refuse what needs the `workflows` permission to a token that has not got it.

    A workflow file that another branch has, with the same content, needs none.
    """
    repo = call.repo
    if isinstance(call.caller, AsInstallation) and call.caller.may(repo, "workflows", "write"):
        return
    for path, _, _ in repo.git.changes(before, sha):
        if path.startswith(WORKFLOWS) and not _is_elsewhere(repo, path, sha):
            raise Refusal(
                403,
                "Resource not accessible by integration",
                headers={"X-Accepted-GitHub-Permissions": "contents=write,workflows=write"},
            )


def _is_elsewhere(repo: Repository, path: str, sha: str) -> bool:
    there = repo.git.entry(sha, path)
    found = (repo.git.entry(branch, path) for branch in repo.git.branches())
    return there is not None and any(
        entry is not None and entry.sha == there.sha for entry in found
    )


def move_reference(call: Call) -> Reply:
    """Move a reference, forward only unless forced."""
    repo, ref, move = call.repo, f"refs/{call.parameters['ref']}", call.given(MovedReference)
    current = repo.git.reference(ref)
    if current is None:
        raise Refusal(422, "Reference does not exist")
    if repo.git.type_of(move.sha) is None:
        raise Refusal(422, "Object does not exist")
    if not move.force and not repo.git.is_ancestor(current, move.sha):
        raise invalid("Reference", "sha", "custom", "Update is not a fast forward")
    _refuse_workflows(call, current, move.sha)
    if ref.removeprefix("refs/heads/") in repo.protected:
        raise Refusal(422, f"Protected branch update failed for {ref}.")
    repo.git.set_reference(ref, move.sha)
    call.state.refresh_pull_heads(repo)
    return Reply(200, call.views.reference(repo, ref, move.sha))


def delete_reference(call: Call) -> Reply:
    """Delete a reference."""
    repo, ref = call.repo, f"refs/{call.parameters['ref']}"
    if repo.git.reference(ref) is None:
        raise Refusal(422, "Reference does not exist")
    repo.git.delete_reference(ref)
    return Reply(204)


_GIT = "/repos/{owner}/{repo}/git"

ENDPOINTS = (
    Endpoint("POST", f"{_GIT}/blobs", create_blob, WRITE, NewBlob),
    Endpoint("GET", f"{_GIT}/blobs/{{file_sha}}", show_blob, READ),
    Endpoint("POST", f"{_GIT}/trees", create_tree, WRITE, NewTree),
    Endpoint("GET", f"{_GIT}/trees/{{tree_sha}}", show_tree, READ),
    Endpoint("POST", f"{_GIT}/commits", create_commit, WRITE, NewCommit),
    Endpoint("GET", f"{_GIT}/commits/{{commit_sha}}", show_git_commit, READ),
    Endpoint("GET", f"{_GIT}/ref/{{ref}}", show_reference, READ),
    Endpoint("POST", f"{_GIT}/refs", create_reference, WRITE, NewReference),
    Endpoint("PATCH", f"{_GIT}/refs/{{ref}}", move_reference, WRITE, MovedReference),
    Endpoint("DELETE", f"{_GIT}/refs/{{ref}}", delete_reference, WRITE),
)
