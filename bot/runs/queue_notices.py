"""Tell people who wait for a place where in the queue they are, within GitHub's limits."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator

import structlog

from bot.background import again_and_again
from bot.errors import GitHubError, NotPermitted
from bot.github.refusals import Gone
from bot.reporting.reasons import run_life
from bot.runs.display import Display
from bot.storage.run_queue import Untold
from bot.storage.stores import Stores

AT_ONCE = 5
"""Comments of one installation that are written in one round; the others follow in the next."""

_AGAIN = 6
"""Between two edits of a comment, in times of the pause between two rounds."""

_FIRST_SECONDS = 1.0
"""For which a run waits before anything is said: most have a place at once."""

_LONGEST_ROUND = 5.0
_KEPT_SECONDS = 30.0
"""For which a run that is being told of keeps waiting, if its server ends meanwhile."""
_TELLING_SECONDS = 20.0

_log = structlog.get_logger(__name__)


class QueueNotices:
    """Shows positions: the newest, never more often than allowed, and never of a run that began."""

    def __init__(
        self, stores: Stores, display: Display, freed: Callable[[], None], *, every: float
    ) -> None:
        """Describe what is shown.

        Args:
            stores: Of the queue and its runs.
            display: Where positions are shown.
            freed: Called when a run may leave the queue again.
            every: Seconds between two rounds.
        """
        self._queue = stores.queue
        self._runs = stores.runs
        self._display = display
        self._freed = freed
        self._every = min(every, _LONGEST_ROUND)
        self._again = _AGAIN * every

    async def keep_telling(self, turn: Callable[[], Awaitable[object]]) -> None:
        """Tell for ever, when it is this server's turn."""
        await again_and_again(self.tell, pause=self._every, failed="positions not shown", turn=turn)

    async def tell(self) -> None:
        """Tell whoever has to be told.

        Raises:
            StorageError: When the database fails.
        """
        untold = await self._queue.untold()
        for item in due(untold, self._again):
            run_id = item.request.run_id
            if await self._queue.begin_telling(run_id, _KEPT_SECONDS):
                words = await self._tell(item)
                await self._queue.told(run_id, words)
                self._freed()

    async def _tell(self, untold: Untold) -> str | None:
        """Return what is shown now; None when that has to be tried again."""
        words = run_life.standing(untold.position)
        try:
            async with asyncio.timeout(_TELLING_SECONDS):
                comment = await self._display.standing(
                    untold.request, untold.comment, untold.position
                )
        except (NotPermitted, Gone) as error:
            _log.warning("position not shown", problem=str(error))
            return words
        except (GitHubError, TimeoutError) as error:
            _log.warning("position not shown yet", problem=str(error))
            return None
        if comment is not None and untold.comment is None:
            await self._runs.update(untold.request.run_id, progress_comment_id=comment)
        return words


def due(untold: Iterable[Untold], again: float) -> Iterator[Untold]:
    """Yield those whose position has to be written now: it is news, and not too soon.

    Args:
        untold: In order of their positions.
        again: Seconds between two edits of a comment.
    """
    told: Counter[int] = Counter()
    for item in sorted(untold, key=lambda item: item.told is not None):
        late = item.told_ago is None or item.told_ago >= again
        news = item.told != run_life.standing(item.position)
        installation = item.request.installation_id
        if news and late and item.waited >= _FIRST_SECONDS and told[installation] < AT_ONCE:
            told[installation] += 1
            yield item
