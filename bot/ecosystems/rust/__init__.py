"""Rust: cargo."""
