"""Keep the head and the tail of a command's output, however much of it comes."""

from __future__ import annotations

from sandbox.base import OutputListener

_CONTINUATION = range(0x80, 0xC0)
"""Bytes that can't begin a UTF-8 character (RFC 3629, section 3)."""

_LEADS = (0xC0, 0xE0, 0xF0)
"""The first lead bytes of characters of two, three and four bytes."""


class BoundedOutput:
    """Collects output in at most about `1.5 * limit` bytes of memory.

    The first half of `limit` is the head; of everything after it the last half is the tail.
    """

    def __init__(self, limit: int, on_output: OutputListener | None = None) -> None:
        self._head_size = limit // 2
        self._tail_size = limit - self._head_size
        self._on_output = on_output
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0

    def add(self, data: bytes) -> None:
        """Take the next piece and pass it on to the listener, whole."""
        room = self._head_size - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > 2 * self._tail_size:
            self._trim()
        if data and self._on_output is not None:
            self._on_output(data)

    @property
    def omitted(self) -> int:
        """Bytes that `text` leaves out of the middle."""
        return self._dropped + max(0, len(self._tail) - self._tail_size)

    def text(self) -> str:
        """Return what is kept as UTF-8 with replacements, with one line where bytes are missing."""
        self._trim()
        if not self._dropped:
            return (self._head + self._tail).decode(errors="replace")
        head = _whole_characters_head(bytes(self._head)).decode(errors="replace")
        tail = _whole_characters_tail(bytes(self._tail)).decode(errors="replace")
        newline = "" if head.endswith("\n") or not head else "\n"
        return f"{head}{newline}[... {self._dropped} bytes of output left out ...]\n{tail}"

    def _trim(self) -> None:
        excess = len(self._tail) - self._tail_size
        if excess > 0:
            del self._tail[:excess]
            self._dropped += excess


def _whole_characters_head(data: bytes) -> bytes:
    """Drop a character that the cut left without its last bytes."""
    for back in range(1, min(4, len(data)) + 1):
        lead = data[-back]
        if lead not in _CONTINUATION:
            length = 1 + sum(lead >= first for first in _LEADS)
            return data[:-back] if length > back else data
    return data


def _whole_characters_tail(data: bytes) -> bytes:
    """Drop the last bytes of a character whose start is cut off."""
    start = 0
    while start < min(3, len(data)) and data[start] in _CONTINUATION:
        start += 1
    return data[start:]
