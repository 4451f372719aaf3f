"""Which hosts the setup of a repository needs: the package registries of its ecosystems."""

from __future__ import annotations

import re

from bot.ecosystems.registry import BY_NAME, ECOSYSTEMS
from bot.ecosystems.tree import Tree

SOURCES = (
    *("github.com", "codeload.github.com", "raw.githubusercontent.com"),
    *("objects.githubusercontent.com", "release-assets.githubusercontent.com"),
)
"""Packages, hooks and toolchains of every ecosystem are fetched from there too."""


def _hosts(*names: str) -> tuple[str, ...]:
    return tuple(host for name in names for host in BY_NAME[name].hosts)


REGISTRIES: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    *((ecosystem.marks, ecosystem.hosts) for ecosystem in ECOSYSTEMS if ecosystem.marks),
    (("environment.yml", "environment.yaml"), ("conda.anaconda.org", "repo.anaconda.com")),
    ((".github/workflows/*.yml", ".github/workflows/*.yaml"), _hosts("python", "node")),
    (("*.csproj", "*.fsproj", "*.sln"), ("api.nuget.org",)),
    (("mix.exs",), ("hex.pm", "repo.hex.pm", "builds.hex.pm")),
    ((".pre-commit-config.yaml",), _hosts("python", "node", "rust", "go", "ruby")),
)
"""The files that tell of an ecosystem, at the root or one folder below, and its hosts."""

_SYSTEM = ("deb.debian.org", "security.debian.org", "archive.ubuntu.com", "security.ubuntu.com")
_HOSTS = frozenset((*(host for _, hosts in REGISTRIES for host in hosts), *_SYSTEM))
_UNREACHED = re.compile(
    r"\b50[234]\b|Bad Gateway|Service Unavailable|\b(?:tunnel|proxy)|resolv|reach|connect|network|time[d ]*out"
    r"|ENOTFOUND|ECONN|EAI_AGAIN|(?:fail|unable|could not).{0,20}(?:fetch|download|transfer)|no such host",
    re.IGNORECASE,
)
"""What clients say in a line that names the host, each in its own order."""

_HOST = re.compile(r"(?<![\w.-])[a-z0-9-]+(?:\.[a-z0-9-]+)+")


def registries(tree: Tree) -> tuple[str, ...]:
    """Return the hosts; those of every ecosystem where no file tells of one."""
    found = [hosts for patterns, hosts in REGISTRIES if _has(tree, patterns)]
    found = found or [hosts for _, hosts in REGISTRIES]
    return tuple(dict.fromkeys((*(host for hosts in found for host in hosts), *SOURCES)))


def is_registry(host: str) -> bool:
    """Whether a host is a package registry, and no place where sources are kept."""
    return host in _HOSTS


def unreached_registries(text: str) -> tuple[str, ...]:
    """Return the package registries that could not be reached, as far as a client's words tell."""
    return tuple(
        dict.fromkeys(
            host
            for line in text.split("\n")
            if _UNREACHED.search(_HOST.sub("", line))
            for host in _HOST.findall(line)
            if is_registry(host)
        )
    )


def _has(tree: Tree, patterns: tuple[str, ...]) -> bool:
    return any(tree.glob(pattern) or tree.glob(f"*/{pattern}") for pattern in patterns)
