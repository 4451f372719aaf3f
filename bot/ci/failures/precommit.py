"""pre-commit's own lines: which hook failed, and whether it changed files.

Failures of a hook that says where (flake8, mypy, ...) are read by that tool's parser; this one
speaks for hooks that say nothing but "files were modified".
"""

from __future__ import annotations

import re

from bot.ci.failures.reading import Reading, failure
from bot.reporting.reasons import job_logs

_HOOK = re.compile(
    r"^(?P<name>\S.*?)\.{3,}(?:\(.*\))?Failed\n- hook id: (?P<id>\S+)\n(?P<facts>(?:- [^\n]*\n)*)",
    re.MULTILINE,
)
_NEXT = re.compile(r"^\S.*\.{3,}(?:\(.*\))?(?:Passed|Failed|Skipped)$", re.MULTILINE)


def parse(text: str) -> Reading | None:
    """Return one failure per failed hook."""
    matches = list(_HOOK.finditer(text))
    if not matches:
        return None
    failing = []
    for match in matches:
        after = _NEXT.search(text, match.end())
        account = text[match.end() : after.start() if after else len(text)].strip("\n")
        modified = "files were modified by this hook" in match["facts"]
        why = job_logs.hook_modified_files() if modified else account.split("\n")[0]
        failing.append(failure(f"pre-commit: {match['id']}", why, detail=account))
    return Reading(tuple(failing), start=matches[0].start())
