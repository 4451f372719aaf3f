"""The whole of the API: everything that it does, in the order in which it is described."""

from __future__ import annotations

from bot.web.api.artifact_operations import ArtifactOperations
from bot.web.api.figure_operations import FigureOperations
from bot.web.api.memory_operations import MemoryOperations
from bot.web.api.operation import Operation
from bot.web.api.run_operations import RunOperations
from bot.web.api.server_operations import ServerOperations
from bot.web.api.session_operations import SessionOperations
from bot.web.api.tool_operations import ToolOperations


class Api:
    """Answers programs."""

    def __init__(
        self,
        runs: RunOperations,
        artifacts: ArtifactOperations,
        sessions: SessionOperations,
        figures: FigureOperations,
        memory: MemoryOperations,
        tools: ToolOperations,
        server: ServerOperations,
    ) -> None:
        self._parts = (runs, artifacts, sessions, figures, memory, tools, server)

    def operations(self) -> tuple[Operation, ...]:
        """Return everything that the API does."""
        return tuple(operation for part in self._parts for operation in part.operations())
