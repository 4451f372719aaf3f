"""Follow the calls of one run at several levels at once: each says for itself which code counts.

A run for each level would cost a process each, and show the same.
"""

from __future__ import annotations

import sys
from typing import Any

from .boundary_calls import OwnCalls


class CallsByLevel:
    """What came out of each call of a run, by level."""

    def __init__(self, levels: list[OwnCalls]) -> None:
        self._levels = levels

    @property
    def outputs(self) -> list[dict[str, str]]:
        """Of each level, what came out of its calls by name."""
        return [level.outputs for level in self._levels]

    def start(self) -> None:
        """Begin to follow this thread."""
        sys.settrace(self._called)

    def stop(self) -> None:
        """Follow no more."""
        sys.settrace(None)

    def _called(self, frame: Any, event: str, argument: Any) -> Any:
        follows = [level.called(frame, event, argument) for level in self._levels]
        heard = [follow for follow in follows if follow is not None]
        if not heard:
            return None

        def follow(frame: Any, event: str, argument: Any) -> Any:
            for item in heard:
                item(frame, event, argument)
            return follow

        return follow
