"""Secrets never leave, in whatever form they come."""

from __future__ import annotations

import base64
import json
import re
from dataclasses import replace
from decimal import Decimal
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, SecretStr

from bot.redaction import TOKENS_ALONE, Redactor, planted_secrets
from bot.reporting.pull_request import body
from tests.unit.reports import ACCEPTED, FIXED, MARK

KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEabcdefghijklmnop0123456789\nzz9+/==\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    "token",
    [
        "ghp_" + "aB3" * 12,
        "gho_" + "aB3" * 12,
        "ghu_" + "aB3" * 12,
        "ghs_" + "aB3" * 12,
        "ghs_" + "aB3-_." * 60 + "x",
        "ghr_" + "aB3" * 25,
        "github_pat_" + "aB3_" * 20,
        "sk-ant-api03-" + "aB3-_" * 18,
        "sk-proj-" + "aB3" * 20,
        "sk-" + "aB3" * 16,
        "e2b_" + "0a1b" * 10,
        "AKIAIOSFODNN7EXAMPLE",
        "ASIAIOSFODNN7EXAMPLE",
        "AIza" + "aB3_-" * 7,
        "xoxb-123456789012-abcdefghij",
        "glpat-" + "aB3" * 7,
        "fxp_" + "0a1b" * 3 + "_" + "0a1b" * 16,
        "whsec_" + "aB3/" * 10 + "aB3=",
        "npm_" + "aB3d" * 9,
        "pypi-AgEIcHlwaS5vcmc" + "aB3" * 9,
        "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxMjM0NSJ9.c2lnbmF0dXJl",
        KEY,
        KEY.replace("\n", "\\n"),
        KEY[:50],
        "-----BEGIN PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nMIIEabc\n-----END PRIVATE KEY-----",
    ],
)
def test_token_shapes(token: str) -> None:
    """What looks like a credential is taken out, and what stands around it stays."""
    assert TOKENS_ALONE.text(f"before ({token}) after") == "before ([redacted]) after"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("https://x-access-token:abc@github.com/o/r", "https://[redacted]@github.com/o/r"),
        ("postgresql://me:p4ss@db/x", "postgresql://[redacted]@db/x"),
        ("Authorization: Basic eDp5", "Authorization: [redacted]"),
        ("curl -H 'authorization: token abc'", "curl -H 'authorization: [redacted]"),
        ("Bearer abcdefgh12345678", "Bearer [redacted]"),
    ],
)
def test_credentials_in_their_places(text: str, clean: str) -> None:
    """Credentials in URLs and headers are taken out whatever they look like."""
    assert TOKENS_ALONE.text(text) == clean


@pytest.mark.parametrize(
    "text",
    [
        "task-list-with-a-rather-long-name-1",
        "sk-a-long-css-class-name-without-digits",
        "ghp_short",
        "https://github.com/o/r/pull/3@x",
        "http://localhost:8080/path",
        "tests/test_x.py::test_y[a-b]",
        "the bearer of this letter is welcome here",
        "2c64ae48e2b1984a16cf25d215c9f9d21146426d",
        "-----BEGIN CERTIFICATE-----",
        "eyJ is how JSON begins",
    ],
)
def test_other_text_stays(text: str) -> None:
    """Ordinary text, hashes and URLs are left alone."""
    assert TOKENS_ALONE.text(text) == text


SECRET = SecretStr('p"ss w*rd/é')


@pytest.mark.parametrize(
    "form",
    [
        SECRET.get_secret_value(),
        quote(SECRET.get_secret_value(), safe=""),
        json.dumps(SECRET.get_secret_value())[1:-1],
        base64.b64encode(SECRET.get_secret_value().encode()).decode(),
        base64.b64encode(f"x-access-token:{SECRET.get_secret_value()}".encode()).decode(),
    ],
)
def test_planted_secrets_in_all_forms(form: str) -> None:
    """A known secret is found in clear, quoted for a URL, in JSON and in base64."""
    assert form.rstrip("=") not in Redactor((SECRET,)).planted(f"a {form} b")


def test_lines_of_a_planted_key() -> None:
    """One line of a planted key gives nothing away either."""
    lines = "A" * 40 + "\n" + "B" * 40
    assert Redactor((SecretStr(lines),)).text("x " + "B" * 40) == "x [redacted]"


