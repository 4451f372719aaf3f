"""What TypeScript's own message spells out: modifiers, type imports, extensions, needless directives."""

from __future__ import annotations

import re

from bot.code.syntax import line_of, text_of, walk
from bot.repair.proposers.mechanical.rules.rule import Example, Repair, Reported, Rule
from bot.repair.proposers.mechanical.rules.script import script_of
from bot.reporting.reasons import mechanical

_SUFFIXES = (".ts", ".tsx", ".mts", ".cts")
_TYPE_ONLY = re.compile(
    r"^'(?P<name>[\w$]+)' is a type and must be imported using a type-only import"
)
_OVERRIDE = re.compile(r"^This member must have an 'override' modifier")
_EXTENSION = re.compile(
    r"^Relative import paths need explicit file extensions .*Did you mean '(?P<path>[^'\n]+)'\?"
)
_DIRECTIVE = re.compile(r"^Unused '@ts-expect-error' directive")
_COMMENT = re.compile(r"^\s*(?://\s*@ts-expect-error\b.*|/\*\s*@ts-expect-error\b[^*]*\*/\s*)$")
_MEMBERS = frozenset({"method_definition", "public_field_definition"})
_BEFORE_OVERRIDE = frozenset({"accessibility_modifier", "static", "declare"})


def _type_only(reported: Reported) -> Repair | None:
    """Import a type as one, where the compiler takes no other import of it."""
    match = _TYPE_ONLY.search(reported.diagnostic.message)
    script = script_of(reported.source)
    if match is None or script is None:
        return None
    name = match["name"]
    for node in script.names(reported.line, reported.diagnostic.column, name):
        above = node.parent
        if above is None or above.type not in {"import_specifier", "export_specifier"}:
            continue
        at = above.start_byte
        return Repair(script.without(at, at, "type "), mechanical.imported_as_type(name))
    return None


def _override(reported: Reported) -> Repair | None:
    """Mark a member that overrides another one."""
    script = script_of(reported.source)
    if script is None:
        return None
    for node in walk(script.root):
        name = node.child_by_field_name("name") if node.type in _MEMBERS else None
        if name is None or line_of(name) != reported.line:
            continue
        behind = [
            child for child in node.children if child.type in {*_BEFORE_OVERRIDE, "decorator"}
        ]
        first = node.children[len(behind)] if node.children[: len(behind)] == behind else None
        if first is None or first.type == "override_modifier":
            return None
        text = script.without(first.start_byte, first.start_byte, "override ")
        return Repair(text, mechanical.marked_override(text_of(name)))
    return None


def _extension(reported: Reported) -> Repair | None:
    """Write the path of an import as the compiler says."""
    match = _EXTENSION.search(reported.diagnostic.message)
    script = script_of(reported.source)
    if match is None or script is None:
        return None
    wanted = match["path"]
    for node in walk(script.root):
        path = text_of(node)
        if node.type == "string_fragment" and line_of(node) <= reported.line + 20:
            on_line = line_of(node) >= reported.line
            if on_line and wanted.startswith(path) and path.startswith("."):
                text = script.without(node.start_byte, node.end_byte, wanted)
                return Repair(text, mechanical.import_path_completed(path, wanted))
    return None


def _directive(reported: Reported) -> Repair | None:
    """Take out a directive that expects an error where there is none."""
    source = reported.source
    if _COMMENT.match(source.line(reported.line)) is None:
        return None
    text = source.without_lines(reported.line, reported.line)
    return Repair(text, mechanical.UNUSED_DIRECTIVE_REMOVED)


RULES = (
    Rule(
        "type that is imported as a value",
        frozenset({"TS1484", "TS1205"}),
        _TYPE_ONLY,
        _type_only,
        Example(
            "import { load, Options } from './load.js';\n",
            1,
            "TS1484",
            "'Options' is a type and must be imported using a type-only import when "
            "'verbatimModuleSyntax' is enabled.",
            "import { load, type Options } from './load.js';\n",
            path="src/main.ts",
            column=16,
        ),
        suffixes=_SUFFIXES,
    ),
    Rule(
        "missing override",
        frozenset({"TS4114"}),
        _OVERRIDE,
        _override,
        Example(
            "class Song extends Track {\n  protected async play() {}\n}\n",
            2,
            "TS4114",
            "This member must have an 'override' modifier because it overrides a member in the "
            "base class 'Track'.",
            "class Song extends Track {\n  protected override async play() {}\n}\n",
            path="src/song.ts",
            column=19,
        ),
        suffixes=_SUFFIXES,
    ),
    Rule(
        "import without its file's extension",
        frozenset({"TS2835"}),
        _EXTENSION,
        _extension,
        Example(
            "import { load } from './load';\n",
            1,
            "TS2835",
            "Relative import paths need explicit file extensions in ECMAScript imports when "
            "'--moduleResolution' is 'node16' or 'nodenext'. Did you mean './load.js'?",
            "import { load } from './load.js';\n",
            path="src/main.ts",
            column=22,
        ),
        suffixes=_SUFFIXES,
    ),
    Rule(
        "directive that expects no error",
        frozenset({"TS2578"}),
        _DIRECTIVE,
        _directive,
        Example(
            "// @ts-expect-error: no types yet\nstart();\n",
            1,
            "TS2578",
            "Unused '@ts-expect-error' directive.",
            "start();\n",
            path="src/main.ts",
            column=1,
        ),
        suffixes=_SUFFIXES,
    ),
)
