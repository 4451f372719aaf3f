"""Draw faults for right programs by chance, so that nobody chooses what the search can repair.

    python -m bench.search.draw          writes drawn/faults.toml anew

For each of a program's first two functions or classes: kinds of faults are shuffled, and of the first that
has a place in it, one place and one way are taken. A fault counts if some of the program's tests fail
and some still pass. Programs take turns in the file, so that the faults of each second program are the
odd ones. The kinds were listed from what people get wrong, not from what the search does.
"""

from __future__ import annotations

import ast
import itertools
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from bench.search.fault import DRAWN, Fault

_SEED = "second draw"
_TRIES = 200
_WAIT = 10
"""Seconds of processor time for the tests of one program: what takes longer doesn't end."""

Edit = tuple[int, int, str]
"""Characters from, to, and what stands there instead."""

_COMPARISONS = {
    "<": ("<=", ">"), "<=": ("<", ">="), ">": (">=", "<"), ">=": (">", "<="), "==": ("!=",),
    "!=": ("==",), "in": ("not in",), "not in": ("in",), "is": ("is not",), "is not": ("is",),
}  # fmt: skip
_SIGNS = {"+": "-*", "-": "+*", "*": "+/", "/": "*-", "//": "%/*", "%": "/", "**": "*"}
_TWINS = (
    ("min", "max"), ("any", "all"), ("startswith", "endswith"), ("lstrip", "rstrip", "strip"),
    ("ljust", "rjust"), ("isdigit", "isalpha", "isalnum"), ("lower", "upper", "title"),
    ("append", "extend"), ("keys", "values", "items"), ("find", "index", "rfind"), ("get", "pop"),
    ("islower", "isupper"), ("remove", "append"), ("split", "rsplit"), ("sorted", "list"),
)  # fmt: skip
_WORDS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==",
    ast.NotEq: "!=", ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip
_SIMPLE = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return, ast.Raise)
_EXITS = (ast.Continue, ast.Break, ast.Return, ast.Raise)


class _Program:
    """A program's text, and one definition at the top of it."""

    def __init__(self, text: str, definition: ast.stmt) -> None:
        self.text = text
        self.definition = definition
        self.nodes = list(ast.walk(definition))
        starts = itertools.accumulate(
            (len(line) for line in text.splitlines(keepends=True)), initial=0
        )
        self._starts = list(starts)

    def span(self, node: ast.AST) -> tuple[int, int]:
        at: ast.expr = node  # type: ignore[assignment]  # whatever has a place
        return (
            self._starts[at.lineno - 1] + at.col_offset,
            self._starts[(at.end_lineno or 0) - 1] + (at.end_col_offset or 0),
        )

    def code(self, node: ast.AST) -> str:
        first, last = self.span(node)
        return self.text[first:last]

    def put(self, node: ast.AST, text: str) -> Edit:
        return (*self.span(node), text)

    def lines(self, node: ast.stmt) -> tuple[int, int]:
        return self._starts[node.lineno - 1], self._starts[node.end_lineno or 0]

    def without(self, node: ast.stmt) -> Edit:
        first, last = self.lines(node)
        return first, last, " " * node.col_offset + "pass\n"

    def names(self) -> list[str]:
        """Return the variables and parameters of the definition."""
        bound = (
            node.arg if isinstance(node, ast.arg) else node.id
            for node in self.nodes
            if isinstance(node, ast.arg) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
        )  # fmt: skip
        return sorted({name for name in bound if name not in {"self", "_"}})

    def bodies(self) -> Iterator[list[ast.stmt]]:
        for node in self.nodes:
            for part in ("body", "orelse"):
                body = getattr(node, part, None)
                if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                    yield body

    def of(self, *kinds: type[ast.AST]) -> Iterator[ast.AST]:
        return (node for node in self.nodes if isinstance(node, kinds))


Kind = Callable[[_Program], Iterator[Edit]]


def _comparison(p: _Program) -> Iterator[Edit]:
    for node in p.nodes:
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            for other in _COMPARISONS[_WORDS[type(node.ops[0])]]:
                yield p.put(node, f"{p.code(node.left)} {other} {p.code(node.comparators[0])}")


