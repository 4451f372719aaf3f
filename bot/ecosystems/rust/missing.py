"""What Rust projects miss, by cargo's own words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.ecosystems.remedy import Remedy, Symptoms
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import setup_repair

_CARGO_SUBCOMMAND = re.compile(r"error: no such (?:sub)?command: `(?P<name>[\w-]+)`")
_RUST_VERSION = re.compile(
    r"(?:requires|package `[^`]+` cannot be built because it requires) rustc (?P<version>[\d.]+)"
)


def missing_of_cargo(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield the subcommand or the toolchain that cargo lacks."""
    if not tree.exists("Cargo.toml"):
        return
    if command := _CARGO_SUBCOMMAND.search(symptoms.output):
        name = f"cargo-{command['name']}"
        install = f"cargo install --locked {name}"
        yield Remedy(f"program {name}", setup_repair.program_from("crates.io", name), (install,))
    if version := _RUST_VERSION.search(symptoms.output):
        yield Remedy("newer Rust", setup_repair.toolchain_too_old("Rust", version["version"]))
