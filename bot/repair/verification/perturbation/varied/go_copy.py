"""Write one copy of a test in Go, which notes what calls come to and goes on where an assertion fails. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from tree_sitter import Node

from bot.code.syntax import field as part
from bot.code.syntax import parents, text_of, walk
from bot.repair.harness.driver.protocol import WORN
from bot.repair.verification.perturbation.varied.values import place_of
from bot.repair.verification.perturbation.varied.writing import (
    FoundTest,
    Parts,
    VariedRun,
    data_of,
    rendered,
)

FAILING = frozenset({"Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow", "Parallel"})
_TESTIFY = frozenset({"assert", "require", "is"})
_TEST_TYPE = re.compile(r"\*testing\.[TBF]|testing\.TB")
_PLAIN = frozenset({
    "append", "cap", "close", "complex", "copy", "delete", "imag", "len", "make", "max", "min",
    "new", "panic", "real", "recover", "bool", "byte", "complex64", "complex128", "error",
    "float32", "float64", "int", "int8", "int16", "int32", "int64", "rune", "string", "uint",
    "uint8", "uint16", "uint32", "uint64", "uintptr", "any",
})  # fmt: skip
_STANDARD = frozenset({
    "base64", "binary", "bufio", "bytes", "cmp", "context", "errors", "filepath", "fmt", "hex",
    "io", "ioutil", "json", "maps", "math", "os", "path", "reflect", "regexp", "slices", "sort",
    "strconv", "strings", "testing", "time", "unicode", "url", "utf8",
})  # fmt: skip
"""Packages whose calls come to nothing of the program's own."""

_BLOCKS = frozenset({"statement_list", "block"})
_ASSIGNING = frozenset({"short_var_declaration", "assignment_statement", "var_declaration"})
_SINGLE = frozenset(
    {"binary_expression", "unary_expression", "selector_expression", "index_expression",
     "literal_element"}
)  # fmt: skip
"""What a call may stand in only if it has one result."""


def test_names(function: Node) -> frozenset[str]:
    """Return what a test and its subtests call their `*testing.T`."""
    given = (node for node in walk(function) if node.type == "parameter_declaration")
    return frozenset(
        text_of(part(node, "name"))
        for node in given
        if _TEST_TYPE.fullmatch(text_of(part(node, "type")))
    ) - {"", "_"}


def data_in(test: FoundTest) -> dict[str, Node]:
    """Return the variables of the file that a test names and that stand there as a value."""
    specs = (
        spec
        for child in _root(test.function).named_children
        if child.type == "var_declaration"
        for spec in walk(child)
        if spec.type == "var_spec"
    )
    return data_of(test.function, {text_of(part(spec, "name")): spec for spec in specs})


def _root(node: Node) -> Node:
    return list(parents(node))[-1]


