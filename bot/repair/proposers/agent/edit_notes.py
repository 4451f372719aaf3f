"""Tell a model what its edits did to a file: broken syntax, and names that nothing defines."""

from __future__ import annotations

from bot.apart import TooMuch, apart
from bot.repair.proposers.agent.syntax_check import newly_broken
from bot.repair.proposers.agent.unknown_names import newly_unknown


class EditNotes:
    """Compares a file with what it was before an edit broke it, so that a broken one stays known."""

    def __init__(self) -> None:
        self._whole: dict[str, bytes] = {}

    async def note(self, path: str, before: bytes, after: bytes) -> str:
        """Return a sentence about an edit that was made, or ""."""
        try:
            whole = self._whole.pop(path, before)
            if told := await apart(newly_broken, path, whole, after):
                self._whole[path] = whole
                return told
            return await apart(newly_unknown, path, whole, after)
        except TooMuch:
            return ""
