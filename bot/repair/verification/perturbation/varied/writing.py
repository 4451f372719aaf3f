"""What varied test files have in common, in whatever language: tests, runs, and text with parts exchanged. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tree_sitter import Node

from bot.code.syntax import LITERALS, text_of, walk
from bot.repair.verification.perturbation.varied.plan import Variant

LARGEST = 20_000
"""Bytes of a test that is varied."""

Parts = Callable[[], bytes]
Instead = Callable[[Node, Parts], bytes | None]


@dataclass(frozen=True, slots=True)
class FoundTest:
    """A test of a file.

    Attributes:
        name: Its id.
        call: Of the runner's function that declares it; in Go and Rust it declares itself.
        function: What it runs.
    """

    name: str
    call: Node
    function: Node


@dataclass(frozen=True, slots=True)
class VariedRun:
    """One run of a test, with its number in the file.

    Attributes:
        variant: What is varied.
        settled: What conditions of the program come to, as JSON, by their numbers.
    """

    variant: Variant
    settled: Mapping[int, str] = field(default_factory=dict)


Numbered = tuple[int, VariedRun]
"""A run, with its number among all."""


@dataclass(frozen=True, slots=True)
class Naming:
    """Names in varied files.

    Attributes:
        function: Of the recorder's function.
        place: Of the file in which runs are noted.
        is_shared: Whether the program asks the recorder for its conditions.
    """

    function: str
    place: str
    is_shared: bool = False


def label_of(run: VariedRun, number: int, naming: Naming) -> str:
    """Return how a run is known to the conditions of a program: nothing where it is not asked for them."""
    settled = ";".join(f"{key}={value}" for key, value in run.settled.items())
    return f"{naming.function}/{number}/{settled}" if naming.is_shared else ""


def rendered(node: Node, source: bytes, instead: Instead) -> bytes:
    """Return the text of a node in which some nodes below it are written in another way.

    Args:
        node: What is written.
        source: Of the file.
        instead: Returns what stands in a node's place, None where it is written as it is; it is
            given a function that writes the node's parts.
    """

    def parts() -> bytes:
        text, at = b"", node.start_byte
        for child in node.children:
            text += source[at : child.start_byte] + rendered(child, source, instead)
            at = child.end_byte
        return text + source[at : node.end_byte]

    other = instead(node, parts)
    return parts() if other is None else other


_LARGEST_DATA = 20_000
"""Bytes of what stands beside a test and is repeated in each of its copies."""


def data_of(test: Node, known: Mapping[str, Node]) -> dict[str, Node]:
    """Return what a test names of the values that stand in its file.

    Args:
        test: Its function.
        known: Where each name gets its value.
    """
    named = {text_of(child) for child in walk(test) if child.type == "identifier"}
    return {
        name: node
        for name, node in known.items()
        if name in named
        and node.end_byte - node.start_byte <= _LARGEST_DATA
        and any(child.type in LITERALS for child in walk(node))
    }
