"""What is read from recorded outputs of real tools is what the tools' own reports say of the same runs."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from bench.outputs.comparison import disagreements
from bench.outputs.recording import Recording, read
from bench.outputs.surroundings import SURROUNDINGS

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


@pytest.mark.parametrize("surrounding", [name for name in SURROUNDINGS if name != "alone"])
def test_what_stands_around_an_output_changes_nothing(surrounding: str) -> None:
    """Lines of CI, and what it and runners of workspaces put before each line."""
    assert {tool: seen for tool in TOOLS if (seen := wrong(tool, surrounding))} == {}