class GoCopy:
    """Writes one copy of a test."""

    def __init__(self, source: bytes, test: FoundTest, name: str, run: VariedRun) -> None:
        self._source = source
        self._test = test
        self._name = name
        self._run = run
        self._record = f"{name}_r"
        self._own = test_names(test.function)
        self._locals = _locals(test.function)
        self._named: list[str] | None = None
        self._count = 0

    def written(self, number: int, label: str) -> bytes:
        """Return the statement that runs the copy."""
        body = part(self._test.function, "body")
        if body is None:
            return b""
        how = "worn" if self._run.variant.place == WORN else ""
        data = b"".join(
            b"\nvar " + self._rendered(spec) + b"\n_ = " + name.encode()
            for name, spec in data_in(self._test).items()
        )
        head = f'{self._name}{how}({number}, "{label}", func({self._record} *{self._name}Record) {{'
        return head.encode() + data + self._rendered(body)[1:-1] + b"\n})"

    def _rendered(self, node: Node) -> bytes:
        return rendered(node, self._source, self._instead)

    def _instead(self, node: Node, parts: Parts) -> bytes | None:
        text = self._run.variant.replaced.get((node.start_byte, node.end_byte))
        if text is not None and place_of(node) is not None:
            return text.encode()
        match node.type:
            case "func_literal":
                return self._function(node, parts)
            case "binary_expression" if text_of(part(node, "operator")) in {"&&", "||"}:
                return self._without_names(parts)
            case "call_expression":
                return self._call(node, parts)
            case _ if node.parent is not None and node.parent.type in _BLOCKS:
                return self._in_block(node, parts)
            case _:
                return None

    def _in_block(self, node: Node, parts: Parts) -> bytes | None:
        if node.type == "expression_statement":
            return self._statement(node, parts, ())
        if node.type in _ASSIGNING:
            return self._statement(node, parts, _assigned(node))
        if node.type == "if_statement" and self._fails(node):
            return self._condition(node)
        return None

    def _function(self, node: Node, parts: Parts) -> bytes:
        text = self._without_names(parts)
        body = part(node, "body")
        if body is None or not test_names(node):
            return text
        at = body.start_byte - node.start_byte
        head, rest = text[:at], text[at:]
        if not rest.startswith(b"{"):
            return text
        return head + f"{{ defer {self._record}.caught();".encode() + rest[1:]

    def _without_names(self, parts: Parts) -> bytes:
        """Return the text of what may not be run, or not now, so that its calls get no names."""
        kept, self._named = self._named, None
        try:
            return parts()
        finally:
            self._named = kept

    def _call(self, node: Node, parts: Parts) -> bytes | None:
        function, given = part(node, "function"), _arguments(node)
        owner = text_of(part(function, "operand")) if function is not None else ""
        name = text_of(part(function, "field")) if function is not None else ""
        if owner in self._own:
            if name == "Run":
                text = self._without_names(parts)
                rest = text[len(f"{owner}.Run(") :]
                return f"{self._record}.Run({owner}, ".encode() + rest
            if name not in FAILING:
                return None
            text = self._without_names(parts)
            return self._record.encode() + text[len(owner) :]
        text = parts()
        if owner in _TESTIFY and given and text_of(given[0]) in self._own:
            at = given[0].start_byte - node.start_byte
            if text[at : at + len(text_of(given[0]))].decode() == text_of(given[0]):
                text = text[:at] + self._record.encode() + text[at + len(text_of(given[0])) :]
        if self._named is None or _is_plain(node) or not _has_one_result(node):
            return text
        self._count += 1
        self._named.append(f"{self._record}{self._count} := {text.decode('utf-8', 'replace')}")
        return f"{self._record}{self._count}".encode()

    def _statement(self, node: Node, parts: Parts, assigned: Collection[str]) -> bytes:
        kept, self._named = self._named, []
        try:
            text = parts()
            before = self._noted_before()
        finally:
            self._named = kept
        if node.type == "expression_statement" and before:
            return b"{ " + before + text + b" }"
        after = f"; {self._record}.note({', '.join(assigned)})" if assigned else ""
        return before + text + after.encode()

    def _noted_before(self) -> bytes:
        """Return statements that give calls their names, and note them."""
        named = self._named or []
        names = [item.partition(" ")[0] for item in named]
        said = [
            f"{item}; {self._record}.note({name}); "
            for item, name in zip(named, names, strict=True)
        ]
        return "".join(said).encode()

    def _condition(self, node: Node) -> bytes:
        """Return an `if` whose calls have names, and whose variables are noted before it."""
        first, condition = part(node, "initializer"), part(node, "condition")
        if condition is None:
            return self._rendered(node)
        begin = self._without_names(lambda: self._rendered(first)) + b"; " if first else b""
        kept, self._named = self._named, []
        try:
            asked = self._rendered(condition)
            before = self._noted_before()
        finally:
            self._named = kept
        seen = ", ".join(dict.fromkeys(self._operands(condition)))
        noted = f"{self._record}.note({seen}); " if seen else ""
        blocks = [
            child for child in (part(node, "consequence"), part(node, "alternative")) if child
        ]
        rest, at = b"", condition.end_byte
        for block in blocks:
            rest += self._source[at : block.start_byte] + self._rendered(block)
            at = block.end_byte
        return b"{ " + begin + before + noted.encode() + b"if " + asked + rest + b" }"

    def _operands(self, condition: Node) -> Iterator[str]:
        """Yield the variables of the test that a condition looks at, as far as it always does."""
        may_not_run = any(text_of(node) in {"&&", "||"} for node in walk(condition))
        for node in walk(condition):
            if node.type == "identifier" and text_of(node) in self._locals:
                above = node.parent
                if above is not None and above.type == "selector_expression":
                    called = above.parent is not None and above.parent.type == "call_expression"
                    is_part = not called and not may_not_run
                    yield text_of(above) if is_part else text_of(node)
                else:
                    yield text_of(node)

    def _fails(self, node: Node) -> bool:
        """Whether a test fails in one of an `if`'s branches."""
        return any(
            text_of(part(child, "operand")) in self._own
            and text_of(part(child, "field")) in FAILING
            for child in walk(node)
            if child.type == "selector_expression"
        )


def _arguments(call: Node) -> list[Node]:
    given = part(call, "arguments")
    inside = given.named_children if given is not None else []
    return [node for node in inside if node.type != "comment"]


def _is_plain(call: Node) -> bool:
    """Whether a call is one of the language or of its library: its arguments tell more."""
    function = part(call, "function")
    if function is None or function.type not in {"identifier", "selector_expression"}:
        return True
    if function.type == "identifier":
        return text_of(function) in _PLAIN
    operand = part(function, "operand")
    return operand is not None and text_of(operand) in _STANDARD


def _has_one_result(call: Node) -> bool:
    """Whether a call stands where only a single value can."""
    above = call.parent
    if above is None:
        return False
    if above.type == "argument_list" and above.parent is not None:
        whole = above.parent
        spreads = any(child.type == "..." for child in above.children)
        return not spreads and (len(_arguments(whole)) > 1 or _is_plain(whole))
    if above.type == "expression_list":
        return len(above.named_children) > 1
    return above.type in _SINGLE or above.type == "if_statement"


def _assigned(node: Node) -> list[str]:
    """Return the variables that a statement sets to what a call comes to, or that a call is given."""
    calls = [child for child in walk(node) if child.type == "call_expression"]
    if not calls or any(child.type == "func_literal" for child in walk(node)):
        return []
    names: list[str] = []
    for child in walk(node):
        left = part(child, "left") if child.type in _ASSIGNING else None
        if left is not None:
            names += [text_of(x) for x in left.named_children if x.type == "identifier"]
        if child.type == "var_spec":
            names += [text_of(x) for x in child.children_by_field_name("name")]
        if child.type == "unary_expression" and text_of(child)[:1] == "&":
            operand = part(child, "operand")
            if operand is not None and operand.type == "identifier":
                names.append(text_of(operand))
    return [fromkey for fromkey in dict.fromkeys(names) if fromkey != "_"]


def _locals(function: Node) -> frozenset[str]:
    """Return the names that a test declares, and that are not its `*testing.T`."""
    names: set[str] = set()
    for node in walk(function):
        if node.type in {"short_var_declaration", "range_clause"}:
            left = part(node, "left")
            names |= {text_of(x) for x in (left.named_children if left is not None else [])}
        elif node.type in {"var_spec", "parameter_declaration"}:
            names |= {text_of(x) for x in node.children_by_field_name("name")}
    return frozenset(names) - test_names(function) - {"_"}
