"""The decisions about a sandbox's way out."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Sequence

import pytest

from sandbox.base import Network
from sandbox.e2b.provider import network_rules
from sandbox.egress.addresses import is_local, is_own
from sandbox.egress.authority import Authority
from sandbox.egress.credentials import (
    OnlyReading,
    authorization,
    may_stay,
    of_host,
    registry_credential,
)
from sandbox.egress.operator import Upstream, operator
from sandbox.egress.policy import Policy, decide, plain
from sandbox.egress.request import BadRequest, parse

SOME = Policy(Network(("pypi.org", "*.example.org")), frozenset({("10.1.2.3", 8080)}))
ALL = Policy(Network(everything=True))


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.9.9.9", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1"),
        *("100.64.0.1", "169.254.169.254", "198.18.0.1", "224.0.0.1", "255.255.255.255"),
        *("::1", "::", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "ff02::1"),
        *("::ffff:10.0.0.1", "::ffff:169.254.169.254", "::10.0.0.1", "64:ff9b::a00:1"),
        *("2002:7f00:1::", "2001:0:4136:e378:8000:63bf:80ff:fffe"),
        *("::ffff:0:10.0.0.1", "::ffff:0:8.8.8.8", "::8.8.8.8", "2001:db8::5efe:10.0.0.1"),
        *("2a04:4e42::200:5efe:169.254.169.254", "64:ff9b:1::8.8.8.8", "64:ff9b:0:1::8.8.8.8"),
        *("5f00::1", "100::1", "4000::1", "2002:a9fe:a9fe::1", "64:ff9b::169.254.169.254"),
    ],
)
def test_local_addresses_are_known(address: str) -> None:
    """Also those that IPv6 wraps: mapped, compatible, translated, 6to4 and Teredo."""
    assert is_local(address)


@pytest.mark.parametrize(
    "address",
    [
        *("151.101.0.223", "2a04:4e42::223", "::ffff:151.101.0.223", "64:ff9b::151.101.0.223"),
        "2002:9765:df::1",
    ],
)
def test_addresses_of_the_internet_are_not_local(address: str) -> None:
    """Registries have such."""
    assert not is_local(address)
    assert not is_own(address)


def test_own_addresses_are_known() -> None:
    """Whatever a machine calls its own leads to its own services."""
    assert is_own("127.0.0.1")


def test_hosts_are_allowed_by_name_and_port() -> None:
    """The usual ports; names below one only with a star; the operator's own at its port."""
    allowed = [
        *(("pypi.org", 443), ("pypi.org", 80), ("a.example.org", 443), ("a.b.example.org", 443)),
        ("10.1.2.3", 8080),
    ]
    refused = [
        *(("pypi.org", 22), ("pypi.org.evil.example", 443), ("notpypi.org", 443)),
        *(("example.org", 443), ("notexample.org", 443), ("10.1.2.3", 80), ("a b", 443)),
        *(("..example.org", 443), (".example.org", 443)),
    ]
    assert [place for place in allowed if decide(SOME, *place) is None] == []
    assert [place for place in refused if decide(SOME, *place) is not None] == []


def test_everything_is_the_internet_alone() -> None:
    """No address of this machine's networks, and none that a name leads to."""
    for host in ("127.0.0.1", "::1", "169.254.169.254", "10.1.2.3"):
        assert decide(ALL, host, 443) is None
    passed = decide(ALL, "anything.example", 8443)
    assert passed is not None
    assert passed.admits("151.101.0.223")
    assert not passed.admits("10.0.0.1")


def test_names_have_one_spelling() -> None:
    """Case, a final dot and brackets make no other host."""
    assert plain("PyPI.org.") == "pypi.org"
    assert plain("[::1]") == "::1"


