"""Docstrings as pydocstyle wants them, where the code alone says what to change."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable

from bot.repair.proposers.mechanical.rules.rule import Example, Repair, Reported, Rule
from bot.repair.proposers.mechanical.rules.source import RuleSource
from bot.reporting.reasons import mechanical

_LITERAL = re.compile(
    r"^(?P<prefix>[A-Za-z]*)(?P<quote>\"\"\"|'''|\"|')(?P<text>.*)(?P=quote)$", re.DOTALL
)
_LINE = 79
"""Columns that every project's lines may have: PEP 8."""

_LISTED = re.compile(r"^[^\S\n]*(?:[-*+>:@]|\d+[.)]|\w+:)", re.MULTILINE)
"""Lines that are no running text: items, fields, prompts."""

_MOOD = re.compile(
    r"imperative mood(?:.{0,40}perhaps '(?P<better>\w+)', not '(?P<word>\w+)'"
    r"|.{0,40}\(found '(?P<found>\w+)'\)|: \"(?P<first>[A-Za-z]+))"
)
_OWNERS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def _rewritten(reported: Reported) -> Repair | None:
    """Change the docstring that a line belongs to, or that of the definition on the line."""
    source, code = reported.source, reported.diagnostic.code
    for owner in ast.walk(source.tree) if source.tree is not None else ():
        node = _docstring(owner)
        if node is None or not _is_meant(owner, node, reported.line):
            continue
        if code in _AROUND:
            text = _AROUND[code](source, node)
            return Repair(text, mechanical.docstring_changed(code)) if text else None
        literal = _LITERAL.match(source.part(node))
        if literal is None:
            return None
        inner = _INSIDE[code](literal["text"], source.indent(node.lineno))
        quote = '"""' if code == "D300" else literal["quote"]
        whole = f"{literal['prefix']}{quote}{inner}{quote}"
        text = source.replaced(source.start(node), source.end(node), whole)
        return Repair(text, mechanical.docstring_changed(code))
    return None


def _in_the_imperative(reported: Reported) -> Repair | None:
    """Begin a docstring with the verb as a command has it: as the tool says, else without its `s`."""
    match = _MOOD.search(reported.diagnostic.message)
    word = (match["word"] or match["found"] or match["first"]) if match else ""
    better = (match["better"] if match else "") or _commanding(word)
    source = reported.source
    for owner in ast.walk(source.tree) if source.tree is not None else ():
        node = _docstring(owner)
        if not better or node is None or not _is_meant(owner, node, reported.line):
            continue
        found = re.match(rf"[A-Za-z]*[\"']+\s*(?P<word>{word})\b", source.part(node), re.IGNORECASE)
        if found is None:
            return None
        cased = better.capitalize() if found["word"][0].isupper() else better.lower()
        start = source.start(node) + found.start("word")
        text = source.replaced(start, start + len(word), cased)
        return Repair(text, mechanical.docstring_changed(reported.diagnostic.code))
    return None


def _commanding(verb: str) -> str:
    """Return a verb in the third person as a command has it, "" for other words."""
    plain = verb.lower()
    irregular = {"has": "have", "is": "be", "does": "do", "goes": "go"}
    if plain in irregular or not plain.endswith("s") or plain.endswith(("ss", "us", "this")):
        return irregular.get(plain, "")
    if plain.endswith("ies"):
        return f"{plain[:-3]}y"
    doubled = ("sses", "shes", "ches", "xes", "zzes")
    return plain[:-2] if plain.endswith(doubled) else plain[:-1]


def _docstring(owner: ast.AST) -> ast.Expr | None:
    first = owner.body[0] if isinstance(owner, _OWNERS) and owner.body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        return first if isinstance(first.value.value, str) else None
    return None


def _is_meant(owner: ast.AST, node: ast.Expr, line: int) -> bool:
    own = isinstance(owner, ast.Module) or line >= getattr(owner, "lineno", line)
    first = 1 if isinstance(owner, ast.Module) else getattr(owner, "lineno", 1)
    return own and first <= line <= (node.end_lineno or node.lineno)


def _one_line(text: str, _: str) -> str:
    return text.strip() if "\n" not in text.strip() else text


def _closing_line(text: str, indent: str) -> str:
    return f"{text.rstrip()}\n{indent}"


def _stripped(text: str, _: str) -> str:
    head, mark, rest = text.partition("\n")
    return f"{head.strip()}{mark}{rest}" if mark else text.strip()


