"""How pytest names its tests."""

from __future__ import annotations


def address(node: str) -> str:
    """Return a node id in the words of the JUnit report (`mangle_test_address` in pytest)."""
    path, bracket, parameters = node.partition("[")
    file, *names = path.split("::")
    module = file.removesuffix(".py").replace("/", ".")
    if not names:
        return module
    return f"{'.'.join([module, *names[:-1]])}::{names[-1]}{bracket}{parameters}"
