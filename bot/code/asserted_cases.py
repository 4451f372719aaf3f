"""Read the test cases of a file, and what each of them asserts. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from dataclasses import field as attribute
from enum import IntEnum

from tree_sitter import Node

from bot.code.languages import Language
from bot.code.syntax import (
    LITERALS,
    Syntax,
    compact,
    content,
    field,
    line_of,
    statements,
    text_of,
    walk,
)


class AssertionStrength(IntEnum):
    """How much an assertion demands."""

    NOTHING = 0
    SOMETHING = 1
    A_VALUE = 2


@dataclass(frozen=True, slots=True)
class Assertion:
    """One demand of a test.

    Attributes:
        line: Its first, from 1.
        text: Without any space.
        shape: The same with a mark for each value that stands in it.
        strength: How much it demands.
        shown: On one line, with its spaces, for people.
    """

    line: int
    text: str
    shape: str
    strength: AssertionStrength
    shown: str = attribute(compare=False)


@dataclass(frozen=True, slots=True)
class TestCase:
    """One test.

    Attributes:
        name: With the classes or blocks that it stands in; unique in its file.
        line: Its first, from 1.
        skips: What keeps it from running or from failing, without any space.
        assertions: In order.
        calls: Calls at the test's own level, for a test that has its assertions elsewhere.
        shape: Of the whole test, with a mark for each value that stands in it.
        values: Those values, in order, each with its line.
        returns: Lines of returns before the last assertion, at the test's own level.
    """

    name: str
    line: int
    skips: tuple[str, ...]
    assertions: tuple[Assertion, ...]
    calls: tuple[Assertion, ...]
    shape: str
    values: tuple[tuple[int, str], ...]
    returns: tuple[int, ...]


_SKIP = re.compile(
    r"(?:\bskip(?:if|unless|test|now|f)?\b|\bxfail\b|expectedFailure|importorskip|SkipTest"
    r"|\.(?:skip|only|todo|failing|fails|skipIf|runIf)\b|\bx(?:it|test|describe)\b"
    r"|\bf(?:it|describe)\b|#\[ignore|#\[should_panic|testing\.Short\(\))",
    re.IGNORECASE,
)
_JS_TEST = re.compile(r"^(?:[xf]?(?:it|test|describe)|suite|context|specify|bench)\b")
_JS_BLOCK = re.compile(r"^(?:[xf]?describe|suite|context)\b")
_GO_TEST = re.compile(r"^(?:Test|Benchmark|Fuzz|Example)(?:[A-Z_]|$)")
_RUST_TEST = re.compile(r"\btest\b|\btest_case\b|\brstest\b|\bproptest\b|quickcheck")

_PYTHON_ASSERTS = re.compile(
    r"(?:^|\.)(?:assert\w*|fail(?:If|Unless)\w*|raises|warns|deprecated_call|check\w*|expect\w*)$"
)
_JS_ASSERTS = re.compile(
    r"^(?:await)?(?:expect\(|assert\b|t\.(?:is|true|deepEqual|throws)|should\b)"
)
_GO_ASSERTS = re.compile(
    r"^(?:\w+\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)|(?:assert|require)\.\w+)$"
)
_RUST_ASSERTS = re.compile(r"^(?:debug_)?assert|^panic$|^matches$|snapshot$")

_VALUE = re.compile(
    r"(?<![!<>=~])==(?!=)|===|(?<!\w)assert\w*(?:Equals?|Is|Raises\w*|Regex|In|Warns\w*|Greater|Less)\b|\braises\b"
    r"|\bwarns\b|\.(?:toBe|toEqual|toStrictEqual|toThrow\w*|toMatch\w*|toHave\w+|toContain\w*"
    r"|resolves|rejects)\(|(?:deep|strict|deepStrict)?[eE]qual|assert_eq|snapshot|\bis(?:True|False)?\b"
)
_ESCAPE = re.compile(r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8})")
_EMPTY = re.compile(
    r"""^(?:
        assert(?:True|\(True\)|1|not(?:False|0|None)|\d+|["'][^"']+["']|not\(\)|\(.*,["'][^"']*["']\))
      | assert(?P<same>[\w.\[\]()]+)==(?P=same)
      | self\.assertTrue\((?:True|1)\) | self\.assertFalse\((?:False|0)\)
      | self\.assert(?:Equals?|Is)\((?P<one>[^,]+),(?P=one)\)
      | expect\((?P<value>true|false|null|\d+|['"][^'"]*['"])\)\.(?:toBe|toEqual|toStrictEqual)\((?P=value)\)
      | expect\((?:true|1)\)\.toBeTruthy\(\) | assert(?:\.ok|\.isTrue)?\((?:true|1)\)
      | assert\.(?:strictEqual|equal|deepEqual)\((?P<left>[^,]+),(?P=left)\)
      | (?:assert|require)\.True\(\w+,true\) | (?:assert|require)\.Equal\(\w+,(?P<go>[^,]+),(?P=go)\)
      | assert!\(true.*\) | assert_eq!\((?P<rust>[^,]+),(?P=rust)\)
    );?$
    | \|\|true\)?;?$
    """,
    re.VERBOSE,
)
"""Of assertions without any space."""


_OR_TRUE = re.compile(r"\bor\s+(?:True|1)\s*(?:$|,|\))")


def cases(syntax: Syntax) -> dict[str, TestCase]:
    """Return the tests of a file by name; the last of those that share one."""
    found = {
        Language.PYTHON: _python,
        Language.JAVASCRIPT: _javascript,
        Language.GO: _go,
        Language.RUST: _rust,
    }[syntax.language](syntax.root)
    return {name: _case(name, whole, body, syntax.language) for name, whole, body in found}


Found = Iterator[tuple[str, list[Node], Node]]
"""Name, nodes that belong to the test (decorators and attributes first), and its body."""


def _python(root: Node) -> Found:
    for node in walk(root):
        name = text_of(field(node, "name")) if node.type == "function_definition" else ""
        body = field(node, "body")
        if not name.startswith(("test", "should_", "it_")) or body is None:
            continue
        around, path = [node], [name]
        above = node.parent
        while above is not None:
            if above.type == "decorated_definition":
                around[:0] = [child for child in above.named_children if child.type == "decorator"]
            elif above.type == "class_definition":
                path.insert(0, text_of(field(above, "name")))
            above = above.parent
        yield "::".join(path), around, body


def _javascript(root: Node) -> Found:
    for node in walk(root):
        if node.type != "call_expression" or not _JS_TEST.match(_callee(node)):
            continue
        block = _JS_BLOCK.match(_callee(node)) is not None
        if block and not _SKIP.search(_callee(node)):
            continue
        path = [_title(node)]
        above = node.parent
        while above is not None:
            if above.type == "call_expression" and _JS_BLOCK.match(_callee(above)):
                path.insert(0, _title(above))
            above = above.parent
        yield " > ".join(path), [node], node


def _callee(call: Node) -> str:
    return compact(field(call, "function"))


def _title(call: Node) -> str:
    arguments = field(call, "arguments")
    first = next((child for child in arguments.named_children if child.type != "comment"), None) \
        if arguments is not None else None  # fmt: skip
    return content(first) if first is not None else ""


def _go(root: Node) -> Found:
    for node in root.named_children:
        body = field(node, "body")
        name = text_of(field(node, "name"))
        if node.type in {"function_declaration", "method_declaration"} and body is not None \
                and _GO_TEST.match(name):  # fmt: skip
            yield name, [node], body


def _rust(root: Node) -> Found:
    for node in walk(root):
        body = field(node, "body")
        if node.type != "function_item" or body is None:
            continue
        attributes: list[Node] = []
        before = node.prev_named_sibling
        while before is not None and before.type in {"attribute_item", "line_comment"}:
            attributes.insert(0, before)
            before = before.prev_named_sibling
        if any(_RUST_TEST.search(text_of(child)) for child in attributes):
            path = [text_of(field(node, "name"))]
            above = node.parent
            while above is not None:
                if above.type == "mod_item":
                    path.insert(0, text_of(field(above, "name")))
                above = above.parent
            yield "::".join(path), [*attributes, node], body


def _case(name: str, whole: list[Node], body: Node, language: Language) -> TestCase:
    assertions = tuple(_assertions(body, language))
    shape, values = _shaped(whole)
    last = max((assertion.line for assertion in assertions), default=0)
    return TestCase(
        name=name,
        line=line_of(whole[-1]),
        skips=tuple(_skips(whole, body, language)),
        assertions=assertions,
        calls=tuple(_calls(body)),
        shape=shape,
        values=tuple(values),
        returns=tuple(
            line_of(statement)
            for statement in statements(body)
            if statement.type in {"return_statement", "raise_statement"}
            and line_of(statement) <= last
        ),
    )


def _skips(whole: list[Node], body: Node, language: Language) -> Iterator[str]:
    for node in whole[:-1]:
        if _SKIP.search(text_of(node)):
            yield compact(node)
    if language is Language.JAVASCRIPT and _SKIP.search(_callee(whole[-1])):
        yield _callee(whole[-1])
    for node in walk(body):
        if node.type in {"call", "call_expression"} and _SKIP.search(
            compact(field(node, "function"))
        ):
            if language is Language.JAVASCRIPT and node.id == whole[-1].id:
                continue
            yield compact(node)
        elif node.type == "raise_statement" and "SkipTest" in text_of(node):
            yield compact(node)


def _assertions(body: Node, language: Language) -> Iterator[Assertion]:
    for node in walk(body):
        if _is_assertion(node, language):
            # what Go asserts stands in the condition around the call
            around = node
            if language is Language.GO:
                around = next((up for up in _above(node, body) if up.type == "if_statement"), node)
            yield _assertion(around, line_of(node))


def _above(node: Node, top: Node) -> Iterator[Node]:
    above = node.parent
    while above is not None and above.id != top.id:
        yield above
        above = above.parent


def _is_assertion(node: Node, language: Language) -> bool:
    match language:
        case Language.PYTHON:
            if node.type == "assert_statement":
                return True
            return node.type == "call" and bool(
                _PYTHON_ASSERTS.search(compact(field(node, "function")))
            )
        case Language.JAVASCRIPT:
            return node.type == "expression_statement" and bool(_JS_ASSERTS.match(compact(node)))
        case Language.GO:
            return node.type == "call_expression" and bool(_GO_ASSERTS.match(_callee(node)))
        case Language.RUST:
            return node.type == "macro_invocation" and bool(
                _RUST_ASSERTS.search(text_of(field(node, "macro")))
            )


def _calls(body: Node) -> Iterator[Assertion]:
    """Yield the calls of a test that has its assertions in functions of its own."""
    for node in statements(body):
        if node.type == "expression_statement" and node.named_children[:1] \
                and node.named_children[0].type in {"call", "call_expression", "await"}:  # fmt: skip
            made = _assertion(node, line_of(node))
            yield replace(made, strength=AssertionStrength.SOMETHING)


def _assertion(node: Node, line: int) -> Assertion:
    text = _escaped_alike(compact(node))
    shape, _ = _shaped([node])
    if _EMPTY.search(text[:2_000]) or _OR_TRUE.search(text_of(node)):
        strength = AssertionStrength.NOTHING
    else:
        strength = AssertionStrength.A_VALUE if _VALUE.search(text) else AssertionStrength.SOMETHING
    return Assertion(line, text, shape, strength, " ".join(text_of(node).split()))


def _escaped_alike(text: str) -> str:
    """Return code with the digits of escapes in small letters, as formatters write them."""
    return _ESCAPE.sub(lambda escape: escape[0][:2] + escape[0][2:].lower(), text)


def _is_negative(node: Node) -> bool:
    """Whether a node is a number with a sign."""
    signed = node.type in {"unary_operator", "unary_expression"}
    return signed and len(node.named_children) == 1 and node.named_children[0].type in LITERALS


def _shaped(nodes: list[Node]) -> tuple[str, list[tuple[int, str]]]:
    """Return code with a mark for each value, and the values."""
    words: list[str] = []
    values: list[tuple[int, str]] = []
    for top in nodes:
        inside = [top]
        while inside:
            node = inside.pop()
            if node.type in LITERALS or _is_negative(node):
                words.append("□")
                values.append((line_of(node), _escaped_alike(text_of(node))))
            elif node.children:
                inside.extend(reversed(node.children))
            elif node.type != "comment":
                words.append(text_of(node).strip())
    return "\0".join(word for word in words if word), values
