"""What the languages differ in, for what reads and changes programs of all of them: one row each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath
from types import MappingProxyType


class Language(StrEnum):
    """Languages that share their guards, proofs and faults."""

    PYTHON = "python"
    JAVASCRIPT = "javascript"
    GO = "go"
    RUST = "rust"


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What one language is like.

    Attributes:
        grammars: By the end of a file's name, the package and the function of its grammar.
        is_compiled: Whether programs are compiled as a whole before they run.
        built_in: What stands, in a name's full form, in front of one that the language brings.
        nothing: A value that any expression can give way to; "" where there is none.
        empty: A statement that does nothing.
        negated: A condition turned round, with `{}` for it.
        true: The condition that always holds.
    """

    grammars: Mapping[str, tuple[str, str]]
    is_compiled: bool = False
    built_in: str = ""
    nothing: str = ""
    empty: str = ""
    negated: str = "!({})"
    true: str = "true"


_JAVASCRIPT = ("tree_sitter_javascript", "language")
_TYPESCRIPT = ("tree_sitter_typescript", "language_typescript")
TRAITS: Mapping[Language, Traits] = MappingProxyType({
    Language.PYTHON: Traits(
        grammars=dict.fromkeys((".py", ".pyi"), ("tree_sitter_python", "language")),
        built_in="builtins.",
        nothing="None",
        empty="pass",
        negated="(not ({}))",
        true="True",
    ),
    Language.JAVASCRIPT: Traits(
        grammars={
            **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs"), _JAVASCRIPT),
            **dict.fromkeys((".ts", ".mts", ".cts"), _TYPESCRIPT),
            ".tsx": ("tree_sitter_typescript", "language_tsx"),
        },
        built_in="globalThis.",
        nothing="null",
        empty=";",
    ),
    Language.GO: Traits(grammars={".go": ("tree_sitter_go", "language")}, is_compiled=True),
    Language.RUST: Traits(grammars={".rs": ("tree_sitter_rust", "language")}, is_compiled=True),
})  # fmt: skip

_UNPARSED = frozenset({
    ".rb", ".php", ".java", ".kt", ".kts", ".groovy", ".scala", ".clj", ".c", ".h", ".cc",
    ".cpp", ".cxx", ".hpp", ".m", ".mm", ".cs", ".fs", ".vb", ".swift", ".dart", ".ex",
    ".exs", ".erl", ".hs", ".ml", ".lua", ".pl", ".pm", ".r", ".jl", ".nim", ".zig",
    ".sh", ".bash", ".zsh", ".fish", ".ps1", ".vue", ".svelte",
})  # fmt: skip
"""Ends of the names of programs."""


def is_unparsed_program(path: str) -> bool:
    """Whether a file is a program of a language that no grammar reads here, by the end of its name."""
    return PurePosixPath(path).suffix.lower() in _UNPARSED
