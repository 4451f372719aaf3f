"""What a setup lacked is remembered for the commands that were detected, for a while."""

from __future__ import annotations

import json
import os
from pathlib import Path

from bot.ecosystems.missing import Remedy
from bot.model import Commands
from bot.repair.workspace import remembered_setups
from bot.repair.workspace.remembered_setups import RememberedSetup, RememberedSetups
from bot.reporting import evidence
from bot.reporting.reasons import setup_repair
from bot.reporting.suggested_config import config_lines, suggested_config

DETECTED = Commands(("uv venv", "uv pip install -e ."), "pytest", "pytest")
FOUND = RememberedSetup(
    "c" * 40,
    (
        Remedy("module a", "It is missing.", ("uv pip install a",), way="test"),
        Remedy("list", "It fails.", instead=("uv venv", "uv venv --clear")),
        Remedy("variable A", "It is not set.", variables=(("A", "1"),)),
    ),
)


async def test_it_comes_back_as_it_was(tmp_path: Path) -> None:
    """For the same repository and the same commands, and for no others."""
    setups = RememberedSetups(tmp_path / "setups")
    assert await setups.recall("acme/app", DETECTED) is None
    await setups.keep("acme/app", DETECTED, FOUND)
    assert await setups.recall("acme/app", DETECTED) == FOUND
    assert await setups.recall("acme/other", DETECTED) is None
    assert await setups.recall("acme/app", Commands((), "pytest", "pytest")) is None
    await setups.forget("acme/app", DETECTED)
    assert await setups.recall("acme/app", DETECTED) is None


async def test_it_is_found_out_anew_in_the_end(tmp_path: Path) -> None:
    """What is old or unreadable counts as forgotten; the least recent of too many is dropped."""
    setups = RememberedSetups(tmp_path)
    await setups.keep("acme/app", DETECTED, FOUND)
    [file] = tmp_path.iterdir()
    kept = json.loads(file.read_text())
    file.write_text(json.dumps({**kept, "made": kept["made"] - remembered_setups.OLDEST - 1}))
    assert await setups.recall("acme/app", DETECTED) is None
    file.write_text("{")
    assert await setups.recall("acme/app", DETECTED) is None
    for n in range(remembered_setups.MOST_KEPT + 1):
        other = tmp_path / f"{n}.json"
        other.write_text("{}")
        os.utime(other, (n, n))
    await setups.keep("acme/app", DETECTED, FOUND)
    assert len(list(tmp_path.iterdir())) == remembered_setups.MOST_KEPT
    assert not (tmp_path / "0.json").exists()


def test_as_lines_of_the_repo_config() -> None:
    """Without the environment, which is made anyway; only where something was missing."""
    setup = ("test -x ~/.venv/bin/python || uv venv ~/.venv", "uv pip install -e '.[a]'", "make x")
    commands = Commands(setup, "A=1 pytest", "A=1 pytest", healed=("It is missing.",))
    lines = "setup:\n  - \"uv pip install -e '.[a]'\"\n  - make x\ntest: A=1 pytest"
    assert config_lines(commands) == suggested_config(commands) == lines
    assert suggested_config(DETECTED) == suggested_config(None) == ""
    assert config_lines(Commands((), "make", "make")) == "setup: []\ntest: make"
    shown = str(evidence.commands(commands).forms[0])
    assert f"{setup_repair.CONFIG_OFFERED}\n\n```yaml\n{lines}\n```" in shown
