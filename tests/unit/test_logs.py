"""Logs and error reports: useful to operators, silent about secrets."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
import logging
import re
import subprocess
import sys
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from pydantic import SecretStr

from bot.errors import NotPermitted
from bot.redaction import Redactor
from bot.telemetry.logs import WINDOW, SampledHandler, Sampler
from bot.telemetry.sentry import scrubber, start

LOGGING = """
import logging, re, sys
import structlog
from pydantic import SecretStr
from bot.redaction import Redactor
from bot.settings.environment import LogFormat, LogLevel
from bot.telemetry.logs import configure, context

configure(LogFormat(sys.argv[1]), LogLevel.INFO,
    redactor=Redactor((SecretStr("hunter2secret"),), (re.compile("customer-[0-9]+"),)))
log = structlog.get_logger("bot.example")
log.debug("too quiet")
with context(run_id="ab12", delivery_id="d-1"):
    log.info("tests finished", attempt=2, passed=False, key=SecretStr("x-y-z-1-2-3"))
logging.getLogger("library").warning("password is %s%s", "hunter2secret", "customer-4711")
logging.getLogger("httpx").info("chatty")
try:
    secret = "local-variable"
    raise RuntimeError("refused ghp_" + "a1" * 18)
except RuntimeError:
    log.exception("call failed", url="https://u:p4ss@host/")
"""


def run_logging(style: str) -> list[str]:
    """Return the lines that a process of its own logs; it prints nothing else."""
    command = [sys.executable, "-c", LOGGING, style]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert done.stdout == ""
    return done.stderr.splitlines()


def test_json_lines() -> None:
    """Each line is one JSON object with sentence, fields and context, libraries included."""
    info, library, failure = (json.loads(line) for line in run_logging("json"))
    assert info.pop("timestamp").endswith("Z")
    assert info == {
        "event": "tests finished",
        "attempt": 2,
        "passed": False,
        "key": "SecretStr('**********')",
        "run_id": "ab12",
        "delivery_id": "d-1",
        "level": "info",
        "logger": "bot.example",
        "category": "app",
    }
    assert failure["category"] == "error"
    assert library["event"] == "password is [redacted][redacted]"
    assert "run_id" not in failure
    assert failure["url"] == "https://[redacted]@host/"
    assert "RuntimeError: refused [redacted]" in failure["exception"]
    assert "local-variable" not in failure["exception"].replace('secret = "local-variable"', "")


def test_console_lines() -> None:
    """The console style shows the same, for a person, without secrets and colours."""
    text = "\n".join(run_logging("console"))
    assert "tests finished" in text
    assert "run_id=ab12" in text
    assert "RuntimeError: refused [redacted]" in text
    assert "hunter2secret" not in text
    assert "\x1b" not in text


def test_expected_errors_are_not_reported() -> None:
    """An error that a person was told about is no bug."""
    error = NotPermitted("The App may not push here.")
    before_send = scrubber()
    assert before_send({}, {"exc_info": (type(error), error, None)}) is None
    bug = ValueError("x")
    assert before_send({"message": "m"}, {"exc_info": (ValueError, bug, None)}) == {"message": "m"}


def test_events_are_scrubbed() -> None:
    """Variables, bodies, headers, users and secrets are taken out of an event."""
    frames: list[dict[str, Any]] = [{"function": "f", "vars": {"token": "abc"}}]
    event: Any = {
        "exception": {
            "values": [{"value": "hunter2secret, c-4711", "stacktrace": {"frames": frames}}]
        },
        "request": {"url": "http://x/webhook", "method": "POST", "data": "{}", "headers": {}},
        "user": {"ip_address": "1.2.3.4"},
        "server_name": "host",
        "extra": {"sys.argv": ["x"]},
    }
    assert scrubber(Redactor((SecretStr("hunter2secret"),), (re.compile(r"c-\d+"),)))(
        event, {}
    ) == {
        "exception": {
            "values": [
                {"value": "[redacted], [redacted]", "stacktrace": {"frames": [{"function": "f"}]}}
            ]
        },
        "request": {"url": "http://x/webhook", "method": "POST"},
    }


@pytest.mark.parametrize("dsn", [None, SecretStr("")])
def test_without_a_dsn_nothing_starts(dsn: SecretStr | None) -> None:
    """No DSN, no Sentry."""
    assert start(dsn) is False


REPORTING = """
import subprocess
import sys
import sentry_sdk
from pydantic import SecretStr
import structlog
from bot.errors import NotPermitted
from bot.redaction import Redactor
from bot.settings.environment import LogFormat
from bot.telemetry.logs import configure, context
from bot.telemetry.sentry import start

