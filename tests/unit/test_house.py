"""`make house` counts what is there, and `make growth` asks for a reason where a total rises."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path

import pytest

from bench.house import COLUMNS, HELD, LISTED, main, measure

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
        "of these entries": 0,
        "of these short": 1,
        "ambiguous names": 1,
        "loops `one`": 0,
    }
    assert counted["bot/web"]["loops `one`"] == counted["sandbox"]["loops `one`"] == 1
    assert house.names == {"Word"}
    assert house.row("total") == (5, 10, 1, 0, 1, 1, 2)


def test_entries_of_a_list() -> None:
    """Modules that one and the same module alone imports, where these are many, are its entries."""
    for count, entries in ((LISTED, LISTED), (LISTED - 1, 0)):
        names = [f"kind_{number}" for number in range(count)]
        sources = {f"bot/ci/{name}.py": "" for name in ("__init__", *names)}
        sources["bot/ci/registry.py"] = "".join(f"from bot.ci import {name}\n" for name in names)
        row = measure(sources).row("total")
        assert dict(zip(COLUMNS, row, strict=True))["of these entries"] == entries


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A work tree of two modules whose totals are recorded."""
    for folder in ("sandbox", "bot", "bench"):
        (tmp_path / folder).mkdir()
    (tmp_path / "sandbox/base.py").write_text("a = 1\n")
    (tmp_path / "bot/app.py").write_text("a = 1\n")
    assert main(["--hold", "--why", "what there is"], tmp_path) == 0
    return tmp_path


def test_growth_needs_a_reason(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A total above the recorded one fails until a reason is recorded with it."""
    (tree / "bot/app.py").write_text("a = 1\nb = 2\n")
    assert main(["--hold"], tree) == 1
    assert "Totals rose (lines +1)" in capsys.readouterr().out
    assert main(["--hold", "--why", 'b is asked for by "acme/app"'], tree) == 0
    assert main(["--hold"], tree) == 0
    recorded = tomllib.loads((tree / HELD).read_text())
    assert recorded["totals"]["lines"] == 3
    assert recorded["growth"] == [{"why": 'b is asked for by "acme/app"', "rose": "lines +1"}]


def test_what_falls_needs_none(tree: Path) -> None:
    """Fewer lines pass; once they are recorded, they are the limit, and nothing has to be said."""
    (tree / "bot/app.py").write_text("")
    assert main(["--hold"], tree) == 0
    assert main(["--hold", "--why", "app was needless"], tree) == 0
    assert "growth" not in tomllib.loads((tree / HELD).read_text())
    (tree / "bot/app.py").write_text("a = 1\n")
    assert main(["--hold"], tree) == 1


def test_nothing_recorded_holds_nothing(tree: Path) -> None:
    """A tree without the file passes."""
    (tree / HELD).unlink()
    assert main(["--hold"], tree) == 0


def test_a_revision_is_compared_with(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`make house BASE=main` shows the difference to it."""
    who = ("-c", "user.name=ann", "-c", "user.email=ann@example.com")
    for command in (("init", "-q"), ("add", "-A"), (*who, "commit", "-qm", "bot: begin")):
        subprocess.run(["git", "-C", str(tree), *command], check=True)
    (tree / "bot/app.py").write_text("a = 1\nb = 2\n")
    assert main(["HEAD"], tree) == 0
    assert "3 (+1)" in capsys.readouterr().out
