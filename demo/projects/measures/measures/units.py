"""Made from units.toml by tools/generate.py; do not edit."""

UNITS = {
    "metre": ("length", 1.0),
    "kilometre": ("length", 1000.0),
    "mile": ("length", 1609.344),
    "nautical_mile": ("length", 1852.0),
    "gram": ("mass", 1.0),
    "kilogram": ("mass", 1000.0),
    "pound": ("mass", 453.59237),
}
