"""Rates, origins, and names of requests: what stands before every answer of the API."""

from __future__ import annotations

from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request
from pydantic import SecretStr

from bot.storage.database import open_database
from bot.storage.request_counts import RequestCounts
from bot.web.access import WrongTokens
from bot.web.application import request_id
from bot.web.caller import Caller
from bot.web.origins import Origins
from bot.web.problems import ApiProblem
from bot.web.rates import RateLimits
from bot.web.sessions import COOKIE, Sessions


async def test_who_sends_too_much_is_told_when_to_come_back(tmp_path: Path) -> None:
    """Each caller has a number of requests for each minute."""
    now = 120.0
    async with await open_database(SecretStr(f"sqlite:///{tmp_path}/counts.db")) as database:
        rates = RateLimits(2, RequestCounts(database), clock=lambda: now)
        assert await rates.count("a") == {
            "RateLimit-Policy": '"default";q=2;w=60',
            "RateLimit": '"default";r=1;t=60',
        }
        now = 150.5
        assert (await rates.count("a"))["RateLimit"] == '"default";r=0;t=30'
        with pytest.raises(ApiProblem) as refused:
            await rates.count("a")
        assert (refused.value.status, refused.value.headers["Retry-After"]) == (429, "30")
        assert (await rates.count("b"))["RateLimit"] == '"default";r=1;t=30'
        now = 180.0
        assert (await rates.count("a"))["RateLimit"] == '"default";r=1;t=60'


@pytest.mark.parametrize(
    ("allowed", "path", "origin", "shown"),
    [
        ((), "/api/v1/runs", "https://a.test", None),
        (("https://a.test",), "/api/v1/runs", "https://a.test", "https://a.test"),
        (("https://a.test",), "/code", "https://a.test", "https://a.test"),
        (("https://a.test",), "/api/v1/runs", "https://a.test.evil.test", None),
        (("https://a.test",), "/api/v1/runs", "", None),
        (("https://a.test",), "/runs/1/approve", "https://a.test", None),
        (("*",), "/api/v1/runs", "https://b.test", "*"),
    ],
)
def test_which_pages_may_read_answers(
    allowed: tuple[str, ...], path: str, origin: str, shown: str | None
) -> None:
    """Those of the setting, of the API alone, and never with cookies."""
    headers = Origins(allowed).shown(path, {"Origin": origin})
    assert headers.get("Access-Control-Allow-Origin") == shown
    assert "Access-Control-Allow-Credentials" not in headers
    asked = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    assert Origins(allowed).is_preflight("OPTIONS", path, asked) == (shown is not None)


@pytest.mark.parametrize("given", ["", "a b", "a\nb", "é", "x" * 65, '"', "\x1b[31m"])
def test_a_name_that_is_none_is_replaced(given: str) -> None:
    """It is in logs and headers."""
    assert request_id(given) != given
    assert request_id("trace-1:a.b_C") == "trace-1:a.b_C"


@pytest.mark.parametrize(
    ("pair", "other"),
    [
        (("key ci", "x/y"), ("key ci/x", "y")),
        (("key a", "b c"), ("key a b", "c")),
        (("key a", '", "b'), ('key a", "', "b")),
        (("key a", ""), ("key ", "a")),
        (("key a/", "/b"), ("key a", "//b")),
    ],
)
def test_no_two_callers_ask_the_same_question(
    pair: tuple[str, str], other: tuple[str, str]
) -> None:
    """Whatever their names and their keys are made of."""
    questions = [Caller(name, None, frozenset()).question(key) for name, key in (pair, other)]
    assert questions[0] != questions[1]


def test_a_cookie_is_read_as_what_it_was_made_for() -> None:
    """A session is no log-in that was begun, nor the other way round."""
    sessions, here = Sessions(b"secret"), make_mocked_request("GET", "/")
    names = (COOKIE, "fixpoint_login", "fixpoint_csrf", "other", "fixpoint_")
    for made in names:
        response = web.Response()
        sessions.keep(here, response, made, {"key": "k"}, 60)
        value = response.cookies[made].value
        for read in names:
            asked = make_mocked_request("GET", "/", headers={"Cookie": f"{read}={value}"})
            assert sessions.kept(asked, read, 60) == ({"key": "k"} if made == read else None)


def test_wrong_tokens_are_counted_until_they_are_too_many() -> None:
    """Then no more are answered for a while."""
    wrong = WrongTokens(most=2, window=3600)
    assert [wrong.too_many() for _ in range(4)] == [False, False, True, True]
    assert [WrongTokens(most=1, window=0.0).too_many() for _ in range(3)] == [False] * 3
