"""Imports, variables and parameters of JavaScript and TypeScript that nothing uses: taken out."""

from __future__ import annotations

import re

from tree_sitter import Node

from bot.code.syntax import field, text_of, walk
from bot.repair.proposers.mechanical.rules.rule import Example, Repair, Reported, Rule
from bot.repair.proposers.mechanical.rules.script import SUFFIXES, ScriptSource, script_of
from bot.reporting.reasons import mechanical

_UNUSED = re.compile(
    r"(?:^|')(?P<name>[\w$]+)'? is (?:declared|defined|imported|assigned a value) but "
    r"(?:its value is )?never (?:used|read)"
    r"|^All (?P<all>imports in import declaration|destructured elements) are unused"
    r"|^(?P<biome>This (?:import|variable|parameter)|Several of these imports)"
    r"(?: (?P<variable>[\w$]+))? (?:is|are) unused"
)
"""eslint and oxlint: `'x' is defined but never used`; tsc: `'x' is declared but its value is never
read`; xo the same as eslint without quotes; biome: `This variable x is unused`."""

_MARKED = re.compile(r"must match /\^_/u?|should start with a '_'")
_ALWAYS_MARKED = frozenset({"TS6133", "lint/correctness/noUnusedFunctionParameters"})
"""What takes an underscore in front of a parameter for granted."""

_CODES = frozenset({
    "no-unused-vars", "@typescript-eslint/no-unused-vars", "unused-imports/no-unused-imports",
    "unused-imports/no-unused-vars", "TS6133", "TS6192", "TS6196", "TS6198",
    "lint/correctness/noUnusedImports", "lint/correctness/noUnusedVariables",
    "lint/correctness/noUnusedFunctionParameters",
})  # fmt: skip
_PLAIN = frozenset({
    "string", "number", "true", "false", "null", "undefined", "identifier", "regex",
    "arrow_function", "function_expression", "generator_function",
})  # fmt: skip
"""Values that nothing sees being computed; so are collections of them."""

_COLLECTIONS = frozenset({"array", "object", "pair", "parenthesized_expression", "as_expression"})
_GLUED = ("(", "[", "`", "/", "+", "-", "{", "function", "class", "let")
"""What can't begin a statement, or would continue the one in front of it."""

_IMPORTED = frozenset({
    "import_specifier", "namespace_import", "import_clause", "import_require_clause",
})  # fmt: skip
_PARAMETERS = frozenset({"required_parameter", "optional_parameter", "formal_parameters"})


def _unused(reported: Reported) -> Repair | None:
    """Take out an import, a variable or a last parameter; what computes a value stays."""
    match = _UNUSED.search(reported.diagnostic.message)
    script = script_of(reported.source)
    if match is None or script is None:
        return None
    if match["all"]:
        return _whole(script, reported.line)
    said = reported.diagnostic
    name = match["name"] or match["variable"] or ""
    if not name and said.column is None:
        return None
    marked = said.code in _ALWAYS_MARKED or _MARKED.search(said.message) is not None
    named = script.names(said.line, said.column, name)
    for node in named:
        repair = _without(script, node, marked=marked)
        if repair is not None:
            return repair
    return _whole(script, said.line) if match["biome"] == "This import" and not named else None


def _whole(script: ScriptSource, line: int) -> Repair | None:
    """Take out an import of which nothing is used, or all that is taken out of a value."""
    for node in walk(script.root):
        if node.start_point.row + 1 != line:
            continue
        if node.type == "import_statement":
            return Repair(
                script.without_node(node), mechanical.unused_import_removed(_module(node))
            )
        if node.type == "variable_declarator":
            pattern = field(node, "name")
            return _variable(script, node, text_of(pattern)) if pattern is not None else None
    return None


def _module(statement: Node) -> str:
    return text_of(field(statement, "source")).strip("'\"")


def _without(script: ScriptSource, node: Node, *, marked: bool) -> Repair | None:
    """Return the repair for a name where that binds something."""
    above = node.parent
    if above is None:
        return None
    if above.type in _IMPORTED:
        text = _without_import(script, node, above)
        return Repair(text, mechanical.unused_import_removed(text_of(node)))
    if above.type == "catch_clause":
        return _caught(script, node, above)
    short = above.type == "arrow_function" and field(above, "parameter") == node
    if short or above.type in _PARAMETERS:
        return _parameter(script, node, above, marked=marked)
    return None if script.written(node) else _assigned(script, node, above)


def _assigned(script: ScriptSource, node: Node, above: Node) -> Repair | None:
    if above.type == "variable_declarator" and field(above, "name") == node:
        return _variable(script, above, text_of(node))
    return _element(script, node, above)


def _caught(script: ScriptSource, node: Node, clause: Node) -> Repair | None:
    body = field(clause, "body")
    if body is None or field(clause, "parameter") != node:
        return None
    text = script.without(clause.start_byte, body.start_byte, "catch ")
    return Repair(text, mechanical.unused_variable_removed(text_of(node)))


