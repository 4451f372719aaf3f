"""pre-commit's own lines: which hook failed, and whether it changed files.

Failures of a hook that says where (flake8, mypy, ...) are read by that tool's parser; this one
speaks for hooks that say nothing but "files were modified".
"""

from __future__ import annotations

import re

from bot.ci.failures.base import Reading, failure
from bot.ci.failures.console import most_telling
from bot.model import Failure
from bot.reporting.reasons import job_target

_STATUS = re.compile(r"^(?P<label>\S.*)(?P<status>Passed|Failed|Skipped)$", re.MULTILINE)
_ABOUT = re.compile(r"\n- hook id: (?P<id>\S+)\n(?P<facts>(?:- [^\n]*\n)*)")


def parse(text: str) -> Reading | None:
    """Return one failure per failed hook."""
    lines = [match for match in _STATUS.finditer(text) if _is_dotted(match["label"])]
    ends = [*(match.start() for match in lines[1:]), len(text)]
    failing: list[Failure] = []
    start = 0
    for match, end in zip(lines, ends, strict=False):
        about = _ABOUT.match(text, match.end())
        if match["status"] == "Failed" and about:
            start = start if failing else match.start()
            failing.append(_failure(about, text[about.end() : end].strip("\n")))
    return Reading(tuple(failing), start=start) if failing else None


def _is_dotted(label: str) -> bool:
    """Whether a hook's name ends with the dots that lead to its status, and perhaps a reason."""
    return label.endswith("...") or (label.endswith(")") and "...(" in label)


def _failure(about: re.Match[str], account: str) -> Failure:
    modified = "files were modified by this hook" in about["facts"]
    name = f"pre-commit: {about['id']}"
    # a hook that crashes prints what it always does before it says why
    (told,) = most_telling(account, name).failing
    return failure(
        name, job_target.HOOK_MODIFIED_FILES if modified else told.message, detail=account
    )
