"""Show the pages of the set-up until there is an App."""

from __future__ import annotations

import asyncio

from aiohttp import web

from bot.errors import UsageError
from bot.registration.pages import AppSetup, StoredSettings

_LAST_PAGE_SECONDS = 1.0
"""For what the last page loads."""


async def serve_set_up(
    set_up: AppSetup, host: str, port: int, stop: asyncio.Event, *, origin: str = ""
) -> StoredSettings | None:
    """Print the address to open, and return what came of it; None once `stop` is set.

    Args:
        set_up: What to show.
        host: Address to listen on.
        port: Port to listen on; 0 takes a free one.
        stop: Ends it.
        origin: Under which browsers come, if that is not this machine's own.

    Raises:
        UsageError: When nobody can listen there.
    """
    runner = web.AppRunner(set_up.app(), access_log=None)
    await runner.setup()
    try:
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            raise UsageError(
                f"Port {port} of {host} can't be used: {error.strerror}. Choose another one."
            ) from error
        here = origin or f"http://localhost:{runner.addresses[0][1]}"
        print(  # noqa: T201 - it carries a token, which log lines never do
            "Fixpoint needs a GitHub App. Open this address in a browser to create it; nobody "
            f"without its token can:\n\n    {set_up.address(here)}\n",
            flush=True,
        )
        waiting = asyncio.ensure_future(stop.wait())
        finished = asyncio.ensure_future(set_up.finished())
        await asyncio.wait((waiting, finished), return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if not finished.done():
            finished.cancel()
            return None
        await asyncio.sleep(_LAST_PAGE_SECONDS)
        return finished.result()
    finally:
        await runner.cleanup()
