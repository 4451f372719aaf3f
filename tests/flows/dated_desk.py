"""A desk whose repository was committed long ago, and an index of packages that went on since."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.fakes.package_index import PackageIndex, package_index
from tests.flows.command_line import Desk, Done, in_git, open_desk

SETUP = "uv pip install --quiet --python ~/.venv -r requirements.txt"
TEST = "python -m unittest"

_SEEDS = ("pip", "setuptools", "wheel")
"""An environment begins with these."""


@dataclass(frozen=True, slots=True)
class DatedDesk:
    """A desk, the variables by which package clients find the index, and how its repository is set up and tested."""

    desk: Desk
    variables: Mapping[str, str]
    setup: str = SETUP
    test: str = TEST

    async def run(self, command: str, *options: str) -> Done:
        """Run a command on the repository, set up and tested as above."""
        given = ("--test", self.test, "--setup", self.setup, *options)
        return await self.desk.run(
            command, str(self.desk.repository), *given, environ=self.variables
        )


def uploaded(days: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, str]]:
    """Return the packages of an index, and what an environment begins with, with the times of their uploads.

    Args:
        days: Since each version of each package was uploaded.
    """
    today = datetime.now(UTC)
    released = {**days, **{seed: {"60.0": 600} for seed in _SEEDS}}
    return {
        name: {
            version: f"{today - timedelta(days=ago):%FT%TZ}" for version, ago in versions.items()
        }
        for name, versions in released.items()
    }


@asynccontextmanager
async def dated_desk(
    root: Path,
    files: Mapping[str, str],
    days: Mapping[str, Mapping[str, int]],
    programs: Mapping[tuple[str, str], str],
    *,
    age: int = 400,
) -> AsyncIterator[DatedDesk]:
    """Open a desk.

    Args:
        root: For everything.
        files: Of the repository.
        days: Since each version of each package was uploaded.
        programs: What versions have besides their number.
        age: Of the commit, in days.
    """
    today = datetime.now(UTC)
    async with (
        package_index(PackageIndex(uploaded(days), programs=programs)) as index,
        open_desk(root, files=files) as desk,
    ):
        old = f"{today - timedelta(days=age):%FT%TZ}"
        amended = ("commit", "--amend", "--quiet", "--no-edit", "--allow-empty")
        in_git(desk.repository, *amended, environ={"GIT_COMMITTER_DATE": old})
        variables = {"UV_INDEX_URL": index.python, "PIP_INDEX_URL": index.python, "UV_OFFLINE": "0"}
        variables["NPM_CONFIG_REGISTRY"] = index.npm
        yield DatedDesk(desk, variables)
