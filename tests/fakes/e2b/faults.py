"""Bad days on request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Refuse:
    """Answer with an error and do nothing."""

    status: int
    message: str = "refused on request"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LoseAnswer:
    """Do what was asked, then answer with an error."""

    status: int = 500


@dataclass(frozen=True, slots=True)
class Slow:
    """Wait some seconds, then answer."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Garbage:
    """Answer 200 with a page of HTML, and do nothing."""


@dataclass(frozen=True, slots=True)
class CutStream:
    """Let a command start, then cut the connection after so many events; it runs on."""

    events: int = 1


Fault = Refuse | LoseAnswer | Slow | Garbage | CutStream


@dataclass(slots=True)
class Faults:
    """What is still to go wrong, by the names of the operations in `server.py`."""

    pending: dict[str, list[Fault]] = field(default_factory=dict)

    def add(self, operation: str, fault: Fault, *, times: int = 1) -> None:
        """Let the next calls of an operation go wrong."""
        self.pending.setdefault(operation, []).extend([fault] * times)

    def strike(self, operation: str) -> Fault | None:
        """Return what goes wrong with this call."""
        faults = self.pending.get(operation)
        return faults.pop(0) if faults else None
