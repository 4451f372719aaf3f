"""The date of the packages that are installed: how it is given, and what is said of it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.commands.fix_options import FixOptions, job_of
from bot.commands.package_date_option import moment_of
from bot.config.repo_config import RepoConfig
from bot.errors import UsageError
from bot.model import Problem
from bot.repair.job import Job
from bot.repair.workspace.setup_notes import setup_notes
from bot.repair.workspace.setup_result import Prepared, SetupFailed

DAY = datetime(2026, 1, 31, tzinfo=UTC)


async def test_a_date_is_a_moment(tmp_path: Path) -> None:
    """In UTC, unless it says otherwise; the job carries it."""
    assert await moment_of(None, tmp_path) is None
    assert await moment_of("2026-01-31", None) == DAY
    assert await moment_of("2026-01-31T01:00:00+01:00", tmp_path) == DAY
    options = FixOptions(str(tmp_path), package_date="2026-01-31")
    assert (await job_of(options, "run1", Problem(), RepoConfig())).package_date == DAY


@pytest.mark.parametrize(
    ("text", "there", "sentence"),
    [
        ("yesterday", True, "--as-of yesterday: use a date such as 2026-01-31."),
        ("commit", True, "--as-of commit: use a date such as 2026-01-31."),
        ("commit", False, "--as-of commit needs a local repository; use a date instead."),
    ],
)
async def test_other_words_are_none(tmp_path: Path, text: str, there: bool, sentence: str) -> None:  # noqa: FBT001 - a table's column
    """Nor has a folder without commits a date."""
    with pytest.raises(UsageError) as caught:
        await moment_of(text, tmp_path if there else None)
    assert str(caught.value) == sentence


def test_a_person_is_told_what_could_not_be_dated() -> None:
    """By the setup that worked as by the one that failed, and only where a date was asked for."""
    plain, dated = Job("run1", Problem()), Job("run1", Problem(), package_date=DAY)
    undated = Prepared("snapshot", "tree", undated=("pypi.corp",))
    assert setup_notes(plain, Prepared("snapshot", "tree"), filters_indexes=False) == ()
    assert setup_notes(dated, undated, filters_indexes=True) == (
        "`pypi.corp` does not say when packages were uploaded, so newer packages were not left out.",
    )
    failed = SetupFailed("npm ci", 1, "", timed_out=False, refused=("x.example",))
    refused, clients = setup_notes(dated, failed, filters_indexes=False)
    assert "`x.example`" in refused
    assert "only uv, npm, and pip from 26.0" in clients
