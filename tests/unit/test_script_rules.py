"""Rules for JavaScript and TypeScript: what they take out, what they leave alone, from tools' own output."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.ci.failures import registry
from bot.repair.proposers.mechanical.rules import application
from bot.repair.proposers.mechanical.rules.project import ProjectNames

OUTPUTS = Path(__file__).parent.parent / "payloads" / "console"


def repaired(text: str, output: str, *, path: str = "src/a.ts") -> str | None:
    """Return a file as the rules leave it after a tool's output, None where they leave it alone."""
    found = application.answered(registry.reported(output))
    return application.repaired(found, {path: text}, ProjectNames()).texts.get(path)


def eslint(*problems: str, path: str = "src/a.ts") -> str:
    """Return what eslint prints about a file."""
    lines = "\n".join(f"  {problem}" for problem in problems)
    return f"/workspace/{path}\n{lines}\n\n✖ {len(problems)} problems ({len(problems)} errors, 0 warnings)\n"


def unused(place: str, name: str, more: str = "") -> str:
    """Return eslint's line about a name."""
    return f"{place}  error  '{name}' is defined but never used{more}  @typescript-eslint/no-unused-vars"


IMPORTS = [
    ("import a, { b } from 'x';\nb();\n", "1:8", "a", "import { b } from 'x';\nb();\n"),
    ("import a, { b } from 'x';\na();\n", "1:13", "b", "import a from 'x';\na();\n"),
    ("import a, * as b from 'x';\na();\n", "1:16", "b", "import a from 'x';\na();\n"),
    ("import { b as c, d } from 'x';\nd();\n", "1:15", "c", "import { d } from 'x';\nd();\n"),
    ("import {\n  a,\n  b,\n} from 'x';\na();\n", "3:3", "b", "import {\n  a,\n} from 'x';\na();\n"),
    ("import {\n  a,\n  b\n} from 'x';\nb();\n", "2:3", "a", "import {\n  b\n} from 'x';\nb();\n"),
    ("import type { A } from 'x';\n\nstart();\n", "1:15", "A", "start();\n"),
    ("start();\nimport './y';\nimport a from 'x';\n", "3:8", "a", "start();\nimport './y';\n"),
    ("import x = require('x');\nstart();\n", "1:8", "x", "start();\n"),
    ("// é\nimport { é, b } from 'x';\nb();\n", "2:10", "é", "// é\nimport { b } from 'x';\nb();\n"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "place", "name", "after"), IMPORTS)
def test_imports(text: str, place: str, name: str, after: str) -> None:
    """A name goes with its comma, the last one with the whole statement; every other byte stays."""
    assert repaired(text, eslint(unused(place, name))) == after


VARIABLES = [
    ("const a = 1, b = 2;\nuse(b);\n", "1:7", "a", "const b = 2;\nuse(b);\n"),
    ("const a = await load();\n", "1:7", "a", "await load();\n"),
    ("const a = { b: [1, () => load()] };\nuse();\n", "1:7", "a", "use();\n"),
    ("const fs = require('fs');\n\nuse();\n", "1:7", "fs", "use();\n"),
    ("const { a, b } = load();\nuse(b);\n", "1:9", "a", "const { b } = load();\nuse(b);\n"),
    ("const { a: b } = load();\n", "1:12", "b", "load();\n"),
    ("const [a, set] = state();\nuse(a);\n", "1:11", "set", "const [a] = state();\nuse(a);\n"),
    ("const [a, set] = state();\nset(1);\n", "1:8", "a", "const [, set] = state();\nset(1);\n"),
    ("run(async (n: number) => true);\n", "1:12", "n", "run(async () => true);\n"),
    ("run((a, n) => a);\n", "1:9", "n", "run((a) => a);\n"),
    ("run(n => 1);\n", "1:5", "n", "run(() => 1);\n"),
]


@pytest.mark.parametrize(("text", "place", "name", "after"), VARIABLES)
def test_variables(text: str, place: str, name: str, after: str) -> None:
    """What a value does stays; what is only kept goes; a last parameter goes with its type."""
    assert repaired(text, eslint(unused(place, name))) == after


