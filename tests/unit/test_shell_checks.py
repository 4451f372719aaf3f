"""Checks that are scripts, changed so that they must fail."""

from __future__ import annotations

from bot.model import StartedProgram
from bot.repair.verification.forgery.shell_checks import (
    check_files,
    failing_ends,
    other_values,
    spread,
)
from bot.repair.workspace.programs import FileRead, Trace

SCRIPT = b"""\
#!/usr/bin/env bash
set -e
. ./lib.sh
[ "$(area 3 4)" = 12 ] || exit 1
area 5 6 | grep -q '^30$'
diff golden.txt <(area 7 8)
if [ -n "$QUICK" ]; then
  exit 0
fi
echo done
"""
TRACE = Trace(
    (StartedProgram("/usr/bin/bash", ("bash", "check.sh")), StartedProgram("/usr/bin/diff", ("diff",))),
    tuple(
        FileRead(path, by, 2)
        for path, by in [("check.sh", 0), ("lib.sh", 0), ("golden.txt", 1), ("tool.py", 0)]
    ),
)  # fmt: skip
FILES = {"check.sh": SCRIPT, "golden.txt": b"56\n"}


def test_files_of_the_check() -> None:
    """They are what it reads, without what the patch changes and programs that guards read."""
    assert check_files(TRACE, {"lib.sh"}) == ("check.sh", "golden.txt")


def test_each_end_is_a_failure() -> None:
    """That of the file, and where it would end well before; a failure stays what it is."""
    assert failing_ends(FILES, "word") == {
        "check.sh": SCRIPT.replace(b"  exit 0", b"  echo word; exit 97") + b"\necho word; exit 97\n"
    }


def test_each_value_is_another_one() -> None:
    """Numbers, texts and files that are compared, one at a time."""
    variants = list(other_values(FILES, TRACE))
    changed = [
        (path, next(line for line in data.splitlines() if line not in FILES[path].splitlines()))
        for path, data in variants
    ]
    assert [path for path, _ in changed] == ["check.sh", "check.sh", "golden.txt"]
    assert changed[0][1].startswith(b'[ "$(area 3 4)" = ')
    assert b"grep -q '" in changed[1][1]
    assert b"30$" not in changed[1][1]
    assert [path for path, _ in spread(variants)] == ["golden.txt", "check.sh", "check.sh"]


def test_few_of_many_are_tried() -> None:
    """They come from all over the check."""
    assert len(spread([(str(n), b"") for n in range(100)])) == 6
