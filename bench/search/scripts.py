"""Repair small programs of JavaScript without a model, and compare with what they were.

    python -m bench.search.scripts               every fault of scripts.toml, one after the other
    python -m bench.search.scripts cache wrap    those of some programs

*Same* is the program as it was, up to spaces; another text may do the same.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = Path(__file__).with_name("scripts.toml")
_HEAD = """\
const test = require('node:test');
const assert = require('node:assert');
const eq = assert.deepStrictEqual;
const m = require('../lib/{name}.js');
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one fault.

    Attributes:
        verdict: Of `fixpoint fix`.
        patched: Whether it proposed a patch that can be applied.
        same: Whether the program is what it was before the fault.
        tried: Seconds that the attempt took.
    """

    verdict: str
    patched: bool = False
    same: bool = False
    tried: float = 0.0


def repaired(name: str, code: str, tests: str, fault: tuple[str, str]) -> Outcome:
    """Put one fault into a program and run `fixpoint fix` on it."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        source = root / "lib" / f"{name}.js"
        for path, text in {
            source: code.replace(*fault, 1),
            root / "test" / f"{name}.test.js": _HEAD.format(name=name) + tests,
            root / "package.json": json.dumps(
                {"name": name, "version": "1.0.0", "scripts": {"test": "node --test"}}
            ),
        }.items():
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
        git = ("git", "-c", "user.name=bench", "-c", "user.email=bench@localhost", "-C", folder)
        for words in (("init", "--quiet"), ("add", "--all"), ("commit", "--quiet", "-mStart")):
            subprocess.run([*git, *words], check=True)
        command = [sys.executable, "-m", "bot", "fix", folder, "--proposers", "search", "--json"]
        done = subprocess.run(command, check=False, stdout=subprocess.PIPE)
        report = json.loads(done.stdout)
        attempts = report["attempts"]
        seconds = attempts[0]["seconds"] if attempts else 0.0
        if not report["patch"]:
            return Outcome(report["verdict"], tried=seconds)
        subprocess.run([*git, "apply", "-"], input=report["patch"].encode(), check=True)
        same = "".join(source.read_text().split()) == "".join(code.split())
        return Outcome(report["verdict"], patched=True, same=same, tried=seconds)


def main() -> None:
    """Print a line for each fault, and the sums."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("programs", nargs="*", help="names in scripts.toml; all of them if none")
    chosen = parser.parse_args().programs
    outcomes = []
    for name, program in tomllib.loads(PROGRAMS.read_text()).items():
        for n, fault in enumerate(program["faults"] if not chosen or name in chosen else (), 1):
            outcome = repaired(name, program["code"], program["tests"], tuple(fault))
            text = "same" if outcome.same else "another text" if outcome.patched else "no patch"
            print(f"{name} {n}: {outcome.verdict}, {text}, {outcome.tried:.0f} s", flush=True)
            outcomes.append(outcome)
    fixed = [outcome for outcome in outcomes if outcome.verdict == "fixed"]
    patched = [outcome for outcome in outcomes if outcome.patched]
    print(
        f"{len(outcomes)} faults: {len(patched)} with a patch, {sum(o.same for o in patched)} of them the "
        f"same; {len(fixed)} fixed, {sum(o.same for o in fixed)} of them the same; median of the "
        f"attempts {statistics.median(o.tried for o in patched or outcomes):.0f} s"
    )


if __name__ == "__main__":
    main()
