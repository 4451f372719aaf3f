"""A setup installs from a private registry, and the credentials never enter the sandbox."""

from __future__ import annotations

import base64
import shlex
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sandbox.base import Network, Sandbox
from sandbox.egress import RegistryCredential, registry_credential
from tests.contract.conftest import Kind
from tests.fakes.private_registry import PrivateRegistry, private_registry

SECONDS = 600.0

own_gate = pytest.mark.parametrize(
    "kind", ["bubblewrap", pytest.param("docker", marks=pytest.mark.docker)], indirect=True
)
with_clients = pytest.mark.parametrize("kind", ["bubblewrap"], indirect=True)
"""The engine's image has no clients of packages."""

READ_ALL = (
    "env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; "
    "grep -rlaE '[u]ntold-4b7f91|PAIR' ~ /tmp /workspace /run /etc && echo FOUND"
)


@pytest.fixture
async def registry(tmp_path: Path) -> AsyncIterator[PrivateRegistry]:
    async with private_registry(tmp_path) as opened:
        yield opened


@pytest.fixture
def operator_environ(registry: PrivateRegistry) -> dict[str, str]:
    """The operator's machine trusts the registry's authority."""
    return {"SSL_CERT_FILE": str(registry.trust)}


@pytest.fixture
def limited() -> str:
    """Whom the registry serves, as `FIXPOINT_REGISTRIES` says it."""
    return ""


@pytest.fixture
def credentials(registry: PrivateRegistry, limited: str) -> tuple[RegistryCredential, ...]:
    """What `FIXPOINT_REGISTRIES` says."""
    return (registry_credential(f"{limited}{registry.with_credentials}"),)


async def said(sandbox: Sandbox, command: str) -> str:
    return (await sandbox.run(command, timeout=SECONDS)).output


def fetches(*asked: tuple[str, str]) -> str:
    """Return a command that prints the status of each answer, and what it says if it is bad."""
    script = (
        "import urllib.request as u, urllib.error as e\n"
        f"for method, url in {list(asked)!r}:\n"
        "    try: print(u.urlopen(u.Request(url, method=method)).status)\n"
        "    except e.HTTPError as error: print(error.code, error.read().decode().strip())"
    )
    return f"python3 -c {shlex.quote(script)}"


@with_clients
@pytest.mark.parametrize(
    "install",
    [
        "python3 -m pip install -q --no-deps --disable-pip-version-check --target /tmp/there",
        "uv pip install -q --no-deps --no-cache --target /tmp/there",
    ],
    ids=["pip", "uv"],
)
async def test_a_private_package_is_installed(
    kind: Kind, registry: PrivateRegistry, install: str
) -> None:
    """Over TLS that is checked; nothing in the sandbox has the password in any form."""
    sandbox = await kind.open(network=Network(()))
    script = f"{install} --index-url {registry.index} secretive; PYTHONPATH=/tmp/there python3 -c 'import secretive'"
    printed = await said(sandbox, script)
    assert "installed from the private registry" in printed, printed
    assert all(known for _, _, known in registry.asked)
    pair = base64.b64encode(b"reader:untold-4b7f91").decode().rstrip("=")
    everything = await said(sandbox, READ_ALL.replace("PAIR", f"[{pair[0]}]{pair[1:]}"))
    for needle in ("untold-4b7f91", pair, "\nFOUND"):
        assert needle not in everything


@own_gate
async def test_clients_are_told_whom_to_trust(kind: Kind) -> None:
    """The bundle can be read, and has certificates; the key of ours stays outside."""
    sandbox = await kind.open(network=Network(()))
    printed = await said(sandbox, 'cat "$SSL_CERT_FILE"; env; ls -A /run/fixpoint-egress')
    assert printed.count("BEGIN CERTIFICATE") > 1
    assert "PRIVATE KEY" not in printed
    assert "untold" not in printed


@own_gate
async def test_credentials_only_read_and_only_there(kind: Kind, registry: PrivateRegistry) -> None:
    """Publishing is refused; other paths, ways around and headers of one's own get nothing."""
    sandbox = await kind.open(network=Network(()))
    root = registry.index.removesuffix("/simple")
    writing = [(method, f"{root}/simple/x/") for method in ("PUT", "POST", "DELETE")]
    elsewhere = ("/admin", "/simple/../admin", "/simple/%2e%2e/admin", "/simplex")
    reading = [("GET", f"{root}{path}") for path in elsewhere]
    command = fetches(("GET", f"{root}/simple/x/"), *writing, *reading)
    first, *others = (await said(sandbox, command)).splitlines()
    assert first == "200"
    refused = "403 localhost is a private registry, which is read-only here."
    elsewhere_too = "403 Of localhost, only its registries' paths may be read here."
    assert others == [refused] * len(writing) + [elsewhere_too] * len(reading)
    assert {method for method, _, _ in registry.asked} == {"GET"}
    assert [path for _, path, known in registry.asked if known] == ["/simple/x/"]


SHOWING = ("page", "location", "header", "reason", "error", "gzip", "malformed")


@own_gate
async def test_a_registry_shows_no_sandbox_its_credential(
    kind: Kind, registry: PrivateRegistry, caplog: pytest.LogCaptureFixture
) -> None:
    """In a page, an address, a header or an error, encoded, or asked for byte by byte."""
    sandbox = await kind.open(network=Network(()))
    asked = [("GET", f"{registry.index}/auth/{each}") for each in SHOWING]
    result = await sandbox.run(fetches(*asked), timeout=SECONDS)
    told = "502 localhost answered with the credential of its reader, which no sandbox may see."
    encoded = "502 localhost answered in an encoding, which can't be searched for its reader's credential."
    unread = "502 localhost gave no answer that can be read."
    assert result.output.splitlines() == [told] * 5 + [encoded, unread]
    assert (result.unreached, result.withheld) == (("localhost",), ("localhost",))
    script = (
        "import http.client, urllib.request as u, urllib.error as e\n"
        f"try: u.urlopen('{registry.index}/auth/long').read()\n"
        "except http.client.IncompleteRead as cut: print(set(cut.partial) - set(b'x'))\n"
        f"page = u.Request('{registry.index}/auth/page', headers={{'Range': 'bytes=0-12'}})\n"
        "try: u.urlopen(page)\n"
        "except e.HTTPError as error: print(error.code)"
    )
    cut, ranged = (await said(sandbox, f"python3 -c {shlex.quote(script)}")).splitlines()
    assert (cut, ranged) == ("set()", "502")
    shown = [record for record in caplog.records if "credential" in record.getMessage()]
    assert [record.__dict__["path"] for record in shown][:6] == [
        f"/simple/auth/{each}" for each in SHOWING[:-1]
    ]
    assert "untold" not in caplog.text


@own_gate
@pytest.mark.parametrize("limited", ["acme,beta/app="])
async def test_a_registry_serves_whom_it_names(kind: Kind, registry: PrivateRegistry) -> None:
    """Others don't even reach it: it is on a network that they may not enter."""
    fetch = fetches(("GET", f"{registry.index}/x/"))
    for project, answer in (("acme/app", "200"), ("beta/app", "200")):
        sandbox = await kind.open(network=Network(project=project))
        assert (await said(sandbox, fetch)).strip() == answer
    for project in ("beta/other", "acme2/app", ""):
        sandbox = await kind.open(network=Network(everything=True, project=project))
        assert "403" in await said(sandbox, fetch)
    assert len(registry.asked) == 2
