"""A setup as of a date installs what indexes had then, whatever client asks and in whatever way."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sandbox.base import Network, Sandbox
from sandbox.egress import RegistryCredential, registry_credential
from tests.contract.conftest import Kind
from tests.fakes.package_index import PackageIndex, package_index

SECONDS = 600.0
THEN = Network(package_date=datetime(2023, 11, 8, 12, tzinfo=UTC))
VERSIONS = {
    "moody": {
        "1.0": "2023-01-01T00:00:00.000000Z",
        "1.1": "2023-11-08T11:59:59.999999Z",
        "2.0": "2023-11-08T12:00:00.000000Z",
    },
    "semver": {"1.0.0": "2023-01-01T00:00:00.000Z", "2.0.0": "2024-01-01T00:00:00.000Z"},
    "young": {"1.0": "2024-01-01T00:00:00.000000Z"},
}

own_gate = pytest.mark.parametrize(
    "kind", ["bubblewrap", pytest.param("docker", marks=pytest.mark.docker)], indirect=True
)
with_clients = pytest.mark.parametrize("kind", ["bubblewrap"], indirect=True)
"""The engine's image has none; its gate is the same."""


@pytest.fixture
def has() -> PackageIndex:
    """What the index has; a test may have another one."""
    return PackageIndex(VERSIONS)


