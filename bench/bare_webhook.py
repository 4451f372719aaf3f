"""The least that a webhook's server can do: read the body, check its signature, answer.

    BENCH_SECRET=... python -m bench.bare_webhook

Prints its port. What it takes is forgotten.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import os

from aiohttp import web


async def main() -> None:
    """Serve for ever."""
    secret = os.environ["BENCH_SECRET"].encode()

    async def handle(request: web.Request) -> web.Response:
        body = await request.read()
        wanted = "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(wanted, request.headers.get("X-Hub-Signature-256", "")):
            return web.json_response({"error": "wrong signature"}, status=401)
        return web.json_response({"status": "forgotten"}, status=202)

    app = web.Application(client_max_size=25 * 2**20)
    app.router.add_post("/webhook", handle)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
