"""Keep messages as the bytes that go over the wire, so that a turn encodes only what is new.

A conversation of fifty turns would otherwise be converted fifty times, and the prefix must stay
byte-equal anyway for the provider's cache to find it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Mapping
from operator import is_
from typing import Any, Generic, TypeVar

from cachetools import LRUCache

from bot.llm.base import Message

_KEPT_BYTES = 16 * 2**20
"""More than any context window; the oldest messages are encoded again when it is full."""


def dumps(value: Any) -> bytes:
    """Return compact UTF-8 JSON; lone surrogates, which no provider takes, are replaced."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", errors="replace")


V = TypeVar("V", bound=Hashable)


class EncodedMessages(Generic[V]):
    """Encodes messages, each of them once per variant (a message differs from model to model)."""

    def __init__(self, encode: Callable[[Message, V], bytes]) -> None:
        self._encode = encode
        # A message's id is its key: the entry holds the message, so the id stays its own.
        self._kept: LRUCache[tuple[int, V], tuple[Message, bytes]] = LRUCache(
            _KEPT_BYTES, getsizeof=lambda entry: len(entry[1])
        )
        self._newest: tuple[V | None, tuple[Message, ...], list[bytes]] = (None, (), [])

    def __call__(self, messages: Iterable[Message], variant: V) -> list[bytes]:
        """Return each message as JSON.

        A turn asks several times for the same messages, and the next one for some more.
        """
        told = tuple(messages)
        same, before, known = self._newest
        goes_on = same == variant and len(before) <= len(told) and all(map(is_, before, told))
        begun = known if goes_on else []
        encoded = [*begun, *(self._one(message, variant) for message in told[len(begun) :])]
        self._newest = (variant, told, encoded)
        return encoded

    def _one(self, message: Message, variant: V) -> bytes:
        key = (id(message), variant)
        kept = self._kept.get(key)
        if kept is not None:
            return kept[1]
        encoded = self._encode(message, variant)
        if len(encoded) <= _KEPT_BYTES:
            self._kept[key] = (message, encoded)
        return encoded


def with_messages(head: Mapping[str, Any], messages: Iterable[bytes]) -> bytes:
    """Return a request body: the head's keys, then `messages`."""
    return b"".join((dumps(head)[:-1], b',"messages":[', b",".join(messages), b"]}"))
