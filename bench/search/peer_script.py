"""Run fixkit as its README does; the environment is fixkit's, not ours.

python peer_script.py PROJECT SOURCE TESTS OUT
"""

from __future__ import annotations

import random
import sys
from pathlib import Path
from typing import Any


def main() -> int:
    """Return 0 and leave the patched tree in OUT/patch when a repair passes every test."""
    from fixkit.localization.coverage import CoverageLocalization  # type: ignore[import-not-found]
    from fixkit.repair.patch import get_patch  # type: ignore[import-not-found]
    from fixkit.repair.pygenprog import PyGenProg  # type: ignore[import-not-found]

    project, source, tests, out = sys.argv[1:]
    random.seed(0)
    here = Path(project)
    others = [str(file.relative_to(here)) for file in here.rglob("*.py")]
    others.remove(source)
    repair: Any = PyGenProg.from_source(
        src=project,
        excludes=others,
        localization=CoverageLocalization(
            project, cov=source.removesuffix(".py").replace("/", "."), metric="Ochiai",
            tests=[tests], out=out,
        ),
        population_size=40,
        max_generations=10,
        w_mut=0.06,
        workers=2,
        out=out,
    )  # fmt: skip
    best = max(repair.repair(), key=lambda candidate: candidate.fitness)
    get_patch(best, out=out)
    return 0 if best.fitness >= 1 else 1


if __name__ == "__main__":
    sys.exit(main())
