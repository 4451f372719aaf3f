"""Which registries the setup of a repository reaches."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.ecosystems.package_hosts import registries, unreached_registries
from bot.ecosystems.tree import DirectoryTree
from bot.repair.workspace.setup_result import SetupFailed, why_setup_failed
from bot.reporting.reasons.sandbox_setup import hosts_refused

OUT_OF_REACH = {
    "pip": (
        "pypi.org",
        "WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after connection broken by 'ProxyError('Cannot connect to proxy.', OSError('Tunnel connection failed: 502 Bad Gateway'))': /simple/requests/\nERROR: HTTPSConnectionPool(host='pypi.org', port=443): Max retries exceeded with url: /simple/requests/",
    ),
    "uv": (
        "pypi.org",
        "error: Failed to fetch: `https://pypi.org/simple/requests/`\n  Caused by: Request failed after 3 retries\n  Caused by: client error (Connect)\n  Caused by: tunnel error: unsuccessful",
    ),
    "npm": (
        "registry.npmjs.org",
        "npm error code ENOTFOUND\nnpm error network request to https://registry.npmjs.org/left-pad failed, reason: getaddrinfo ENOTFOUND registry.npmjs.org",
    ),
    "yarn": (
        "registry.yarnpkg.com",
        'error An unexpected error occurred: "https://registry.yarnpkg.com/left-pad: tunneling socket could not be established, statusCode=502".',
    ),
    "pnpm": (
        "registry.npmjs.org",
        "\u2009ERR_PNPM_META_FETCH_FAIL\u2009 GET https://registry.npmjs.org/left-pad: request to https://registry.npmjs.org/left-pad failed, reason: Proxy response (502) !== 200 when HTTP Tunneling",
    ),
    "cargo": (
        "index.crates.io",
        "error: failed to get `serde` as a dependency of package `x v0.1.0`\n\nCaused by:\n  failed to download from `https://index.crates.io/config.json`\n\nCaused by:\n  [56] Failure when receiving data from the peer (CONNECT tunnel failed, response 502)",
    ),
    "go": (
        "proxy.golang.org",
        'go: github.com/pkg/errors@v0.9.1: Get "https://proxy.golang.org/github.com/pkg/errors/@v/v0.9.1.mod": Bad Gateway',
    ),
    "maven": (
        "repo.maven.apache.org",
        "[ERROR] Could not transfer artifact junit:junit:pom:4.13 from/to central (https://repo.maven.apache.org/maven2): transfer failed for https://repo.maven.apache.org/maven2/junit/junit/4.13/junit-4.13.pom: Unknown host",
    ),
    "gradle": (
        "services.gradle.org",
        'Downloading https://services.gradle.org/distributions/gradle-8.5-bin.zip\nException in thread "main" java.net.UnknownHostException: services.gradle.org\n\tcould not download https://services.gradle.org/distributions/gradle-8.5-bin.zip',
    ),
    "bundler": (
        "index.rubygems.org",
        "Fetching source index from https://rubygems.org/\nCould not reach host index.rubygems.org. Check your network connection and try again.",
    ),
    "composer": (
        "repo.packagist.org",
        "curl error 56 while downloading https://repo.packagist.org/packages.json: Received HTTP code 502 from proxy after CONNECT",
    ),
    "apt": (
        "deb.debian.org",
        "Err:1 http://deb.debian.org/debian bookworm InRelease\n  Temporary failure resolving 'deb.debian.org'\nE: Failed to fetch http://deb.debian.org/debian/dists/bookworm/InRelease  Temporary failure resolving 'deb.debian.org'",
    ),
}


@pytest.mark.parametrize("client", OUT_OF_REACH)
def test_a_registry_out_of_reach_is_called_so(client: str) -> None:
    """In that word, and by name, whatever the client says; also where no gate saw it."""
    host, output = OUT_OF_REACH[client]
    said = why_setup_failed(SetupFailed(f"{client} install", 1, output, timed_out=False))
    assert f"package registry `{host}` could not be reached" in said
    seen = SetupFailed(
        f"{client} install", 1, "no words at all", timed_out=False, unreached=(host,)
    )
    assert f"package registry `{host}` could not be reached" in why_setup_failed(seen)


@pytest.mark.parametrize(
    "output",
    [
        "npm error code E404\nnpm error 404 Not Found - GET https://registry.npmjs.org/no-such",
        "error: no matching package named `no-such` found\nlocation searched: https://index.crates.io/",
        "ERROR: No matching distribution found for no-such (from https://pypi.org/simple/)",
        "Could not find gem 'no-such' in rubygems repository https://rubygems.org/ or installed locally.",
        "go: module github.com/no/such: reading https://proxy.golang.org/github.com/no/such/@v/list: 404 Not Found",
    ],
)
def test_a_package_that_a_registry_lacks_is_another_matter(output: str) -> None:
    """The registry answered."""
    assert unreached_registries(output) == ()


def test_the_files_of_a_repository_tell_its_registries(tmp_path: Path) -> None:
    """At the root and one folder below; every ecosystem fetches from GitHub too."""
    (tmp_path / "requirements-dev.txt").touch()
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "package.json").touch()
    found = registries(DirectoryTree(tmp_path))
    assert {"pypi.org", "files.pythonhosted.org", "registry.npmjs.org", "github.com"} <= set(found)
    assert {"crates.io", "rubygems.org"}.isdisjoint(found)


def test_go_and_the_tools_of_jobs_are_at_pypi(tmp_path: Path) -> None:
    """Whatever the language of a repository, its jobs install linters with pip and npm."""
    (tmp_path / "go.mod").touch()
    found = registries(DirectoryTree(tmp_path))
    assert {"proxy.golang.org", "pypi.org"} <= set(found)
    assert "registry.npmjs.org" not in found
    (tmp_path / ".github" / "workflows").mkdir(parents=True)
    (tmp_path / ".github" / "workflows" / "ci.yml").touch()
    assert "registry.npmjs.org" in registries(DirectoryTree(tmp_path))


def test_a_repository_that_tells_nothing_reaches_all_of_them(tmp_path: Path) -> None:
    """A Makefile may need anything."""
    (tmp_path / "Makefile").touch()
    assert {"pypi.org", "crates.io", "rubygems.org"} <= set(registries(DirectoryTree(tmp_path)))


def test_the_report_names_the_setting_that_allows_a_host() -> None:
    """A few of the hosts, and how many more."""
    assert hosts_refused(("a.example",)) == (
        "The setup tried to reach `a.example`, which is not allowed. To allow a host, list it under "
        "`network: allow:` in `.github/fixpoint.yml`."
    )
    assert "and 2 more, which" in hosts_refused(tuple(f"{n}.example" for n in range(7)))
