"""Patches as HTML whose lines and words are coloured. Pure, but not quick on every text.

Patterns of Pygments take as long as the text wants, so this runs in a process apart, which is also
the only one that imports it: see `bot/web/diffs.py`.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from types import MappingProxyType

from pygments.lexer import Lexer
from pygments.lexers.c_cpp import CLexer, CppLexer
from pygments.lexers.configs import DockerLexer, IniLexer, TOMLLexer
from pygments.lexers.css import CssLexer
from pygments.lexers.data import JsonLexer, YamlLexer
from pygments.lexers.dotnet import CSharpLexer
from pygments.lexers.go import GoLexer
from pygments.lexers.html import HtmlLexer
from pygments.lexers.javascript import JavascriptLexer, TypeScriptLexer
from pygments.lexers.jvm import JavaLexer, KotlinLexer
from pygments.lexers.make import MakefileLexer
from pygments.lexers.markup import MarkdownLexer
from pygments.lexers.php import PhpLexer
from pygments.lexers.python import PythonLexer
from pygments.lexers.ruby import RubyLexer
from pygments.lexers.rust import RustLexer
from pygments.lexers.shell import BashLexer
from pygments.lexers.sql import SqlLexer

from bot.model.untrusted import reveal_hidden
from bot.web.shown_text import line_kind, patch_lines

_LONGEST_LINE = 1_000

Line = tuple[str, str]
"""The mark before a line (`+`, `-` or a space), and the line."""

_LEXERS: Mapping[str, type[Lexer]] = MappingProxyType(
    {
        **dict.fromkeys((".py", ".pyi", ".bzl"), PythonLexer),
        **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs"), JavascriptLexer),
        **dict.fromkeys((".ts", ".tsx", ".mts", ".cts"), TypeScriptLexer),
        **dict.fromkeys((".c", ".h"), CLexer),
        **dict.fromkeys((".cc", ".cpp", ".cxx", ".hpp", ".hh"), CppLexer),
        **dict.fromkeys((".yml", ".yaml"), YamlLexer),
        **dict.fromkeys((".ini", ".cfg", ".properties"), IniLexer),
        **dict.fromkeys((".sh", ".bash", ".zsh"), BashLexer),
        **dict.fromkeys((".html", ".htm", ".xml", ".svg", ".vue"), HtmlLexer),
        **dict.fromkeys((".css", ".scss"), CssLexer),
        **dict.fromkeys((".rb", ".gemspec", ".rake"), RubyLexer),
        **dict.fromkeys((".md", ".markdown"), MarkdownLexer),
        ".cs": CSharpLexer,
        ".go": GoLexer,
        ".java": JavaLexer,
        ".json": JsonLexer,
        ".kt": KotlinLexer,
        ".php": PhpLexer,
        ".rs": RustLexer,
        ".sql": SqlLexer,
        ".toml": TOMLLexer,
        "dockerfile": DockerLexer,
        "gemfile": RubyLexer,
        "makefile": MakefileLexer,
    }
)
"""By a name's ending, or a whole name, in lower case."""

_CLASSES = (
    ("Token.Comment", "hc"),
    ("Token.Literal.String", "hs"),
    ("Token.Literal.Number", "hn"),
    ("Token.Keyword", "hk"),
    ("Token.Operator.Word", "hk"),
    ("Token.Name.Function", "hf"),
    ("Token.Name.Class", "hf"),
    ("Token.Name.Decorator", "hf"),
    ("Token.Name.Tag", "hk"),
    ("Token.Name.Builtin", "hb"),
)


def highlighted(patches: Sequence[str]) -> tuple[str, ...]:
    """Return each patch as HTML, one span for each line."""
    return tuple("".join(_lines(patch.removesuffix("\n").split("\n"))) for patch in patches)


def _lines(lines: Sequence[str]) -> Iterator[str]:
    """Yield every line, those of a hunk coloured by the language of its file."""
    path, hunk, in_hunk = "", list[Line](), False
    for line in lines:
        if in_hunk and line[:1] in {"+", "-", " "}:
            hunk.append((line[0], reveal_hidden(line[1:])))
            continue
        yield from _hunk(path, hunk)
        hunk = []
        in_hunk = line.startswith("@@") or (in_hunk and line.startswith("\\"))
        if line.startswith(("+++ ", "--- ")) and not line.endswith("/dev/null"):
            path = line[6:].split("\t")[0].strip('"')
        yield str(patch_lines(line))
    yield from _hunk(path, hunk)


def _hunk(path: str, hunk: Sequence[Line]) -> Iterator[str]:
    """Yield the lines of a hunk: both sides are read, so that what goes over lines is known."""
    before = iter(_coloured(path, [text for mark, text in hunk if mark != "+"]))
    after = iter(_coloured(path, [text for mark, text in hunk if mark != "-"]))
    for mark, _ in hunk:
        shown = next(before) if mark == "-" else next(after)
        if mark == " ":
            next(before)
        yield f'<span class="{line_kind(mark)}">{mark}{shown}\n</span>'


def _coloured(path: str, lines: Sequence[str]) -> list[str]:
    """Return the lines of a file, as many as were given."""
    lexer = _lexer(path)
    if lexer is None or any(len(line) > _LONGEST_LINE for line in lines):
        return [html.escape(line) for line in lines]
    found: list[list[str]] = [[]]
    for kind, text in lexer.get_tokens("\n".join(lines)):
        style = _class(kind)
        for place, piece in enumerate(text.split("\n")):
            if place:
                found.append([])
            if piece:
                shown = html.escape(piece)
                found[-1].append(f'<span class="{style}">{shown}</span>' if style else shown)
    if len(found) != len(lines):  # a lexer that makes lines of its own shows what is not there
        return [html.escape(line) for line in lines]
    return ["".join(item) for item in found]


@lru_cache
def _class(kind: object) -> str:
    return next((style for name, style in _CLASSES if str(kind).startswith(name)), "")


def _lexer(path: str) -> Lexer | None:
    name = PurePosixPath(path.lower()).name
    kind = _LEXERS.get(name) or _LEXERS.get(PurePosixPath(name).suffix)
    return None if kind is None else kind(stripnl=False, ensurenl=False)


for _kind in {*_LEXERS.values()}:
    _kind()  # compiles its patterns: what is forked behind that does not have to