LEFT_ALONE = [
    ("const { a, ...rest } = load();\nuse(rest);\n", "1:9", "a"),  # rest would have it
    ("let a = 1;\na = load();\n", "1:5", "a"),  # it is written again
    ("const a = [load()][0];\n", "1:7", "a"),  # would continue the line above
    ("for (const a of all) {\n  use();\n}\n", "1:12", "a"),
    ("function a() {}\n", "1:10", "a"),
    ("type A = string;\n", "1:6", "A"),
    ("run((n, a) => a);\n", "1:6", "n"),  # others would move
    ("class A {\n  constructor(private a: string) {}\n}\n", "2:23", "a"),
]


@pytest.mark.parametrize(("text", "place", "name"), LEFT_ALONE)
def test_what_is_left_alone(text: str, place: str, name: str) -> None:
    """Nothing is taken out where that would change what the rest means."""
    assert repaired(text, eslint(unused(place, name))) is None


def test_parameters_are_marked_where_that_is_the_custom() -> None:
    """Eslint's pattern, tsc and oxlint say so."""
    text = "run((n, a) => a);\n"
    marked = "run((_n, a) => a);\n"
    said = eslint(unused("1:6", "n", ". Allowed unused args must match /^_/u"))
    assert repaired(text, said) == marked
    tsc = "src/a.ts(1,6): error TS6133: 'n' is declared but its value is never read.\n"
    assert repaired(text, tsc) == marked


def test_all_of_an_import() -> None:
    """Tsc names the statement's first line only."""
    text = "import {\n  a,\n  b,\n} from 'x';\nimport c from 'y';\nuse();\n"
    tsc = (
        "src/a.ts(1,1): error TS6192: All imports in import declaration are unused.\n"
        "src/a.ts(5,1): error TS6133: 'c' is declared but its value is never read.\n"
    )
    assert repaired(text, tsc) == "use();\n"


def test_several_on_a_line() -> None:
    """Columns of later ones no longer hold; names do."""
    text = "import { a, b, c } from 'x';\nb();\n"
    said = eslint(unused("1:10", "a"), unused("1:16", "c"))
    assert repaired(text, said) == "import { b } from 'x';\nb();\n"


LINTED = """\
import { join, resolve } from 'node:path';
import fs from 'node:fs';
export const at = (a: string, b: string) => {
  const found = join(a);
  return 1;
};
"""
CLEAN = """\
import { join } from 'node:path';
export const at = (a: string, _b: string) => {
  join(a);
  return 1;
};
"""


@pytest.mark.parametrize("tool", ["biome", "oxlint"])
def test_other_linters(tool: str) -> None:
    """Biome names no imports, so that its column counts; oxlint has its own words."""
    assert repaired(LINTED, (OUTPUTS / f"{tool}.txt").read_text("utf-8")) == CLEAN


SUGGESTED = [
    ("error TS2552: Cannot find name 'heigth'. Did you mean 'height'?", "use(heigth);\n", "use(height);\n"),
    (
        "error TS2551: Property 'titel' does not exist on type 'Song'. Did you mean 'title'?",
        "song.titel;\n",
        "song.title;\n",
    ),
    (
        "error TS2561: Object literal may only specify known properties, but 'colour' does not exist in type 'Style'. Did you mean to write 'color'?",
        "const s: Style = { colour: 1 };\n",
        "const s: Style = { color: 1 };\n",
    ),
    (
        "error TS2724: '\"./load\"' has no exported member named 'lod'. Did you mean 'load'?",
        "import { lod } from './load';\n",
        "import { load } from './load';\n",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("said", "text", "after"), SUGGESTED)
def test_what_tsc_suggests(said: str, text: str, after: str) -> None:
    """The compiler's own suggestion replaces the name that it does not know."""
    assert repaired(text, f"src/a.ts(1,1): {said}\n") == after


def test_members_that_override() -> None:
    """The modifier stands behind those of access, before `async` and the name; once only."""
    said = "src/a.ts(2,3): error TS4114: This member must have an 'override' modifier because it overrides a member in the base class 'B'.\n"
    for before, after in (
        ("play() {}", "override play() {}"),
        ("private x = 1;", "private override x = 1;"),
        ("override play() {}", None),
    ):
        text = repaired(f"class A extends B {{\n  {before}\n}}\n", said)
        assert text == (f"class A extends B {{\n  {after}\n}}\n" if after else None)
