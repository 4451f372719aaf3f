"""Which settings of package clients reach a sandbox."""

from __future__ import annotations

from pathlib import Path

from sandbox.bubblewrap.client_settings import (
    client_environment,
    local_paths,
    merged_pip_config,
    pip_config_files,
    safe_npm_config,
)


def test_only_known_harmless_variables_pass() -> None:
    """Unknown names, proxies, and values with a user and a password stay outside."""
    environ = {
        "PIP_INDEX_URL": "https://pypi.example/simple",
        "UV_INDEX_URL": "https://me:secret@pypi.example/simple",
        "https_proxy": "http://proxy.example:3128",
        "HTTP_PROXY": "http://token@proxy.example:3128",
        "npm_config_registry": "https://npm.example/",
        "UV_PUBLISH_TOKEN": "secret",
        "ANTHROPIC_API_KEY": "secret",
        "PATH": "/usr/bin",
    }
    assert client_environment(environ) == {
        "PIP_INDEX_URL": "https://pypi.example/simple",
        "npm_config_registry": "https://npm.example/",
    }


def test_pip_files_are_merged_without_secrets() -> None:
    """The later file wins; a broken one is passed over."""
    system = "[global]\ntimeout = 5\nindex-url = https://pypi.example/simple\n"
    own = (
        "[global]\ntimeout = 9\nfind-links = /wheels\n    /more\nproxy = http://proxy.example:8080\n"
        "extra-index-url = https://me:secret@pypi.example/simple\n"
    )
    assert merged_pip_config([system, "= broken", own]) == (
        "[global]\ntimeout = 9\nindex-url = https://pypi.example/simple\n"
        "find-links = /wheels\n    /more\n"
    )


def test_pip_files_are_looked_for_where_pip_looks() -> None:
    """The one that a variable names comes last."""
    files = pip_config_files({"HOME": "/h", "PIP_CONFIG_FILE": "/named"})
    assert files[-2:] == (Path("/h/.config/pip/pip.conf"), Path("/named"))


def test_npm_credentials_stay_outside() -> None:
    """Tokens, user names, and lines that expand a variable."""
    text = (
        "registry=https://npm.example/\n//npm.example/:_authToken=secret\nemail=me@example.org\n"
        "proxy=http://${USER}@proxy\nfund=false\n"
    )
    assert safe_npm_config(text) == "registry=https://npm.example/\nfund=false\n"


def test_local_package_folders_are_found(tmp_path: Path) -> None:
    """As paths and as `file://` URLs, if they exist."""
    folder = tmp_path / "with space"
    folder.mkdir()
    values = [f"{tmp_path} /absent", f"file://{tmp_path}/with%20space https://pypi.example", "/"]
    assert list(local_paths(values)) == [tmp_path, folder]
