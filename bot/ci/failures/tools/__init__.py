"""Linters, formatters and compilers: what they find, and where."""
