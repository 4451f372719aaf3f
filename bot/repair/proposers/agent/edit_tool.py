"""Decide what the text editor's commands do to a file: bytes in, bytes or a sentence out.

The commands are those of Anthropic's `text_editor_20250728`: view, create, str_replace, insert.
https://docs.claude.com/en/docs/agents-and-tools/tool-use/text-editor-tool
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import assert_never

from bot.repair.proposers.agent.text_file import TextFile

_CONTEXT_LINES = 4
_LISTED_LINES = 10


@dataclass(frozen=True, slots=True)
class View:
    """Show a file or list a folder. Lines count from 1; `last` is None for the end."""

    path: str
    first: int = 1
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Create:
    """Create a file, or replace all of it."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class StrReplace:
    """Replace the only occurrence of `old`.

    Attributes:
        path: Of the file.
        old, new: What is there, and what takes its place.
        further: More of the same, each made on what those before it leave; all of them or none.
    """

    path: str
    old: str
    new: str
    further: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Insert:
    """Insert text after a line; line 0 is the file's beginning, line -1 its end."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class ReplaceLines:
    """Replace lines `first` to `last`, both included; text that is empty takes them out."""

    path: str
    first: int
    last: int
    text: str


EditCommand = View | Create | StrReplace | Insert | ReplaceLines


class NotOpened(Enum):
    """Why there are no bytes to look at; the value ends a sentence that begins with the path."""

    MISSING = "does not exist."
    FOLDER = "is a folder."
    TOO_LARGE = "is too large for this tool: read and change it with bash (`sed -n` or a script)."


@dataclass(frozen=True, slots=True)
class Show:
    """Nothing changes; this is the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ListFolder:
    """Nothing changes; the answer is the folder's listing."""


@dataclass(frozen=True, slots=True)
class Write:
    """The file becomes `data`; then `text` is the answer."""

    data: bytes
    text: str


@dataclass(frozen=True, slots=True)
class EditRejected:
    """Nothing changes; `text` says why and what to do instead."""

    text: str


Decision = Show | ListFolder | Write | EditRejected


def decide(command: EditCommand, found: bytes | NotOpened) -> Decision:
    """Return what the command does, given what stands at its path."""
    match command:
        case View():
            return _view(command, found)
        case Create():
            return _create(command, found)
        case StrReplace() | Insert() | ReplaceLines():
            return _edit(command, found)
        case _:
            assert_never(command)


def _view(command: View, found: bytes | NotOpened) -> Decision:
    if found is NotOpened.FOLDER:
        return ListFolder()
    file = _opened(command.path, found)
    if isinstance(file, EditRejected):
        return file
    total = len(file.lines)
    if not total:
        return Show("(the file is empty)")
    last = total if command.last is None else min(command.last, total)
    if not 1 <= command.first <= last:
        return EditRejected(
            f"view_range must be within the file's {total} lines, with the first line before the last."
        )
    return Show(file.numbered(command.first, last))


def _create(command: Create, found: bytes | NotOpened) -> Decision:
    if found is NotOpened.MISSING:
        return Write(command.text.encode(), f"Created {command.path}.")
    if isinstance(found, NotOpened):
        return EditRejected(f"{command.path} {found.value}")
    before = TextFile.read(found)
    text = before.fitted(command.text) if before is not None else command.text
    return Write(text.encode(), f"Replaced all of {command.path}, which existed before.")


def _edit(command: StrReplace | Insert | ReplaceLines, found: bytes | NotOpened) -> Decision:
    file = _opened(command.path, found)
    if isinstance(file, EditRejected):
        return file
    match command:
        case StrReplace():
            return _str_replaces(command, file)
        case Insert():
            return _insert(command, file)
        case ReplaceLines():
            return _replace_lines(command, file)
        case _:
            assert_never(command)


