"""Convert amounts between units."""

from measures.convert import IncompatibleUnits, UnknownUnit, convert
from measures.table import table

__all__ = ["IncompatibleUnits", "UnknownUnit", "convert", "table"]
