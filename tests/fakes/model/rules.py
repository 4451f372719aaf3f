"""The rules that both APIs share, and how a breach is answered."""

from __future__ import annotations

from collections.abc import Collection
from typing import NoReturn


class Breach(Exception):
    """The request breaks a rule of the API; the text is what the API would say."""

    def __init__(self, message: str, *, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


def demand(condition: object, message: str) -> None:
    """Raise `Breach` unless the condition holds."""
    if not condition:
        refuse(message)


def refuse(message: str) -> NoReturn:
    """Raise `Breach`."""
    raise Breach(message)


def demand_results(where: str, called: Collection[str], answered: Collection[str]) -> None:
    """Demand that exactly the called tools have results."""
    missing = [call for call in called if call not in answered]
    demand(not missing, f"{where}: `tool_use` ids without `tool_result`: {', '.join(missing)}")
    strange = [call for call in answered if call not in called]
    demand(not strange, f"{where}: `tool_result` for unknown `tool_use`: {', '.join(strange)}")
    demand(len(set(answered)) == len(answered), f"{where}: several results for one call")
