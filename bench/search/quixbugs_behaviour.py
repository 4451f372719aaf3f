"""Compare a repaired program of QuixBugs with the right one on fresh inputs.

python -m bench.search.quixbugs_behaviour PROGRAM RIGHT_FILE REPAIRED_FILE NODE_FILE
"""

from __future__ import annotations

import copy
import math
import sys
from itertools import islice, pairwise
from random import Random
from types import ModuleType
from typing import Any

from bench.search.behaviour import load_file
from bench.search.inputs import INPUTS
from bench.search.quixbugs_inputs import FRESH

_MOST = 500
"""Values of a generator that are compared."""


def answer(module: ModuleType, program: str, arguments: tuple[Any, ...], kind: Any) -> Any:
    """Return what a program answers, as something that compares; an error as its type's name."""
    mine = copy.deepcopy(arguments)
    try:
        return _call(getattr(module, program), program, mine, kind)
    except Exception as error:  # noqa: BLE001 - how it fails is its behaviour
        return type(error).__name__


def _call(function: Any, program: str, given: tuple[Any, ...], kind: Any) -> Any:
    match program:
        case "breadth_first_search" | "depth_first_search":
            nodes = [kind(value=n) for n in range(len(given[0]))]
            for node, arrows in zip(nodes, given[0], strict=True):
                node.successors = [nodes[n] for n in arrows]
            return bool(function(nodes[given[1]], nodes[given[2]]))
        case "topological_ordering":
            return _ordered(function, given[0], given[1], kind)
        case "detect_cycle":
            chain = _chain(given[0], kind)
            if given[1] is not None:
                chain[-1].successor = chain[given[1]]
            return bool(function(chain[0]))
        case "reverse_linked_list":
            return _values(function(_chain(given[0], kind)[0] if given[0] else None))
        case "shortest_path_length":
            nodes = [kind(value=n) for n in range(6)]
            for start, end in given[0]:
                nodes[start].successors = [*nodes[start].successors, nodes[end]]
            lengths = {(nodes[a], nodes[b]): length for (a, b), length in given[0].items()}
            return function(lengths, nodes[given[1]], nodes[given[2]])
        case _:
            return _settled(function(*given))


def _ordered(function: Any, arrows: list[list[int]], order: list[int], kind: Any) -> list[Any]:
    nodes = [kind(value=n) for n in range(len(arrows))]
    for node in nodes:
        node.outgoing_nodes, node.incoming_nodes = [], []
    for node, ends in zip(nodes, arrows, strict=True):
        for end in ends:
            node.outgoing_nodes.append(nodes[end])
            nodes[end].incoming_nodes.append(node)
    return [node.value for node in function([nodes[n] for n in order])]


def _chain(count: int, kind: Any) -> list[Any]:
    nodes = [kind(value=n) for n in range(count)]
    for node, after in pairwise(nodes):
        node.successor = after
    return nodes


def _values(node: Any) -> list[Any]:
    found: list[Any] = []
    while node is not None and len(found) < _MOST:
        found.append(node.value)
        node = node.successor
    return found


def _settled(value: Any) -> Any:
    return list(islice(value, _MOST)) if hasattr(value, "__next__") else value


def alike(program: str, right: Any, repaired: Any, arguments: tuple[Any, ...]) -> bool:
    """Whether two answers count as the same."""
    if program == "sqrt" and isinstance(right, float) and isinstance(repaired, float):
        return math.isclose(right, repaired, abs_tol=arguments[1])
    return bool(right == repaired)


def main() -> int:
    """Return 0 when they answer alike."""
    program, right_file, repaired_file, node_file = sys.argv[1:]
    right, repaired = load_file(right_file, program), load_file(repaired_file, program)
    kind = load_file(node_file, "node").Node
    chance = Random(7)
    for _ in range(INPUTS):
        arguments = FRESH[program](chance)
        told = answer(right, program, arguments, kind)
        other = answer(repaired, program, arguments, kind)
        if not alike(program, told, other, arguments):
            print(arguments, told, other)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
