"""Rank files by who uses what they define: PageRank over the graph of names.

https://doi.org/10.1016/S0169-7552(98)00110-X; that a task's own files are where the walk restarts
makes it a personalised one.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping

from bot.repair.symbols.outline import Outline

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
