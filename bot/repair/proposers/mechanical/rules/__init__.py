"""Repairs for what tools only report: each rule answers diagnostics by the tool's code or message."""
