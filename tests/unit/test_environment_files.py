"""The two readers of `GITHUB_ENV` and `GITHUB_OUTPUT`: Python's and bash's."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.ci.step_runner import read_pairs
from bot.ci.workflow.inside import source

_TEXTS: list[tuple[str, dict[str, str], str]] = [
    ("", {}, ""),
    ("a=1\nb=x=y\n", {"a": "1", "b": "x=y"}, ""),
    ("a=1", {"a": "1"}, ""),
    ("\n\na=1\n\n", {"a": "1"}, ""),
    ("a<<END\none\n\ntwo\nEND\nb=2\n", {"a": "one\n\ntwo", "b": "2"}, ""),
    ("a<<END\n\n first\nEND\n", {"a": "\n first"}, ""),
    ("a<<END\n\nEND\n", {"a": ""}, ""),
    ("a<<END\nEND\n", {"a": ""}, ""),
    ("a<<END\nlast\n\n\nEND\n", {"a": "last\n\n"}, ""),
    ("a<<E=F\nx\nE=F", {"a": "x"}, ""),
    ("a=1<<2\n", {"a": "1<<2"}, ""),
    ("a<<b<<c\n<<\nb<<c\n", {"a": "<<"}, ""),
    ("a=1\r\n", {"a": "1\r"}, ""),
    ("a<<END\r\nx\r\nEND\r\n", {"a": "x\r"}, ""),
    (" a =  1 \n", {" a ": "  1 "}, ""),
    ("a=1\na=2\n", {"a": "2"}, ""),
    ("a=\\n*$x`y`\n", {"a": "\\n*$x`y`"}, ""),
    ("a=1\nnoise\nb=2\n", {"a": "1"}, "noise"),
    ("a<<END\nrest\n", {}, "a<<END"),
    ("a<<END\nrest", {}, "a<<END"),
    ("<<END\nEND\n", {}, "<<END"),
    ("a<<\nx\n\n", {}, "a<<"),
]


@pytest.mark.parametrize(("text", "values", "invalid"), _TEXTS)
def test_environment_files(text: str, values: dict[str, str], invalid: str, tmp_path: Path) -> None:
    """Both read what GitHub's runner does, and stop where its step would fail."""
    file = read_pairs(text)
    assert (file.values, file.invalid) == (values, invalid)
    assert in_bash([text], tmp_path) == [values]


def in_bash(texts: list[str], folder: Path) -> list[dict[str, str]]:
    """Return what `ci_pairs` reads in each text."""
    lines = []
    for n, text in enumerate(texts):
        file = folder / str(n)
        file.write_bytes(text.encode())
        lines.append(f"ci_pairs {shlex.quote(str(file))} ci_seen; printf '\\0\\0'")
    script = "\n".join(
        (source("step.sh"), 'ci_seen() { printf \'%s\\0%s\\0\' "$1" "$2"; }', *lines)
    )
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    found: list[dict[str, str]] = []
    rest = done.stdout.decode()
    for _ in texts:
        values: dict[str, str] = {}
        while not rest.startswith("\0\0"):
            name, value, rest = rest.split("\0", 2)
            values[name] = value
        found.append(values)
        rest = rest[2:]
    return found


_PIECES = st.sampled_from(
    ["a", "b=", "=", "<<", "<<E", "E", "\n", "\n", "\nE\n", " ", "\r\n", "\\", "$x", "'", "é", "*"]
)


@settings(max_examples=20)
@given(st.lists(st.lists(_PIECES, max_size=14).map("".join), min_size=40, max_size=60))
def test_both_readers_read_the_same(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    """Whatever a step writes; a name of no letters is told apart by nothing in bash's output."""
    texts = [text for text in texts if "" not in read_pairs(text).values]
    folder = tmp_path_factory.mktemp("files")
    assert in_bash(texts, folder) == [read_pairs(text).values for text in texts]
