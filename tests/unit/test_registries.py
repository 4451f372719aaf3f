"""Which registries the setup of a repository reaches."""

from __future__ import annotations

from pathlib import Path

from bot.detect import DirectoryTree, registries
from bot.reporting.reasons.sandbox_setup import hosts_refused


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
