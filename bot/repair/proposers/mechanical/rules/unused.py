"""Unused imports and variables, redefinitions and ignores that ignore nothing: taken out."""

from __future__ import annotations

import ast
import posixpath
import re
import sys

from bot.repair.proposers.mechanical.rules.rule import Example, Repair, Reported, Rule
from bot.repair.proposers.mechanical.rules.source import RuleSource
from bot.reporting.reasons import mechanical

_IMPORT = re.compile(
    r"[`'\"](?P<full>[\w. ]+)[`'\"] imported but unused"
    r"|^Unused import (?P<module>[\w.]+)(?: imported)?(?: as (?P<alias>\w+))?$"
    r"|^Unused (?P<name>\w+) imported from [\w.]+(?: as (?P<as>\w+))?$"
    r"|^Import \"(?P<pyright>[\w.]+)\" is not accessed"
)
_REDEFINED = re.compile(
    r"[Rr]edefinition of unused [`'\"](?P<name>\w+)[`'\"](?: from)?(?: line (?P<line>\d+))?"
    r"|^Reimport [`'\"](?P<again>\w+)[`'\"] \(imported line (?P<first>\d+)\)"
)
_VARIABLE = re.compile(
    r"[Ll]ocal variable [`'\"](?P<name>\w+)[`'\"] is assigned to but never used"
    r"|^Unused variable [`'\"](?P<pylint>\w+)[`'\"]"
)
_IGNORE = re.compile(
    r'^[Uu]nused "type: ignore|^Unnecessary "# type: ignore|^Unnecessary "# pyright: ignore'
)
_IGNORE_COMMENT = re.compile(r"(?<!\s)\s*#\s*(?:type|pyright):\s*ignore(?:\[[^\[\]]*\])?\s*(?=$|#)")
_IMPORTS = (ast.Import, ast.ImportFrom)


def _unused_import(reported: Reported) -> Repair | None:
    """Take an import out; what a package's `__init__` may offer goes to its `__all__`.

    No package offers the modules of Python itself.
    """
    match = _IMPORT.search(reported.diagnostic.message)
    if match is None:
        return None
    named = next(group for group in match.groups() if group)
    source = reported.source
    node, alias = _import_at(source, reported.line, named)
    if node is None or alias is None:
        return None
    if posixpath.basename(source.path) == "__init__.py" and not _is_of_python(node, alias):
        return _offered(source, node, alias)
    text = without_alias(source, node, alias)
    return Repair(text, mechanical.unused_import_removed(named)) if text is not None else None


def _import_at(
    source: RuleSource, line: int, named: str
) -> tuple[ast.Import | ast.ImportFrom | None, ast.alias | None]:
    """Return the import on a line that a tool calls unused, by the tool's name of it."""
    for node in ast.walk(source.tree) if source.tree is not None else ():
        if isinstance(node, _IMPORTS) and node.lineno <= line <= (node.end_lineno or node.lineno):
            for alias in node.names:
                if _is_called(node, alias, named):
                    return node, alias
    return None, None


def _is_called(node: ast.Import | ast.ImportFrom, alias: ast.alias, named: str) -> bool:
    module = "." * node.level + (node.module or "") if isinstance(node, ast.ImportFrom) else ""
    plain = f"{module}.{alias.name}".lstrip(".") if module else alias.name
    names = {plain, alias.name, alias.asname or alias.name, f"{plain} as {alias.asname}"}
    return named.lstrip(".") in names