redactor = Redactor((SecretStr("hunter2secret"),))
share = float(sys.argv[2]) if len(sys.argv) > 2 else None
assert start(SecretStr(sys.argv[1]), environment="test", redactor=redactor, traced=share)
for error in (NotPermitted("expected"), RuntimeError("bug with hunter2secret")):
    try:
        local = "value of a local variable"
        raise error
    except Exception as caught:
        sentry_sdk.capture_exception(caught)
configure(LogFormat.JSON)
with context(run_id="ab12", attempt=2), sentry_sdk.start_transaction(name="hunter2secret"):
    structlog.get_logger("bot.example").info("phase started", phase="verify", detail="pytest a.py")
    subprocess.run(["true", "a command of somebody"], check=True)
    structlog.get_logger("bot.example").error("publication failed", repository="o/r")
sentry_sdk.flush(5)
"""


async def reported(*arguments: str) -> list[str]:
    """Return the envelopes that a process of its own sends, as text."""
    received: list[str] = []

    async def collect(request: web.Request) -> web.Response:
        received.append(_text(await request.read()))
        return web.json_response({})

    app = web.Application()
    app.router.add_post("/api/1/envelope/", collect)
    async with TestServer(app) as server:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", REPORTING),
            *(f"http://key@127.0.0.1:{server.port}/1", *arguments),
            stderr=asyncio.subprocess.DEVNULL,
        )
        assert await process.wait() == 0
    return received


async def test_what_sentry_receives() -> None:
    """A real envelope holds the bug, its release and traceback, and nothing that is private."""
    received = await reported()
    bug, logged = (json.loads(envelope.splitlines()[2]) for envelope in received)
    _check_bug(bug)
    assert logged["logentry"] == {"message": "publication failed"}
    assert logged["tags"] == {"run_id": "ab12", "attempt": "2"}
    [crumb] = logged["breadcrumbs"]["values"]
    assert (crumb["message"], crumb["data"]) == ("phase started", {"phase": "verify", "attempt": 2})
    for private in (
        "value of a local variable", "hunter2secret", "pytest a.py", "a command of somebody",
    ):  # fmt: skip
        assert private not in "".join(received)


async def test_sentry_hears_of_performance_when_asked_to() -> None:
    """Of nothing else than before, and redacted."""
    received = await reported("1.0")
    told = [json.loads(line) for envelope in received for line in envelope.splitlines()]
    [transaction] = [text for text in told if text.get("type") == "transaction" and "spans" in text]
    assert transaction["transaction"] == "[redacted]"
    assert transaction["release"].startswith("fixpoint@")
    assert "hunter2secret" not in "".join(received)


def _check_bug(event: dict[str, Any]) -> None:
    assert event["release"].startswith("fixpoint@")
    assert event["environment"] == "test"
    (error,) = event["exception"]["values"]
    assert error["value"] == "bug with [redacted]"
    assert "vars" not in error["stacktrace"]["frames"][-1]
    assert {"server_name", "modules", "user"} & set(event) == set()


def _text(data: bytes) -> str:
    """Return an envelope, compressed or not."""
    return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()


def record(sentence: str, level: int = logging.WARNING) -> logging.LogRecord:
    """Return a line as structlog hands it on."""
    return logging.LogRecord("bot.example", level, "", 0, {"event": sentence}, (), None)


def test_what_repeats_itself_is_sampled() -> None:
    """A burst is written, then every hundredth; each sentence has a burst, and errors all of it."""
    sampler = Sampler(3, lambda: 0.0)
    taken = [n for n in range(1, 300) if sampler.takes(record("noisy"))]
    assert taken == [1, 2, 3, 103, 203]
    assert sampler.takes(record("rare"))
    assert all(sampler.takes(record("broke", logging.ERROR)) for _ in range(10))
    assert all(Sampler(0).takes(record("noisy")) for _ in range(10))


def test_what_was_left_out_is_said() -> None:
    """When the minute is over, and at the end; then counting begins anew."""
    now = 0.0
    stream = io.StringIO()
    sampler = Sampler(1, lambda: now)
    handler = SampledHandler(stream, sampler)
    handler.setFormatter(
        logging.Formatter(
            "%(message)s %(sentence)s %(lines)s", defaults={"sentence": "", "lines": ""}
        )
    )
    for _ in range(5):
        handler.handle(record("noisy"))
    now = WINDOW
    handler.handle(record("noisy"))
    handler.handle(record("noisy"))
    handler.close()
    noisy = "{'event': 'noisy'}  "
    assert stream.getvalue().splitlines() == [
        noisy,
        "lines left out noisy 4",
        noisy,
        "lines left out noisy 1",
    ]
