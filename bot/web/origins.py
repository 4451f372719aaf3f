"""Let pages of other sites use the API: https://fetch.spec.whatwg.org/#http-cors-protocol.

Never with cookies: such a page has to show a key.
"""

from __future__ import annotations

from collections.abc import Mapping

ANY = "*"
_METHODS = "GET, POST"
_GIVEN = "Authorization, Content-Type, Idempotency-Key, Last-Event-ID, X-Request-ID"
_SHOWN = "Link, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-ID"
_REMEMBERED_SECONDS = 600


class Origins:
    """Decides which pages may read answers."""

    def __init__(self, allowed: tuple[str, ...]) -> None:
        """Say which origins may, such as `https://app.example.com`; `*` is all of them."""
        self._allowed = frozenset(allowed)

    def is_preflight(self, method: str, path: str, headers: Mapping[str, str]) -> bool:
        """Whether a browser asks in advance, for a page that may use this part of the server."""
        return (
            method == "OPTIONS"
            and "Access-Control-Request-Method" in headers
            and bool(self.shown(path, headers))
        )

    def permitted(self, path: str, headers: Mapping[str, str]) -> dict[str, str]:
        """Return the headers that answer a browser which asks in advance."""
        return {
            **self.shown(path, headers),
            "Access-Control-Allow-Methods": _METHODS,
            "Access-Control-Allow-Headers": _GIVEN,
            "Access-Control-Max-Age": str(_REMEMBERED_SECONDS),
        }

    def shown(self, path: str, headers: Mapping[str, str]) -> dict[str, str]:
        """Return the headers that let a page read the answer; none for a page that may not."""
        origin = headers.get("Origin", "")
        if not origin or not (path.startswith("/api/v1/") or path == "/code"):
            return {}
        if ANY not in self._allowed and origin not in self._allowed:
            return {}
        allowed = ANY if ANY in self._allowed else origin
        return {
            "Access-Control-Allow-Origin": allowed,
            "Access-Control-Expose-Headers": _SHOWN,
            "Vary": "Origin",
        }