def _arithmetic(p: _Program) -> Iterator[Edit]:
    for node in p.nodes:
        if isinstance(node, ast.BinOp):
            for other in _SIGNS[_WORDS[type(node.op)]]:
                first, last = p.span(node.left)[1], p.span(node.right)[0]
                between = p.text[first:last]
                yield first, last, between.replace(_WORDS[type(node.op)], other, 1)


def _logic(p: _Program) -> Iterator[Edit]:
    for node in p.nodes:
        if isinstance(node, ast.BoolOp):
            word = " or " if isinstance(node.op, ast.And) else " and "
            yield p.put(node, word.join(p.code(value) for value in node.values))


def _operand_left_out(p: _Program) -> Iterator[Edit]:
    for node in p.nodes:
        if isinstance(node, ast.BinOp):
            yield p.put(node, p.code(node.left))
            yield p.put(node, p.code(node.right))
        if isinstance(node, ast.UnaryOp):
            yield p.put(node, p.code(node.operand))


def _condition_left_out(p: _Program) -> Iterator[Edit]:
    for node in p.nodes:
        if isinstance(node, ast.BoolOp):
            word = " and " if isinstance(node.op, ast.And) else " or "
            for left_out in node.values:
                yield p.put(node, word.join(p.code(v) for v in node.values if v is not left_out))
        if isinstance(node, ast.comprehension):
            for test in node.ifs:
                yield p.put(test, "True")


def _condition_turned(p: _Program) -> Iterator[Edit]:
    for node in p.nodes:
        if isinstance(node, ast.If | ast.While):
            yield p.put(node.test, f"not ({p.code(node.test)})")


def _operands_exchanged(p: _Program) -> Iterator[Edit]:
    for node in p.nodes:
        if isinstance(node, ast.BinOp):
            first, last = p.span(node.left)[1], p.span(node.right)[0]
            yield p.put(node, f"{p.code(node.right)}{p.text[first:last]}{p.code(node.left)}")


def _arguments_exchanged(p: _Program) -> Iterator[Edit]:
    for node in p.nodes:
        if isinstance(node, ast.Call | ast.Tuple):
            items = node.args if isinstance(node, ast.Call) else node.elts
            for expression, other in itertools.pairwise(items):
                between = p.text[p.span(expression)[1] : p.span(other)[0]]
                yield (
                    p.span(expression)[0],
                    p.span(other)[1],
                    f"{p.code(other)}{between}{p.code(expression)}",
                )


def _argument_left_out(p: _Program) -> Iterator[Edit]:
    for node in p.nodes:
        if isinstance(node, ast.Call):
            given = [*node.args, *node.keywords]
            for left_out in given[1:]:
                kept = ", ".join(p.code(child) for child in given if child is not left_out)
                yield p.put(node, f"{p.code(node.func)}({kept})")


def _other_name(p: _Program) -> Iterator[Edit]:
    for node in p.nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in p.names():
            yield from (p.put(node, name) for name in p.names() if name != node.id)


def _other_number(p: _Program) -> Iterator[Edit]:
    for node in p.nodes:
        if isinstance(node, ast.Constant) and type(node.value) is int:
            yield p.put(node, str(node.value + 1))
            yield p.put(node, str(node.value - 1))


def _off_by_one(p: _Program) -> Iterator[Edit]:
    for node in p.nodes:
        if isinstance(node, ast.Call) and p.code(node.func) in {"range", "len", "max", "min"}:
            yield (
                p.put(node, f"{p.code(node)} - 1")
                if p.code(node.func) != "range"
                else p.put(node.args[-1], f"{p.code(node.args[-1])} - 1")
            )
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name):
            yield p.put(node.slice, f"{p.code(node.slice)} - 1")
            yield p.put(node.slice, f"{p.code(node.slice)} + 1")


def _slice(p: _Program) -> Iterator[Edit]:
    for node in p.nodes:
        if isinstance(node, ast.Slice):
            low, high = (p.code(end) if end else "" for end in (node.lower, node.upper))
            ways = (
                (low, ""),
                ("", high),
                (low, high and f"{high} - 1"),
                (low and f"{low} + 1", high),
            )
            yield from (p.put(node, f"{a}:{b}") for a, b in ways if (a, b) != (low, high))


