"""Rust: cargo."""

from __future__ import annotations

from bot.ecosystems.base import Ecosystem, Looks, Runner, manager_by_file, subcommand
from bot.ecosystems.rust.detect import find
from bot.ecosystems.rust.missing import missing_of_cargo
from bot.ecosystems.rust.select import cargo_test

RUST = Ecosystem(
    name="rust",
    sought="Cargo.toml",
    detect=find,
    marks=("Cargo.toml",),
    hosts=("crates.io", "index.crates.io", "static.crates.io", "static.rust-lang.org"),
    manager=manager_by_file({"Cargo.toml": "cargo"}),
    toolchains={"cargo": "Rust", "rustc": "Rust"},
    looks=Looks(setup=(missing_of_cargo,), tests=(missing_of_cargo,)),
    compiled_by_tests=frozenset({".rs"}),
    runners=(Runner("cargo", select=cargo_test, runs_tests=subcommand("test")),),
)
