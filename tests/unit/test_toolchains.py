"""Which of the host's tools a jail shows."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from sandbox.base import Network
from sandbox.bubblewrap.host_system import host_views
from sandbox.bubblewrap.toolchains import (
    NODE_DIRECTORY,
    TOOLS_DIRECTORY,
    Mount,
    Toolchain,
    find_toolchains,
)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    return home


def install(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def found(home: Path, *folders: Path) -> tuple[Toolchain, ...]:
    path = ":".join(str(folder) for folder in folders)
    own = find_toolchains({"HOME": str(home), "PATH": ""})
    everything = find_toolchains({"HOME": str(home), "PATH": path})
    return tuple(toolchain for toolchain in everything if toolchain not in own)


def test_a_prefix_is_shown_whole(home: Path) -> None:
    """A link into it leads to it."""
    node = install(home / ".nvm" / "versions" / "v22" / "bin" / "node")
    (home / "links").mkdir()
    (home / "links" / "node").symlink_to(node)
    prefix = node.parent.parent
    assert found(home, home / "links") == (Toolchain((Mount(prefix, prefix),), (node.parent,)),)


@pytest.mark.parametrize("folder", ["bin", ".local/bin", "work/.venv/bin"])
def test_a_home_is_never_shown(home: Path, folder: str) -> None:
    """Nor its `.local`, nor a virtual environment: only the tool's own file."""
    tool = install(home / folder / "deno")
    if ".venv" in folder:
        (tool.parent.parent / "pyvenv.cfg").touch()
    place = TOOLS_DIRECTORY / "deno"
    assert found(home, tool.parent) == (Toolchain((Mount(tool, place),), (TOOLS_DIRECTORY,)),)


def test_versions_stand_behind_shims(home: Path) -> None:
    """The chosen one first, then the newest; the shims themselves are not used."""
    root = home / "pythons"
    install(root / "shims" / "python3")
    for version in ("3.9.18", "3.10.13", "3.12.1"):
        install(root / "versions" / version / "bin" / "python3")
    (root / "version").write_text("3.10.13\n")
    (toolchain,) = found(home, root / "shims")
    assert toolchain.mounts == (Mount(root / "versions", root / "versions"),)
    assert [path.parent.name for path in toolchain.path] == ["3.10.13", "3.12.1", "3.9.18"]


def test_versions_that_no_path_leads_to_are_shown(home: Path) -> None:
    """A job may ask for one: Pythons are found behind all others, Node.js by its manager."""
    python = install(home / ".pyenv" / "versions" / "3.10.13" / "bin" / "python3")
    install(home / ".nvm" / "versions" / "node" / "v20.1.0" / "bin" / "node")
    fnm = home / ".local" / "share" / "fnm" / "node-versions"
    install(fnm / "v22.3.0" / "installation" / "bin" / "node")
    *_, pyenv, nvm_shown, fnm_shown = find_toolchains({"HOME": str(home), "PATH": ""})
    assert pyenv.path == (python.parent,)
    nvm = home / ".nvm" / "versions" / "node"
    assert nvm_shown == Toolchain((Mount(nvm, NODE_DIRECTORY / "nvm"),))
    assert fnm_shown == Toolchain((Mount(fnm, NODE_DIRECTORY / "fnm"),))


@pytest.mark.parametrize("variable", ["PYENV_ROOT", "NVM_DIR", "FNM_DIR"])
def test_a_variable_may_name_what_cannot_be_read(home: Path, variable: str) -> None:
    """After `su`, for instance, it names a folder of the other user; here a name is too long."""
    environ = {"HOME": str(home), "PATH": ""}
    assert find_toolchains({**environ, variable: f"/{'x' * 300}"}) == find_toolchains(environ)


def test_rustup_brings_its_home(home: Path) -> None:
    """Its proxies choose the toolchain that a project asks for; credentials are elsewhere."""
    rustup = install(home / ".cargo" / "bin" / "rustup")
    (rustup.parent / "cargo").symlink_to("rustup")
    (home / ".rustup").mkdir()
    (toolchain,) = found(home, rustup.parent)
    assert {mount.source for mount in toolchain.mounts} == {rustup.parent, home / ".rustup"}
    assert toolchain.environment["RUSTUP_HOME"] == str(home / ".rustup")


def test_the_view_holds_no_home_and_no_whole_etc(home: Path, tmp_path: Path) -> None:
    """Even when a setting of a package client names it."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    config = f"[global]\nfind-links = {wheels} {home} {tmp_path}\n    /etc\n"
    view = host_views(tmp_path / "etc", config, {"HOME": str(home), "PATH": ""}).offline
    assert Mount(wheels, wheels) in view.mounts
    sources = {mount.source for mount in view.mounts}
    assert sources.isdisjoint({home, tmp_path, Path("/etc"), Path("/")})
    assert view.environment["PATH"].startswith(
        "/home/fixpoint/.venv/bin:/home/fixpoint/.local/bin:"
    )


def test_a_local_index_is_shown_with_its_files(home: Path, tmp_path: Path) -> None:
    """Pages below `simple` link to packages beside it; a home is never shown for that."""
    for index in (tmp_path / "mirror" / "simple", home / "simple"):
        index.mkdir(parents=True)
    config = f"[global]\nextra-index-url = file://{tmp_path}/mirror/simple file://{home}/simple\n"
    view = host_views(tmp_path / "etc", config, {"HOME": str(home), "PATH": ""}).offline
    sources = {mount.source for mount in view.mounts}
    assert tmp_path / "mirror" in sources
    assert home / "simple" in sources
    assert home not in sources


def test_clients_are_told_of_the_way_out(home: Path, tmp_path: Path) -> None:
    """Of the proxy in the jail, and of the operator's registries; names are resolved outside."""
    environ = {"HOME": str(home), "PATH": "", "PIP_INDEX_URL": "https://pypi.example/simple"}
    views = host_views(tmp_path / "etc", "", environ)
    assert {"PIP_INDEX_URL", "HTTPS_PROXY"}.isdisjoint(views.offline.environment)
    assert views.online.environment["PIP_INDEX_URL"] == "https://pypi.example/simple"
    assert views.online.environment["HTTPS_PROXY"] == "http://127.0.0.1:43128"
    for view in (views.offline, views.online):
        assert Path("/etc/resolv.conf") not in {mount.target for mount in view.mounts}


def test_packages_on_this_machine_have_no_date(home: Path, tmp_path: Path) -> None:
    """Nobody says when they were made: where a date counts, they are neither shown nor named."""
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    environ = {
        "HOME": str(home),
        "PATH": "",
        "PIP_FIND_LINKS": str(wheels),
        "UV_INDEX": f"own=file://{wheels} other=https://pypi.example/simple",
    }
    config = f"[global]\nfind-links = {wheels}\n"
    views = host_views(tmp_path / "etc", config, environ)
    assert Mount(wheels, wheels) in views.of(Network()).mounts
    dated = views.of(Network(package_date=datetime(2024, 1, 1, tzinfo=UTC)))
    assert Mount(wheels, wheels) not in dated.mounts
    assert "PIP_FIND_LINKS" not in dated.environment
    assert dated.environment["UV_INDEX"] == "other=https://pypi.example/simple"


def test_uv_comes_with_uvx(home: Path) -> None:
    """They stand beside us where `PATH` leads to neither: setups ask for both."""
    found = find_toolchains({"HOME": str(home), "PATH": ""})
    shown = {mount.target.name for toolchain in found for mount in toolchain.mounts}
    assert {"uv", "uvx"} <= shown
