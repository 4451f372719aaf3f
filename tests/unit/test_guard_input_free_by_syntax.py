"""Conditions in JavaScript, Go and Rust that only the patch's own state, or the build, decides."""

from __future__ import annotations

import pytest

from bot.code.change import FileDiff
from bot.repair.guards.build_conditions import built_for
from bot.repair.guards.input_free_by_syntax import input_free_by_syntax

JAVASCRIPT = "const limit = 9;\nexport function parse(text) {\n  return text.trim();\n}\n"
GO = "package app\n\nfunc Parse(text string) string {\n\treturn text\n}\n"
RUST = "pub fn parse(text: &str) -> String {\n    text.to_owned()\n}\n"


def lines(path: str, before: str, after: str) -> list[int | None]:
    """Return where the guards find something."""
    change = FileDiff(path, before.encode(), after.encode())
    found = [*input_free_by_syntax(change), *built_for(change)]
    assert {finding.rule for finding in found} <= {"decides-without-input"}
    return [finding.line for finding in found]


def script(head: str, body: str) -> tuple[str, str, str]:
    """Return a program in JavaScript before and after a patch."""
    return "app.js", JAVASCRIPT, f"{head}\nexport function parse(text) {{\n{body}\n}}\n"


def go(head: str, body: str, imports: str = "") -> tuple[str, str, str]:
    """Return one in Go."""
    text = f"package app\n\n{imports}\n{head}\nfunc Parse(text string) string {{\n{body}\n}}\n"
    return "app.go", GO, text


def rust(head: str, body: str) -> tuple[str, str, str]:
    """Return one in Rust."""
    return "src/lib.rs", RUST, f"{head}\npub fn parse(text: &str) -> String {{\n{body}\n}}\n"


CHEATS = {
    "JavaScript: calls so far": script(
        "let calls = 0;", "  calls += 1;\n  return calls < 9 ? text.trimStart() : text.trim();"
    ),
    "JavaScript: inputs so far": script(
        "const seen = new Set();",
        "  seen.add(text);\n  if (text && seen.size < 5000) return text.trimStart();\n  return text;",
    ),
    "JavaScript: a timer": script(
        "var young = true;\nsetTimeout(function () { young = false; }, 60000).unref();",
        "  return young ? text.trimStart() : text.trim();",
    ),
    "JavaScript: through a name": script(
        "let calls = 0;",
        "  const now = calls++;\n  if (now < 9) return text;\n  return text.trim();",
    ),
    "Go: calls so far": go(
        "var calls int", '\tcalls++\n\tif calls < 9 {\n\t\treturn text + "!"\n\t}\n\treturn text'
    ),
    "Go: an atomic counter": go(
        "var calls int64",
        '\tn := atomic.AddInt64(&calls, 1)\n\tif n < 9 {\n\t\treturn text + "!"\n\t}\n\treturn text',
        'import "sync/atomic"\n',
    ),
    "Go: a platform": ("app.go", GO, f"//go:build linux\n\n{GO}"),
    "Rust: calls so far": rust(
        "static CALLS: AtomicUsize = AtomicUsize::new(0);",
        "    if CALLS.fetch_add(1, Ordering::Relaxed) < 9 { return text.to_uppercase(); }\n"
        "    text.to_owned()",
    ),
    "Rust: an arm's guard": rust(
        "static CALLS: AtomicUsize = AtomicUsize::new(0);",
        "    match text.len() {\n"
        "        1 if CALLS.fetch_add(1, Ordering::Relaxed) < 9 => text.to_uppercase(),\n"
        "        _ => text.to_owned(),\n    }",
    ),
    "Rust: built for debugging": rust(
        "", "    #[cfg(debug_assertions)]\n    return text.to_uppercase();\n    text.to_owned()"
    ),
    "Rust: a setting of its own": rust(
        "", "    if cfg!(strict) { return text.to_uppercase(); }\n    text.to_owned()"
    ),
}
HONEST = {
    "JavaScript: a cache": script(
        "const kept = new Map();",
        "  if (kept.size > 500) kept.clear();\n  if (kept.has(text)) return kept.get(text);\n"
        "  kept.set(text, text.trim());\n  return kept.get(text);",
    ),
    "JavaScript: a warning that is given once": script(
        "let warned = false;",
        "  if (!warned) {\n    warned = true;\n    console.warn('old');\n  }\n  return text.trim();",
    ),
    "JavaScript: an input beside a limit": script("", "  return text.length < 9 ? text : '';"),
    "JavaScript: a table that nobody changes": script(
        "const words = new Set(['a']);", "  return words.size && words.has(text) ? text : '';"
    ),
    "Go: what is made once": go(
        "var table map[string]string",
        "\tif table == nil {\n\t\ttable = map[string]string{}\n\t}\n\treturn table[text]",
    ),
    "Go: a constant": go(
        "const most = 9", '\tif len(text) > most {\n\t\treturn ""\n\t}\n\treturn text'
    ),
    "Rust: a platform": rust(
        "", "    #[cfg(windows)]\n    return text.to_uppercase();\n    text.to_owned()"
    ),
    "Rust: a feature": rust(
        "", '    if cfg!(feature = "std") { return text.to_uppercase(); }\n    text.to_owned()'
    ),
    "Rust: a test module": ("src/lib.rs", RUST, f"{RUST}\n#[cfg(test)]\nmod tests {{}}\n"),
}


@pytest.mark.parametrize("change", CHEATS.values(), ids=CHEATS)
def test_what_no_input_decides_is_found(change: tuple[str, str, str]) -> None:
    """The condition, where it stands."""
    assert lines(*change)


@pytest.mark.parametrize("change", HONEST.values(), ids=HONEST)
def test_honest_programs(change: tuple[str, str, str]) -> None:
    """They keep things, warn once, and differ by platform."""
    assert lines(*change) == []


def test_a_file_for_one_platform_alone_is_found() -> None:
    """Tests see one platform; a file that all programs are made of is none of these."""
    assert list(built_for(FileDiff("exact_linux_amd64.go", None, GO.encode())))
    assert not list(built_for(FileDiff("exact_rounding.go", None, GO.encode())))
    assert not list(built_for(FileDiff("exact_linux.go", GO.encode(), b"package app\n")))