def test_a_request_is_written_anew() -> None:
    """With its path and the host's own name, and without what was for the proxy."""
    head = (
        b"GET http://User@PyPI.org:8080/simple?x=//y#z HTTP/1.1\r\nHost: other.example\r\n"
        b"Proxy-Authorization: Basic eA==\r\nConnection: keep-alive\r\nAccept:  */*\t\r\n\r\n"
    )
    wanted = parse(head)
    assert (wanted.host, wanted.port, wanted.scheme) == ("pypi.org", 8080, "http")
    assert (wanted.method, wanted.path) == ("GET", "/simple?x=//y")
    assert wanted.head == (
        b"GET /simple?x=//y HTTP/1.1\r\nHost: pypi.org:8080\r\nAccept: */*\r\n"
        b"Connection: close\r\n\r\n"
    )


@pytest.mark.parametrize(
    "line",
    [
        *("GET / HTTP/1.1", "GET https://pypi.org/ HTTP/1.1", "CONNECT pypi.org HTTP/1.1"),
        *("CONNECT pypi.org:0 HTTP/1.1", "CONNECT pypi.org:x HTTP/1.1", "CONNECT [::1 HTTP/1.1"),
        *("get http://a/ HTTP/1.1", "GET http://a/ HTTP/2", "GET http:// HTTP/1.1", "", "\x00"),
        "GET http://a/ b HTTP/1.1",
    ],
)
def test_what_is_no_proxy_request_is_refused(line: str) -> None:
    """Rather than guessed at."""
    with pytest.raises(BadRequest):
        parse(f"{line}\r\n\r\n".encode())


@pytest.mark.parametrize(
    "headers",
    [
        *(
            b"X: y\n\nDELETE / HTTP/1.1",
            b"X: y\nZ: z",
            b"X: y\rZ: z",
            b"X: y\r\n folded",
            b"X: \x00",
        ),
        *(b" X: y", b"X : y", b"X", b": y", b"X\x0b: y", b"Transfer-Encoding : chunked", b""),
        *(b"Content-Length: 1\r\nContent-Length: 1", b"Content-Length: 1\r\ncontent-length: 2"),
        *(
            b"Content-Length: 1, 1",
            b"Content-Length: +1",
            b"Content-Length: 0x1",
            b"Content-Length:",
        ),
        *(b"Transfer-Encoding: chunked\r\nContent-Length: 1", b"Transfer-Encoding: gzip, chunked"),
        *(
            b"Transfer-Encoding: identity",
            b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        ),
    ],
)
@pytest.mark.parametrize("line", [b"POST http://a/ HTTP/1.1", b"CONNECT a:443 HTTP/1.1"])
def test_what_can_be_read_in_two_ways_is_refused(line: bytes, headers: bytes) -> None:
    """Bare line feeds, lines that go on, and all that tells a request's end but once and plainly."""
    with pytest.raises(BadRequest):
        parse(line + b"\r\n" + headers + b"\r\n\r\n")


@pytest.mark.parametrize("headers", [b"Content-Length: 10", b"Transfer-Encoding: Chunked", b"X:"])
def test_a_body_is_read_where_its_end_is_plain(headers: bytes) -> None:
    """The header that tells it goes on to what reads the rest."""
    wanted = parse(b"POST http://a/ HTTP/1.1\r\n" + headers + b"\r\n\r\n")
    assert headers in wanted.head


def test_the_operators_registries_are_found() -> None:
    """In variables, `pip.conf` and `.npmrc`, with their ports, whatever else stands there."""
    found = operator(
        {
            "PIP_EXTRA_INDEX_URL": "https://u:p@pypi.corp/simple http://127.0.0.1:3141/root/",
            "UV_INDEX": "corp=https://uv.corp:8443/simple",
            "GOPROXY": "https://go.corp,direct|off",
            "HOME": "https://not.a.registry",
        },
        "[global]\nindex-url = https://conf.corp/simple\ntimeout = 60\nfind-links = /opt/wheels\n",
        "registry=http://npm.corp/\n@scope:registry=https://scope.corp\n//npm.corp/:x=https://no\n",
    )
    assert found.trusted == {
        *(("pypi.corp", 443), ("127.0.0.1", 3141), ("uv.corp", 8443), ("go.corp", 443)),
        *(("conf.corp", 443), ("npm.corp", 80), ("scope.corp", 443)),
    }