def _statement_left_out(p: _Program) -> Iterator[Edit]:
    for body in p.bodies():
        yield from (p.without(node) for node in body if isinstance(node, _SIMPLE[:3]))


def _statements_exchanged(p: _Program) -> Iterator[Edit]:
    for body in p.bodies():
        for statement, other in itertools.pairwise(body):
            if isinstance(statement, _SIMPLE) and isinstance(other, _SIMPLE):
                first, last = p.lines(statement), p.lines(other)
                yield first[0], last[1], p.text[slice(*last)] + p.text[slice(*first)]


def _depth(p: _Program) -> Iterator[Edit]:
    for body in p.bodies():
        *_, last = body
        first, end = p.lines(last)
        if len(body) > 1 and isinstance(last, _SIMPLE) and last.col_offset > 8:
            yield first, end, p.text[first + 4 : end]
        for statement, other in itertools.pairwise(body):
            if isinstance(statement, ast.For | ast.While | ast.If) and isinstance(other, _SIMPLE):
                first, end = p.lines(other)
                yield first, end, "    " + p.text[first:end]


def _call_left_out(p: _Program) -> Iterator[Edit]:
    for node in p.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield p.put(node, p.code(node.func.value))
        elif isinstance(node, ast.Call) and node.args:
            yield p.put(node, p.code(node.args[0]))


def _other_function(p: _Program) -> Iterator[Edit]:
    for node in p.nodes:
        if isinstance(node, ast.Call):
            name = p.code(node.func).rpartition(".")[2]
            end = p.span(node.func)[1]
            for twins in _TWINS:
                if name in twins:
                    yield from ((end - len(name), end, twin) for twin in twins if twin != name)


def _guard_left_out(p: _Program) -> Iterator[Edit]:
    for node in p.nodes:
        if isinstance(node, ast.If) and not node.orelse and isinstance(node.body[-1], _EXITS):
            yield p.without(node)


def _else_left_out(p: _Program) -> Iterator[Edit]:
    for node in p.nodes:
        if isinstance(node, ast.If | ast.For) and node.orelse:
            yield p.lines(node.body[-1])[1], p.lines(node)[1], ""


def _elif(p: _Program) -> Iterator[Edit]:
    for node in p.nodes:
        if isinstance(node, ast.If) and p.code(node).startswith("elif"):
            start = p.span(node)[0]
            yield start, start + 4, "if"


def _branches_exchanged(p: _Program) -> Iterator[Edit]:
    for node in p.nodes:
        if isinstance(node, ast.IfExp):
            test, one, other = (p.code(part) for part in (node.test, node.body, node.orelse))
            yield p.put(node, f"{other} if {test} else {one}")
            yield p.put(node, one)
            yield p.put(node, other)
        elif (
            isinstance(node, ast.If)
            and node.orelse
            and not p.code(node.orelse[0]).startswith("elif")
        ):
            a, b = p.lines(node.body[0])[0], p.lines(node.body[-1])[1]
            c, d = p.lines(node.orelse[0])[0], p.lines(node.orelse[-1])[1]
            yield a, d, p.text[c:d] + p.text[b:c] + p.text[a:b]


def _result(p: _Program) -> Iterator[Edit]:
    for node in p.nodes:
        if isinstance(node, ast.Return) and node.value is not None:
            yield from (p.put(node.value, name) for name in p.names() if name != p.code(node.value))


def _update(p: _Program) -> Iterator[Edit]:
    for node in p.nodes:
        if isinstance(node, ast.AugAssign):
            target, value = p.code(node.target), p.code(node.value)
            yield p.put(node, f"{target} = {value}")
            yield p.put(node, f"{target} {'-' if isinstance(node.op, ast.Add) else '+'}= {value}")


def _start_value(p: _Program) -> Iterator[Edit]:
    for node in p.nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            for other in ("0", "1", "None", '""', "True", "False"):
                if other != p.code(node.value):
                    yield p.put(node.value, other)


