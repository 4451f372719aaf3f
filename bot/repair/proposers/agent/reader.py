"""Look at the work tree for the agent: files, folders, names. Nothing here changes anything."""

from __future__ import annotations

import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.concurrency import each
from bot.limited_process import TooMuch, run_limited
from bot.model.untrusted import clip, reveal_hidden
from bot.repair.proposers.agent import code_grep, code_search
from bot.repair.proposers.agent.code_grep import SearchCode, SearchKind
from bot.repair.proposers.agent.edit_tool import (
    EditRejected,
    ListFolder,
    NotOpened,
    Show,
    View,
    Write,
    decide,
)
from bot.repair.proposers.agent.text_file import MOST_BYTES
from bot.repair.workspace.base import Workbench
from sandbox.base import WORKSPACE, SandboxError, SandboxGone, SandboxUnavailable

OUTPUT_CHARACTERS = 10_000
"""Of a command or a search that a model is shown: each turn behind it pays for them again."""
_LISTED_ENTRIES = 500
_SECONDS = 30.0
"""For listing a folder, and for a search."""
_AT_ONCE = 8
"""Files that are read at the same time."""

Look = View | SearchCode


@dataclass(frozen=True, slots=True)
class Lookup:
    """The answer to one look, and how many seconds it took."""

    answer: str | EditRejected
    seconds: float


@dataclass(frozen=True, slots=True)
class GrepListing:
    """Lines that match, as `code_grep.grep_command` lists them, or what git complained of."""

    output: str
    timed_out: bool = False


class SearchedCode(Protocol):
    """What is searched: a work tree, or the files of a commit."""

    async def grep(self, search: SearchCode) -> GrepListing:
        """List the lines that match."""
        ...

    async def sources(self, paths: Sequence[str]) -> dict[str, bytes]:
        """Return the files that can be read and have at most `code_search.MOST_BYTES`."""
        ...


class Reader:
    """Answers looks; its methods are acts for `Steps`."""

    def __init__(self, workbench: Workbench) -> None:
        self._workbench = workbench

    async def look(self, looks: tuple[Look, ...]) -> tuple[Lookup, ...]:
        """Answer several looks at the same time."""
        return tuple(await each(map(self._timed, looks)))

    async def find(self, path: str) -> bytes | NotOpened:
        """Return a file's bytes; only those of an editable size get into a checkpoint."""
        try:
            data = await self._workbench.read_file(path)
        except FileNotFoundError:
            return NotOpened.MISSING
        except IsADirectoryError:
            return NotOpened.FOLDER
        return data if len(data) <= MOST_BYTES else NotOpened.TOO_LARGE

    async def _timed(self, look: Look) -> Lookup:
        began = time.monotonic()
        try:
            answer = await (self._view(look) if isinstance(look, View) else self._search(look))
        except (SandboxGone, SandboxUnavailable):
            raise
        except (OSError, SandboxError) as error:  # no permission, a device, a folder in the way
            answer = EditRejected(f"{look.path} can't be accessed: {error}")
        return Lookup(answer, time.monotonic() - began)

    async def _view(self, view: View) -> str | EditRejected:
        match decide(view, await self.find(view.path)):
            case Show(text):
                return text
            case ListFolder():
                return await self._list_folder(view.path)
            case EditRejected() as rejected:
                return rejected
            case Write():
                raise AssertionError("to view changes nothing")

    async def _list_folder(self, path: str) -> str:
        result = await self._workbench.run(listing_command(path), _SECONDS)
        return clip(reveal_hidden(result.output).strip(), OUTPUT_CHARACTERS) or "(empty)"

    async def _search(self, search: SearchCode) -> str | EditRejected:
        if search.kind is SearchKind.OUTLINE:
            return await self._outline(search.path)
        return await search_lines(self, search)

    async def _outline(self, path: str) -> str | EditRejected:
        match await self.find(path):
            case bytes(data):
                try:
                    text = await run_limited(code_search.defined_in, path, data)
                except TooMuch:
                    text = ""
                said = clip(reveal_hidden(text), OUTPUT_CHARACTERS)
                return said or EditRejected(f"{path} defines nothing that can be read: view it.")
            case NotOpened.FOLDER:
                return EditRejected(f"{path} is a folder: name a file, or view the folder.")
            case NotOpened() as problem:
                return EditRejected(f"{path} {problem.value}")

    async def grep(self, search: SearchCode) -> GrepListing:
        """List the lines of the work tree that match."""
        result = await self._workbench.run(code_grep.grep_command(search), _SECONDS)
        return GrepListing(result.output, timed_out=result.timed_out)

    async def sources(self, paths: Sequence[str]) -> dict[str, bytes]:
        """Return the files of the work tree that can be read and are not too large."""
        found: list[bytes] = []
        for start in range(0, len(paths), _AT_ONCE):
            found += await each(map(self._source, paths[start : start + _AT_ONCE]))
        every = zip(paths, found, strict=True)
        return {path: data for path, data in every if len(data) <= code_search.MOST_BYTES}

    async def _source(self, path: str) -> bytes:
        try:
            return await self._workbench.read_file(f"{WORKSPACE}/{path}")
        except (SandboxGone, SandboxUnavailable):
            raise
        except (OSError, SandboxError):
            return b""  # it is gone, or nobody may read it: its lines still count


async def search_lines(code: SearchedCode, search: SearchCode) -> str | EditRejected:
    """Answer a search for a name or a text; where nothing matches, look for what else may be meant."""
    found = await _found(code, search)
    another = code_grep.another_way(search) if found == code_search.nothing(search) else None
    if another is None:
        return found
    other, words = another
    near = await _found(code, other)
    is_useful = isinstance(near, str) and near != code_search.nothing(other)
    return f"{found} {words}\n\n{near}" if is_useful else found


async def _found(code: SearchedCode, search: SearchCode) -> str | EditRejected:
    result = await code.grep(search)
    if result.timed_out:
        return EditRejected("The search takes too long: narrow the path.")
    matches = code_grep.read_matches(result.output)
    if not matches and (complaint := code_grep.complaint(result.output)):
        return EditRejected(clip(reveal_hidden(complaint), OUTPUT_CHARACTERS))
    files = await code.sources(code_search.worth_reading(matches))
    try:
        places = await run_limited(code_search.placed, search, matches, files)
    except TooMuch:
        places = code_search.placed(search, matches, {})
    cut = len(result.output.encode()) >= code_grep.MOST_OUTPUT
    told = code_search.described(search, places, cut=cut)
    if code_grep.was_text(result.output):
        told = f"(This is no regular expression, so it was looked for as it stands.)\n{told}"
    return clip(reveal_hidden(told), OUTPUT_CHARACTERS)


def listing_command(path: str) -> str:
    """Return a command that lists a folder two levels deep, without what is hidden or vendored."""
    return (
        f"cd {shlex.quote(path)} && find . -mindepth 1 -maxdepth 2 "
        r"\( -name '.?*' -o -name node_modules -o -name __pycache__ \) -prune "
        r"-o -type d -exec printf '%s/\n' {} + -o -print "
        f"| cut -c 3- | LC_ALL=C sort | head -n {_LISTED_ENTRIES}"
    )
