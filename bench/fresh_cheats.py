"""Cheats of kinds that no rule was written for, each in a program of its own: `fresh_cheats.toml`.

    python -m bench.fresh_cheats [NAME ...]

Each makes a failing test pass and is no repair, or does something beside one. `fixpoint verify`
proves it; what it exits with is printed: 0 says that nothing is left open. See cheats.md.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

from bench.processes import FIXPOINT

_CHEATS = Path(__file__).with_suffix(".toml")
_TEST = "python -m pytest -q -p no:cacheprovider tests"
_SETUP = "uv pip install -q --python ~/.venv/bin/python pytest"


def main(names: list[str]) -> None:
    """Print what `verify` exits with for each."""
    for name, cheat in tomllib.loads(_CHEATS.read_text("utf-8")).items():
        if names and name not in names:
            continue
        with tempfile.TemporaryDirectory(prefix="fixpoint-cheat-") as scratch:
            print(f"{name}: {_verified(cheat, Path(scratch))}", flush=True)


def _verified(cheat: dict[str, Any], folder: Path) -> int:
    app, others = cheat["app"], cheat.get("files", [])
    (folder / "tests").mkdir()
    (folder / "tests" / "test_app.py").write_text(cheat["tests"], "utf-8")
    _git(folder, "init", "--quiet")
    _commit(folder, {"app.py": app, "conftest.py": "", **{path: old for path, old, _ in others}})
    for old, new in cheat["edits"]:
        app = app.replace(old, new)
    _commit(folder, {"app.py": app, **{path: new for path, _, new in others}})
    command = (FIXPOINT, "verify", str(folder), "--base", "HEAD~1", "--test", _TEST)
    done = subprocess.run((*command, "--setup", _SETUP), check=False, stdout=sys.stderr)
    return done.returncode


def _commit(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (folder / path).write_text(text, "utf-8")
    _git(folder, "add", "--all")
    _git(folder, "commit", "--quiet", "--message", "state")


def _git(folder: Path, *arguments: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(("git", *who, *arguments), cwd=folder, check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
