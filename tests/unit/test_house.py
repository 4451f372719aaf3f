"""`make house` counts what is there, and `make growth` asks for a reason where a total rises."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from bench.house import COLUMNS, main, measure

_USES = "from bot.ci.words import Word\n\nfirst = [one for one in (Word,)]\n"
_SOURCES = {
    "bot/__init__.py": "",
    "bot/ci/__init__.py": "",
    "bot/ci/words.py": "class Word: ...\nclass _Kept: ...\n",
    "bot/web/pages.py": f"{_USES}class Word: ...\nclass _Kept: ...\n",
    "sandbox/base.py": "def read(lines):\n    for number, one in lines:\n        yield one\n",
}


def test_counts_by_room() -> None:
    """Each room has its modules, lines, single importers, ambiguous names and loops over `one`."""
    house = measure(_SOURCES)
    counted = {room: dict(zip(COLUMNS, row, strict=True)) for room, row in house.rooms.items()}
    assert counted["bot/ci"] == {
        "modules": 2,
        "lines": 2,
        "one importer": 1,
        "of these short": 1,
        "ambiguous names": 1,
        "loops `one`": 0,
    }
    assert counted["bot/web"]["loops `one`"] == counted["sandbox"]["loops `one`"] == 1
    assert house.names == {"Word"}
    assert house.row("total") == (5, 10, 1, 1, 1, 2)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository with one commit."""
    _git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "sandbox").mkdir()
    (tmp_path / "bot").mkdir()
    (tmp_path / "sandbox/base.py").write_text("a = 1\n")
    _commit(tmp_path, "bot: begin", "a = 1\n")
    return tmp_path


def _git(root: Path, *arguments: str) -> None:
    who = ("-c", "user.name=ann", "-c", "user.email=ann@example.com")
    subprocess.run(["git", "-C", str(root), *who, *arguments], check=True)


def _commit(root: Path, message: str, text: str) -> None:
    (root / "bot/app.py").write_text(text)
    _git(root, "add", "-A")
    _git(root, "commit", "-q", "-m", message)


def test_nothing_to_compare_with_is_said(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first commit, or a clone of one commit, passes and says that it was not compared."""
    assert main(["--hold"], clone) == 0
    assert "Not compared" in capsys.readouterr().out


def test_growth_needs_a_reason(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A total that rose fails until a commit gives the reason; one that fell never does."""
    _commit(clone, "bot: more", "a = 1\nb = 2\n")
    assert main(["--hold"], clone) == 1
    assert "Totals rose (lines +1)" in capsys.readouterr().out
    _git(clone, "commit", "-q", "--amend", "-m", "bot: more\n\nGrowth: b is asked for by acme/app")
    assert main(["--hold"], clone) == 0
    assert "Growth: b is asked for by acme/app" in capsys.readouterr().out
    _commit(clone, "bot: less", "a = 1\n")
    assert main(["--hold"], clone) == 0


def test_a_branch_is_compared_with_where_it_began(
    clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All commits of a branch count together: what one adds, another may take away."""
    _git(clone, "checkout", "-q", "-b", "branch")
    _commit(clone, "bot: more", "a = 1\nb = 2\n")
    _commit(clone, "bot: less", "a = 1\n")
    assert main(["--hold"], clone) == 0
    assert "Totals rose" not in capsys.readouterr().out
