"""The Node.js that was current when the packages were."""

from __future__ import annotations

import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.ecosystems.detection import detect
from bot.ecosystems.node.versions import newer_node, with_node_of
from bot.ecosystems.tree import DirectoryTree
from tests.unit.trees import written

THEN = datetime(2023, 6, 5, tzinfo=UTC)


def added(folder: Path, moment: datetime, package: str) -> tuple[str, ...]:
    """Return the setup commands that a day adds."""
    (folder / "package.json").write_text(package, encoding="utf-8")
    tree = DirectoryTree(folder)
    commands = detect(tree, setup=None, test="npm test", failing=None)
    dated = with_node_of(commands, tree, moment)
    assert dated.setup[-len(commands.setup) :] == commands.setup
    return dated.setup[: -len(commands.setup)]


@pytest.mark.parametrize(
    ("moment", "package", "line"),
    [
        (THEN, "{}", 18),
        (THEN, '{"engines": {"node": "^14.18.0 || >=16.0.0"}}', 18),
        (datetime(2021, 10, 25, tzinfo=UTC), '{"engines": {"node": ">= 10"}}', 14),
    ],
)
def test_the_line_that_had_support_then(
    tmp_path: Path, moment: datetime, package: str, line: int
) -> None:
    """It goes ahead of the packages."""
    [command] = added(tmp_path, moment, package)
    assert f" node@{line} " in command


def test_nothing_is_done_without_need(tmp_path: Path) -> None:
    """The project wants a newer one, or the day is not long ago, or before there were any."""
    assert added(tmp_path, THEN, '{"engines": {"node": ">=20.9"}}') == ()
    assert added(tmp_path, datetime(2030, 1, 1, tzinfo=UTC), "{}") == ()
    assert added(tmp_path, datetime(2015, 1, 1, tzinfo=UTC), "{}") == ()


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed here")
@pytest.mark.parametrize(("year", "line"), [(2018, 8), (2025, 22)])
def test_only_a_newer_one_is_replaced(tmp_path: Path, year: int, line: int) -> None:
    """The command asks the registry where the one that is here came later."""
    node = Path(shutil.which("node") or "")
    asked, npm = tmp_path / "asked", tmp_path / "bin" / "npm"
    npm.parent.mkdir()
    npm.write_text(f"#!/bin/sh\ntouch {asked}\nexit 1\n", encoding="utf-8")
    npm.chmod(0o755)
    folder = tmp_path / "project"
    folder.mkdir()
    [command] = added(folder, datetime(year, 1, 1, tzinfo=UTC), "{}")
    environment = {"PATH": f"{npm.parent}:{node.parent}:/usr/bin:/bin", "HOME": str(tmp_path)}
    subprocess.run(["bash", "-c", command], env=environment, check=True)
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    assert asked.exists() == (int(told[1:].partition(".")[0]) > line)


@pytest.mark.parametrize(
    ("files", "least", "file"),
    [
        ({"package.json": '{"engines": {"node": ">=22"}}'}, 22, "package.json"),
        ({"package.json": '{"engines": {"node": "^20.19.0 || >=22.12.0"}}'}, 0, ""),
        ({"package.json": '{"engines": {"node": ">= 6"}}'}, 0, ""),
        ({".nvmrc": "v24.1.0\n"}, 24, ".nvmrc"),
        ({".nvmrc": "lts/*\n"}, 0, ""),
        ({".github/workflows/a.yml": "  node-version: [24, 26.x]\n"}, 24, ".github/workflows/a.yml"),
        ({".github/workflows/a.yml": "  node:\n    - '22'\n    - 24.1\n  os:\n    - u-26\n"}, 22, ".github/workflows/a.yml"),
        ({".github/workflows/a.yml": "  node-version: ${{ matrix.node }}\n"}, 0, ""),
        ({".github/workflows/a.yml": "  node-version: 24\n", ".github/workflows/b.yml": "node: 18\n"}, 0, ""),
        ({".github/workflows/a.yml": "node-version: 18\nnode-version: [24]\n"}, 24, ".github/workflows/a.yml"),
    ],
)  # fmt: skip
def test_a_newer_node_that_the_project_asks_for(
    tmp_path: Path, files: dict[str, str], least: int, file: str
) -> None:
    """By its engines, by a pin, or as the oldest one with which its workflows test."""
    found = newer_node(written(tmp_path, {"package.json": "{}", **files}))
    assert (found[:2] if found else (0, "")) == (least, file)
    if found:
        assert f"node@{least}" in found[2]
