"""Decide whether a person asks for changes to tests. Pure."""

from __future__ import annotations

import re

_CHANGE = (
    r"(?:chang|updat|adapt|adjust|correct|rewrit|rewrote|fix|repair|edit|modif|delet|remov|replac"
    r"|renam|refresh|regenerat|relax)\w*"
)
_TESTS = r"(?:tests?|test\s+(?:files?|cases?|suite)|assertions?|expectations?|fixtures?|snapshots?|expected\s+(?:values?|results?|output))"
_ASKED = re.compile(
    rf"\b{_CHANGE}\s+(?:\S+\s+){{0,4}}?{_TESTS}\b|\b{_TESTS}\s+(?:itself|is|are)\s+(?:\S+\s+)?(?:wrong|outdated|incorrect|broken|stale|buggy)\b",
    re.IGNORECASE,
)
_NOT = re.compile(
    rf"\b(?:without|not|never|don'?t|no)\s+(?:\S+\s+){{0,3}}?(?:{_CHANGE}|touch\w*)\s+(?:\S+\s+){{0,4}}?{_TESTS}\b",
    re.IGNORECASE,
)
_FAILING = re.compile(
    r"\b(?:fix|repair)\w*\s+(?:(?:the|this|these|all)\s+)?(?:(?:failing|failed|broken|red|flaky)\s*)?tests?\b",
    re.IGNORECASE,
)
"""What people write when they want the code fixed."""


def asks_for_test_changes(instructions: str) -> bool:
    """Whether trusted text asks that tests be changed, rather than code.

    "Fix the failing test" means the code. Only text of somebody who may write to the repository
    counts: an issue's text is anybody's.
    """
    if _NOT.search(instructions):
        return False
    return _ASKED.search(_FAILING.sub(" ", instructions)) is not None
