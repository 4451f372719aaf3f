"""Decide what of the host a jail shows: programs, toolchains, `/etc`, package sources."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sandbox.base import HOME, Network
from sandbox.bubblewrap.client_settings import (
    client_environment,
    ini_values,
    local_paths,
    without_local_packages,
    without_package_places,
)
from sandbox.bubblewrap.etc_files import CERTIFICATES
from sandbox.bubblewrap.jail import HostView, system_mounts
from sandbox.bubblewrap.root_guards import kernel_secrets, kernel_settings
from sandbox.bubblewrap.toolchains import Mount, Toolchain, find_toolchains
from sandbox.egress.inside import proxy_environment

_OWN_PATH = tuple(f"{HOME}/{folder}" for folder in (".venv/bin", ".local/bin"))
_LATE_PATH = tuple(f"{HOME}/{folder}" for folder in (".cargo/bin", "go/bin"))
_SYSTEM_PATH = (
    *("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"),
    "/usr/local/go/bin",
)
_SHOWN = (Path("/usr"), Path("/etc"))
"""Folders of which every jail shows its own view; what settings name below `/etc` is in it."""

_NEVER = (Path("/"), Path("/etc"), Path("/proc"), Path("/sys"), Path("/dev"), Path("/run"))
"""A setting that names one of these, or a home, gets no mount."""


@dataclass(frozen=True, slots=True)
class HostViews:
    """What jails show of this host.

    Attributes:
        offline: To those without a way out.
        online: To those with one.
        dated: To those that install what there was at a date: not the packages on this machine.
    """

    offline: HostView
    online: HostView
    dated: HostView

    def of(self, network: Network | None) -> HostView:
        """Return the view for a sandbox."""
        if network is None:
            return self.offline
        return self.online if network.package_date is None else self.dated


def host_views(
    etc: Path,
    pip_config: str,
    environ: Mapping[str, str],
    *,
    devices: tuple[Mount, ...] = (),
    trusted: Collection[tuple[str, int]] = (),
) -> HostViews:
    """Look at this host, and return what jails show of it.

    Args:
        etc: The composed `/etc`.
        pip_config: Its `pip.conf`: local package folders that it names are shown too.
        environ: The host's environment.
        devices: Nodes to show in place of the host's own.
        trusted: Host and port of the operator's registries.
    """
    programs, links = system_mounts()
    toolchains = find_toolchains(environ)
    client = client_environment(environ)
    system = (
        *programs,
        *kernel_settings(),
        *kernel_secrets(),
        Mount(etc, Path("/etc")),
        *_etc_mounts(),
        *(mount for toolchain in toolchains for mount in toolchain.mounts),
    )

    def view(settings: Mapping[str, str], config: str, proxy: Mapping[str, str]) -> HostView:
        sources = _package_sources((*ini_values(config), *settings.values()), environ)
        variables = {**_variables(toolchains), **settings, **proxy}
        return HostView(_without_covered((*system, *sources)), links, variables, devices)

    proxy, elsewhere = proxy_environment(trusted), without_local_packages(client)
    return HostViews(
        offline=view({}, pip_config, {}),
        online=view(client, pip_config, proxy),
        dated=view(elsewhere, without_package_places(pip_config), proxy),
    )


def _etc_mounts() -> Iterator[Mount]:
    for name in CERTIFICATES:
        source = Path("/etc", name).resolve()
        if source.exists():
            yield Mount(source, Path("/etc", name))


def _package_sources(values: tuple[str, ...], environ: Mapping[str, str]) -> Iterator[Mount]:
    home = Path(environ.get("HOME", "/root"))
    for path in local_paths(values):
        for source in _with_files(path):
            if source in _NEVER or home.is_relative_to(source):
                continue
            if not any(source.is_relative_to(shown) for shown in _SHOWN):
                yield Mount(source, source)


def _with_files(path: Path) -> tuple[Path, ...]:
    """Return what has to be shown for a package folder to be useful.

    The pages of a local index (PEP 503) link to files beside its folder `simple`.
    """
    return (path.parent, path) if path.name == "simple" else (path,)


def _without_covered(mounts: tuple[Mount, ...]) -> tuple[Mount, ...]:
    """Drop what an earlier mount shows at the same place: each mount costs start-up time."""
    kept: list[Mount] = []
    for mount in mounts:
        if not any(_covers(earlier, mount) for earlier in kept):
            kept.append(mount)
    return tuple(kept)


def _covers(earlier: Mount, mount: Mount) -> bool:
    if not mount.target.is_relative_to(earlier.target):
        return False
    return mount.source == earlier.source / mount.target.relative_to(earlier.target)


def _variables(toolchains: tuple[Toolchain, ...]) -> dict[str, str]:
    tools = (str(folder) for toolchain in toolchains for folder in toolchain.path)
    path = dict.fromkeys((*_OWN_PATH, *tools, *_LATE_PATH, *_SYSTEM_PATH))
    variables = {
        "PATH": ":".join(path),
        "HOME": HOME,
        "USER": "fixpoint",
        "LOGNAME": "fixpoint",
        "SHELL": "/bin/bash",
        "LANG": "C.UTF-8",
        "CI": "true",
        "NPM_CONFIG_GLOBALCONFIG": "/etc/npmrc",
    }
    for toolchain in toolchains:
        variables |= toolchain.environment
    return variables
