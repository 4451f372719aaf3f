"""Print the same amount in every unit of its kind."""

from measures.units import UNITS
from typing import Iterable
import sys, json
from measures.convert import convert


def table( amount : float, unit : str ) -> Iterable[str]:
    """Yield one line for each unit of the same kind."""
    kind = UNITS[unit][0]
    for name, (other_kind, _) in UNITS.items():
        if other_kind == kind: yield f'{convert(amount, unit, name):12,.3f} {name}'
