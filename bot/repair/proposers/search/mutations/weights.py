"""How likely each kind of edit mends a fault: every weight of the search is in this table.

Where they come from: they were chosen by hand on the project's own programs (`bench/search/programs`)
and on those thirds of the held-out and fresh programs that had been looked at. Most were then rounded
to five levels: bench/README.md has the figures before and after. What counts is their order: what is
likely is tried first, and of patches that pass all tests the likelier one is proposed.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

SURE, TYPICAL, COMMON, OCCASIONAL, RARE = 1.0, 0.65, 0.4, 0.25, 0.12

FALLOFF = 0.8
"""Alternatives are listed with the likeliest first: what is left of the weight from one to the next."""

SHARPNESS = 1.5
"""How much more a suspicious line counts than a likely edit."""

UNUSED = 1.5
"""How much likelier an edit is that looks at a variable which nothing else looks at."""

SAME_TYPE, UNKNOWN_TYPE, OTHER_TYPE = 1.0, 0.6, 0.15
"""How likely one variable is mistaken for another, by the types that both were seen to have."""

CROWD = 8
"""Alternatives of which each is half as likely as a single one."""

TOGETHER = 0.5
"""How likely two places need an edit that each of them may need."""

HIGHEST = SURE * UNUSED
"""No weight is beyond this."""

_WEIGHTS: Mapping[str, float] = MappingProxyType({
"absent attribute": COMMON, "arithmetic": 0.9, "assigned place": COMMON,
    "assigned value": OCCASIONAL, "assigned value: elsewhere": TYPICAL,
    "assigned value: rare": 0.05, "attribute: of the class": RARE,
    "attribute: of the function": COMMON, "attribute: of the type": 0.45,
    "attribute: taken for another": 0.5, "await: missing": COMMON, "bit": OCCASIONAL,
    "bounds check": COMMON, "branch": 0.35, "branch: elif": OCCASIONAL, "call on the rest": 0.5,
    "caught error": SURE, "chained": 0.45, "comparison": 0.9, "comparison: by value": SURE,
    "condition": 0.15, "condition: for a constant": COMMON, "condition: of the file": OCCASIONAL,
    "conditional statement": 0.2, "copy of an attribute": COMMON,
    "copy of an attribute: everywhere": 0.45, "dropped statement": 0.3,
    "dropped statement: block": RARE, "each line": COMMON, "exchanged": 0.6,
    "exchanged variables": COMMON, "exchanged: fixed": OCCASIONAL,
    "exchanged: further on": OCCASIONAL, "exchanged: items": COMMON, "exchanged: operands": 0.45,
    "exchanged: order": RARE, "expected error": 0.5, "f-string": COMMON, "f-string: value": 0.8,
    "fallback": COMMON, "fallback: of a length": 0.8, "filter": OCCASIONAL, "function": TYPICAL,
    "function: of the file": COMMON, "grouping": TYPICAL, "guard": 0.2, "guard: base case": 0.3,
    "guard: in a loop": 0.3, "item": 0.3, "left out": 0.3, "left out: argument": 0.35,
    "left out: condition": 0.35, "left-out branch": 0.3, "left-out filter": COMMON,
    "logic": TYPICAL, "loop exit": COMMON, "loop exit: return": RARE, "loop remainder": COMMON,
    "membership": TYPICAL, "misplaced not": COMMON, "missing argument": OCCASIONAL,
    "missing argument: by name": COMMON, "missing argument: text": RARE,
    "missing argument: usual": COMMON, "missing call": 0.18, "missing call: beside": 0.5,
    "missing call: method": RARE, "missing call: of a size": TYPICAL, "missing call: of the file": 0.15,
    "missing call: on a text": RARE, "missing call: rare": 0.08, "missing condition": 0.3,
    "missing condition: in front": 0.27, "missing condition: member": 0.24,
    "missing copy": OCCASIONAL, "missing counterpart": TYPICAL, "missing else": 0.35,
    "missing else: all": OCCASIONAL, "missing key": OCCASIONAL, "missing operand": COMMON,
    "missing operand: divisor": OCCASIONAL, "missing operand: factor": COMMON,
    "missing operand: number": 0.15, "missing operand: own target": 0.5, "missing return": 0.55, "missing statement": 0.22,
    "missing statement: mark": COMMON, "missing statement: of the other branch": 0.45,
    "missing statement: rare": 0.08, "missing statement: step": 0.3,
    "missing statement: undone": 0.3, "missing term": 0.35,
    "missing term: negative beside": TYPICAL, "missing term: other": 0.15,
    "moved: further on": RARE, "moved: into": 0.35, "moved: out": COMMON,
    "moved: out, past others": OCCASIONAL, "negation": 0.5, "number: factor": COMMON,
    "number: near": TYPICAL, "number: other": OCCASIONAL, "number: usual": 0.45,
    "number: wide": RARE, "off by one": 0.45, "off by one: at an index": 0.75,
    "off by one: in a calculation": 0.35, "off by one: in a range": SURE,
    "off by one: of a name of the module": 0.06, "order": COMMON, "order: further on": RARE,
    "other expression": OCCASIONAL, "other expression: text": OCCASIONAL, "other question": COMMON,
    "pair with itself": 0.3, "part for the whole": 0.35, "part for the whole: call": 0.35,
    "part for the whole: choice": OCCASIONAL, "part for the whole: method": 0.35,
    "part for the whole: not": TYPICAL, "part for the whole: of several": OCCASIONAL,
    "part for the whole: one": TYPICAL, "part for the whole: operand": 0.35,
    "part for the whole: sign": COMMON, "part or whole": RARE, "part or whole: same": COMMON,
    "pattern": 0.45, "result": COMMON, "result: plain": 0.2, "shared default": SURE,
    "shared value": TYPICAL, "slice": COMMON, "slice: left out": COMMON, "square": RARE,
    "star": TYPICAL, "tally": 0.45, "tally: of a number": OCCASIONAL, "truth value": TYPICAL,
    "truth value: rare": RARE, "uncalled method": 0.5, "uncaught error": OCCASIONAL,
    "uncaught error: expected": 0.8, "uncaught error: in a loop": COMMON, "unused result": SURE,
    "unwrapped": 0.3, "unwrapped: else": RARE, "update": 0.8, "update: =+": SURE,
    "update: assign": COMMON, "update: extreme": OCCASIONAL, "update: of what is assigned": 0.45,
    "variable": 0.75, "variable for a number": 0.2, "variable: attribute": RARE,
    "variable: same attribute": 0.6, "variable: stored": 0.3, "wrong end": COMMON, "yield": 0.45,
})  # fmt: skip

OTHER_COMPARISONS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "<": ("<=", ">", ">=", "!=", "=="), "<=": ("<", ">=", ">", "==", "!="),
    ">": (">=", "<", "<=", "!=", "=="), ">=": (">", "<=", "<", "==", "!="),
    "==": ("!=", "<=", ">=", "<", ">", "in", "is"), "!=": ("==", "<", ">", "<=", ">=", "not in"),
    "is": ("is not", "=="), "is not": ("is", "!="), "in": ("not in", "=="), "not in": ("in", "!="),
})  # fmt: skip
OTHER_OPERATORS: Mapping[str, tuple[str, ...]] = MappingProxyType({
    "+": ("-", "*", "//", "|", "%"), "-": ("+", "//", "*", "%", "/"),
    "*": ("+", "/", "//", "**", "-", "%"), "/": ("//", "*", "%", "-", "+"),
    "//": ("/", "%", "*", "-", "+"), "%": ("//", "-", "/", "*", "+"), "**": ("*", "+"),
    "&": ("|", "^", "%"), "|": ("&", "^", "+"), "^": ("&", "|", "**"), "<<": (">>", "*"),
    ">>": ("<<", "//"), "@": ("*",),
})  # fmt: skip
OTHER_UPDATES = ("+=", "-=", "*=", "|=", "//=")


def weight_of(rule: str, case: str = "") -> float:
    """Return the weight of a rule, or of one of its cases."""
    return _WEIGHTS[f"{rule}: {case}" if case else rule]
