"""Run real tools on small hard projects, read what they print, and compare with their own reports.

python -m bench.outputs run --tools FOLDER --out FILE [--only TOOL]
python -m bench.outputs compare FILE ... [--around NAME]
python -m bench.outputs keep FILE ... --into tests/payloads/outputs
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from bench.outputs import compiled_tools, javascript_tools, linter_tools, python_tools
from bench.outputs.comparison import disagreements, is_told
from bench.outputs.recording import read
from bench.outputs.surroundings import SURROUNDINGS

TOOLS = {
    "jest": javascript_tools.jest,
    "vitest": javascript_tools.vitest,
    "mocha": javascript_tools.mocha,
    "node": javascript_tools.node,
    "tap": javascript_tools.tap,
    "pytest": python_tools.pytest,
    "unittest": python_tools.unittest,
    "go": compiled_tools.go,
    "rust": compiled_tools.cargo,
    "nextest": compiled_tools.nextest,
    "surefire": compiled_tools.surefire,
    "eslint": linter_tools.eslint,
    "tsc": linter_tools.tsc,
    "ruff": linter_tools.ruff,
    "mypy": linter_tools.mypy,
    "flake8": linter_tools.flake8,
}

_LONGEST = 6_000
"""Characters of an output that is kept for unit tests."""


def _run(folder: Path, out: Path, only: str) -> None:
    with out.open("w", encoding="utf-8") as target:
        for home in sorted(folder.iterdir()):
            tool, _, version = home.name.partition("-")
            if tool in TOOLS and (not only or f"{home.name}-".startswith(f"{only}-")):
                number = 0
                for recording in TOOLS[tool](home, version):
                    number += 1
                    target.write(f"{recording.written()}\n")
                print(home.name, number, flush=True)


def _compare(files: list[Path], most: int, around: str) -> None:
    total, wrong, untold = Counter[str](), Counter[str](), Counter[str]()
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            recording = read(line)
            if not is_told(recording):
                untold[recording.tool] += 1
                continue
            total[recording.tool] += 1
            shown = SURROUNDINGS[around](recording.output)
            found = list(disagreements(recording, shown))
            if found:
                wrong[recording.tool] += 1
                if sum(wrong.values()) <= most:
                    print(
                        recording.tool,
                        recording.version,
                        recording.kind,
                        recording.form,
                        "|",
                        *found,
                    )
    for tool in total:
        print(
            f"{tool}: {wrong[tool]} of {total[tool]} recordings are read otherwise; {untold[tool]} do not tell"
        )


def _keep(files: list[Path], folder: Path) -> None:
    """Write one recording of each tool, version and kind for the unit tests, its form by turns."""
    kept: dict[tuple[str, str, str], list[str]] = {}
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            each = read(line)
            if is_told(each) and len(each.output) <= _LONGEST:
                key = (each.tool, each.version, each.kind)
                kept.setdefault(key, []).append(line)
    tools: dict[str, list[str]] = {}
    for n, ((tool, _, _), lines) in enumerate(sorted(kept.items())):
        tools.setdefault(tool, []).append(lines[n % len(lines)])
    for tool, lines in tools.items():
        (folder / f"{tool}.jsonl").write_text(
            "".join(f"{line}\n" for line in lines), encoding="utf-8"
        )


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(prog="bench.outputs")
    actions = parser.add_subparsers(dest="action", required=True)
    run = actions.add_parser("run")
    run.add_argument("--tools", type=Path, required=True)
    run.add_argument("--out", type=Path, required=True)
    run.add_argument("--only", default="")
    keep = actions.add_parser("keep")
    keep.add_argument("files", type=Path, nargs="+")
    keep.add_argument("--into", type=Path, required=True)
    compare = actions.add_parser("compare")
    compare.add_argument("files", type=Path, nargs="+")
    compare.add_argument("--around", choices=SURROUNDINGS, default="alone")
    compare.add_argument("--most", type=int, default=40)
    options = parser.parse_args()
    if options.action == "run":
        _run(options.tools, options.out, options.only)
    elif options.action == "keep":
        _keep(options.files, options.into)
    else:
        _compare(options.files, options.most, options.around)


if __name__ == "__main__":
    main()
