"""Name requests, so that they are found in the log; a name that came along is kept."""

from __future__ import annotations

import os
import re

_SANE = re.compile(r"[A-Za-z0-9._:-]{1,64}", re.ASCII)


def request_id(given: str) -> str:
    """Return the name that a client gave, if it can be in a log and a header, or a new one."""
    return given if _SANE.fullmatch(given) else os.urandom(8).hex()
