"""Which hosts the setup of a repository needs: the package registries of its ecosystems."""

from __future__ import annotations

from bot.detect.tree import Tree

SOURCES = (
    *("github.com", "codeload.github.com", "raw.githubusercontent.com"),
    *("objects.githubusercontent.com", "release-assets.githubusercontent.com"),
)
"""Packages, hooks and toolchains of every ecosystem are fetched from there too."""

_PYTHON = ("pypi.org", "files.pythonhosted.org")
_CONDA = ("conda.anaconda.org", "repo.anaconda.com")
_NODE = (
    "registry.npmjs.org",
    "registry.yarnpkg.com",
    "repo.yarnpkg.com",
    "nodejs.org",
    "npm.jsr.io",
)
_RUST = ("crates.io", "index.crates.io", "static.crates.io", "static.rust-lang.org")
_GO = ("proxy.golang.org", "sum.golang.org")
_RUBY = ("rubygems.org", "index.rubygems.org")
_PHP = ("packagist.org", "repo.packagist.org", "api.github.com")
_JAVA = (
    *("repo.maven.apache.org", "repo1.maven.org", "maven.google.com"),
    *("plugins.gradle.org", "services.gradle.org", "downloads.gradle.org"),
)
_DOTNET = ("api.nuget.org",)
_ELIXIR = ("hex.pm", "repo.hex.pm", "builds.hex.pm")

REGISTRIES: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "requirements*.txt"), _PYTHON),
    (("environment.yml", "environment.yaml"), _CONDA),
    (("package.json",), _NODE),
    (("Cargo.toml",), _RUST),
    (("go.mod", "go.work"), (*_GO, *_PYTHON)),  # Go itself is at PyPI
    ((".github/workflows/*.yml", ".github/workflows/*.yaml"), (*_PYTHON, *_NODE)),  # tools of jobs
    (("Gemfile", "*.gemspec"), _RUBY),
    (("composer.json",), _PHP),
    (("pom.xml", "build.gradle", "build.gradle.kts"), _JAVA),
    (("*.csproj", "*.fsproj", "*.sln"), _DOTNET),
    (("mix.exs",), _ELIXIR),
    ((".pre-commit-config.yaml",), (*_PYTHON, *_NODE, *_RUST, *_GO, *_RUBY)),
)
"""The files that tell of an ecosystem, at the root or one folder below, and its hosts."""


def registries(tree: Tree) -> tuple[str, ...]:
    """Return the hosts; those of every ecosystem where no file tells of one."""
    found = [hosts for patterns, hosts in REGISTRIES if _has(tree, patterns)]
    found = found or [hosts for _, hosts in REGISTRIES]
    return tuple(dict.fromkeys((*(host for hosts in found for host in hosts), *SOURCES)))


def _has(tree: Tree, patterns: tuple[str, ...]) -> bool:
    return any(tree.glob(pattern) or tree.glob(f"*/{pattern}") for pattern in patterns)