def test_the_operators_proxies_are_found() -> None:
    """With their credentials, which no repr shows; exceptions are hosts, domains and ports."""
    found = operator(
        {
            "https_proxy": "http://me:p%40ss@proxy.corp:3128",
            "HTTP_PROXY": "proxy.corp:8080",
            "NO_PROXY": "internal.corp, .example.org,1.2.3.4:8080",
        }
    )
    assert found.upstream("http", "pypi.org", 80) == Upstream("proxy.corp", 8080)
    upstream = found.upstream("https", "pypi.org", 443)
    assert upstream == Upstream("proxy.corp", 3128, authorization="Basic bWU6cEBzcw==")
    assert "bWU6cEBzcw" not in repr(found)
    for host, port in (("internal.corp", 443), ("a.example.org", 443), ("1.2.3.4", 8080)):
        assert found.upstream("https", host, port) is None
    assert found.upstream("https", "1.2.3.4", 443) == upstream
    assert operator({"HTTPS_PROXY": "p:1", "NO_PROXY": "*"}).upstream("https", "a", 443) is None


def test_the_same_policy_in_the_words_of_e2b() -> None:
    """Some hosts are those and nothing else; everything is all but private networks."""
    assert network_rules(None, None) is None
    assert network_rules(Network(("pypi.org",)), None) == {
        "allow_out": ["pypi.org"],
        "deny_out": ["0.0.0.0/0"],
    }
    own = network_rules(Network(("pypi.org",)), {"allow_out": ["a.corp"], "rules": {"a.corp": []}})
    assert own == {
        "allow_out": ["a.corp", "pypi.org"],
        "deny_out": ["0.0.0.0/0"],
        "rules": {"a.corp": []},
    }
    everything = network_rules(Network(everything=True), None)
    assert everything is not None
    assert "169.254.0.0/16" in str(everything["deny_out"])


@pytest.mark.parametrize(
    ("url", "place", "authorization"),
    [
        (
            "https://me:p%40ss@Pkg.example/simple",
            ("https", "pkg.example", 443),
            "Basic bWU6cEBzcw==",
        ),
        ("https://t0ken@pkg.example:8443", ("https", "pkg.example", 8443), "Bearer t0ken"),
        ("http://me:pass@10.1.2.3/", ("http", "10.1.2.3", 80), "Basic bWU6cGFzcw=="),
    ],
)
def test_credentials_are_read(url: str, place: tuple[str, str, int], authorization: str) -> None:
    """As addresses have them; a user alone is a token."""
    credential = registry_credential(url)
    assert (credential.scheme, credential.host, credential.port) == place
    assert credential.authorization == authorization
    assert authorization not in repr(credential)


@pytest.mark.parametrize(
    "url", ["https://pkg.example/simple", "pkg.example", "ftp://a:b@c/", "https://a:secret@c:x/"]
)
def test_other_addresses_are_no_credentials(url: str) -> None:
    """The sentence does not quote what was given."""
    with pytest.raises(ValueError, match="must be addresses such as") as caught:
        registry_credential(url)
    assert "secret" not in str(caught.value)


DEVIOUS = (
    *("/ab", "/a/../b", "/a/./b", "/a//b", "/a/..;/b", "/a;/../b", "/a\\..\\b", "/a/..", "/a b"),
    *("/a/%2e%2e/b", "/a/%2E./b", "/a/x%2f..%2f..%2fb", "/a%2fx", "/a%2f..%2fb", "/a/%5c..%5cb"),
    *("/a/%252e%252e/b", "/a/%25252e%25252e/b", "/a/%%32%65%%32%65/b", "/a/%u002e%u002e/b"),
    *("/a/%c0%ae%c0%ae/b", "/a/%e3%80%82/b", "/a/%00", "/a/%0d%0a", "/a/%20", "/a/%7f", "/a/%"),
)
"""Paths that some server takes for one that is not below `/a`."""


