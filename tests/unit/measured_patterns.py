"""Know which regular expressions were found linear, so that `make test` measures only new ones.

`make patterns` measures all of them, and keeps the fingerprints of those that are linear.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.unit.package_patterns import Found, found
from tests.unit.pattern_attacks import Attack, superlinear

_KEPT = Path(__file__).with_suffix(".txt")


def fingerprint(each: Found) -> str:
    """Return what changes when the expression does, or how it is used."""
    text = f"{each.pattern.pattern!r} {each.pattern.flags} {each.how}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def measured() -> frozenset[str]:
    """Return the fingerprints of those that were measured."""
    return frozenset(_KEPT.read_text(encoding="ascii").split())


def slow(patterns: list[Found]) -> Iterator[tuple[Found, Attack]]:
    """Yield those that take longer than their text is long, with a text that shows it."""
    for each in patterns:
        if (attack := superlinear(each.pattern, each.run)) is not None:
            yield each, attack


def main() -> None:
    """Measure all, print those that are slow, and keep the others."""
    patterns = found()
    bad = dict(slow(patterns))
    for each, attack in bad.items():
        sys.stderr.write(f"{each.place}: {each.pattern.pattern!r}\n    {attack}\n")
    lines = sorted({fingerprint(each) for each in patterns if each not in bad})
    _KEPT.write_text("".join(f"{line}\n" for line in lines), encoding="ascii")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