def _without_import(script: ScriptSource, node: Node, above: Node) -> str:
    statement = _statement(node)
    specifiers = [child for child in walk(statement) if child.type == "import_specifier"]
    clause = next(
        (child for child in statement.named_children if child.type == "import_clause"), None
    )
    parts = clause.named_children if clause is not None else []
    if above.type == "import_specifier" and len(specifiers) > 1:
        return script.without_item(above)
    part = node if above.type == "import_clause" else above
    if above.type == "import_specifier" and above.parent is not None:
        part = above.parent
    return script.without_item(part) if len(parts) > 1 else script.without_node(statement)


def _statement(node: Node) -> Node:
    while node.type != "import_statement" and node.parent is not None:
        node = node.parent
    return node


def _parameter(script: ScriptSource, node: Node, above: Node, *, marked: bool) -> Repair | None:
    """Mark a parameter as unused where that is a custom, else take it out if it is the last one."""
    name = text_of(node)
    if above.type == "arrow_function":
        if marked:
            text = script.without(node.start_byte, node.end_byte, f"_{name}")
            return Repair(text, mechanical.marked_unused(name))
        text = script.without(node.start_byte, node.end_byte, "()")
        return Repair(text, mechanical.unused_parameter_removed(name))
    part = node if above.type == "formal_parameters" else above
    if any(child.type in {"accessibility_modifier", "decorator"} for child in part.children):
        return None
    if marked:
        text = script.without(node.start_byte, node.end_byte, f"_{name}")
        return Repair(text, mechanical.marked_unused(name))
    siblings = part.parent.named_children if part.parent is not None else []
    if not siblings or siblings[-1] != part or field(part, "value") is not None:
        return None
    return Repair(script.without_item(part), mechanical.unused_parameter_removed(name))


def _variable(script: ScriptSource, declarator: Node, name: str) -> Repair | None:
    """Take out a variable; its value stays as a statement where computing it may do something."""
    declaration, value = declarator.parent, field(declarator, "value")
    if declaration is None or declaration.parent is None:
        return None
    if declaration.parent.type not in {"program", "statement_block", "switch_case"}:
        return None  # a loop's, or exported
    said = mechanical.unused_variable_removed(name)
    others = [child for child in declaration.named_children if child.type == "variable_declarator"]
    required = value is not None and text_of(value).startswith("require(")
    if value is None or required or _does_nothing(value):
        alone = len(others) == 1
        return Repair(
            script.without_node(declaration) if alone else script.without_item(declarator), said
        )
    if len(others) > 1 or text_of(value).startswith(_GLUED):
        return None
    return Repair(script.without(declaration.start_byte, value.start_byte), said)


def _element(script: ScriptSource, node: Node, above: Node) -> Repair | None:
    """Take a name out of a pattern that takes a value apart."""
    part = above if above.type in {"pair_pattern", "object_assignment_pattern"} else node
    pattern = part.parent
    if pattern is None or pattern.type not in {"object_pattern", "array_pattern"}:
        return None
    siblings = pattern.named_children
    if any(sibling.type == "rest_pattern" for sibling in siblings) or pattern.parent is None:
        return None
    said = mechanical.unused_variable_removed(text_of(node))
    if len(siblings) == 1 and pattern.parent.type == "variable_declarator":
        return _variable(script, pattern.parent, text_of(node))
    if pattern.type == "object_pattern" or siblings[-1] == part:
        return Repair(script.without_item(part), said)
    return Repair(script.without(part.start_byte, part.end_byte), said)


def _does_nothing(value: Node) -> bool:
    """Whether computing a value has no effect that anybody could see."""
    if value.type in _PLAIN:
        return True
    if value.type == "template_string":
        return not any(child.type == "template_substitution" for child in value.named_children)
    return value.type in _COLLECTIONS and all(
        child.type.endswith(("identifier", "type")) or _does_nothing(child)
        for child in value.named_children
    )


def _example(code: str, message: str, before: str, after: str, *at: int, path: str) -> Example:
    return Example(before, at[0], code, message, after, path=path, column=at[1])


RULES = (
    Rule(
        "name of a script that nothing uses",
        _CODES,
        _UNUSED,
        _unused,
        _example(
            "@typescript-eslint/no-unused-vars",
            "'resolve' is defined but never used",
            "import { join, resolve } from 'node:path';\n\nexport const at = join('a', 'b');\n",
            "import { join } from 'node:path';\n\nexport const at = join('a', 'b');\n",
            1,
            16,
            path="src/at.ts",
        ),
        suffixes=SUFFIXES,
        more=(
            _example(
                "TS6133",
                "'found' is declared but its value is never read.",
                "export function load(path: string) {\n  const found = read(path);\n}\n",
                "export function load(path: string) {\n  read(path);\n}\n",
                2,
                9,
                path="src/load.ts",
            ),
            _example(
                "no-unused-vars",
                "'index' is defined but never used. Allowed unused args must match /^_/u",
                "export const ones = (items) => items.map((item, index) => 1);\n",
                "export const ones = (items) => items.map((item, _index) => 1);\n",
                1,
                49,
                path="src/ones.js",
            ),
            _example(
                "no-unused-vars",
                "'error' is defined but never used",
                "try {\n  start();\n} catch (error) {\n  stop();\n}\n",
                "try {\n  start();\n} catch {\n  stop();\n}\n",
                3,
                10,
                path="src/start.js",
            ),
        ),
    ),
)
