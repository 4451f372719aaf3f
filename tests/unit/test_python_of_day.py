"""The Python that was new when the packages were."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.ecosystems.detection import detect
from bot.ecosystems.python.versions import with_python_of
from bot.ecosystems.tree import DirectoryTree

THEN = datetime(2021, 7, 24, tzinfo=UTC)


def added(folder: Path, moment: datetime, **files: str) -> tuple[str, ...]:
    """Return the setup commands that a day adds, behind the one that makes the environment."""
    for name, text in {"setup.py": "", **files}.items():
        (folder / name).write_text(text, encoding="utf-8")
    tree = DirectoryTree(folder)
    commands = detect(tree, setup=None, test="pytest", failing=None)
    dated = with_python_of(commands, tree, moment)
    assert [item for item in dated.setup if item in commands.setup] == list(commands.setup)
    return tuple(item for item in dated.setup[1:] if item not in commands.setup)


@pytest.mark.parametrize(
    ("moment", "text", "versions"),
    [
        (THEN, "python_requires='>=3.6'", "3.9 3.8 3.7 3.6"),
        (THEN, "python_requires='>=3.8'", "3.9 3.8"),
        (THEN, "python_requires='>=3.7,<3.9'", "3.8 3.7"),
        (THEN, "", "3.9 3.8 3.7 3.6"),
        (datetime(2021, 12, 1, tzinfo=UTC), "", "3.9 3.8 3.7 3.6"),
        (datetime(2022, 3, 1, tzinfo=UTC), "", "3.10 3.9 3.8 3.7"),
    ],
)
def test_those_that_were_there_and_that_the_project_takes(
    tmp_path: Path, moment: datetime, text: str, versions: str
) -> None:
    """The newest first; one that has just come out doesn't count yet."""
    [command] = added(tmp_path, moment, **{"setup.py": text})
    assert f"for v in {versions}; do" in command


def test_nothing_is_done_without_need(tmp_path: Path) -> None:
    """The project names one version, or takes none that was there, or the day is not long ago."""
    assert added(tmp_path, datetime(2030, 1, 1, tzinfo=UTC)) == ()
    assert added(tmp_path, THEN, **{"setup.py": "python_requires='>=3.11'"}) == ()
    assert added(tmp_path, THEN, **{".python-version": "3.11\n"}) == ()


def test_an_environment_stays_where_no_older_python_is(tmp_path: Path) -> None:
    """The command passes without one, and an environment that is old enough is not made anew."""
    [command] = added(tmp_path, THEN)
    home = tmp_path / "home"
    subprocess.run(["python3", "-m", "venv", "--without-pip", str(home / ".venv")], check=True)
    (home / ".venv" / "here").touch()
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    subprocess.run(["bash", "-c", command], env=environment, check=True)
    assert (home / ".venv" / "here").exists()
