"""Draw a map of a repository that fits a budget: files that matter, and what they define."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Mapping

from bot.repair.symbols.outline import Outline, Symbol

# https://doi.org/10.1016/S0169-7552(98)00110-X; that a task's own files are where the walk restarts
# makes it a personalised one.

_DAMPING = 0.85
_ROUNDS = 20
_MOST_DEFINERS = 8
"""Files that may define a name; one that more of them do says nothing of where it leads."""
_RESTART_ELSEWHERE = 0.2
"""Share of restarts at files that the task does not name."""


def ranked(outlines: Mapping[str, Outline], near: frozenset[str] = frozenset()) -> dict[str, float]:
    """Return the weight of each file; they add up to 1.

    Args:
        outlines: Of the files, by path.
        near: Files that the task is about.
    """
    if not outlines:
        return {}
    edges = _edges(outlines)
    restart = _restart(outlines, near)
    rank = dict(restart)
    for _ in range(_ROUNDS):
        lost = sum(rank[path] for path in rank if not edges.get(path))
        following = {
            path: (1 - _DAMPING + _DAMPING * lost) * share for path, share in restart.items()
        }
        for path, targets in edges.items():
            for target, share in targets.items():
                following[target] += _DAMPING * rank[path] * share
        rank = following
    return rank


def symbol_weights(
    outlines: Mapping[str, Outline], rank: Mapping[str, float]
) -> dict[tuple[str, str], float]:
    """Return how much each symbol is used by files that matter, by path and name."""
    definers = _definers(outlines)
    weights: dict[tuple[str, str], float] = defaultdict(float)
    for path, outline in outlines.items():
        for name, count in outline.used:
            for definer in definers.get(name, ()):
                if definer != path:
                    weights[definer, name] += rank[path] * math.sqrt(count)
    return weights


def _edges(outlines: Mapping[str, Outline]) -> dict[str, dict[str, float]]:
    """Return, for each file, the files that it leads to, with shares that add up to 1."""
    definers = _definers(outlines)
    edges = {}
    for path, outline in outlines.items():
        found: dict[str, float] = defaultdict(float)
        for name, count in outline.used:
            others = [definer for definer in definers.get(name, ()) if definer != path]
            for other in others:
                found[other] += math.sqrt(count) / len(others)
        if total := sum(found.values()):
            edges[path] = {other: weight / total for other, weight in found.items()}
    return edges


def _definers(outlines: Mapping[str, Outline]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for path, outline in outlines.items():
        for name in {symbol.name for symbol in outline.symbols}:
            found[name].append(path)
    return {name: paths for name, paths in found.items() if len(paths) <= _MOST_DEFINERS}


def _restart(outlines: Mapping[str, Outline], near: frozenset[str]) -> dict[str, float]:
    known = near & outlines.keys()
    every = 1 / len(outlines)
    if not known:
        return dict.fromkeys(outlines, every)
    return {
        path: _RESTART_ELSEWHERE * every
        + ((1 - _RESTART_ELSEWHERE) / len(known) if path in known else 0)
        for path in outlines
    }


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
