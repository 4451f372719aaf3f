"""Arguments that a call takes no longer: their parameter is gone, and so is what they pass."""

from __future__ import annotations

import ast
import builtins
import re

from bot.repair.proposers.mechanical.rules.rule import Example, Repair, Reported, Rule
from bot.repair.proposers.mechanical.rules.scopes import visible
from bot.repair.proposers.mechanical.rules.source import RuleSource
from bot.reporting.reasons import mechanical

_UNEXPECTED = re.compile(
    r"[Uu]nexpected keyword argument ['\"](?P<name>\w+)['\"]"
    r"|No parameter named ['\"](?P<parameter>\w+)['\"]"
)
"""mypy, pylint and Python itself; pyright."""


def _stale(reported: Reported) -> Repair | None:
    """Remove a keyword argument that the function does not take, of a name that nothing defines.

    One whose value exists may rather be misspelt, or the function may lack a parameter.
    """
    source, said = reported.source, _UNEXPECTED.search(reported.diagnostic.message)
    if said is None or source.tree is None:
        return None
    name = said["name"] or said["parameter"]
    known = visible(source.tree, reported.line) | set(dir(builtins))
    for call in ast.walk(source.tree):
        if not (isinstance(call, ast.Call) and _is_at(call, reported.line)):
            continue
        for argument in call.keywords:
            value = argument.value
            undefined = isinstance(value, ast.Name) and value.id not in known
            if argument.arg == name and undefined:
                return Repair(_without(source, call, argument), mechanical.argument_removed(name))
    return None


def _is_at(call: ast.Call, line: int) -> bool:
    return call.lineno <= line <= (call.end_lineno or call.lineno)


def _without(source: RuleSource, call: ast.Call, argument: ast.keyword) -> str:
    """Return the text without one of a call's arguments, on a line of its own with that line."""
    start = source.at(argument.lineno) + len(
        source.lines[argument.lineno - 1].encode()[: argument.col_offset].decode()
    )
    end = source.end(argument.value)
    if source.line(argument.lineno).strip().rstrip(",") == source.text[start:end]:
        return source.without_lines(argument.lineno, argument.lineno)
    behind = re.match(r"\s*,\s*", source.text[end:])
    if behind is not None and call.keywords[-1] is not argument:
        return source.replaced(start, end + behind.end(), "")
    front = source.text[:start].rstrip()
    begins = len(front[:-1].rstrip()) if front.endswith(",") else start
    return source.replaced(begins, end, "")


RULES = (
    Rule(
        name="argument of a parameter that is gone",
        codes=frozenset({"call-arg", "E1123", "reportCallIssue", "reportGeneralTypeIssues", ""}),
        message=_UNEXPECTED,
        repair=_stale,
        example=Example(
            before=(
                "def connect(host):\n"
                "    return Socket(\n"
                "        host,\n"
                "        verify=verify,\n"
                "        retries=3,\n"
                "    )\n"
            ),
            line=2,
            code="call-arg",
            message='Unexpected keyword argument "verify" for "Socket"',
            after="def connect(host):\n    return Socket(\n        host,\n        retries=3,\n    )\n",
        ),
        more=(
            Example(
                before="def connect(host):\n    return Socket(host, verify=verify)\n",
                line=2,
                code="E1123",
                message="Unexpected keyword argument 'verify' in constructor call",
                after="def connect(host):\n    return Socket(host)\n",
            ),
            Example(
                before="def connect(host):\n    return Socket(verify=verify, host=host)\n",
                line=2,
                code="reportCallIssue",
                message='No parameter named "verify"',
                after="def connect(host):\n    return Socket(host=host)\n",
            ),
        ),
    ),
)
