"""Write measures/units.py from units.toml; with --check, only say whether it is up to date."""

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "units.toml"
TARGET = ROOT / "measures" / "units.py"


def generated() -> str:
    """Return what measures/units.py must hold."""
    kinds = tomllib.loads(SOURCE.read_text(encoding="utf-8"))
    lines = ['"""Made from units.toml by tools/generate.py; do not edit."""', "", "UNITS = {"]
    for kind, units in kinds.items():
        lines += [f'    "{name}": ("{kind}", {factor!r}),' for name, factor in units.items()]
    return "\n".join([*lines, "}"]) + "\n"


def main() -> int:
    """Write or check; return the exit status."""
    if "--check" not in sys.argv[1:]:
        TARGET.write_text(generated(), encoding="utf-8")
        return 0
    if TARGET.read_text(encoding="utf-8") == generated():
        return 0
    print("measures/units.py is stale: run `python tools/generate.py`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
