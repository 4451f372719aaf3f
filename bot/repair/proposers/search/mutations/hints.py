"""What failing tests let expect: errors that somebody is ready to catch, texts that came out wrong."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Self

from bot.repair.proposers.search.evidence import Error, Evidence

_RAISES = frozenset({"raises", "assertRaises", "assertRaisesRegex"})
_WIDE = frozenset({"Exception", "BaseException"})
_COMPARED = re.compile(
    r"^(?:assert )?(?P<actual>.+?) (?:==|!=) (?P<expected>.+?)(?: : .*)?$", re.MULTILINE
)
_LITERAL = re.compile(r"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*\"""")
_MOST = 8


@dataclass(frozen=True, slots=True)
class Difference:
    """One text that a test compared, as it was and as it should have been."""

    actual: str
    expected: str


@dataclass(frozen=True, slots=True)
class Hints:
    """What failing tests let expect.

    Attributes:
        awaited: Errors that the callers of what fails, or the tests, are ready to catch.
        differences: Texts that came out wrong.
    """

    awaited: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()

    @classmethod
    def of(cls, evidence: Evidence) -> Self:
        """Return what this evidence lets expect."""
        return cls(tuple(dict.fromkeys(_awaited(evidence))), tuple(_differences(evidence.errors)))


@dataclass(frozen=True, slots=True)
class _Guarded:
    """Lines in which some errors are caught, or waited for."""

    first: int
    last: int
    names: tuple[str, ...]


def _awaited(evidence: Evidence) -> Iterator[str]:
    """Yield the errors that are caught around a frame of a traceback."""
    guarded: dict[str, tuple[_Guarded, ...]] = {}
    for error in evidence.errors:
        for frame in error.frames:
            if frame.file not in guarded:
                guarded[frame.file] = tuple(_guarded(evidence.sources.get(frame.file, "")))
            for one in guarded[frame.file]:
                if one.first <= frame.line <= one.last:
                    yield from (name for name in one.names if name not in {error.type, *_WIDE})


def _guarded(text: str) -> Iterator[_Guarded]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        match node:
            case ast.Try(body=body, handlers=handlers):
                caught = [one.type for one in handlers if one.type is not None]
            case ast.With(body=body, items=items):
                calls = [one.context_expr for one in items]
                caught = [one.args[0] for one in calls if isinstance(one, ast.Call) and _waits(one)]
            case _:
                continue
        names = tuple(name for one in caught for name in _names(one))
        yield _Guarded(body[0].lineno, body[-1].end_lineno or body[-1].lineno, names)


def _waits(call: ast.Call) -> bool:
    name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
    return name in _RAISES and bool(call.args)


def _names(caught: ast.expr) -> Iterator[str]:
    for one in caught.elts if isinstance(caught, ast.Tuple) else [caught]:
        if isinstance(one, ast.Name):
            yield one.id


def _differences(errors: Sequence[Error]) -> Iterator[Difference]:
    """Yield the texts in which two sides of a comparison differ, as its message shows them."""
    found: dict[Difference, None] = {}
    for error in errors:
        match = _COMPARED.match(error.message)
        if match is None:
            continue
        actual, expected = _literals(match["actual"]), _literals(match["expected"])
        for op, a, b, c, d in SequenceMatcher(None, actual, expected).get_opcodes():
            if op == "replace" and b - a == d - c:
                pairs = zip(actual[a:b], expected[c:d], strict=True)
                found |= dict.fromkeys(Difference(*pair) for pair in pairs)
    yield from list(found)[:_MOST]


def _literals(text: str) -> list[str]:
    """Return the texts in quotes, those that were cut left out."""
    read = (ast.literal_eval(one) for one in _LITERAL.findall(text) if "..." not in one)
    return [one for one in read if isinstance(one, str)]