def _is_of_python(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> bool:
    plain = isinstance(node, ast.Import) and alias.asname is None
    return plain and alias.name.partition(".")[0] in sys.stdlib_module_names


def _offered(
    source: RuleSource, node: ast.Import | ast.ImportFrom, alias: ast.alias
) -> Repair | None:
    """Name an import of `__init__.py` in `__all__`: other programs may use it."""
    bound = alias.asname or alias.name
    listed = next(
        (
            statement.value
            for statement in (source.tree.body if source.tree is not None else [])
            if isinstance(statement, ast.Assign)
            and [source.part(target) for target in statement.targets] == ["__all__"]
            and isinstance(statement.value, ast.List | ast.Tuple)
        ),
        None,
    )
    if not isinstance(node, ast.ImportFrom) or listed is None or not listed.elts:
        return None
    last = listed.elts[-1]
    quote = source.part(last)[0]
    own_line = last.lineno != listed.lineno
    gap = f",{source.newline}{source.indent(last.lineno)}" if own_line else ", "
    end = source.end(last)
    text = source.replaced(end, end, f"{gap}{quote}{bound}{quote}")
    return Repair(text, mechanical.added_to_all(bound))


def without_alias(
    source: RuleSource, node: ast.Import | ast.ImportFrom, alias: ast.alias
) -> str | None:
    """Return the text without one name of an import, without the import if it is the only one."""
    if len(node.names) == 1:
        return without_statement(source, node)
    index = node.names.index(alias)
    if index + 1 < len(node.names):
        return source.replaced(source.start(alias), source.start(node.names[index + 1]), "")
    before = source.end(node.names[index - 1])
    return source.replaced(before, source.end(alias), "")


def without_statement(source: RuleSource, node: ast.stmt) -> str | None:
    """Return the text without a statement; a block that would be empty gets a `pass`."""
    first, last = node.lineno, node.end_lineno or node.lineno
    alone = (
        not source.text[source.at(first) : source.start(node)].strip()
        and not source.text[source.end(node) : source.at(last + 1)].partition("#")[0].strip()
    )
    block = _block_of(source, node)
    if not alone or block is None:
        return None
    if len(block) == 1 and block is not getattr(source.tree, "body", None):
        return source.replaced(source.start(node), source.end(node), "pass")
    return source.without_lines(first, last)


def _block_of(source: RuleSource, node: ast.stmt) -> list[ast.stmt] | None:
    for parent in ast.walk(source.tree) if source.tree is not None else ():
        for name in ("body", "orelse", "finalbody"):
            block = getattr(parent, name, None)
            if isinstance(block, list) and node in block:
                return block
    return None


def _redefined(reported: Reported) -> Repair | None:
    """Take out an import that is repeated, or that a later definition replaces."""
    match = _REDEFINED.search(reported.diagnostic.message)
    if match is None:
        return None
    name, source = match["name"] or match["again"], reported.source
    second = _binding(source, reported.line, name)
    first = _binding(source, int(match["line"] or match["first"] or 0), name)
    for node in (second, first):
        if isinstance(node, _IMPORTS):
            alias = next(
                imported for imported in node.names if name in {imported.asname, imported.name}
            )
            text = without_alias(source, node, alias)
            return (
                Repair(text, mechanical.redefined_import_removed(name))
                if text is not None
                else None
            )
    return None


def _binding(source: RuleSource, line: int, name: str) -> ast.Import | ast.ImportFrom | None:
    for node in ast.walk(source.tree) if source.tree is not None else ():
        if (
            isinstance(node, _IMPORTS)
            and node.lineno <= line <= (node.end_lineno or node.lineno)
            and any(name in {alias.asname, alias.name} for alias in node.names)
        ):
            return node
    return None


def _unused_variable(reported: Reported) -> Repair | None:
    """Drop a variable; what computes its value stays where that may do something."""
    match = _VARIABLE.search(reported.diagnostic.message)
    source = reported.source
    if match is None or source.tree is None:
        return None
    name = match["name"] or match["pylint"]
    for node in ast.walk(source.tree):
        text = _without_variable(source, node, name, reported.line)
        if text is not None:
            return Repair(text, mechanical.unused_variable_removed(name))
    return None


def _without_variable(source: RuleSource, node: ast.AST, name: str, line: int) -> str | None:
    match node:
        case ast.ExceptHandler(name=bound, type=ast.expr() as kind, lineno=number):
            if bound == name and number == line:
                start = source.end(kind)
                end = source.text.index(name, start) + len(name)
                return source.replaced(start, end, "")
        case ast.withitem(context_expr=context, optional_vars=ast.Name(id=bound) as target):
            if bound == name and target.lineno == line:
                return source.replaced(source.end(context), source.end(target), "")
        case (
            ast.Assign(targets=[ast.Name(id=bound) as target], value=value)
            | ast.AnnAssign(target=ast.Name(id=bound) as target, value=ast.expr() as value)
        ):
            if bound == name and node.lineno <= line <= (node.end_lineno or line):
                if _does_nothing(value):
                    return without_statement(source, node)
                return source.replaced(source.start(target), source.start(value), "")
    return None


def _does_nothing(value: ast.expr) -> bool:
    """Whether evaluating an expression has no effect that anybody could see."""
    plain = (ast.Constant, ast.Name, ast.Load, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.Lambda)
    inner = [] if isinstance(value, ast.Lambda) else list(ast.walk(value))
    return all(isinstance(node, plain) for node in inner)


def _unused_ignore(reported: Reported) -> Repair | None:
    """Take out a comment that ignores nothing."""
    line = reported.source.line(reported.line)
    match = _IGNORE_COMMENT.search(line)
    if match is None:
        return None
    rest = line[match.end() :]
    text = line[: match.start()] + (f"  {rest}" if rest else "")
    return Repair(reported.source.with_line(reported.line, text), mechanical.UNUSED_IGNORE_REMOVED)


RULES = (
    Rule(
        "unused import",
        frozenset({"F401", "W0611", "pyflakes", "reportUnusedImport"}),
        _IMPORT,
        _unused_import,
        Example(
            "import os\nimport sys\n\nprint(sys.path)\n",
            1,
            "F401",
            "'os' imported but unused",
            "import sys\n\nprint(sys.path)\n",
        ),
    ),
    Rule(
        "import that is defined again",
        frozenset({"F811", "W0404", "pyflakes"}),
        _REDEFINED,
        _redefined,
        Example(
            "import os\nimport sys\nimport os\n\nprint(os.sep, sys.path)\n",
            3,
            "F811",
            "redefinition of unused 'os' from line 1",
            "import os\nimport sys\n\nprint(os.sep, sys.path)\n",
        ),
    ),
    Rule(
        "unused variable",
        frozenset({"F841", "W0612", "pyflakes"}),
        _VARIABLE,
        _unused_variable,
        Example(
            "def load(path):\n    found = path.read_text()\n",
            2,
            "F841",
            "local variable 'found' is assigned to but never used",
            "def load(path):\n    path.read_text()\n",
        ),
    ),
    Rule(
        "type: ignore that ignores nothing",
        frozenset({"unused-ignore", "error", "reportUnnecessaryTypeIgnoreComment"}),
        _IGNORE,
        _unused_ignore,
        Example(
            "total = 1  # type: ignore[assignment]\n",
            1,
            "unused-ignore",
            'Unused "type: ignore" comment',
            "total = 1\n",
        ),
    ),
)
