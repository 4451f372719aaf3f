"""The host's bare repository of one run: trees of sandboxes, and patches between them."""

from __future__ import annotations

import asyncio
import io
import os
import re
import shutil
import signal
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from uuid import uuid4

from sandbox.git.checkout import ALL_TAGS, CommitCheckout, copy_cut, link_all
from sandbox.git.extent import refuse_far_too_much
from sandbox.git.process import Credential, GitError, environment, git
from sandbox.git.work_tree import WorkTree
from sandbox.scratch import scratch_folder
from sandbox.spawn import finished_early

BYPRODUCTS = (
    "__pycache__/", "*.py[cod]", "*.egg-info/", ".pytest_cache/", ".mypy_cache/", ".ruff_cache/",
    ".hypothesis/", ".tox/", ".nox/", ".venv/", ".coverage", ".coverage.*", ".eggs/",
    "node_modules/", ".npm/", ".nyc_output/", ".DS_Store",
)  # fmt: skip
"""What running tests and tools leaves behind, in gitignore syntax: never part of a patch unless
the repository tracks it."""

_BATCH_HEADER = 3
"""Words that `git cat-file --batch` says of an object that is there: id, type, size."""

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""The tree without a file, which git knows without having it (SHA-1)."""

_SEARCH_SECONDS = 10
"""Of processor time for a search: a pattern can ask for more than there is."""

_SEARCH_KILOBYTES = 2 * 2**20
"""Of its address space."""

_LIMITED = 'ulimit -t "$0"; ulimit -v "$1"; shift; exec "$@"'
"""For a shell: sets limits, then becomes the command that follows."""

_SEARCH_CONFIG = (("core.packedGitWindowSize", "32m"), ("core.packedGitLimit", "256m"))

_OUT_OF_TIME = frozenset({-signal.SIGXCPU, -signal.SIGKILL})

_HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)

_ONE_PACK = (("fetch.unpackLimit", "1"),)
"""What is fetched stays the pack that it came in."""


class PatchDoesNotApply(GitError):
    """The patch does not fit the tree."""


@dataclass(frozen=True, slots=True)
class Diff:
    """The difference of two trees.

    Attributes:
        data: Bytes of `git diff --binary --full-index`.
        files: Paths touched, sorted; a rename counts as both of its paths.
        added: Lines added; binary files count none.
        removed: Lines removed.
    """

    data: bytes
    files: tuple[str, ...]
    added: int
    removed: int


@dataclass(frozen=True, slots=True)
class FoundLines:
    """What a search of a commit found.

    Attributes:
        output: A line for each: path, NUL, its number, NUL, its text.
        problem: Why git could not search, in its words, or "".
        is_out_of_time: Whether it took too long; then there may be more.
    """

    output: str
    problem: str = ""
    is_out_of_time: bool = False


@dataclass(frozen=True, slots=True)
class TreeChange:
    """One path that differs between two trees.

    Attributes:
        path: In both.
        mode: After; None for a deletion.
        blob: After, its id; None for a deletion.
        mode_before: None for a new path.
        blob_before: None for a new path.
    """

    path: str
    mode: str | None
    blob: str | None
    mode_before: str | None = None
    blob_before: str | None = None


class ObjectStore:
    """The host's bare repository of one run: commits and trees, no work tree, no remote.

    Attributes:
        directory: Its folder.
        known_files: Index of a work tree that nothing writes any more, or None. A sandbox that
            shares the tree has the same files, down to the time of their last change, which no
            program can set: of these, the index says what they hold.
        set_aside: Paths that every tree has as its base has them, whatever the work tree holds.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.known_files: Path | None = None
        self.set_aside: frozenset[str] = frozenset()
        self._listed: tuple[str, bytes] | None = None

    async def create(self, *, borrow_from: Path | None = None) -> None:
        """Make it, once; `borrow_from` is an object folder to read objects from."""
        if not (self.directory / "HEAD").exists():
            await self._make()
        if borrow_from is not None:
            alternates = self.directory / "objects" / "info" / "alternates"
            alternates.parent.mkdir(parents=True, exist_ok=True)
            alternates.write_text(f"{borrow_from}\n", encoding="utf-8")

    def cut_as(self, lender: Path) -> None:
        """End the history where that of the repository does whose objects are borrowed."""
        copy_cut(lender, self.directory)

    @property
    def is_shallow(self) -> bool:
        """Whether its history ends early."""
        return (self.directory / "shallow").exists()

    async def is_empty(self) -> bool:
        """Whether it has no ref yet."""
        return not await self._git("for-each-ref", "--count=1")

    async def _make(self) -> None:
        """Make it whole before it has its name: others may be about to make it, too."""
        making = ObjectStore(self.directory.with_name(f"{self.directory.name}.{uuid4().hex}"))
        await git("init", "--quiet", "--bare", "--template=", str(making.directory.absolute()))
        making.exclude(BYPRODUCTS)
        try:
            making.directory.rename(self.directory)
        except OSError:
            await asyncio.to_thread(shutil.rmtree, making.directory)
            if not (self.directory / "HEAD").exists():
                raise

    def exclude(self, patterns: Iterable[str]) -> None:
        """Leave untracked files that match (gitignore syntax) out of every tree."""
        file = self.directory / "info" / "exclude"
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8", errors="surrogateescape") as opened:
            opened.writelines(f"{pattern}\n" for pattern in patterns)

    async def fetch(
        self,
        url: str,
        *refspecs: str,
        credential: Credential | None = None,
        depth: int | None = None,
    ) -> None:
        """Fetch `refspecs` from `url`; tags come along when the depth is not cut."""
        shallow = (f"--depth={depth}",) if depth else ()
        tags = () if depth else (ALL_TAGS,)
        await self._git(
            "fetch", "--quiet", "--no-write-fetch-head", "--no-tags", *shallow, "--", url, *refspecs, *tags,
            credential=credential, config=_ONE_PACK if depth else (),
        )  # fmt: skip

    async def fetch_history(
        self, url: str, commit: str, *, credential: Credential | None = None
    ) -> None:
        """Fetch commits and tags without what they hold; nothing else is fetched later by itself.

        Git knows for this command alone that the rest is on a server.
        """
        settings = (
            ("remote.server.url", url),
            ("remote.server.promisor", "true"),
            ("remote.server.partialCloneFilter", "tree:0"),
            *_ONE_PACK,
        )
        await self._git(
            "fetch", "--quiet", "--no-write-fetch-head", "--no-tags", "--filter=tree:0",
            "server", f"+{commit}:refs/heads/main", ALL_TAGS,
            credential=credential, config=settings,
        )  # fmt: skip

    async def take_over_history(self, other: ObjectStore) -> None:
        """Have the commits and tags of another repository, as `fetch_history` brought them."""
        packs = tuple((other.directory / "objects" / "pack").glob("pack-*"))
        await asyncio.to_thread(link_all, packs, self.directory / "objects" / "pack")
        listed = await git(
            *("for-each-ref", "--format=%(refname) %(objectname)", "refs/tags"),
            git_dir=other.directory,
        )
        (self.directory / "shallow").unlink(missing_ok=True)
        tags = listed.decode("utf-8", "surrogateescape").splitlines()
        await self.refer(dict(tag.split(" ") for tag in tags))

    async def refer(self, refs: Mapping[str, str]) -> None:
        """Make refs by name, as far as the objects that they name are here."""
        asked = "".join(f"{name}\n" for name in refs.values()).encode()
        said = await self._git("cat-file", "--batch-check=%(objectname)", stdin=asked)
        lines = said.splitlines()
        here = [
            f"update {ref}\0{name}\0\0"
            for (ref, name), line in zip(refs.items(), lines, strict=True)
            if line == name.encode()
        ]
        await self._git("update-ref", "-z", "--stdin", stdin=os.fsencode("".join(here)))

    async def lacks(self, commit: str) -> bool:
        """Whether anything is missing of a commit's files, as in a partial clone."""
        walk = ("rev-list", "--objects", "--no-walk", "--missing=print", commit)
        return any(line.startswith(b"?") for line in (await self._git(*walk)).splitlines())

    async def has(self, commit: str) -> bool:
        """Whether the commit is here."""
        try:
            await self._git("cat-file", "-e", f"{commit}^{{commit}}")
        except GitError:
            return False
        return True

    async def tree_of(self, commit: str) -> str:
        """Return the id of a commit's tree."""
        return (await self._git("rev-parse", "--verify", f"{commit}^{{tree}}")).decode().strip()

    async def write_tree(self, work_tree: Path, *, base: str, force: Sequence[str] = ()) -> str:
        """Store a directory as a tree and return its id.

        Args:
            work_tree: The directory; its own `.git` is neither read nor stored, nor are
                repositories below it. Submodules stay at the commits that the base names, while
                they are folders. Untracked files larger than `LARGEST_FILE` are left out.
            base: Tree or commit whose paths count as tracked (ignored files stay when tracked).
            force: Paths to store although an ignore file names them.

        Raises:
            GitError: The tree would make git wait for ever, or holds far too much.
        """
        with scratch_folder("index") as scratch:
            if self.known_files is not None and self.known_files.exists():
                await asyncio.to_thread(shutil.copy2, self.known_files, scratch / "index")
            tree = WorkTree(work_tree, self.directory, scratch / "index", self.set_aside)
            return await tree.stored(base, force)

    async def apply(self, base: str, patch: bytes) -> str:
        """Apply a patch to a tree, without a work tree, and return the new tree's id.

        Raises:
            PatchDoesNotApply: When a hunk does not fit or a path is not allowed.
        """
        with scratch_folder("index") as scratch:
            index = {"GIT_INDEX_FILE": f"{scratch}/index"}
            await self._git("read-tree", base, extra=index)
            if patch.strip():
                try:
                    await self._git(
                        "apply", "--cached", "--whitespace=nowarn", "-", extra=index, stdin=patch
                    )
                except GitError as error:
                    raise PatchDoesNotApply(str(error)) from error
            return (await self._git("write-tree", extra=index)).decode().strip()

    async def merge(self, base: str, patch: bytes, before: Iterable[bytes] = ()) -> str:
        """Merge an older patch into a tree, and return the new tree's id.

        Args:
            base: The tree.
            patch: Against an older tree, with whole blob ids.
            before: Files that it changes, as they were there: with them it is a three-way merge.

        Raises:
            PatchDoesNotApply: When both changed the same lines, or a path is not allowed.
        """
        for content in before:
            await self._git("hash-object", "-w", "--stdin", stdin=content)
        with scratch_folder("index") as scratch:
            index = {"GIT_INDEX_FILE": f"{scratch}/index"}
            await self._git("read-tree", base, extra=index)
            merging = ("apply", "--cached", "--3way", "--whitespace=nowarn", "-")
            try:
                await self._git(*merging, extra=index, stdin=patch)
                return (await self._git("write-tree", extra=index)).decode().strip()
            except GitError as error:
                raise PatchDoesNotApply(str(error)) from error

    async def diff(self, before: str, after: str, *, only: Sequence[str] | None = None) -> Diff:
        """Return the difference of two trees, of the paths `only` when given."""
        if before == after or (only is not None and not only):
            return Diff(b"", (), 0, 0)
        paths = ["--", *(f":(literal){path}" for path in only)] if only is not None else []
        plain = ("diff-tree", "-r", "--no-ext-diff", "--no-textconv", "--no-renames")
        data = await self._git(*plain, "-p", "--binary", "--full-index", before, after, *paths)
        numbers = await self._git(*plain, "--numstat", "-z", before, after, *paths)
        added, removed, files = 0, 0, []
        for entry in filter(None, numbers.split(b"\0")):
            plus, minus, path = entry.split(b"\t", 2)
            files.append(path.decode("utf-8", "surrogateescape"))
            added += 0 if plus == b"-" else int(plus)
            removed += 0 if minus == b"-" else int(minus)
        return Diff(data, tuple(sorted(files)), added, removed)

    async def before(self, head: str, other: str, commits: int) -> str:
        """Return where a commit parted from another one, else its ancestor so many commits back.

        Where its history is shorter, that is the oldest commit; "" when there is but one.
        """
        if head != other and await self.has(other):
            parted = (await self._git("merge-base", head, other)).decode().strip()
            if parted != head:
                return parted
        limit = f"--max-count={commits + 1}"
        listed = (await self._git("rev-list", "--first-parent", limit, head)).decode().split()
        return listed[-1] if len(listed) > 1 else ""

    async def line(self, head: str, most: int) -> tuple[str, ...]:
        """Return a commit and its first parents, the oldest first, `most` of them at most."""
        listed = await self._git("rev-list", "--first-parent", f"--max-count={most}", head)
        return tuple(reversed(listed.decode().split()))

    async def merged(self, commit: str) -> tuple[str, ...]:
        """Return what a merge of two brought: where they parted, and the other's commits since then.

        The oldest is first; a commit that is no such merge brought nothing.
        """
        parents = (await self._git("rev-list", "--parents", "-1", commit)).decode().split()[1:]
        if len(parents) != 2:  # noqa: PLR2004 - a merge of two
            return ()
        first, second = parents
        listed = await self._git(
            *("rev-list", "--reverse", "--topo-order", "--first-parent", second, f"^{first}")
        )
        return (await self.parted(first, second), *listed.decode().split())

    async def parted(self, commit: str, other: str) -> str:
        """Return the newest commit from which both descend."""
        return (await self._git("merge-base", commit, other)).decode().strip()

    async def described(self, commit: str) -> tuple[str, str, str]:
        """Return a commit's subject, its author's name, and when it was made, as ISO 8601."""
        said = await self._git("log", "-1", "--format=%s%x00%aN%x00%cI", commit)
        subject, author, date = said.decode("utf-8", "replace").rstrip("\n").split("\0")
        return subject, author, date

    async def committed(self, commit: str) -> datetime:
        """Return when a commit was made."""
        said = await self._git("log", "-1", "--format=%cI", commit)
        return datetime.fromisoformat(said.decode().strip())

    async def authors(
        self, commit: str, path: str, first: int, last: int
    ) -> tuple[tuple[str, str], ...]:
        """Return name and address of who wrote each of some lines, from 1, as far as the history goes.

        Raises:
            GitError: When the file has no such lines.
        """
        found = await self._blamed(commit, path, first, last)
        return tuple((each["author"], each["author-mail"].strip("<>")) for each in found)

    async def origin(self, commit: str, path: str, line: int) -> tuple[str, str, str] | None:
        """Return the commit that last changed a line, its author's name, and when it was made, as ISO 8601.

        None where the history does not go back as far.

        Raises:
            GitError: When the file has no such line.
        """
        for found in await self._blamed(commit, path, line, line):
            _, _, date = await self.described(found["commit"])
            return found["commit"], found["author"], date
        return None

    async def _blamed(self, commit: str, path: str, first: int, last: int) -> list[dict[str, str]]:
        """Return what `git blame` tells of some lines, without those that may be older than the history."""
        said = await self._git(
            "blame", "--line-porcelain", "-w", f"-L{first},{last}", commit, "--", path
        )
        found: list[dict[str, str]] = []
        told: dict[str, str] = {}
        for line in said.decode("utf-8", "replace").split("\n"):
            if line.startswith("\t"):
                if not ("boundary" in told and self.is_shallow):
                    found.append(told)
                told = {}
            else:
                name, _, value = line.partition(" ")
                told |= {name: value} if told else {"commit": name}
        return found

    async def hunks(self, before: str, after: str) -> bytes:
        """Return what changed in files that two commits both have, as a diff without context."""
        plain = ("diff-tree", "-r", "--no-ext-diff", "--no-textconv", "--no-renames")
        return await self._git(*plain, "-p", "--unified=0", "--diff-filter=M", before, after)

    async def renamed(self, before: str, after: str) -> dict[str, str]:
        """Return the paths that another path took the place of between two trees, with that one."""
        raw = await self._git(
            "diff-tree", "-r", "-z", "-M", "--diff-filter=R", "--name-status", before, after
        )
        names = [item.decode("utf-8", "surrogateescape") for item in raw.split(b"\0")]
        return dict(zip(names[1::3], names[2::3], strict=False))

    async def changes(self, before: str, after: str) -> tuple[TreeChange, ...]:
        """Return the paths that differ between two trees, for a commit through an API."""
        raw = await self._git("diff-tree", "-r", "-z", "--no-renames", before, after)
        fields = raw.split(b"\0")
        found = []
        for meta, path in zip(fields[0::2], fields[1::2], strict=False):
            was, mode, old, blob, status = meta.decode().lstrip(":").split(" ")
            name = path.decode("utf-8", "surrogateescape")
            is_gone, is_new = status == "D", status == "A"
            found.append(
                TreeChange(
                    name,
                    mode=None if is_gone else mode,
                    blob=None if is_gone else blob,
                    mode_before=None if is_new else was,
                    blob_before=None if is_new else old,
                )
            )
        return tuple(found)

    async def blob(self, blob: str) -> bytes:
        """Return a blob's bytes."""
        return await self._git("cat-file", "blob", blob)

    async def blobs(self, ids: Iterable[str]) -> dict[str, bytes]:
        """Return the bytes of many blobs by id, with one process; ids that are no blobs are left out."""
        wanted = list(dict.fromkeys(ids))
        if not wanted:
            return {}
        stream = io.BytesIO(
            await self._git("cat-file", "--batch", stdin="\n".join([*wanted, ""]).encode())
        )
        found = {}
        for name in wanted:
            said = stream.readline().split()
            if len(said) == _BATCH_HEADER:
                data = stream.read(int(said[2]))
                stream.readline()
                if said[1] == b"blob":
                    found[name] = data
        return found

    async def files(
        self, tree: str, paths: Iterable[str], *, follow: bool = False, longest: int | None = None
    ) -> dict[str, bytes]:
        """Return the files of a tree that are there, with one process.

        Args:
            tree: A tree or a commit.
            paths: In it; a link is its text.
            follow: Instead of a link, return the file of the same tree that it leads to.
            longest: Leave out what has more bytes, without reading it.
        """
        wanted = [path for path in dict.fromkeys(paths) if path and "\n" not in path]
        if longest is not None:
            wanted = await self._short(tree, wanted, longest)
        if not wanted:
            return {}
        flags = ("--follow-symlinks",) if follow else ()
        batch = ("cat-file", "--batch=%(objecttype) %(objectsize)", *flags)
        stream = io.BytesIO(await self._git(*batch, stdin=_asked(tree, wanted)))
        found = {}
        for path in wanted:
            said = stream.readline()
            if said.endswith(b" missing\n"):
                continue
            kind, size = said.split()  # instead of a type, it may be why a link leads nowhere
            data = stream.read(int(size))
            stream.readline()
            if kind == b"blob":
                found[path] = data
        return found

    async def _short(self, tree: str, paths: Sequence[str], longest: int) -> list[str]:
        """Return the paths whose files have at most so many bytes."""
        batch = ("cat-file", "--batch-check=%(objectsize)")
        said = (await self._git(*batch, stdin=_asked(tree, paths))).splitlines()
        sizes = zip(paths, said, strict=True)
        return [path for path, size in sizes if size.isdigit() and int(size) <= longest]

    async def paths_with(self, commit: str, attribute: str, value: str) -> tuple[str, ...]:
        """Return the paths of a commit whose attribute has a value, as its `.gitattributes` say."""
        with scratch_folder("index") as scratch:
            index = {"GIT_INDEX_FILE": f"{scratch}/index"}
            await self._git("read-tree", commit, extra=index)
            listed = await self._git("ls-files", "-z", extra=index)
            check = ("check-attr", "--cached", "--stdin", "-z", attribute)
            fields = (await self._git(*check, extra=index, stdin=listed)).split(b"\0")
        said = zip(fields[0::3], fields[2::3], strict=False)
        return tuple(os.fsdecode(path) for path, has in said if has == value.encode())

    async def grep(
        self,
        commit: str,
        options: Sequence[str],
        *,
        path: str,
        most: int,
        seconds: int = _SEARCH_SECONDS,
    ) -> FoundLines:
        """Search the text files of a commit for a pattern.

        Args:
            commit: Its id.
            options: Of `git grep`; the pattern behind `-e`. It may be anybody's: the search has
                limits of its own, and nothing in a commit makes it run a program.
            path: Of a file or folder; "" for all.
            most: Bytes of output, roughly, with which the search ends.
            seconds: Of processor time.
        """
        found = bytearray()

        def is_enough(piece: bytes) -> bool:
            found.extend(piece)
            return len(found) >= most

        place = ("--", f":(literal){path}") if path else ()
        code, err = await finished_early(
            *("sh", "-c", _LIMITED, str(seconds), str(_SEARCH_KILOBYTES), "git", "grep"),
            *("-n", "-I", "--null", "--no-color", "--no-textconv", "--threads=1"),
            *options,
            commit,
            *place,
            cwd=Path("/"),
            env=environment({"GIT_DIR": str(self.directory.absolute())}, config=_SEARCH_CONFIG),
            is_enough=is_enough,
        )
        prefix = f"{commit}:".encode()
        lines = (line.removeprefix(prefix) for line in found.split(b"\n"))
        is_cut = len(found) >= most
        return FoundLines(
            b"\n".join(lines).decode("utf-8", "replace"),
            problem=err.decode("utf-8", "replace").strip()[-2000:] if code > 1 else "",
            is_out_of_time=not is_cut and code in _OUT_OF_TIME,
        )

    async def submodules(self, tree: str) -> dict[str, str]:
        """Return what of a tree are commits of other repositories, by path."""
        listing = await self._listing(tree)
        if b"160000 commit " not in listing:
            return {}
        entries = (entry.split(b"\t", 1) for entry in listing.split(b"\0")[:-1])
        return {
            path.decode("utf-8", "surrogateescape"): meta.split(b" ")[2].decode()
            for meta, path in entries
            if meta.startswith(b"160000 ")
        }

    async def _listing(self, tree: str) -> bytes:
        """Return what `git ls-tree -r -z` says of a tree; of a large one, that is asked often."""
        if self._listed is None or self._listed[0] != tree:
            self._listed = (tree, await self._git("ls-tree", "-r", "-z", tree))
        return self._listed[1]

    async def put_back(self, tree: str, base: str, paths: Iterable[str]) -> str:
        """Return a tree whose `paths` are as `base` has them: restored, or gone."""
        wanted = set(paths)
        lines = []
        for change in await self.changes(base, tree):
            if change.path not in wanted:
                continue
            mode, blob = change.mode_before or "0", change.blob_before or "0" * 40
            name = change.path.encode("utf-8", "surrogateescape")
            lines.append(f"{mode} {blob}\t".encode() + name + b"\0")
        lines.sort(
            key=lambda line: not line.startswith(b"0 ")
        )  # a file may stand where a folder was
        return await self._indexed(tree, lines)

    async def with_content(self, tree: str, base: str, files: Mapping[str, bytes]) -> str:
        """Return a tree in which some of the files that `base` has otherwise have these bytes."""
        lines = []
        for change in await self.changes(base, tree):
            if change.path in files and change.mode is not None:
                made = await self._git("hash-object", "-w", "--stdin", stdin=files[change.path])
                name = change.path.encode("utf-8", "surrogateescape")
                lines.append(f"{change.mode} {made.decode().strip()}\t".encode() + name + b"\0")
        return await self._indexed(tree, lines)

    async def overlaid(self, tree: str, files: Mapping[str, bytes | None]) -> str:
        """Return a tree in which files have these bytes, or are gone; a new one is a plain file."""
        gone = [path for path, content in files.items() if content is None]
        there = {path: content for path, content in files.items() if content is not None}
        modes = await self._modes(tree)
        lines = [b"0 " + b"0" * 40 + b"\t" + os.fsencode(path) + b"\0" for path in gone]
        for path, content in there.items():
            made = (await self._git("hash-object", "-w", "--stdin", stdin=content)).strip()
            mode = modes.get(path, b"100644")
            lines.append(mode + b" " + made + b"\t" + os.fsencode(path) + b"\0")
        return await self._indexed(tree, lines)

    async def _modes(self, tree: str) -> dict[str, bytes]:
        entries = (entry.split(b"\t", 1) for entry in (await self._listing(tree)).split(b"\0")[:-1])
        return {os.fsdecode(path): meta.split(b" ")[0] for meta, path in entries}

    async def line_ranges(
        self, before: bytes, after: bytes
    ) -> tuple[tuple[tuple[int, int], tuple[int, int]], ...]:
        """Return which lines of a text became which of another one: pairs of ranges from 0 on."""
        blobs = [
            (await self._git("hash-object", "-w", "--stdin", stdin=text)).decode().strip()
            for text in (before, after)
        ]
        plain = ("diff", "--no-color", "--no-ext-diff", "--no-textconv", "--text", "--unified=0")
        said = await self._git(*plain, *blobs)
        return tuple(
            (_range(*found.group(1, 2)), _range(*found.group(3, 4)))
            for found in _HUNK.finditer(said)
        )

    async def _indexed(self, tree: str, lines: Sequence[bytes]) -> str:
        """Return a tree with these lines, as `git update-index` reads them."""
        with scratch_folder("index") as scratch:
            index = {"GIT_INDEX_FILE": f"{scratch}/index"}
            await self._git("read-tree", tree, extra=index)
            await self._git(
                "update-index", "-z", "--index-info", extra=index, stdin=b"".join(lines)
            )
            return (await self._git("write-tree", extra=index)).decode().strip()

    async def show(self, tree: str, path: str) -> bytes | None:
        """Return a file of a tree, or None when it has none of that path."""
        return (await self.files(tree, (path,))).get(path)

    async def paths(self, tree: str) -> tuple[str, ...]:
        """Return every path of a tree."""
        text = (await self._listing(tree)).decode("utf-8", "surrogateescape")
        return tuple(entry.partition("\t")[2] for entry in text.split("\0")[:-1])

    async def contents(self, tree: str) -> dict[str, str]:
        """Return the id of what each path of a tree holds: a blob, or a submodule's commit."""
        text = (await self._listing(tree)).decode("utf-8", "surrogateescape")
        entries = (entry.partition("\t") for entry in text.split("\0")[:-1])
        return {path: meta.rpartition(" ")[2] for meta, _, path in entries}

    async def commit(
        self,
        tree: str,
        *,
        parents: Sequence[str],
        message: str,
        author: tuple[str, str] | None = None,
        made_at: datetime | None = None,
    ) -> str:
        """Store a commit and return its id, which is the same where all of it is given.

        Args:
            tree: Its id.
            parents: Ids of commits.
            message: Of it.
            author: Name and address of who made it; None for ourselves on this machine.
            made_at: When; None for now.
        """
        parent_flags = [flag for parent in parents for flag in ("-p", parent)]
        extra: dict[str, str] = {}
        for role in ("AUTHOR", "COMMITTER"):
            if author is not None:
                extra |= {f"GIT_{role}_NAME": author[0], f"GIT_{role}_EMAIL": author[1]}
            if made_at is not None:
                extra[f"GIT_{role}_DATE"] = f"{int(made_at.timestamp())} +0000"
        made = await self._git(
            "commit-tree", tree, *parent_flags, stdin=message.encode(), extra=extra
        )
        return made.decode().strip()

    async def push(self, commit: str, branch: str, destination: Credential) -> None:
        """Push a commit to a branch, as long as nothing is lost there.

        Raises:
            GitError: When the server refuses, or somebody else pushed.
        """
        await self._git(
            "push", "--quiet", "--", destination.url, f"{commit}:refs/heads/{branch}",
            credential=destination,
        )  # fmt: skip

    async def check_out(
        self,
        commit: str,
        destination: Path,
        *,
        full_history: bool,
        linked: bool = False,
        like: Path | None = None,
    ) -> None:
        """Make `destination` a repository of its own at `commit`: no remote, nothing borrowed.

        Args:
            commit: The commit.
            destination: Does not exist yet.
            full_history: Whether it gets all of the history that is here, and the tags.
            linked: Whether its packs may be those that are borrowed here, by another name, where
                they hold the last commits up to this one alone: nobody writes to it.
            like: A work tree of an ancestor that was made so, too. The files that both have are
                one on the disk.

        Raises:
            RepositoryRefused: The commit would fill this host.
        """
        await refuse_far_too_much(self.directory, commit)
        made = CommitCheckout(self.directory, commit, destination.absolute(), full_history)
        if like is None:
            await made.make(linked=linked)
        else:
            await made.follow(like)

    async def descends(self, commit: str, older: str) -> bool:
        """Whether a commit has another one among its ancestors, as far as they are here."""
        try:
            await self._git("merge-base", "--is-ancestor", older, commit)
        except GitError:
            return False
        return True

    async def pack(self) -> None:
        """Put all packs into one. No object goes, so that whoever borrows them still can."""
        frugal = ("-c", "pack.threads=1", "-c", "pack.windowMemory=256m")
        await self._git(*frugal, "repack", "--quiet", "-a", "-d", "--keep-unreachable")

    async def size(self) -> int:
        """Return the bytes of its packs and loose objects, borrowed ones included."""
        report = (await self._git("count-objects", "-v")).decode()
        numbers = dict(line.split(": ", 1) for line in report.splitlines() if ": " in line)
        own = int(numbers.get("size", "0")) + int(numbers.get("size-pack", "0"))
        borrowed = Path(numbers["alternate"]) if "alternate" in numbers else None
        packs = sum(file.stat().st_size for file in borrowed.glob("pack/*.pack")) if borrowed else 0
        return own * 1024 + packs

    async def _git(
        self,
        *arguments: str,
        cwd: Path = Path("/"),
        extra: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
        credential: Credential | None = None,
        config: Sequence[tuple[str, str]] = (),
    ) -> bytes:
        return await git(
            *arguments,
            git_dir=self.directory,
            cwd=cwd,
            extra=extra,
            stdin=stdin,
            credential=credential,
            config=config,
        )


def _range(start: bytes, count: bytes | None) -> tuple[int, int]:
    """Return the lines of one side of a hunk; an empty range stands behind the line it names."""
    first, lines = int(start), 1 if count is None else int(count)
    return (first, first) if not lines else (first - 1, first - 1 + lines)


def _asked(tree: str, paths: Iterable[str]) -> bytes:
    return "".join(f"{tree}:{path}\n" for path in paths).encode("utf-8", "surrogateescape")
