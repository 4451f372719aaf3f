"""Read YAML as plain values, and remember the line of each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.reader import ReaderError

from bot.reporting.reasons import config_problems

MAX_BYTES = 64 * 1024
MAX_DEPTH = 20
MAX_VALUES = 5000
"""Counted with aliases followed: a few lines of them can expand to billions of values."""

_MOST_BITS = 1024
"""Of an integer. A larger one is infinite, as it is for whoever has floating-point numbers."""

_PREFIX = "tag:yaml.org,2002:"

_BUGS = (ValueError, OverflowError, LookupError, AssertionError)
"""What ruamel.yaml itself stumbles over: characters and versions that there are not, `!!float` of
nothing."""


@dataclass(frozen=True, slots=True, order=True)
class ConfigProblem:
    """Something wrong on a line, counted from 1."""

    line: int
    text: str


class Unreadable(Exception):
    """The text is not YAML that we accept; `problem` says why and where."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.problem = ConfigProblem(line, text)


@dataclass(frozen=True, slots=True)
class Document:
    """A YAML document.

    Attributes:
        value: Made of dict, list, str, int, float, bool and None. Mappings have text as keys.
        problems: What is wrong with it as YAML, such as a key that is there twice.
    """

    value: Any
    problems: tuple[ConfigProblem, ...]
    _root: Node | None

    def line(self, path: Sequence[str | int], *, of_key: bool = False) -> int:
        """Return the line of the value at `path`, or of the last thing on the way that exists.

        Args:
            path: Keys and indexes from the top.
            of_key: The line of the key instead, where the path ends with one.
        """
        node, line = self._root, 1
        for position, step in enumerate(path):
            key, node = _child(node, step)
            if node is None:
                break
            last = position == len(path) - 1
            line = (key if key is not None and last and of_key else node).start_mark.line + 1
        return line


def read(
    data: str | bytes,
    *,
    most_bytes: int = MAX_BYTES,
    most_values: int = MAX_VALUES,
    most_depth: int = MAX_DEPTH,
) -> Document:
    """Return the one document in `data`; without any its value is None.

    Raises:
        Unreadable: When it is not UTF-8, not YAML, or too large.
    """
    text = _text(data, most_bytes)
    yaml = YAML(typ="safe", pure=True)
    yaml.max_depth = most_depth
    # An anchor that is used again is legal; this would warn on stderr.
    yaml.composer.warn_double_anchors = False
    try:
        root = yaml.compose(text)
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise Unreadable(line, "contains a character that YAML does not allow.") from error
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise Unreadable(
            1 if mark is None else mark.line + 1, _syntax(error, most_depth)
        ) from error
    except (YAMLError, *_BUGS) as error:
        raise Unreadable(1, "is not valid YAML.") from error
    reading = _Reading(yaml, most_values, most_depth)
    value = None if root is None else reading.value(root, ())
    return Document(value, tuple(reading.problems), root)


def _text(data: str | bytes, most_bytes: int) -> str:
    size = len(data)
    if size > most_bytes:
        raise Unreadable(1, f"is larger than {most_bytes // 1024} KiB.")
    try:
        text = data.decode("utf-8") if isinstance(data, bytes) else data
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise Unreadable(line, "is not UTF-8 text.") from error
    return text.removeprefix("\ufeff")


def _syntax(error: MarkedYAMLError, most_depth: int) -> str:
    problem = str(error.problem or error.context or "")
    if "'\\t'" in problem:
        return config_problems.INDENTED_WITH_TAB
    if "another document" in problem:
        return config_problems.SEVERAL_DOCUMENTS
    if "maximum depth" in problem:
        return config_problems.nested_too_deeply(most_depth)
    return config_problems.invalid_yaml(problem)


def _child(node: Node | None, step: str | int) -> tuple[Node | None, Node | None]:
    """Return the key (if there is one) and the value at a step down from `node`."""
    if isinstance(node, MappingNode):
        for key, value in node.value:
            if key.value == step:
                return key, value
    elif isinstance(node, SequenceNode) and isinstance(step, int) and step < len(node.value):
        return None, node.value[step]
    return None, None


@dataclass(slots=True)
class _Reading:
    """Turns nodes into values. Nothing is constructed from tags but plain scalars."""

    yaml: YAML
    most_values: int
    most_depth: int
    problems: list[ConfigProblem] = field(default_factory=list)
    values: int = 0

    def value(self, node: Node, above: tuple[Node, ...]) -> Any:
        line = node.start_mark.line + 1
        self.values += 1
        if self.values > self.most_values:
            raise Unreadable(line, f"has more than {self.most_values} values.")
        if len(above) > self.most_depth:  # only through aliases: the parser counts what is written
            raise Unreadable(line, config_problems.nested_too_deeply(self.most_depth))
        if any(node is each for each in above):
            raise Unreadable(line, "an alias refers to a value that contains it.")
        if isinstance(node, ScalarNode):
            return self._scalar(node, line)
        if isinstance(node, SequenceNode):
            return [self.value(item, (*above, node)) for item in node.value]
        if isinstance(node, MappingNode):
            return self._mapping(node, (*above, node))
        raise Unreadable(line, "is not valid YAML.")

    def _scalar(self, node: ScalarNode, line: int) -> Any:
        kind = str(node.tag).removeprefix(_PREFIX)
        # Numbers of YAML 1.2 have no `_`; ruamel.yaml takes those of 1.1.
        if kind in {"str", "timestamp"} or (kind in {"int", "float"} and "_" in node.value):
            return node.value
        if kind not in {"null", "bool", "int", "float"}:
            forbidden = config_problems.forbidden_tag(str(node.tag)[:60])
            self.problems.append(ConfigProblem(line, forbidden))
            return node.value
        try:
            value = self.yaml.constructor.construct_object(node)
        except (YAMLError, *_BUGS):  # such as `!!int x`, or a number of 5000 digits
            return node.value
        large = isinstance(value, int) and value.bit_length() > _MOST_BITS
        return math.copysign(math.inf, value > 0 or -1) if large else value

    def _mapping(self, node: MappingNode, above: tuple[Node, ...]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, ScalarNode):
                raise Unreadable(line, "a key must be plain text.")
            if key.value in found:
                repeated = config_problems.repeated_key(key.value[:60])
                self.problems.append(ConfigProblem(line, repeated))
                continue
            found[key.value] = self.value(value, above)
        return found
