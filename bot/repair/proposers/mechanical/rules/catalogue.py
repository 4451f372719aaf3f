"""All rules, in the order in which they are asked about a diagnostic."""

from __future__ import annotations

from bot.repair.proposers.mechanical.rules import (
    arguments,
    docstrings,
    layout,
    long_lines,
    missing_imports,
    needless,
    packages,
    quotes,
    return_annotations,
    script_types,
    script_unused,
    spelling,
    syntax_errors,
    type_annotations,
    unknown_names,
    unused,
)
from bot.repair.proposers.mechanical.rules.rule import Rule

RULES: tuple[Rule, ...] = (
    *syntax_errors.RULES,
    *missing_imports.RULES,
    *arguments.RULES,
    *unknown_names.RULES,
    *type_annotations.RULES,
    *return_annotations.RULES,
    *script_types.RULES,
    *packages.RULES,
    *unused.RULES,
    *script_unused.RULES,
    *needless.RULES,
    *spelling.RULES,
    *quotes.RULES,
    *docstrings.RULES,
    *layout.RULES,
    *long_lines.RULES,
)
"""What can be read at all comes first, then what names mean, what lines look like last."""
