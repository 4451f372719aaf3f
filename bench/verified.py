"""Read what `fixpoint verify --json` printed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.model import Acceptance


def acceptance_of(told: Mapping[str, Any]) -> Acceptance:
    """Return whether the patch can be used: `true`, `false` or `"after_approval"` in the JSON."""
    match told["accepted"]:
        case True:
            return Acceptance.YES
        case False:
            return Acceptance.NO
        case other:
            return Acceptance(other.replace("_", " "))
