"""Read a repository that somebody else made, while git never sees its settings.

Dozens of settings make git run a program, and each version brings new ones: a remote that is asked
for missing objects, a filter, a signature's check. So git runs in a folder of ours, with settings
of ours, that borrows only the other's objects and refs. Of its settings the format alone is taken
over, where it is one of those listed here.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from sandbox.git.hazards import odd_file
from sandbox.git.layout import Layout, RepositoryRefused, layout_of, read_plain
from sandbox.git.process import GitError, git
from sandbox.scratch import scratch_folder

_BORROWED = ("objects", "refs", "packed-refs", "reftable")
_IGNORED = frozenset(
    {"noop", "partialclone", "preciousobjects", "relativeworktrees", "worktreeconfig"}
)
"""Extensions that say nothing about how objects and refs are stored."""

_STORED = {"objectformat": {"sha1"}, "refstorage": {"files", "reftable"}}
"""Extensions that do, and the values that are taken over. https://git-scm.com/docs/git-config"""

_CONFIG = """\
[core]
\trepositoryFormatVersion = 1
\tbare = true
\tlogAllRefUpdates = false
[extensions]
"""
_TRUE = frozenset({"", "true", "yes", "on", "1"})


@dataclass(frozen=True, slots=True)
class ForeignRepository:
    """A repository on this machine that was not made here.

    Attributes:
        root: Folder of its work tree.
        objects: Folder of its objects.
        shallow: Where its history ends early, as git's file of that name says it.
        exclude: What its owner excludes without a file in the tree, in gitignore syntax.
        settings: What its config says, by key as `git config --list` prints them: data, which git
            is never given.
        view: The git folder of ours; writing to it writes objects and refs of the repository.
    """

    root: Path
    objects: Path
    shallow: bytes
    exclude: bytes
    settings: Mapping[str, str]
    view: Path

    @property
    def is_partial(self) -> bool:
        """Whether objects were left on a server, which nobody asks for them."""
        return any(
            key == "extensions.partialclone" or key.endswith((".promisor", ".partialclonefilter"))
            for key in self.settings
        )

    async def head(self) -> str:
        """Return the commit that is checked out.

        Raises:
            GitError: There is none yet.
        """
        said = await self.git("rev-parse", "--verify", "HEAD^{commit}")
        return said.decode().strip()

    async def git(
        self,
        *arguments: str,
        extra: Mapping[str, str] | None = None,
        stdin: bytes | None = None,
    ) -> bytes:
        """Run a git command at the root of its work tree and return its stdout.

        Raises:
            GitError: When it exits with another status than zero.
        """
        places = {"GIT_WORK_TREE": str(self.root), **(extra or {})}
        return await git(*arguments, git_dir=self.view, cwd=self.root, extra=places, stdin=stdin)


@asynccontextmanager
async def foreign(folder: Path) -> AsyncIterator[ForeignRepository]:
    """Yield the repository that a folder of this machine belongs to.

    Raises:
        GitError: It belongs to none.
        RepositoryRefused: The repository leads to files of others, or is of a kind that is not
            known; the text is a sentence.
    """
    layout = layout_of(folder)
    with scratch_folder("view") as view:
        settings = await _settings(layout)
        _check_place(layout, settings)
        await _check_files(layout)
        _make_view(view, layout, settings)
        yield ForeignRepository(
            layout.root,
            layout.common / "objects",
            read_plain(layout.common / "shallow") or b"",
            read_plain(layout.common / "info" / "exclude") or b"",
            settings,
            view,
        )


async def _settings(layout: Layout) -> dict[str, str]:
    """Return what the repository's config says, without what it includes; the last value counts."""
    settings = await _parsed(layout.common / "config")
    if settings.get("extensions.worktreeconfig", "false").lower() in _TRUE:
        settings |= await _parsed(layout.own / "config.worktree")
    return settings


async def _parsed(file: Path) -> dict[str, str]:
    return await settings_in(read_plain(file) or b"")


async def settings_in(content: bytes) -> dict[str, str]:
    """Return what a file in the format of git's config says, without what it includes.

    Keys are as `git config --list` prints them; the last value counts.

    Raises:
        GitError: It is no such file.
    """
    listing = await git(
        *("config", "--file", "-", "--no-includes", "--null", "--list"), stdin=content
    )
    entries = listing.decode("utf-8", "surrogateescape").split("\0")[:-1]
    return {key: value for key, _, value in (entry.partition("\n") for entry in entries)}


def _check_place(layout: Layout, settings: Mapping[str, str]) -> None:
    """Make sure that work tree and git folder belong together, by what each of them says."""
    named = settings.get("core.worktree") if layout.own == layout.common else None
    place = None if named is None else Path(layout.own, named).resolve()
    if place is not None and place != layout.root:
        raise RepositoryRefused(
            f"The work tree of {layout.root} is elsewhere, says its setting core.worktree. Name "
            "that folder, or unset core.worktree."
        )
    if place is None and not layout.refers_back:
        raise RepositoryRefused(
            f"{layout.root / '.git'} leads to {layout.own}, which does not lead back. If that is "
            f"right, run `git --git-dir={layout.own} config core.worktree {layout.root}`."
        )
    is_bare = settings.get("core.bare", "false").lower() in _TRUE
    if is_bare and place is None and layout.own == layout.common:
        raise RepositoryRefused(f"{layout.root} has no work tree, says its setting core.bare.")


async def _check_files(layout: Layout) -> None:
    """Make sure that the repository has its objects and refs to itself, and that none of them waits."""
    odd = await odd_file(*(layout.common / name for name in (*_BORROWED, "info")))
    if odd is not None:
        raise RepositoryRefused(
            f"{odd} is neither a file nor a folder. Fixpoint follows no links inside a repository; "
            "make a clone of it, and repair that."
        )
    if (read_plain(layout.common / "objects" / "info" / "alternates") or b"").strip():
        raise RepositoryRefused(
            f"{layout.root} borrows objects from another repository. Run `git repack -a -d` in it "
            f"and delete {layout.common / 'objects' / 'info' / 'alternates'}, then try again."
        )


def _make_view(view: Path, layout: Layout, settings: Mapping[str, str]) -> None:
    head = read_plain(layout.own / "HEAD")
    if head is None or not (layout.common / "objects").is_dir():
        raise GitError(
            f"{layout.root} is not a git repository: its git folder lacks HEAD or objects"
        )
    (view / "HEAD").write_bytes(head)
    (view / "config").write_text(_CONFIG + "".join(_extensions(layout, settings)), "utf-8")
    for name in _BORROWED:
        if (layout.common / name).exists():
            (view / name).symlink_to(layout.common / name)
    if shallow := read_plain(layout.common / "shallow"):
        (view / "shallow").write_bytes(shallow)


def _extensions(layout: Layout, settings: Mapping[str, str]) -> list[str]:
    lines = []
    for key, value in settings.items():
        name = key.removeprefix("extensions.")
        if name == key or name in _IGNORED:
            continue
        if value not in _STORED.get(name, set()):
            raise RepositoryRefused(
                f"{layout.root} is stored in a way that Fixpoint can't read: its setting {key} is "
                f"{value!r}."
            )
        lines.append(f"\t{name} = {value}\n")
    return lines
