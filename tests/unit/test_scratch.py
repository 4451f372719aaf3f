"""Folders for the time being, and what is left of them when a process is killed."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.scratch import scratch_folder, sweep_scratch

HOLD = """\
import sys
from sandbox.scratch import scratch_folder
with scratch_folder("held") as folder:
    (folder / "below").mkdir()
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for temporary files, of this test alone."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    tempfile.tempdir = None
    yield tmp_path
    tempfile.tempdir = None


def test_a_folder_is_gone_in_the_end() -> None:
    """With what is in it; while it is there, nobody else may enter, and no sweep takes it."""
    with scratch_folder("test") as folder:
        (folder / "file").touch()
        sweep_scratch()
        assert (folder / "file").exists()
        assert folder.parent.stat().st_mode & 0o077 == 0
    assert not folder.exists()


def test_what_a_killed_process_left_is_swept() -> None:
    """And no sooner."""
    words = (sys.executable, "-c", HOLD)
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        sweep_scratch()
        assert (folder / "below").is_dir()
        process.kill()
    assert (folder / "below").is_dir()
    sweep_scratch()
    assert not folder.exists()


def test_somebody_elses_folder_is_not_used(temporary: Path) -> None:
    """Others may enter it, or it leads elsewhere: then each folder stands alone."""
    with scratch_folder("test") as folder:
        common = folder.parent
    elsewhere = temporary / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "file").touch()
    common.rmdir()
    common.symlink_to(elsewhere)
    with scratch_folder("test") as folder:
        assert folder.parent == temporary
        sweep_scratch()
    assert (elsewhere / "file").exists()
