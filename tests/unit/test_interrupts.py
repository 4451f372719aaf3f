"""A command that runs in the background of a script can still interrupt the programs that it starts."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """\
import signal, subprocess, sys
{call}
child = subprocess.run([sys.executable, "-c", "import signal; print(signal.getsignal(signal.SIGINT))"])
signal.raise_signal(signal.SIGINT)
print("alive")
"""
CALL = "from sandbox.interrupts import let_programs_be_interrupted as f; f()"


@pytest.mark.parametrize(
    ("call", "handled"), [(CALL, "<built-in function default_int_handler>"), ("", "1")]
)
def test_in_the_background(call: str, handled: str) -> None:
    """Its programs are told of interrupts, which it ignores itself; without that they are not."""
    script = f"trap '' INT; exec {sys.executable} -c '{PROGRAM.format(call=call)}'"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    out = done.stdout.split()
    assert out[-1] == "alive"
    assert handled in done.stdout
