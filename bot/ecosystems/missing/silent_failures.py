"""Notice tests that tell of failures and exit as if there were none, and let the exit status tell."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.ecosystems.remedy import Remedy, Symptoms
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import setup_repair

_TESTS = r"((tests?|checks?|assertions?|specs?|cases?) )?"
_OF = rf"(^|[^0-9])[0-9]+ of [0-9]+ {_TESTS}passed"
_PARTS = (
    rf"(^|[^0-9])[0-9]+ {_TESTS}passed, [1-9][0-9]* {_TESTS}failed"
    r"|passed: *[0-9]+,? +failed: *[1-9]"
)
"""How runners that a project made itself count, for Python and for awk, in lower case."""

_LONGEST = 100
"""Characters of a line that is quoted."""

JUDGE = f"""awk '{{ line = tolower($0) }} \
match(line, /{_OF}/) {{ split(substr(line, RSTART), n, /[^0-9]+/); at = n[1] == "" ? 2 : 1; if (n[at] + 0 != n[at + 1] + 0) bad = 1 }} \
line ~ /{_PARTS}/ {{ bad = 1 }} {{ print }} END {{ exit bad }}'"""


def silent_failures(symptoms: Symptoms, _: Tree) -> Iterator[Remedy]:
    """Yield the way to make the exit status follow what a command counts, where it does not."""
    counted = next((line for line in symptoms.counted.split("\n") if _tells(line)), None)
    if counted is not None:
        why = setup_repair.exit_status_silent(counted.strip()[:_LONGEST])
        yield Remedy("exit status", why, judge=JUDGE)


def _tells(line: str) -> bool:
    """Whether a line counts tests and says that some failed."""
    lower = line.lower()
    if (found := re.search(_OF, lower)) is not None:
        passed, total = re.findall(r"[0-9]+", found[0])
        return int(passed) != int(total)
    return re.search(_PARTS, lower) is not None
