"""What happened in a run, as it is kept and told to those who watch it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any


class EventType(StrEnum):
    """What kind of thing happened; docs/api.md has the keys of each one's data."""

    STATUS = "status"
    PHASE = "phase"
    COMMANDS = "commands"
    OUTPUT = "output"
    REPRODUCED = "reproduced"
    EXPLAINED = "explained"
    SPECIFICATION = "specification"
    TURN = "turn"
    TOOL = "tool"
    PLAN = "plan"
    SIDE_BY_SIDE = "side_by_side"
    NOTE = "note"
    VERIFIED = "verified"
    ATTEMPT = "attempt"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class RunEvent:
    """One thing that happened.

    Attributes:
        type: What kind of thing.
        data: JSON values; texts are redacted, and may be untrusted.
    """

    type: EventType
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class KeptEvent:
    """An event of a run as it is kept.

    Attributes:
        run_id: Of the run.
        number: Its place among the events of the run, from 1, without gaps.
        at: When it happened, UTC.
        type: What kind of thing happened.
        data: JSON values.
    """

    run_id: str
    number: int
    at: datetime
    type: EventType
    data: Mapping[str, Any]
