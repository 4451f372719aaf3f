"""Draw a map of a repository that fits a budget: files that matter, and what they define."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from bot.repair.symbols.outline import Outline, Symbol
from bot.repair.symbols.ranking import ranked, symbol_weights

CHARACTERS_PER_TOKEN = 3.5
"""Of source code, about."""
_PER_FILE = 12
"""Symbols of one file at most: a map of one file is no map."""
_MOST_FILES = 60
_PATH = re.compile(r"(?<![\w./-])[\w./-]+\.\w{1,5}")
_WORD = re.compile(r"[A-Za-z_]\w{3,}")


def drawn(
    outlines: Mapping[str, Outline], told: str, tokens: int, tests: Collection[str] = ()
) -> str:
    """Return the map, or "" where there is nothing to draw.

    Args:
        outlines: Of the files, by path.
        told: What is known of the failure: files that it names are near, and so is what it names.
        tokens: That it may have, about.
        tests: Files that hold tests: they lead to what matters, and are not drawn themselves.
    """
    rank = ranked(outlines, near_files(outlines, told))
    weights = symbol_weights(outlines, rank)
    words = frozenset(_WORD.findall(told))
    room = tokens * CHARACTERS_PER_TOKEN
    drawn_files: list[str] = []
    wanted = sorted(set(outlines) - set(tests), key=lambda path: (-rank[path], path))
    for path in wanted[:_MOST_FILES]:
        chosen = _chosen(path, outlines[path], weights, words)
        text = "\n".join([f"{path}:", *map(_line, chosen)])
        if not chosen or len(text) > room:
            continue
        room -= len(text) + 1
        drawn_files.append(text)
    return "\n".join(drawn_files)


def near_files(outlines: Mapping[str, Outline], told: str) -> frozenset[str]:
    """Return the files whose path, or the end of it, stands in what is told of the failure."""
    named = {item.lstrip("./") for item in _PATH.findall(told)}
    ends = {path: (path, *_ends(path)) for path in outlines}
    return frozenset(path for path, own in ends.items() if not named.isdisjoint(own)) | frozenset(
        path for path in outlines if any(name.endswith(f"/{path}") for name in named)
    )


def _ends(path: str) -> tuple[str, ...]:
    parts = path.split("/")
    return tuple("/".join(parts[start:]) for start in range(1, len(parts)))


def _chosen(
    path: str,
    outline: Outline,
    weights: Mapping[tuple[str, str], float],
    words: frozenset[str],
) -> list[Symbol]:
    """Return the symbols of a file that are drawn, in the order of the text."""
    by_weight = sorted(
        outline.symbols,
        key=lambda symbol: (
            symbol.name not in words,
            symbol.depth,
            -weights.get((path, symbol.name), 0),
        ),
    )
    return sorted(by_weight[:_PER_FILE], key=lambda item: item.line)


def _line(symbol: Symbol) -> str:
    lines = str(symbol.line) if symbol.last == symbol.line else f"{symbol.line}-{symbol.last}"
    return f"{'  ' * (symbol.depth + 1)}{lines} {symbol.head}"
