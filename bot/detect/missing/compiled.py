"""What Go and Rust projects miss, by their tools' own advice."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.detect.missing.remedy import Remedy
from bot.detect.missing.symptoms import Symptoms
from bot.detect.tree import Tree
from bot.reporting.reasons import healing

_GO_ADVICE = re.compile(
    r"(?:missing go\.sum entry|no required module provides package|updates to go\.(?:mod|sum) needed)"
    r"[^\n]*(?:\n[^\n]*){0,2}?\s(?P<command>go (?:get|mod (?:download|tidy))[^\n;]*)"
)
_GO_VERSION = re.compile(r"go\.(?:mod|work)[^\n]* requires go >= (?P<version>[\d.]+) \(running go")
_CARGO_SUBCOMMAND = re.compile(r"error: no such (?:sub)?command: `(?P<name>[\w-]+)`")
_RUST_VERSION = re.compile(
    r"(?:requires|package `[^`]+` cannot be built because it requires) rustc (?P<version>[\d.]+)"
)
_SAFE = re.compile(r"go [\w./@ -]+")


def compiled_languages(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield what `go` and `cargo` say that should be done."""
    if tree.exists("go.mod"):
        advice = _GO_ADVICE.search(symptoms.output)
        if advice and _SAFE.fullmatch(command := advice["command"].strip()):
            yield Remedy("go.sum", healing.advised("go", command), (command,))
        if version := _GO_VERSION.search(symptoms.output):
            why = healing.newer_toolchain("Go", version["version"])
            download = f"GOTOOLCHAIN=go{version['version']} go version"
            chosen = (("GOTOOLCHAIN", f"go{version['version']}"),)
            yield Remedy("newer Go", why, (download,), variables=chosen)
    if tree.exists("Cargo.toml"):
        if command := _CARGO_SUBCOMMAND.search(symptoms.output):
            name = f"cargo-{command['name']}"
            install = f"cargo install --locked {name}"
            yield Remedy(f"program {name}", healing.program_from("crates.io", name), (install,))
        if version := _RUST_VERSION.search(symptoms.output):
            yield Remedy("newer Rust", healing.toolchain_too_old("Rust", version["version"]))
