"""Where everything is kept."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from pydantic import SecretStr

from bot.errors import UsageError
from bot.storage.data_folder import make_data_folder
from bot.storage.database import open_database
from bot.storage.steps_database import steps_database


def test_nobody_else_may_enter(tmp_path: Path) -> None:
    """Payloads of private repositories are not for other users of the machine."""
    made = make_data_folder(tmp_path / "share" / "fixpoint")
    assert stat.S_IMODE(made.stat().st_mode) == 0o700


def test_a_folder_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    """Whoever made it has decided who may enter."""
    tmp_path.chmod(0o750)
    assert make_data_folder(tmp_path) == tmp_path
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o750


@pytest.mark.parametrize("before", [None, 0o644, 0o664, 0o600, 0o640, 0o666])
async def test_a_database_is_nobody_elses(tmp_path: Path, before: int | None) -> None:
    """Also in a folder that others may enter, and where an older version left it open."""
    tmp_path.chmod(0o755)
    file = tmp_path / "fixpoint.db"
    if before is not None:
        file.touch()
        file.chmod(before)
    url = SecretStr(f"sqlite:///{file}")
    async with await open_database(url):
        with steps_database(url) as engine, engine.begin() as connection:
            connection.exec_driver_sql("CREATE TABLE one (id INTEGER)")
        found = sorted(tmp_path.iterdir())
        assert len(found) > 2
        assert [path.name for path in found if path.stat().st_mode & 0o007] == []


def test_a_place_that_does_not_do_is_told(tmp_path: Path) -> None:
    """The sentence names the setting that helps."""
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="Set FIXPOINT_DATA"):
        make_data_folder(tmp_path / "file" / "data")
