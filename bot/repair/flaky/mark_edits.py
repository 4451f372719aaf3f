"""What the marks of all languages have in common: edits by bytes, and where a mark is refused. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tree_sitter import Node

from bot.code.syntax import field
from bot.errors import FixpointError
from bot.model.quarantine import MarkKind
from bot.reporting.reasons import quarantine as reasons

Edit = tuple[int, int, str]
"""From and to which byte a text takes the place of what stands there."""


@dataclass(frozen=True, slots=True)
class MarkedTest:
    """A file with a mark.

    Attributes:
        data: All of it.
        kind: Of the mark.
        first: Line at which the test begins without it, from 1.
        last: Its last line.
        whole: Whether other parameters of the test are marked with the one that was asked for.
    """

    data: bytes
    kind: MarkKind
    first: int
    last: int
    whole: bool = False


class NoMark(FixpointError):
    """There is no safe edit; the text says why."""


def edited(data: bytes, edits: Iterable[Edit]) -> bytes:
    """Return a text with edits that don't overlap."""
    for start, end, text in sorted(edits, reverse=True):
        data = data[:start] + text.encode() + data[end:]
    return data


def given_to(call: Node | None) -> list[Node]:
    """Return the arguments of a call, without comments."""
    arguments = field(call, "arguments") if call is not None else None
    return plain(arguments.named_children) if arguments is not None else []


def plain(nodes: Iterable[Node]) -> list[Node]:
    """Return nodes without the comments among them."""
    return [node for node in nodes if node.type != "comment"]


def newline_of(data: bytes) -> str:
    """Return how most lines of a text end."""
    crlf = data.count(b"\r\n")
    return "\r\n" if crlf > data.count(b"\n") - crlf else "\n"


def line_start(data: bytes, at: int) -> int:
    """Return where the line of a byte begins."""
    return data.rfind(b"\n", 0, at) + 1


def line_end(data: bytes, at: int) -> int:
    """Return where the line behind that of a byte begins."""
    end = data.find(b"\n", at)
    return len(data) if end < 0 else end + 1


def indent_of(data: bytes, at: int) -> str:
    """Return the white space before what begins a line.

    Raises:
        NoMark: When other code stands before it.
    """
    before = data[line_start(data, at) : at].decode("utf-8", "replace")
    if before.strip():
        raise NoMark(reasons.BESIDE_OTHERS)
    return before
