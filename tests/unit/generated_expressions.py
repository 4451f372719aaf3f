"""Expressions of GitHub's language that nobody would write."""

from __future__ import annotations

import random
from typing import Any

CONTEXTS: dict[str, Any] = {
    "github": {
        "ref": "refs/heads/main",
        "actor": "É'l{0}",
        "event": {
            "number": 7,
            "draft": False,
            "body": None,
            "labels": [{"name": "Bug"}, {"id": 2}],
        },
        "EMPTY": "",
    },
    "matrix": {
        "os": "Ubuntu-latest",
        "n": [1, "2", None, True, [3, [4]], {"n": [5]}, 1.5],
        "deep": {"a": {"b": [{"c": 1}, {"c": None}, {"C": "x"}, 3]}, "true": "yes", "_0": "zero"},
    },
    "env": {
        "ONE": "1",
        "HEX": "0xff",
        "SPACED": " 12 ",
        "WORD": "true",
        "JSON": '{"k": [1, {"Z": null}]}',
    },
    "steps": {"a": {"outputs": {"x": "1e3", "y-z": "-0"}, "outcome": "success"}, "b": {}},
    "inputs": {},
    "needs": {},
    "strategy": {"job-index": 0, "job-total": 3, "fail-fast": True},
}

_NUMBERS = [
    "0",
    "1",
    "-1",
    "+2",
    "3.5",
    "-0",
    "0.0",
    ".5",
    "5.",
    "1e3",
    "-2.5E-2",
    "0xff",
    "0x1F",
    "0o17",
    "255",
    "NaN",
    "Infinity",
    "-Infinity",
    "1000000",
    "0.1",
]
_BAD_NUMBERS = ["0xg", "1.2.3", "-", "+", "1e", "0o9", "1_0", "5-3", "1*2", "."]
_TEXTS = (
    "",
    " ",
    "a",
    "A",
    "abc",
    "aBc",
    "é",
    "É",
    "1",
    "01",
    "0xff",
    "0o17",
    "1e3",
    " 7 ",
    "true",
    "True",
    "false",
    "null",
    "NaN",
    "it''s",
    "{0}",
    "{{}}",
    "{1}-{0}",
    "{",
    "}",
    "{0",
    "[1,2]",
    "refs/heads/",
    "main",
    '{"a":{"b":[1,null]}}',
    "[]",
    "{}",
    '"x"',
    "12",
    "-5",
    "[1",
    "\n",
    "b c",
    "${{",
    "💥",
    ",",
    "ubuntu-LATEST",
)
_OPERATORS = ["==", "!=", "<", "<=", ">", ">=", "&&", "||"]
_KEYS = (
    "n",
    "os",
    "deep",
    "a",
    "b",
    "c",
    "C",
    "ref",
    "event",
    "labels",
    "name",
    "outputs",
    "x",
    "y-z",
    "ONE",
    "Json",
    "true",
    "null",
    "NaN",
    "_x",
    "body",
    "outcome",
    "job-total",
    "constructor",
    "length",
    "__proto__",
)
_NAMES = (
    *CONTEXTS,
    *(name.upper() for name in CONTEXTS),
    "Github",
    "nothing",
    "True",
    "NULL",
    "nan",
    "a-b",
    "-a",
)
_NOISE = (
    "",
    " ",
    "  ",
    "\n",
    "\t",
    ",",
    ")",
    "(",
    "[",
    "]",
    "'",
    ".",
    "*",
    "!",
    "&",
    "|",
    "=",
    "==",
    "a b",
    "}}",
    "$",
    '"',
    "@",
)


class Expressions:
    """Writes expressions; the same seed writes the same ones."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def one(self) -> str:
        """Return an expression; one in eight is broken somewhere."""
        text = self._any(self._random.choice((1, 2, 2, 3, 3, 4)))
        if self._random.random() < 1 / 8 and text:
            at = self._random.randrange(len(text) + 1)
            cut = self._random.choice((0, 0, 1, 2))
            text = text[:at] + self._random.choice(_NOISE) + text[at + cut :]
        return text

    def _any(self, depth: int) -> str:  # noqa: PLR0911 - one return for each kind
        choose = self._random.choice
        if depth <= 0:
            return self._leaf()
        kind = self._random.randrange(12)
        if kind < 3:
            gap = choose(("", " "))
            return f"{self._any(depth - 1)}{gap}{choose(_OPERATORS)}{gap}{self._any(depth - 1)}"
        if kind < 6:
            return self._call(depth)
        if kind < 9:
            return self._access(depth)
        if kind == 9:
            return f"!{choose(('', ' '))}{self._any(depth - 1)}"
        if kind == 10:
            return f"({self._any(depth - 1)})"
        return self._leaf()

    def _leaf(self) -> str:
        choose = self._random.choice
        kind = self._random.randrange(20)
        if kind < 6:
            return choose(_NUMBERS)
        if kind < 12:
            return f"'{choose(_TEXTS)}'"
        if kind < 15:
            return choose(("true", "false", "null"))
        if kind == 15:
            return choose(_BAD_NUMBERS)
        return self._access(1)

    def _access(self, depth: int) -> str:
        choose = self._random.choice
        of = choose(_NAMES) if self._random.random() < 1 / 8 else choose(tuple(CONTEXTS))
        if self._random.random() < 1 / 5:
            of = choose(
                (f"({self._any(depth - 1)})", self._call(depth), f"fromJSON('{choose(_TEXTS)}')")
            )
        for _ in range(self._random.randrange(4)):
            of += choose(
                (
                    f".{choose(_KEYS)}",
                    f".{choose(_KEYS)}",
                    f"['{choose(_KEYS)}']",
                    f"[{self._any(depth - 1)}]",
                    ".*",
                    "[*]",
                    f"[{choose(('0', '1', '2', '-1', '1.9'))}]",
                    f" . {choose(_KEYS)}",
                )
            )
        return of

    def _call(self, depth: int) -> str:
        choose = self._random.choice
        name = choose(
            ("contains", "startsWith", "endsWith", "format", "join", "toJSON", "fromJSON", "case", "always",
             "success", "failure", "cancelled", "CONTAINS", "tojson", "nothing")
        )  # fmt: skip
        usual = {"format": 3, "tojson": 1, "fromjson": 1, "case": choose((3, 5)), "nothing": 1}
        count = usual.get(name.lower(), 0 if name.islower() and name != "contains" else 2)
        if self._random.random() < 1 / 12:
            count = self._random.randrange(5)
        arguments = [self._any(depth - 1) for _ in range(count)]
        if name == "case":
            arguments[:-1:2] = [
                choose(("true", "false", f"!{each}", f"'a' == {each}")) for each in arguments[:-1:2]
            ]
        return f"{name}({choose((',', ', ')).join(arguments)})"
