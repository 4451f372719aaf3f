"""Print every sentence that Fixpoint says, so that they can be read in one go.

`python -m tests.sentences` writes `docs/sentences.md`; `tests/unit/test_sentences.py` keeps it true.
"""

from __future__ import annotations

import ast
import inspect
import pkgutil
import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType

from typer.core import TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

import bot.errors
import bot.reporting
from bot.commands.cli import app
from bot.reporting.example import spoken
from bot.reporting.markdown import raw_fence
from tests.whole_texts import whole_texts

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "sentences.md"

_TOP = """\
# Sentences

Everything that Fixpoint says to people, in one place, to be read aloud.
`make sentences` writes this page from the code; a test keeps it true.

"""
_PACKAGES = ("bot", "sandbox")
_WIDTH = 100
"""Columns of the help pages, wherever they are printed."""


_OURS = {*vars(bot.errors), "Gone", "Unanswered", "TooLarge", "_Refused"}
"""What errors with a sentence of ours are called."""
_MARKER = re.compile(r"\n*<!-- fixpoint:[^>]*-->\n*")


def page() -> str:
    """Return the whole page."""
    parts = [*map(_section, reporting_modules()), _whole(), _command_line(), _raised()]
    return _TOP + "\n".join(part for part in parts if part)


def reporting_modules() -> Iterator[ModuleType]:
    """Yield the modules of `bot.reporting`, in the order of their names."""
    for found in pkgutil.walk_packages(bot.reporting.__path__, "bot.reporting."):
        yield import_module(found.name)


def functions(module: ModuleType) -> Iterator[FunctionType]:
    """Yield the public functions that a module defines, in its order."""
    for name, value in vars(module).items():
        if inspect.isfunction(value) and value.__module__ == module.__name__ and name[0] != "_":
            yield value


def _sentences(module: ModuleType) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield what each function says in its examples, and each reason that is a constant."""
    for node in ast.parse(inspect.getsource(module)).body:
        match node:
            case ast.FunctionDef(name=name) if name[0] != "_":
                yield name, spoken(getattr(module, name))
            case ast.Assign(targets=[ast.Name(id=name)]) if _is_reason(module, name):
                yield name, (getattr(module, name),)


def _is_reason(module: ModuleType, name: str) -> bool:
    return module.__name__.startswith("bot.reporting.reasons.") and name[0] != "_"


def _section(module: ModuleType) -> str:
    said = list(_sentences(module))
    if not any(texts for _, texts in said):
        return ""
    title = (module.__doc__ or "").strip().split("\n")[0]
    name = module.__name__.removeprefix("bot.reporting.")
    lines = [f"- `{name}`: {_shown(text)}" for name, texts in said for text in texts]
    return "\n".join((f"## {name}", "", title, "", *lines, ""))


def _shown(text: str) -> str:
    """Return a text for a list: one line as it is, more of them as a block; without its marker."""
    text = _MARKER.sub("", text).rstrip()
    if "\n" not in text:
        return text
    return "\n\n" + "\n".join(f"      {line}".rstrip() for line in text.split("\n"))


def _command_line() -> str:
    """Return the `--help` pages of all commands."""
    texts = [f"```text\n{_help(words)}```\n" for words in _commands(get_command(app))]
    return "\n".join(("## Command line", "", "What `--help` prints.", "", *texts))


def _commands(command: object, *words: str) -> Iterator[tuple[str, ...]]:
    """Yield what is typed for each command, the groups before what is in them."""
    yield words
    if isinstance(command, TyperGroup):
        for name, inner in command.commands.items():
            yield from _commands(inner, *words, name)


def _help(words: tuple[str, ...]) -> str:
    environment = {"NO_COLOR": "1", "TERM": "dumb"}
    said = CliRunner().invoke(
        app, [*words, "--help"], prog_name="fixpoint", terminal_width=_WIDTH, env=environment
    )
    return said.stdout


def _whole() -> str:
    """Return the texts that tell of a whole run, a block each."""
    blocks = [
        f"### {title}\n\n{raw_fence(_MARKER.sub('', text).strip())}\n"
        for title, text in whole_texts()
    ]
    intro = "Made from the sample reports of the tests."
    return "\n".join(("## Whole texts", "", intro, "", *blocks))


def _raised() -> str:
    """Return the sentences of the errors that are raised on purpose, with their blanks as `…`."""
    lines = [f"- `{place}`: {text}" for place, text in dict.fromkeys(_errors())]
    return "\n".join(("## Errors", "", "What is raised on purpose.", "", *lines, ""))


def _errors() -> Iterator[tuple[str, str]]:
    for package in _PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                for argument in _arguments(node):
                    text = _written(argument)
                    if " " in text.strip("…. "):
                        yield path.relative_to(ROOT).as_posix(), text


def _arguments(node: ast.AST) -> Sequence[ast.expr]:
    """Return what an error is made from, whether it is raised at once or returned to be raised."""
    if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
        return () if _names_ours(node.exc) else node.exc.args[:1]
    return node.args if isinstance(node, ast.Call) and _names_ours(node) else ()


def _names_ours(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id in _OURS


def _written(node: ast.expr) -> str:
    """Return the text that an expression writes, as far as it stands there."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(map(_written, parts))
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _written(left) + _written(right)
        case _:
            return "…"


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