def _str_replaces(command: StrReplace, file: TextFile) -> Decision:
    """Return what all replacements of the command do; the first that can't be made stops them."""
    done = _str_replace(command, file)
    for n, (old, new) in enumerate(command.further, 2):
        changed = TextFile.read(done.data) if isinstance(done, Write) else None
        if changed is None:
            break
        done = _str_replace(StrReplace(command.path, old, new), changed)
        if isinstance(done, EditRejected):
            return EditRejected(f"Edit {n} of {len(command.further) + 1}: {done.text}")
    return done


def _str_replace(command: StrReplace, file: TextFile) -> Decision:
    if not command.old:
        return EditRejected(
            "old_str is empty: use insert to add text, or create to write a whole file."
        )
    old, new = file.fitted(command.old), file.fitted(command.new)
    places = file.offsets(old) or file.offsets(command.old)
    if old == new:
        return EditRejected("old_str and new_str are the same: nothing would change.")
    if not places:
        return EditRejected(_not_found(command, file))
    if len(places) > 1:
        lines = ", ".join(str(file.line_of(place)) for place in places[:_LISTED_LINES])
        return EditRejected(
            f"old_str occurs in {command.path} more than once, at lines {lines}: "
            "add surrounding lines until it is unique. Nothing was changed."
        )
    start = places[0]
    length = len(old) if file.text.startswith(old, start) else len(command.old)
    changed = TextFile(file.text[:start] + new + file.text[start + length :])
    first = file.line_of(start)
    return _written(command.path, changed, first, first + new.count("\n"))


def _not_found(command: StrReplace, file: TextFile) -> str:
    sentence = f"old_str does not occur in {command.path}. Nothing was changed."
    if command.new and (done := file.offsets(file.fitted(command.new), most=1)):
        line = file.line_of(done[0])
        return f"{sentence} new_str is already there, at line {line}: was this edit made before?"
    if (nearest := file.nearest(command.old)) is None:
        return f"{sentence} View the file and copy the text exactly, including whitespace."
    lines = file.numbered(*nearest)
    return f"{sentence} The closest match, to copy exactly, including whitespace:\n{lines}"


def _insert(command: Insert, file: TextFile) -> Decision:
    total = len(file.lines)
    line = total if command.line == -1 else command.line
    if not 0 <= line <= total:
        return EditRejected(f"insert_line must be between 0 and {total}, the number of lines.")
    added = file.fitted(command.text)
    if not added.endswith("\n"):
        added += file.newline
    count = added.count("\n")
    kept = _lines_with_ends(file.text)
    before, after = "".join(kept[:line]), "".join(kept[line:])
    if before and not before.endswith("\n"):  # behind a last line that has no newline
        before, added = before + file.newline, added.removesuffix(file.newline)
    changed = TextFile(before + added + after)
    return _written(command.path, changed, line + 1, line + count)


def _replace_lines(command: ReplaceLines, file: TextFile) -> Decision:
    total = len(file.lines)
    if not 1 <= command.first <= min(command.last, total + 1):
        return EditRejected(
            f"Lines {command.first} to {command.last} are not in a file of {total} lines."
        )
    kept = _lines_with_ends(file.text)
    text = file.fitted(command.text)
    if text and not text.endswith("\n") and command.last < total:
        text += file.newline
    changed = TextFile("".join((*kept[: command.first - 1], text, *kept[command.last :])))
    return _written(command.path, changed, command.first, command.first + text.count("\n"))


def _lines_with_ends(text: str) -> list[str]:
    pieces = text.split("\n")
    ended = [f"{piece}\n" for piece in pieces[:-1]]
    return [*ended, pieces[-1]] if pieces[-1] else ended


def _written(path: str, changed: TextFile, first: int, last: int) -> Write:
    total = len(changed.lines)
    start, end = max(1, first - _CONTEXT_LINES), min(total, last + _CONTEXT_LINES)
    return Write(changed.data, f"Changed {path}, now:\n{changed.numbered(start, end)}")


def _opened(path: str, found: bytes | NotOpened) -> TextFile | EditRejected:
    if isinstance(found, NotOpened):
        return EditRejected(f"{path} {found.value}")
    file = TextFile.read(found)
    if file is None:
        return EditRejected(f"{path} is binary: this tool is for text.")
    return file