def test_words_are_no_secrets() -> None:
    """A planted value as short as a word would shred every text; it is ignored."""
    assert Redactor((SecretStr("test"), SecretStr(""))).text("a test of tests") == "a test of tests"


def test_longer_secrets_first() -> None:
    """A secret that contains another one is taken out whole."""
    secrets = (SecretStr("abcdef"), SecretStr("abcdef-ghijkl"))
    assert Redactor(secrets).text("abcdef-ghijkl") == "[redacted]"


@given(st.text(), st.text(min_size=6).map(str.strip).filter(lambda text: len(text) > 5))
def test_no_planted_secret_survives(text: str, secret: str) -> None:
    """Whatever the text and the secret are, the secret is gone, unless it is our own mark."""
    clean = Redactor((SecretStr(secret),)).planted(f"{text}{secret}{text}")
    assert secret not in clean.replace("[redacted]", "\0")


def test_values_inside_values() -> None:
    """JSON-like values are cleaned at every depth, keys included."""
    redactor = Redactor((SecretStr("hunter2"),))
    dirty = {"a hunter2": ["hunter2", {"b": ("x", b"hunter2")}], "n": 1, "none": None}
    assert redactor.values(dirty) == {
        "a [redacted]": ["[redacted]", {"b": ["x", "[redacted]"]}],
        "n": 1,
        "none": None,
    }


def test_report_is_cleaned_before_it_is_written() -> None:
    """A secret that Markdown would escape is taken out of the report's own texts first."""
    secret = SecretStr("p*ss_|word<1>")
    proposal = replace(ACCEPTED.proposal, summary=f"Used {secret.get_secret_value()} here.")
    report = replace(FIXED, attempts=(replace(ACCEPTED, proposal=proposal),))
    clean = Redactor((secret,)).frozen(report)
    assert "Used \\[redacted\\] here." in body(clean, MARK)
    assert clean.usage.cost_usd == FIXED.usage.cost_usd
    assert clean.verdict is FIXED.verdict
    assert clean.patch == FIXED.patch


def test_report_without_secrets_is_unchanged() -> None:
    """Cleaning changes nothing else."""
    assert TOKENS_ALONE.frozen(FIXED) == FIXED


class _Settings(BaseModel):
    name: str = "n"
    key: SecretStr = SecretStr("first-key")
    other: SecretStr | None = SecretStr("other-key")
    missing: SecretStr | None = None
    budget: Decimal = Decimal(2)
    registries: tuple[SecretStr, ...] = (SecretStr("https://me:p%40ssword@pkg.example/simple"),)


def test_planted_secrets_of_settings() -> None:
    """Every secret of the settings is one to look for."""
    secrets = [secret.get_secret_value() for secret in planted_secrets(_Settings())]
    assert secrets[:2] == ["first-key", "other-key"]
    sent = base64.b64encode(b"me:p@ssword").decode()
    assert secrets[2:] == ["https://me:p%40ssword@pkg.example/simple", "p@ssword", sent]


def test_registries_that_serve_some_are_secrets_too() -> None:
    """Their password is found behind the names of those that they serve."""
    limited = _Settings(registries=(SecretStr("acme,beta/app=https://me:hidden=1@pkg.example/"),))
    secrets = [secret.get_secret_value() for secret in planted_secrets(limited)]
    assert secrets[3:] == ["hidden=1", base64.b64encode(b"me:hidden=1").decode()]


def test_payloads_lose_secrets_in_what_people_wrote() -> None:
    """Names and addresses stay, or the webhook would be about something else; others stay as sent."""
    redactor = Redactor(patterns=(re.compile("acme-[0-9]+"),))
    told = {"comment": {"body": "it is acme-7", "id": 1}, "changes": {"body": {"from": "acme-8"}}}
    data = json.dumps({**told, "repository": {"name": "acme-9"}}).encode()
    kept = json.loads(redactor.payload(data))
    assert kept["comment"] == {"body": "it is [redacted]", "id": 1}
    assert kept["changes"] == {"body": {"from": "[redacted]"}}
    assert kept["repository"] == {"name": "acme-9"}
    plain = b'{"body" : "nothing"}'
    assert redactor.payload(plain) is plain