@pytest.fixture(params=["https"])
async def index(
    has: PackageIndex, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[PackageIndex]:
    trust = tmp_path / "authority.pem" if request.param == "https" else None
    async with package_index(has, trust) as opened:
        yield opened


@pytest.fixture
def operator_environ(index: PackageIndex, tmp_path: Path) -> dict[str, str]:
    """The operator names the index, and trusts its authority."""
    named = {"PIP_INDEX_URL": index.python, "NPM_CONFIG_REGISTRY": index.npm}
    named |= {"UV_INDEX_URL": index.python, "PYENV_ROOT": str(PYENV)}
    return named | {"SSL_CERT_FILE": str(tmp_path / "authority.pem")} if index.secure else named


async def said(sandbox: Sandbox, command: str) -> str:
    return (await sandbox.run(command, timeout=SECONDS)).output


def fetching(*asked: tuple[str, str, dict[str, str]]) -> str:
    """Return a command that sends requests over one connection, and prints what is answered."""
    script = (
        "import http.client, os, ssl, sys\n"
        "from urllib.parse import urlsplit\n"
        "proxy = urlsplit(os.environ['HTTPS_PROXY'])\n"
        f"asked = {list(asked)!r}\n"
        "place = urlsplit(asked[0][1])\n"
        "one = http.client.HTTPSConnection(proxy.hostname, proxy.port)\n"
        "one.set_tunnel(place.hostname, place.port)\n"
        "for method, url, headers in asked:\n"
        "    one.request(method, urlsplit(url).path, headers=headers)\n"
        "    answer = one.getresponse()\n"
        "    print(answer.status, answer.getheader('Content-Type', ''), end=' ')\n"
        "    print(answer.getheader('Content-Length', ''), answer.getheader('ETag', '-'), end=' ')\n"
        "    try: print(answer.read().decode().replace(chr(10), ''))\n"
        "    except http.client.IncompleteRead as error: print(error)\n"
    )
    return f"python3 -c {shlex.quote(script)}"


PYENV = Path("~/.pyenv").expanduser()


def old_python() -> Path:
    """Return a Python whose pip knows neither JSON nor dates."""
    found = [path for old in ("3.7", "3.8") for path in PYENV.glob(f"versions/{old}.*/bin/python3")]
    if not found:
        pytest.skip("There is no Python 3.7 or 3.8 here.")
    return found[0]


PIP = "-m pip install -q --no-deps --disable-pip-version-check --target /tmp/there moody"
UV = "uv pip install -q --no-deps --no-cache --target /tmp/there moody"
NPM = "cd /tmp; npm install --silent semver; grep version node_modules/semver/package.json"
SHOW = "PYTHONPATH=/tmp/there python3 -c 'import moody; print(moody.version)'"


@pytest.mark.slow
@with_clients
@pytest.mark.usefixtures("index")
@pytest.mark.parametrize(
    ("install", "version"),
    [
        (f"OLD {PIP}; {SHOW}", "1.1"),
        (f"python3 {PIP}; {SHOW}", "1.1"),
        (f"{UV}; {SHOW}", "1.1"),
        pytest.param(
            NPM, "1.0.0", marks=pytest.mark.skipif(not shutil.which("npm"), reason="No npm.")
        ),
    ],
    ids=["old pip", "pip", "uv", "npm"],
)
async def test_every_client_installs_what_there_was(kind: Kind, install: str, version: str) -> None:
    """Without a setting of its own, and with the packages themselves untouched."""
    if install.startswith("OLD"):
        install = install.replace("OLD", str(old_python()))
    result = await (await kind.open(network=THEN)).run(install, timeout=SECONDS)
    assert version in result.output, result.output
    assert result.undated == ()


@with_clients
async def test_one_connection_asks_for_many_pages(kind: Kind, index: PackageIndex) -> None:
    """In HTML, JSON, and with conditions from before; by HEAD; about what was not there yet."""
    sandbox = await kind.open(network=THEN)
    page, root = f"{index.python}/moody/", index.root
    simple = {"Accept": "application/vnd.pypi.simple.v1+json"}
    asked: tuple[tuple[str, str, dict[str, str]], ...] = (
        ("GET", page, {"Accept": "text/html"}),
        ("GET", page, simple | {"If-None-Match": '"all"', "Accept-Encoding": "gzip"}),
        ("HEAD", page, simple),
        ("GET", f"{root}/pypi/moody/json", {}),
        ("GET", f"{root}/pypi/young/json", {}),
        ("GET", f"{root}/npm/semver/latest", {}),
        ("GET", f"{root}/npm/semver/2.0.0", {}),
        ("GET", f"{root}/gone", {}),
        ("GET", f"{root}/broken", {}),
    )
    html, as_json, head, legacy, young, latest, newer, gone, broken = (
        await said(sandbox, fetching(*asked))
    ).splitlines()
    assert html.startswith("200 text/html")
    assert "moody-1.1" in html
    assert 'data-requires-python="&gt;=3"' in html
    assert as_json.startswith("200 application/vnd.pypi.simple.v1+json")
    assert '"versions":["1.0","1.1"]' in as_json
    assert head.split()[:4] == as_json.split()[:4]
    assert legacy.startswith("200")
    assert '"info":{"version":"1.1"' in legacy
    assert latest.startswith("200")
    assert '"version":"1.0.0"' in latest
    for answer in (html, as_json, legacy):
        assert "2.0" not in answer
    assert as_json.split()[3] == "-", "A client must not compare what it has with the whole page."
    assert broken.endswith("IncompleteRead(10 bytes read, 90 more expected)")
    assert [item.split()[0] for item in (young, newer, gone)] == ["404", "404", "404"]


@with_clients
@pytest.mark.parametrize(
    "has", [PackageIndex(VERSIONS, dated=False), PackageIndex(VERSIONS, knows_json=False)]
)
@pytest.mark.parametrize("index", ["http"], indirect=True)
@pytest.mark.usefixtures("index")
async def test_an_index_without_dates_is_named(kind: Kind) -> None:
    """It is used as it is, once said; also one that speaks no TLS."""
    sandbox = await kind.open(network=THEN)
    command = (
        "uv pip install -q --no-deps --no-cache --target /tmp/there moody young; ls /tmp/there"
    )
    result = await sandbox.run(command, timeout=SECONDS)
    assert "moody-2.0" in result.output
    assert result.undated == ("localhost",)


@own_gate
async def test_only_with_a_date_the_gate_stands_for_an_index(kind: Kind) -> None:
    """Clients are told whom to trust; otherwise tunnels lead to the index itself."""
    show = 'echo "$NPM_CONFIG_CAFILE"; ls /run/fixpoint-egress'
    dated = await said(await kind.open(network=THEN), show)
    assert dated.startswith("/run/fixpoint-egress/certificates.pem\n")
    assert "\ncertificates.pem\n" in dated
    assert "certificates.pem" not in await said(await kind.open(network=Network()), show)


@pytest.mark.parametrize("kind", ["e2b"], indirect=True)
async def test_without_a_gate_clients_have_the_date_in_their_settings(kind: Kind) -> None:
    """E2B's machines have no proxy of ours; the provider says so."""
    assert not kind.provider.filters_indexes
    shown = await said(await kind.open(network=THEN), "env")
    for name in ("UV_EXCLUDE_NEWER", "PIP_UPLOADED_PRIOR_TO", "NPM_CONFIG_BEFORE"):
        assert f"{name}=2023-11-08T12:00:00+00:00\n" in shown


class TestWithCredentials:
    """A private registry is held to the date too."""

    @pytest.fixture
    def credentials(self, index: PackageIndex) -> tuple[RegistryCredential, ...]:
        """What `FIXPOINT_REGISTRIES` says."""
        return (registry_credential(index.python.replace("//", "//reader:untold@")),)

    @with_clients
    async def test_both_at_once(self, kind: Kind, index: PackageIndex) -> None:
        """Read-only as without a date."""
        sandbox = await kind.open(network=THEN)
        page = f"{index.python}/moody/"
        printed = await said(sandbox, fetching(("GET", page, {}), ("PUT", page, {})))
        first, second = printed.splitlines()
        assert "moody-1.1" in first
        assert "moody-2.0" not in first
        assert second.startswith("403")
        assert index.asked == [("GET", "/simple/moody/")]
