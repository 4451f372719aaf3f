"""That every rule of the search does what the example in its docstring says."""

from __future__ import annotations

import ast
import re

import pytest

from bot.repair.proposers.search.evidence import Error, SearchEvidence
from bot.repair.proposers.search.localise import Suspect
from bot.repair.proposers.search.mutations.candidates import RULES, candidates
from bot.repair.proposers.search.mutations.change import applied
from bot.repair.proposers.search.mutations.rewrites import REWRITES, Template, templates
from bot.repair.proposers.search.mutations.rule import MutationRule
from bot.repair.proposers.search.mutations.scope import FunctionScope
from bot.repair.proposers.search.mutations.source import Definition, SourceFile

WRITTEN = [rule for rule in RULES if rule not in REWRITES]


def outcomes(rule: MutationRule, code: str, **seen: object) -> set[str]:
    """Return what a rule makes of the body of a function, wherever it applies."""
    text = code if code.startswith(("def ", "async ", "class ")) else f"def f(a, b):\n{code}"
    source = SourceFile("m.py", text)
    nodes = source.nodes(source.tree)
    found = set()
    for node in nodes:
        home = node if isinstance(node, Definition) else source.definition(node)
        scope = FunctionScope(source, home, **seen)  # type: ignore[arg-type]
        if isinstance(node, rule.kinds):
            changes = rule.changes(scope, node)
            found |= {applied(text, change.replacements) for change in changes}
    return found


def written(compact: str, indent: str = "    ") -> str:
    """Return code of one line, its blocks in parentheses, as it is usually written."""
    lines, rest = [], compact
    while rest:
        rest = rest.lstrip("; ")
        header = re.match(r"[^;(]*?(?:\([^;()]*\))?[^;(]*: (?=\()", rest)
        if header:
            end = _closing(rest, header.end())
            lines.append(f"{indent}{header[0].strip()}\n")
            lines.append(written(rest[header.end() + 1 : end], indent + "    "))
            rest = rest[end + 1 :]
        else:
            simple, _, rest = rest.partition(";")
            lines.append(f"{indent}{simple.strip()}\n")
    return "".join(lines)


def _closing(text: str, start: int) -> int:
    depth = 0
    for place in range(start, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if not depth:
            return place
    raise ValueError(text)


def example(rule: MutationRule, name: str) -> str:
    match = re.search(rf"^\s*{name}: (.*)$", rule.ideas.__doc__ or "", re.MULTILINE)
    return match[1] if match else ""


@pytest.mark.parametrize("rule", WRITTEN, ids=lambda rule: rule.name)
def test_a_rule_does_what_its_example_says(rule: MutationRule) -> None:
    """The code after is among what the rule makes of the code before."""
    before, after = (written(example(rule, word)) for word in ("before", "after"))
    if before.lstrip().startswith(("def ", "class ")):
        before, after = (re.sub("^    ", "", item, flags=re.MULTILINE) for item in (before, after))
    assert before != after
    kind, _, message = example(rule, "seen").partition(": ")
    error = Error(kind, message, ())
    seen: dict[str, object] = {
        "errors": dict.fromkeys(range(1, 9), (error,)),
        "expected": (kind.rpartition(" ")[2],) if kind.startswith("DID NOT") else (),
        "types": {
            name: frozenset({kind})
            for name, kind in re.findall(r"(\w): (\w+)", example(rule, "types"))
        },
    }
    code = after if after.startswith(("def ", "class ")) else f"def f(a, b):\n{after}"
    assert code in outcomes(rule, before, **seen)


TYPES = {"s": "list", "l": "list", "t": "str", "i": "int", "q": "list"}


@pytest.mark.parametrize(
    ("name", "place", "template"),
    tuple(templates()),
    ids=lambda item: f"{item.before} to {item.after}" if isinstance(item, Template) else "",
)
def test_a_template_does_what_it_says(name: str, place: str, template: Template) -> None:
    """Code before becomes code after, where the table says that it applies."""
    before = template.before.replace("*z", "a").replace("n", "7" if template.before == "n" else "n")
    after = template.after.replace("*z", "a")
    around = {
        "a value": "return g({})", "condition": "return a if {} else b", "operand": "return {} - a",
        "anywhere": "return {}", "gathered": "g({})", "a count": "print({})", "not awaited": "return {}",
    }.get(place, "{}")  # fmt: skip
    head = "def h(a, b, c, d, f, i, k, l, q, s, t, v, w, x):\n    "
    if place == "gathered":
        head = head.replace(" v,", "").replace("x)", "x, *v)")
    if place == "in a loop":
        head += "for _ in a:\n        "
    if place == "not awaited" or before.startswith("await"):
        head = f"async {head}"
    if place == "generator":
        head += "yield a\n    "
    if before.startswith("yield"):
        around = "{}"
    [rule] = [rewrite for rewrite in REWRITES if rewrite.name == name]
    types = {letter: frozenset({kind}) for letter, kind in TYPES.items()}
    text = head + around.format(before) + "\n"
    found = {ast.unparse(ast.parse(outcome)) for outcome in outcomes(rule, text, types=types)}
    assert ast.unparse(ast.parse(head + around.format(after))) in found


def test_code_that_is_nested_too_deep_is_left_out() -> None:
    """Whatever `ast` raises for it, by Python's version: no edit is proposed, and nothing ends."""
    deep = "(" * 5000 + "1" + ")" * 5000
    evidence = SearchEvidence(
        sources={"m.py": f"def f():\n    return {deep}\n", "n.py": "def g(\n"}
    )
    assert candidates(evidence, [Suspect("m.py", 2, 1.0, ())]) == ()
    source = SourceFile("m.py", "def f(a):\n    return a * 2\n")
    [name] = [node for node in source.nodes(source.tree) if isinstance(node, ast.Name)]
    assert source.fitting(name, deep) == deep


@pytest.mark.parametrize("mark", ["\f", "\v", "\x1c", "\x85", "\u2028"])
def test_only_ends_of_lines_end_lines(mark: str) -> None:
    """What else Unicode takes for one moves no place of the lines behind it."""
    source = SourceFile("sums.py", f'def total(b):\n    a = "x{mark}y"\n    return a + b\n')
    added = next(node for node in ast.walk(source.tree) if isinstance(node, ast.BinOp))
    assert source.part(added) == "a + b"
