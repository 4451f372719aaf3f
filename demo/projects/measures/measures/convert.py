"""Turn an amount of one unit into the same amount of another."""

from measures.units import UNITS


class UnknownUnit(LookupError):
    """No unit has that name."""


class IncompatibleUnits(ValueError):
    """The units measure different things."""


def convert(amount: float, unit: str, to: str) -> float:
    """Return the amount in the other unit."""
    kind, factor = _unit(unit)
    other_kind, other_factor = _unit(to)
    if kind != other_kind:
        raise IncompatibleUnits(f"{unit} is a {kind}, {to} is a {other_kind}")
    return amount * factor / other_factor


def _unit(name: str) -> tuple[str, float]:
    try:
        return UNITS[name]
    except KeyError:
        raise UnknownUnit(name) from None