def _loop_exit(p: _Program) -> Iterator[Edit]:
    for node in p.nodes:
        if isinstance(node, ast.Continue | ast.Break):
            other = "break" if isinstance(node, ast.Continue) else "continue"
            yield from (p.put(node, word) for word in (other, "pass"))


def _attribute(p: _Program) -> Iterator[Edit]:
    written = {
        node.attr for node in p.nodes
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }  # fmt: skip
    for node in p.nodes:
        if (
            isinstance(node, ast.Attribute)
            and node.attr in written
            and p.code(node.value) == "self"
        ):
            yield from (p.put(node, f"self.{name}") for name in sorted(written - {node.attr}))


def _grouping(p: _Program) -> Iterator[Edit]:
    for node in p.nodes:
        if isinstance(node, ast.BinOp):
            first, last = p.span(node)
            for side in (node.left, node.right):
                start, end = p.span(side)
                if isinstance(side, ast.BinOp) and p.text[start - 1] == "(" and p.text[end] == ")":
                    edge = min(first, start - 1), max(last, end + 1)
                    inner = p.text[edge[0] : start - 1] + p.code(side) + p.text[end + 1 : edge[1]]
                    yield (*edge, inner)


KINDS: tuple[Kind, ...] = (
    _comparison, _arithmetic, _logic, _operand_left_out, _condition_left_out, _condition_turned,
    _operands_exchanged, _arguments_exchanged, _argument_left_out, _other_name, _other_number,
    _off_by_one, _slice, _statement_left_out, _statements_exchanged, _depth, _call_left_out,
    _other_function, _guard_left_out, _else_left_out, _elif, _branches_exchanged, _result, _update,
    _start_value, _loop_exit, _attribute, _grouping,
)  # fmt: skip


def drawn(program: str) -> Iterator[tuple[str, str, str]]:
    """Yield a kind, right text and wrong text for each definition at the top of a program."""
    text = (DRAWN / f"{program}.py").read_text("utf-8")
    for definition in ast.parse(text).body:
        if not isinstance(definition, ast.FunctionDef | ast.ClassDef):
            continue
        chance = Random(f"{_SEED}: {program}.{definition.name}")
        for _ in range(_TRIES):
            kind = chance.choice(KINDS)
            edits = list(kind(_Program(text, definition)))
            if not edits:
                continue
            right, wrong = _texts(text, chance.choice(edits))
            if _shows(Fault(DRAWN, ("", ""), 0, program, right, wrong)):
                yield kind.__name__.strip("_").replace("_", " "), right, wrong
                break


def _texts(text: str, edit: Edit) -> tuple[str, str]:
    """Return whole lines before and after an edit, so many that they stand nowhere else."""
    start, end, new = edit
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", max(start, end - 1)) + 1
    while text.count(text[first:last]) > 1:
        first = text.rfind("\n", 0, first - 1) + 1
    return text[first:last], text[first:start] + new + text[end:last]


def _shows(fault: Fault) -> bool:
    """Whether some tests of the faulty program fail and some pass."""
    with tempfile.TemporaryDirectory() as folder:
        fault.plant(Path(folder))
        argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=no"]
        done = subprocess.run(
            argv, cwd=folder, capture_output=True, check=False, text=True,
            env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (_WAIT, _WAIT)),
        )  # fmt: skip
        if done.returncode < 0:
            return True
        last = done.stdout.splitlines()[-1]
        return done.returncode == 1 and "failed" in last and "passed" in last


def main() -> None:
    """Draw, and write the faults."""
    programs = sorted(path.stem for path in DRAWN.glob("*.py") if not path.stem.startswith("test_"))
    found = {program: list(itertools.islice(drawn(program), 2)) for program in programs}
    listed = [[(p, *entry) for p in programs[part::2] for entry in found[p]] for part in (0, 1)]
    with (DRAWN / "faults.toml").open("w", encoding="utf-8") as file:
        file.write("# Drawn by `python -m bench.search.draw`.\n")
        for pair in zip(*listed, strict=True):
            for program, kind, right, wrong in pair:
                file.write(f'\n[[fault]]\nprogram = "{program}"\nkind = "{kind}"\n')
                file.write(f"right = {json.dumps(right)}\nwrong = {json.dumps(wrong)}\n")


if __name__ == "__main__":
    main()
