"""Pick which earlier repairs may help at a failure like theirs, and the files to look in. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, takewhile
from pathlib import PurePosixPath

from bot.code.files import is_test_file
from bot.model.memory import Became, FailureSignature, TriedRepair
from bot.repair.memory.renamed_code import tokens, unified

MOST_REPAIRS = 3
"""Repairs of failures that say the same, whose changes are made elsewhere."""

MOST_FILES = 300
"""Files that are read for it, the nearest first."""


def reads_alike(signature: FailureSignature, other: FailureSignature) -> bool:
    """Return whether two failures say the same in different places, up to the names in it."""
    if not signature.message or (signature.tool, signature.exception) != (
        other.tool,
        other.exception,
    ):
        return False
    return unified(tokens(signature.message), tokens(other.message), {}) is not None


def says_the_same(
    settled: Sequence[TriedRepair], signature: FailureSignature
) -> tuple[TriedRepair, ...]:
    """Return the merged repairs of failures that read like this one, and are other ones.

    Args:
        settled: Repairs that were merged, also those reverted later, newest first.
        signature: Of the failure.
    """
    newest: dict[str, TriedRepair] = {}
    for repair in settled:
        newest.setdefault(repair.signature.fingerprint, repair)
    newest.pop(signature.fingerprint, None)
    found = (repair for repair in newest.values() if repair.became is Became.MERGED)
    alike = (repair for repair in found if reads_alike(repair.signature, signature))
    return tuple(islice(alike, MOST_REPAIRS))


def near_files(
    paths: Sequence[str], changed: Sequence[str], signature: FailureSignature
) -> tuple[str, ...]:
    """Return the files of a tree that may have a change's lines, nearest first, without tests.

    Args:
        paths: Of the tree.
        changed: Paths that a patch changes.
        signature: Of the failure; its frames name files.
    """
    suffixes = {PurePosixPath(path).suffix for path in changed}
    names = {PurePosixPath(path).name for path in changed}
    framed = {frame.partition(" ")[0] for frame in signature.frames}

    def distance(path: str) -> tuple[bool, bool, int, str]:
        near = max(_common(path, item) for item in changed)
        return path not in framed, PurePosixPath(path).name not in names, -near, path

    fitting = [
        path for path in paths if PurePosixPath(path).suffix in suffixes and not is_test_file(path)
    ]
    return tuple(sorted(fitting, key=distance)[:MOST_FILES])


def _common(one: str, other: str) -> int:
    """Return how many folders two paths share."""
    folders = zip(one.split("/")[:-1], other.split("/")[:-1], strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], folders))
