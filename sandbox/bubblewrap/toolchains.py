"""Find the host's compilers and interpreters that live outside `/usr`, so a jail can show them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

TOOLS_DIRECTORY = Path("/opt/fixpoint/bin")
"""Inside the jail: tools that are shown as single files, because their folder holds other things."""

NODE_DIRECTORY = Path("/opt/fixpoint/node")
"""Inside the jail: for each manager of Node.js a folder of its versions, such as `nvm/v22.1.0`."""

_NAMES = (
    *("python3", "python", "node", "npm", "npx", "pnpm", "yarn", "bun", "deno"),
    *("cargo", "rustc", "go", "java", "javac", "mvn", "gradle", "ruby", "bundle", "php"),
    *("composer", "dotnet", "elixir", "erl", "uv", "uvx"),
)


@dataclass(frozen=True, slots=True)
class Mount:
    """A file or folder of the host, shown read-only at `target`."""

    source: Path
    target: Path


@dataclass(frozen=True, slots=True)
class Toolchain:
    """What makes one tool work: its mounts, its `PATH` folders and its variables."""

    mounts: tuple[Mount, ...] = ()
    path: tuple[Path, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)


def find_toolchains(environ: Mapping[str, str]) -> tuple[Toolchain, ...]:
    """Return the toolchains that the host's `PATH` leads to, in its order.

    Args:
        environ: The host's environment; `PATH`, `HOME`, `RUSTUP_HOME`, `PYENV_ROOT`,
            `PYENV_VERSION`, `NVM_DIR` and `FNM_DIR` matter.
    """
    found: list[Toolchain] = []
    for executable in _executables(environ):
        toolchain = _toolchain_of(executable, environ)
        if toolchain is not None and toolchain not in found:
            found.append(toolchain)
    return (*found, *(kept for kept in _kept_versions(environ) if kept not in found))


def _kept_versions(environ: Mapping[str, str]) -> Iterator[Toolchain]:
    """Versions that a manager keeps and `PATH` does not lead to: a job may ask for one of them."""
    home = Path(environ.get("HOME", "/root"))
    pyenv = Path(environ.get("PYENV_ROOT", home / ".pyenv"))
    if _may_be_shown(pyenv / "versions"):
        yield _versions(pyenv, environ)
    managers = {
        "nvm": Path(environ.get("NVM_DIR", home / ".nvm"), "versions", "node"),
        "fnm": Path(environ.get("FNM_DIR", home / ".local/share/fnm"), "node-versions"),
    }
    for name, versions in managers.items():
        if _may_be_shown(versions):
            yield Toolchain((Mount(versions, NODE_DIRECTORY / name),))


def _may_be_shown(folder: Path) -> bool:
    """Whether it is a folder that we may read: a variable may name one of another user's."""
    return os.path.isdir(folder) and os.access(folder, os.R_OK | os.X_OK)  # noqa: PTH112 - Path's raises where a folder above can't be read


def _executables(environ: Mapping[str, str]) -> Iterator[Path]:
    folders = dict.fromkeys(environ.get("PATH", os.defpath).split(os.pathsep))
    for folder in folders:
        for name in _NAMES:
            if folder and os.access(candidate := Path(folder, name), os.X_OK):
                yield candidate
    yield Path(sys.base_prefix, "bin", "python3")
    yield from _packaged_uv()


def _packaged_uv() -> Iterator[Path]:
    """The `uv` that is installed as a Python package next to us, if it is, and its `uvx`."""
    try:
        import uv
    except ImportError:
        return
    try:
        packaged = Path(uv.find_uv_bin())
    except FileNotFoundError:
        return
    yield packaged
    if os.access(beside := packaged.with_name("uvx"), os.X_OK):
        yield beside


def _toolchain_of(executable: Path, environ: Mapping[str, str]) -> Toolchain | None:
    """What has to be shown for `executable` to work, or None when `/usr` shows it already."""
    shims = executable.parent
    if shims.name == "shims" and _may_be_shown(shims.parent / "versions"):
        return _versions(shims.parent, environ)
    real = executable.resolve()
    if real.is_relative_to("/usr") or not real.is_file():
        return None
    if real.name == "rustup":
        return _rustup(executable.parent, environ)
    prefix = real.parent.parent
    if real.parent.name == "bin" and _belongs_to_one_tool(prefix, environ):
        return Toolchain((Mount(prefix, prefix),), (real.parent,))
    target = TOOLS_DIRECTORY / executable.name
    return Toolchain((Mount(real, target),), (TOOLS_DIRECTORY,))


def _belongs_to_one_tool(prefix: Path, environ: Mapping[str, str]) -> bool:
    """Whether a prefix holds a toolchain alone: no home, no virtual environment, no shared root."""
    home = Path(environ.get("HOME", "/root"))
    shared = (home / ".local", Path("/opt"), Path("/snap"))
    return not (
        home.is_relative_to(prefix) or prefix in shared or (prefix / "pyvenv.cfg").is_file()
    )


def _versions(root: Path, environ: Mapping[str, str]) -> Toolchain:
    """A manager of the pyenv family: its shims need the manager, its versions need nothing."""
    versions = root / "versions"
    chosen = environ.get("PYENV_VERSION", "").split(":")
    if (root / "version").is_file():
        chosen += (root / "version").read_text().split()
    installed = sorted((path.name for path in versions.iterdir()), key=_newest_first)
    bins = [versions / name / "bin" for name in dict.fromkeys((*chosen, *installed)) if name]
    return Toolchain((Mount(versions, versions),), tuple(b for b in bins if b.is_dir()))


def _newest_first(name: str) -> list[int]:
    return [-int(part) if part.isdecimal() else 0 for part in name.split(".")]


def _rustup(proxies: Path, environ: Mapping[str, str]) -> Toolchain:
    """Rustup's proxies read their home to find the toolchain that a project asks for."""
    home = Path(environ.get("HOME", "/root"))
    rustup = Path(environ.get("RUSTUP_HOME", home / ".rustup"))
    if not _may_be_shown(rustup):
        return Toolchain()
    return Toolchain(
        (Mount(proxies, proxies), Mount(rustup, rustup)),
        (proxies,),
        {"RUSTUP_HOME": str(rustup), "RUSTUP_AUTO_INSTALL": "0"},
    )
