"""How many files the server may have open."""

from __future__ import annotations

import subprocess
import sys

import pytest

SHOW = "from bot.server.lifecycle import raise_limit; print(raise_limit())"


@pytest.mark.slow
@pytest.mark.parametrize(("soft", "hard"), [(256, 512), (512, 512)])
def test_the_limit_is_raised_as_far_as_it_goes(soft: int, hard: int) -> None:
    """In a process of its own: it could not be lowered again."""
    limited = f"ulimit -Sn {soft}; ulimit -Hn {hard}; exec {sys.executable} -c '{SHOW}'"
    said = subprocess.run(["bash", "-c", limited], capture_output=True, text=True, check=True)
    assert int(said.stdout) == hard
