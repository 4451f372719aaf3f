"""How messages to webhooks are signed, and when they are sent again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from pydantic import SecretStr

from bot.commands.webhooks import _problem_of
from bot.web.webhooks.sender import MOST_TRIES, again_after, retry_after, signed_headers

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_the_signature_is_the_one_of_the_specification() -> None:
    """Its own example: key, id, time and body."""
    headers = signed_headers(
        SecretStr("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        datetime.fromtimestamp(1614265330, UTC),
        b'{"test": 2432232314}',
    )
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    assert headers["webhook-timestamp"] == "1614265330"


def test_it_is_tried_for_three_days() -> None:
    """In growing waits; then it is given up."""
    waits = [again_after(tries, 5.0, 0.0, None) for tries in range(1, MOST_TRIES)]
    assert None not in waits
    known = [wait for wait in waits if wait is not None]
    assert known == sorted(known)
    assert known[:3] == [timedelta(seconds=5), timedelta(minutes=5), timedelta(minutes=30)]
    assert timedelta(days=3) < sum(known, timedelta()) < timedelta(days=4)
    assert again_after(MOST_TRIES, 5.0, 0.0, None) is None


def test_a_receiver_may_ask_for_more_time() -> None:
    """Up to a day, and never for less than is waited anyway."""
    assert again_after(1, 5.0, 0.0, timedelta(hours=1)) == timedelta(hours=1)
    assert again_after(1, 5.0, 0.0, timedelta(days=9)) == timedelta(days=1)
    assert again_after(2, 5.0, 0.0, timedelta(0)) == timedelta(minutes=5)


@pytest.mark.parametrize(
    ("header", "wait"),
    [
        ("120", timedelta(seconds=120)),
        ("9" * 50, timedelta(seconds=10**8)),
        ("Sun, 01 Mar 2026 12:01:00 GMT", timedelta(minutes=1)),
        ("Sun, 01 Mar 2026 11:00:00 GMT", timedelta(0)),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("٣", None),
    ],
)
def test_what_retry_after_says(header: str, wait: timedelta | None) -> None:
    """Seconds or a date; anything else says nothing."""
    assert retry_after(header, NOW) == wait


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://hooks.example.com/a?b=c", ""),
        ("hooks.example.com", "must look like"),
        ("ftp://hooks.example.com", "must look like"),
        ("https://", "must look like"),
        ("https://[::1", "must look like"),
        ("https://a:b@hooks.example.com", "must not hold"),
        ("http://hooks.example.com", "must begin with https"),
    ],
)
def test_which_addresses_are_taken(url: str, words: str) -> None:
    """Those of https, without credentials."""
    found = _problem_of(url, local=False)
    assert words in found
    assert bool(words) == bool(found)
    if "https" in words:
        assert _problem_of(url, local=True) == ""
