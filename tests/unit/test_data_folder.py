"""Where everything is kept."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from bot.errors import UsageError
from bot.storage.data_folder import make_data_folder


def test_nobody_else_may_enter(tmp_path: Path) -> None:
    """Payloads of private repositories are not for other users of the machine."""
    made = make_data_folder(tmp_path / "share" / "fixpoint")
    assert stat.S_IMODE(made.stat().st_mode) == 0o700


def test_a_folder_that_is_there_stays_as_it_is(tmp_path: Path) -> None:
    """Whoever made it has decided who may enter."""
    tmp_path.chmod(0o750)
    assert make_data_folder(tmp_path) == tmp_path
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o750


def test_a_place_that_does_not_do_is_told(tmp_path: Path) -> None:
    """The sentence names the setting that helps."""
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="Set FIXPOINT_DATA"):
        make_data_folder(tmp_path / "file" / "data")
