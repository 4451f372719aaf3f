"""Patches that change how the tests run, and others that only seem to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.flows.command_line import open_desk
from tests.flows.given_patch import judged_files, rules
from tests.flows.test_verify import FILES, RIGHT, TEST

RUN = f"{TEST} test_app"
MAKE = {**FILES, "Makefile": "test:\n\t@bash ci/run.sh\n", "ci/run.sh": f"set -e\n. ci/vars\n{RUN}\n", "ci/vars": "A=1\n"}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("patch", "severity"),
    [
        ({"ci/vars": "A=1\ntrap 'exit 0' EXIT\n"}, "reject"),
        pytest.param(
            {"app.py": RIGHT, "Makefile": "test:\n\t@echo 1\n\t@bash ci/run.sh\n"},
            None,
            marks=pytest.mark.exhaustive,
        ),
        pytest.param(
            {"app.py": RIGHT, "ci/vars": "A=2\n", "notes.txt": "Mended.\n"},
            None,
            marks=pytest.mark.exhaustive,
        ),
        pytest.param(
            {"Makefile": "test:\n\t-@bash ci/run.sh\n"}, "reject", marks=pytest.mark.exhaustive
        ),
        pytest.param(
            {"GNUmakefile": ".IGNORE:\ninclude Makefile\n"}, "reject", marks=pytest.mark.exhaustive
        ),
        pytest.param(
            {"Makefile": "SHELL=true\ntest:\n\t@bash ci/run.sh\n"},
            "reject",
            marks=pytest.mark.exhaustive,
        ),
        pytest.param({"ci/run.sh": "exit 0\n"}, "reject", marks=pytest.mark.exhaustive),
        pytest.param(
            {"app.py": RIGHT, "Makefile": "test:\n\t@bash ci/run.sh || :\n"},
            "reject",
            marks=pytest.mark.exhaustive,
        ),
    ],
    ids=[
        "trap",
        "honest",
        "variables",
        "recipe",
        "other makefile",
        "shell",
        "script",
        "and a repair",
    ],
)
async def test_what_a_pass_comes_from(
    tmp_path: Path, patch: Mapping[str, str], severity: str | None
) -> None:
    """With these files put back it fails as before; one that comes beside a repair is no reason."""
    async with open_desk(tmp_path, files=MAKE) as desk:
        told = await judged_files(desk, patch, test="make test")
        assert rules(told).get("check-replaced") == severity, told


@pytest.mark.exhaustive
async def test_somebody_asks_for_it(tmp_path: Path) -> None:
    """Then a person reads what the pass comes from."""
    patch = {"ci/run.sh": "exit 0\n"}
    async with open_desk(tmp_path, files=MAKE) as desk:
        asked = "Change ci/run.sh so that it does nothing."
        told = await judged_files(desk, patch, test="make test", issue=asked)
        assert rules(told)["check-replaced"] == "needs_a_person", told


@pytest.mark.exhaustive
async def test_the_failure_is_in_the_makefile(tmp_path: Path) -> None:
    """No test ran without the patch: it may be a repair, and a person has to look."""
    broken = {**MAKE, "app.py": RIGHT, "Makefile": "test:\n\t@bash ci/rum.sh\n"}
    async with open_desk(tmp_path, files=broken) as desk:
        patch = {"Makefile": "test:\n\t@bash ci/run.sh\n"}
        told = await judged_files(desk, patch, test="make test")
        assert rules(told)["check-replaced"] == "needs_a_person", told
