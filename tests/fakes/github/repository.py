"""A bare git repository behind the stand-in: everything goes through git itself."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

CLEAN = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C.UTF-8",
}


NO_OBJECT = "0" * 40


class GitFailed(Exception):
    """A git command failed; the text is what it wrote."""


@dataclass(frozen=True, slots=True)
class Signature:
    """Author or committer of a commit."""

    name: str
    email: str
    when: datetime


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit, read."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author: Signature
    committer: Signature
    message: str


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One line of `git ls-tree`; `size` is None for what is no blob."""

    mode: str
    type: str
    sha: str
    size: int | None
    path: str


def environment() -> dict[str, str]:
    """Return the variables for git: no configuration but the repository's own."""
    return {"PATH": os.environ["PATH"], **CLEAN}


class BareRepository:
    """Plumbing over one bare repository."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, path: Path, branch: str) -> BareRepository:
        """Make an empty one."""
        repository = cls(path)
        path.mkdir(parents=True)
        repository.git("init", "--quiet", "--bare", f"--initial-branch={branch}", ".")
        repository.git("config", "http.receivepack", "true")
        # as on github.com: any commit can be fetched by its id, and partial clones work
        repository.git("config", "uploadpack.allowAnySHA1InWant", "true")
        repository.git("config", "uploadpack.allowFilter", "true")
        return repository

    def git(
        self, *args: str, data: bytes | None = None, extra: Mapping[str, str] | None = None
    ) -> bytes:
        """Run git and return its output; raises `GitFailed`."""
        done = subprocess.run(
            ["git", *args],
            cwd=self.path,
            input=data,
            stdin=None if data is not None else subprocess.DEVNULL,
            capture_output=True,
            env={**environment(), **(extra or {})},
            check=False,
        )
        if done.returncode:
            raise GitFailed(f"git {args[0]}: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout

    def text(
        self, *args: str, data: bytes | None = None, extra: Mapping[str, str] | None = None
    ) -> str:
        """Run git and return its output as one stripped string."""
        return self.git(*args, data=data, extra=extra).decode(errors="replace").strip()

    def resolve(self, revision: str) -> str | None:
        """Return the commit (hex) that a revision names, or None."""
        try:
            return self.text("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        except GitFailed:
            return None

    def reference(self, ref: str) -> str | None:
        """Return what a full reference name points to, or None."""
        loose = self.path / ref
        if ref.startswith("refs/") and loose.is_file():  # as git writes each until it packs them
            return loose.read_text("ascii").strip()
        try:
            return self.text("show-ref", "--verify", "--hash", ref)
        except GitFailed:
            return None

    def type_of(self, sha: str) -> str | None:
        """Return `commit`, `tree`, `blob` or `tag`, or None for an unknown object."""
        try:
            return self.text("cat-file", "-t", sha)
        except GitFailed:
            return None

    def blob(self, sha: str) -> bytes:
        """Return a blob's bytes."""
        return self.git("cat-file", "blob", sha)

    def write_blobs(self, contents: Sequence[bytes]) -> list[str]:
        """Store bytes and return their ids, in order."""
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder, str(n)) for n in range(len(contents))]
            for path, content in zip(paths, contents, strict=True):
                path.write_bytes(content)
            listed = "".join(f"{path}\n" for path in paths).encode()
            return self.text(
                "hash-object", "-w", "--no-filters", "--stdin-paths", data=listed
            ).split()

    def write_folder(self, folder: Path) -> str:
        """Return the id of a tree with all files of a folder."""
        with tempfile.TemporaryDirectory() as scratch:
            index = {"GIT_INDEX_FILE": f"{scratch}/index"}
            self.git(f"--work-tree={folder}", "add", "--all", "--force", str(folder), extra=index)
            return self.text("write-tree", extra=index)

    def write_tree(self, base: str | None, entries: Iterable[tuple[str, str | None, str]]) -> str:
        """Return the id of a tree: the base's entries with (mode, sha, path) put over them.

        A sha of None removes the path; a tree's sha replaces the folder.
        """
        with tempfile.TemporaryDirectory() as folder:
            index = {"GIT_INDEX_FILE": f"{folder}/index"}
            self.git("read-tree", *([base] if base else ["--empty"]), extra=index)
            lines = []
            for mode, sha, path in entries:
                if mode == "040000" and sha is not None:
                    self.git("rm", "-r", "-q", "--cached", "--ignore-unmatch", path, extra=index)
                    self.git("read-tree", f"--prefix={path}/", sha, extra=index)
                else:
                    lines.append(f"{mode} {sha}\t{path}\0" if sha else f"0 {NO_OBJECT}\t{path}\0")
            self.git(
                "update-index",
                "-z",
                "--replace",
                "--index-info",
                data=os.fsencode("".join(lines)),  # a name is bytes
                extra=index,
            )
            return self.text("write-tree", extra=index)

    def write_commit(
        self,
        tree: str,
        parents: Iterable[str],
        message: str,
        author: Signature,
        committer: Signature,
    ) -> str:
        """Store a commit and return its id."""
        return self.text(
            "commit-tree",
            tree,
            *(argument for parent in parents for argument in ("-p", parent)),
            data=message.encode(),
            extra={**_signed("AUTHOR", author), **_signed("COMMITTER", committer)},
        )

    def commit(self, sha: str) -> Commit:
        """Read a commit."""
        fields = "%H%x00%T%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B"
        raw = self.git("log", "-1", f"--format={fields}", sha).decode(errors="replace")
        head, tree, parents, *people, message = raw.split("\0")
        return Commit(
            sha=head,
            tree=tree,
            parents=tuple(parents.split()),
            author=Signature(people[0], people[1], datetime.fromisoformat(people[2])),
            committer=Signature(people[3], people[4], datetime.fromisoformat(people[5])),
            message=message.rstrip("\n"),
        )

    def entries(self, treeish: str, *, recursive: bool = False) -> list[TreeEntry]:
        """List a tree."""
        flags = ["-r", "-t"] if recursive else []
        return [_entry(line) for line in self._lines("ls-tree", "-l", "-z", *flags, treeish)]

    def entry(self, revision: str, path: str) -> TreeEntry | None:
        """Return what is at a path, or None."""
        lines = self._lines("ls-tree", "-l", "-z", revision, "--", path.rstrip("/"))
        return _entry(lines[0]) if lines else None

    def _lines(self, *args: str) -> list[str]:
        return [line for line in self.git(*args).decode().split("\0") if line]

    def create_reference(self, ref: str, sha: str) -> None:
        """Create a reference; raises `GitFailed` when it is there already."""
        self.git("update-ref", ref, sha, NO_OBJECT)

    def set_reference(self, ref: str, sha: str) -> None:
        """Create or move a reference."""
        self.git("update-ref", ref, sha)

    def delete_reference(self, ref: str) -> None:
        """Delete a reference."""
        self.git("update-ref", "-d", ref)

    def branches(self) -> list[str]:
        """Return the names of all branches."""
        listed = self.text("for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads")
        return listed.split()

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether `newer` contains `older`."""
        return not self.text("rev-list", "--max-count=1", older, f"^{newer}")

    def merge_base(self, one: str, other: str) -> str | None:
        """Return where two commits parted, or None."""
        try:
            return self.text("merge-base", one, other)
        except GitFailed:
            return None

    def merges(self, base: str, head: str) -> bool:
        """Whether two commits merge without a conflict."""
        try:
            self.git("merge-tree", "--write-tree", base, head)
        except GitFailed:
            return False
        return True

    def between(self, base: str, head: str) -> list[str]:
        """Return the commits that `head` has and `base` has not, oldest first."""
        return self.text("rev-list", "--reverse", "--topo-order", f"{base}..{head}").split()

    def count(self, base: str, head: str) -> int:
        """Return how many commits `head` has and `base` has not."""
        return int(self.text("rev-list", "--count", f"{base}..{head}"))

    def changes(self, base: str, head: str) -> list[tuple[str, int, int]]:
        """Return (path, added, deleted) since the merge base; binary files count nothing."""
        rows = self._lines("diff", "--numstat", "--no-renames", "-z", f"{base}...{head}")
        return [
            (path, int(added) if added != "-" else 0, int(deleted) if deleted != "-" else 0)
            for added, deleted, path in (row.split("\t", 2) for row in rows)
        ]

    def difference(self, base: str, head: str, path: str) -> str:
        """Return the hunks of a file since the merge base, as GitHub shows them."""
        text = self.text("diff", "--no-renames", f"{base}...{head}", "--", path)
        return text[text.index("@@ ") :].removesuffix("\n") if "@@ " in text else ""

    def fetch(self, source: Path, refspec: str) -> None:
        """Take objects and a reference from another repository on this machine."""
        self.git("fetch", "--quiet", "--no-tags", str(source), refspec)


def _signed(role: str, signature: Signature) -> dict[str, str]:
    return {
        f"GIT_{role}_NAME": signature.name,
        f"GIT_{role}_EMAIL": signature.email,
        f"GIT_{role}_DATE": f"{int(signature.when.timestamp())} +0000",
    }


def _entry(line: str) -> TreeEntry:
    head, path = line.split("\t", 1)
    mode, kind, sha, size = head.split()
    return TreeEntry(mode, kind, sha, int(size) if size.isdecimal() else None, path)
