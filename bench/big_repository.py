"""Make a repository of many files, large files and thousands of commits: the same one every time."""

from __future__ import annotations

import random
import string
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from bench.task import FILES

_MIB = 2**20
_SEED = 15
_BEGUN = 1_700_000_000
_CHANGED = 8
"""Text files that a commit changes."""


@dataclass(frozen=True, slots=True)
class Size:
    """How large it is: files at the head, commits, bytes of all its packs."""

    files: int = 100_000
    commits: int = 3_000
    size: int = 2**30


def make_big_repository(place: Path, size: Size) -> None:
    """Write it, as a bare repository, unless it is there.

    Nine tenths are files of 1 MiB that don't compress, of which four ninths are at the head.
    """
    if place.exists():
        return
    making = place.with_name(f"{place.name}.making")
    init = ("git", "init", "--quiet", "--bare", "--initial-branch=main", str(making))
    subprocess.run(init, check=True)
    for name in ("allowAnySHA1InWant", "allowFilter"):
        subprocess.run(("git", "-C", making, "config", f"uploadpack.{name}", "true"), check=True)
    importing = ("git", "-C", making, "fast-import", "--quiet", "--depth=10")
    with subprocess.Popen(importing, stdin=subprocess.PIPE) as process:
        assert process.stdin is not None
        _Writer(process.stdin, size).write()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, importing)
    making.rename(place)


class _Writer:
    def __init__(self, stream: IO[bytes], size: Size) -> None:
        self._stream = stream
        self._size = size
        self._random = random.Random(_SEED)
        self._lines = self._some_lines()
        assets = size.size * 9 // 10 // _MIB
        self._assets = assets * 4 // 9
        self._older = assets - self._assets
        count = size.files - self._assets - len(FILES)
        self._names = [
            f"packages/p{n // 500:03}/m{n // 50 % 10}/f{n % 50:02}.txt" for n in range(count)
        ]

    def write(self) -> None:
        """Write all commits."""
        self._begin(1)
        for name in self._names:
            self._put(name, self._text())
        for number in range(self._assets):
            self._put_asset(number)
        for name, content in FILES.items():
            self._put(name, content.encode())
        written = 0
        for commit in range(2, self._size.commits + 1):
            self._begin(commit)
            for name in self._random.sample(self._names, _CHANGED):
                self._put(name, self._text())
            while written * self._size.commits < self._older * commit:
                self._put_asset(self._random.randrange(self._assets))
                written += 1
        self._stream.write(b"done\n")

    def _some_lines(self) -> Sequence[bytes]:
        letters = string.ascii_lowercase
        words = ["".join(self._random.choices(letters, k=6)) for _ in range(4_000)]
        return [
            f"    {' '.join(self._random.choices(words, k=7))}\n".encode() for _ in range(20_000)
        ]

    def _text(self) -> bytes:
        return b"".join(self._random.choices(self._lines, k=self._random.randint(20, 120)))

    def _begin(self, number: int) -> None:
        after = f"from :{number - 1}\n" if number > 1 else ""
        who = f"committer Ada <ada@example.org> {_BEGUN + number * 600} +0000"
        self._stream.write(
            f"commit refs/heads/main\nmark :{number}\n{who}\ndata 1\n.\n{after}".encode()
        )

    def _put_asset(self, number: int) -> None:
        self._put(f"assets/a{number // 50:02}/i{number % 50:02}.bin", self._random.randbytes(_MIB))

    def _put(self, name: str, content: bytes) -> None:
        self._stream.write(f"M 100644 inline {name}\ndata {len(content)}\n".encode())
        self._stream.write(content + b"\n")