def test_requests_get_the_credential_of_their_path() -> None:
    """In place of the client's own; the longest path wins; another host's has no say."""
    known = [
        registry_credential(f"http://u:{word}@pkg.example/{path}")
        for word, path in (("one", "a"), ("two", "a/b"))
    ]
    wanted = parse(b"GET http://pkg.example/a/b/c HTTP/1.1\r\n\r\n")
    assert of_host(known, wanted) == tuple(known)
    assert of_host(known, parse(b"GET http://other.example/a/b/c HTTP/1.1\r\n\r\n")) == ()
    assert authorization(known, "GET", "/a/b/c?x=/") == known[1].authorization
    assert authorization(known, "PUT", "/b") is None
    assert authorization(known, "GET", "/a/@scope%2fname") == known[0].authorization
    for path in DEVIOUS:
        assert authorization(known, "GET", path) is None, path
    with pytest.raises(OnlyReading):
        authorization(known, "PUT", "/a/b/c")
    for header in ("AUTHORIZATION", "X-Http-Method-Override", "X-Original-URL", "Cookie", "Host"):
        assert not may_stay(header)
    assert may_stay("Accept")


@pytest.mark.parametrize(
    ("whom", "served", "others"),
    [
        ("", ("acme/app", "x/y", ""), ()),
        ("acme=", ("acme/app", "Acme/Other"), ("acme2/app", "x/acme", "")),
        ("acme,Beta/app=", ("acme/x", "beta/app"), ("beta/app2", "gamma/app", "")),
        ("*/tools=", ("acme/tools",), ("acme/app", "")),
    ],
)
def test_registries_serve_whom_they_name(
    whom: str, served: Sequence[str], others: Sequence[str]
) -> None:
    """Owners and repositories, in any spelling of their case; nobody else, and no fork."""
    credential = registry_credential(f"{whom}https://me:a=b@pkg.example/simple")
    assert credential.authorization == "Basic bWU6YT1i"
    assert all(map(credential.serves, served))
    assert not any(map(credential.serves, others))


@pytest.mark.parametrize("whom", ["=", "a b=", ",=", "https://x=", "a/b/c="])
def test_nobody_is_no_limit(whom: str) -> None:
    """A limit that can't be read does not become a registry for everybody."""
    with pytest.raises(ValueError, match="must "):
        registry_credential(f"{whom}https://me:secret@pkg.example/")


def test_e2b_adds_credentials_outside_of_the_sandbox() -> None:
    """By a rule for the host, which is allowed with it; never for a part of a host, or others."""
    credential = registry_credential("https://me:pass@pkg.example/simple")
    assert network_rules(Network(), None, [credential]) == network_rules(Network(), None)
    credential = registry_credential("acme=https://me:pass@pkg.example")
    assert network_rules(Network(), None, [credential]) == network_rules(Network(), None)
    rules = network_rules(Network(("pypi.org",), project="acme/app"), None, [credential])
    assert rules is not None
    assert rules.get("allow_out") == ["pypi.org", "pkg.example"]
    header = {"Authorization": credential.authorization}
    assert rules.get("rules") == {"pkg.example": [{"transform": {"headers": header}}]}
    assert network_rules(None, None, [credential]) is None


async def test_strict_clients_believe_the_gate() -> None:
    """As Python's are from 3.13 on: RFC 5280 to the letter."""
    authority = Authority({})
    client = ssl.create_default_context(cadata=authority.bundle.decode())
    client.verify_flags |= ssl.VERIFY_X509_STRICT

    async def greet(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello")
        writer.close()

    for host in ("localhost", "127.0.0.1"):
        server = await asyncio.start_server(greet, "127.0.0.1", 0, ssl=authority.as_host(host))
        async with server:
            port = server.sockets[0].getsockname()[1]
            reader, writer = await asyncio.open_connection(host, port, ssl=client)
            assert await reader.read() == b"hello"
            writer.close()