def _summary_alone(text: str, indent: str) -> str:
    """Put a blank line below the first line; a sentence that goes on below it is joined."""
    text = _joined(text, indent)
    lead = text[: len(text) - len(text.lstrip())]
    summary, mark, rest = text[len(lead) :].partition("\n")
    if not summary.rstrip().endswith((".", "!", "?", ":")):
        return text  # the sentence continues
    body = rest.lstrip("\n")
    body = re.sub(r"^(?:[ \t]*\n)+", "", body)
    return f"{lead}{summary}{mark}\n{body}" if body.strip() else text


def _joined(text: str, indent: str) -> str:
    """Return a docstring whose first paragraph is one line, where that has room for it."""
    summary, blank, rest = re.sub(r"\n[ \t]+\n", "\n\n", text).partition("\n\n")
    first, mark, below = summary.strip().partition("\n")
    if not mark or first.rstrip().endswith((".", "!", "?", ":")) or _LISTED.search(below):
        return text
    line = " ".join(summary.split())
    if len(f'{indent}"""{line}."""') > _LINE:
        return text
    lead = summary[: len(summary) - len(summary.lstrip())]
    return f"{lead}{line}{blank}{rest}" if rest.strip() else f"{lead}{line}"


def _period(text: str, indent: str) -> str:
    """End the first paragraph's first line with a period."""
    text = _joined(text, indent)
    lead = text[: len(text) - len(text.lstrip())]
    summary, mark, rest = text[len(lead) :].partition("\n")
    if mark and rest.strip() and rest.partition("\n")[0].strip():
        return text  # the sentence continues on the next line
    bare = summary.rstrip()
    end = summary[len(bare) :]
    return (
        f"{lead}{bare.rstrip(',;:-')}.{end}{mark}{rest}"
        if bare[-1:] not in {".", "!", "?"}
        else text
    )


def _capital(text: str, _: str) -> str:
    stripped = text.lstrip()
    return text[: len(text) - len(stripped)] + stripped[:1].upper() + stripped[1:]


def _same(text: str, _: str) -> str:
    return text


_INSIDE: dict[str, Callable[[str, str], str]] = {
    "D200": _one_line,
    "D205": _summary_alone,
    "D209": _closing_line,
    "D210": _stripped,
    "D300": _same,
    "D400": _period,
    "D403": _capital,
    "D415": _period,
}
"""What becomes of the text between the quotes, given the docstring's indentation."""


def _no_blank_below(source: RuleSource, node: ast.Expr) -> str | None:
    first = last = (node.end_lineno or node.lineno) + 1
    while source.has(last) and not source.line(last).strip():
        last += 1
    return source.without_lines(first, last - 1) if last > first else None


def _no_blank_above(source: RuleSource, node: ast.Expr) -> str | None:
    first = node.lineno
    while first > 1 and not source.line(first - 1).strip():
        first -= 1
    return source.without_lines(first, node.lineno - 1) if first < node.lineno else None


def _one_blank_below(source: RuleSource, node: ast.Expr) -> str | None:
    below = (node.end_lineno or node.lineno) + 1
    text = _no_blank_below(source, node) or source.text
    return RuleSource(source.path, text).with_inserted(below, "")


_AROUND: dict[str, Callable[[RuleSource, ast.Expr], str | None]] = {
    "D201": _no_blank_above,
    "D202": _no_blank_below,
    "D204": _one_blank_below,
    "D211": _no_blank_above,
}
"""What becomes of the lines around a docstring."""

RULES = (
    Rule(
        "docstring",
        frozenset({*_INSIDE, *_AROUND}),
        re.compile(""),
        _rewritten,
        Example(
            'def size(path):\n    """Return a file\'s size"""\n    return path.stat().st_size\n',
            2,
            "D400",
            "First line should end with a period",
            'def size(path):\n    """Return a file\'s size."""\n    return path.stat().st_size\n',
        ),
        more=(
            Example(
                'def total(prices):\n    """Sum prices\n    of all.\n    """\n',
                2,
                "D205",
                "1 blank line required between summary line and description",
                'def total(prices):\n    """Sum prices of all."""\n',
            ),
        ),
    ),
    Rule(
        "docstring in the imperative",
        frozenset({"D401"}),
        _MOOD,
        _in_the_imperative,
        Example(
            'def total(prices):\n    """Sums prices."""\n    return sum(prices)\n',
            2,
            "D401",
            'First line of docstring should be in imperative mood: "Sums prices."',
            'def total(prices):\n    """Sum prices."""\n    return sum(prices)\n',
        ),
        more=(
            Example(
                'def total(prices):\n    """Matches prices."""\n',
                1,
                "D401",
                "First line should be in imperative mood (perhaps 'Match', not 'Matches')",
                'def total(prices):\n    """Match prices."""\n',
            ),
        ),
    ),
)
