"""Read what steps write to `GITHUB_OUTPUT` and `GITHUB_ENV`.

Source: https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

import re

_BLOCK = re.compile(r"(?P<name>[^=]*?)<<(?P<end>.+)")


def pairs(text: str) -> dict[str, str]:
    """Return the values by name: `name=value` lines, and `name<<END` with lines up to `END`.

    A line that is neither is left out; a block without its end goes to the end of the text.
    """
    found: dict[str, str] = {}
    lines = iter(text.replace("\r\n", "\n").removesuffix("\n").split("\n"))
    for line in lines:
        block = _BLOCK.fullmatch(line)
        if block:
            value = []
            for inner in lines:
                if inner == block["end"]:
                    break
                value.append(inner)
            found[block["name"]] = "\n".join(value)
        elif "=" in line:
            name, _, rest = line.partition("=")
            found[name] = rest
    return found
