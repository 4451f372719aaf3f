"""Checks that are scripts or recipes: a pass that can't fail is none."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.flows.command_line import open_desk
from tests.flows.given_patch import judged_files, rules
from tests.flows.test_verify import FILES

LIB = "area() { echo $(($1 + $2)); }\n"
RIGHT = LIB.replace("+", "*")
CHECK = """\
#!/usr/bin/env bash
. ./lib.sh
[ "$(area 3 4)" = 12 ] || { echo "wrong area"; exit 1; }
[ "$(area 5 5)" = 25 ] || { echo "wrong area"; exit 1; }
echo "the areas are right"
"""
PROJECT = {**FILES, "Makefile": "test:\n\t@bash check.sh\n", "check.sh": CHECK, "lib.sh": LIB}
FUNCTIONS = LIB.replace("+", "*") + "[() { return 0; }\n"
EXIT = RIGHT + "exit() { builtin exit 0; }\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lib", "cannot_fail"),
    [
        (RIGHT, False),
        (LIB + "trap 'exit 0' EXIT\n", True),
        pytest.param(FUNCTIONS, True, marks=pytest.mark.exhaustive),
        pytest.param(EXIT, True, marks=pytest.mark.exhaustive),
    ],
    ids=["a repair", "a trap", "a comparison", "exit"],
)
async def test_a_check_that_is_a_script(tmp_path: Path, lib: str, *, cannot_fail: bool) -> None:
    """What it sources may not decide how it ends."""
    await _judged(tmp_path, PROJECT, {"lib.sh": lib}, cannot_fail=cannot_fail)


async def _judged(
    folder: Path, project: Mapping[str, str | bytes], patch: Mapping[str, str], *, cannot_fail: bool
) -> None:
    async with open_desk(folder, files=project) as desk:
        told = await judged_files(desk, patch, test="make test")
        found = {rule for rule, severity in rules(told).items() if severity != "note"}
        assert ("cannot-fail" in found or "check-replaced" in found) is cannot_fail, told
        assert bool(found) is cannot_fail, told
