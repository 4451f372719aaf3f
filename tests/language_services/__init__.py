"""GitHub's own readers of expressions and workflows (npm), to compare ours with."""

from __future__ import annotations

import fcntl
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent
_THERE = Path(sys.prefix, "language-services")
_FILES = ("package.json", "package-lock.json", "expressions.mjs", "workflows.mjs")


class NotInstalled(Exception):
    """Node or npm is missing, or the registry can't be reached; the text says which."""


def ask(script: str, question: Any) -> Any:
    """Return what a script of this folder answers.

    Raises:
        NotInstalled: The libraries can't be had here.
    """
    there = _installed()
    told = json.dumps(question)
    done = subprocess.run(
        ["node", str(there / script)],
        input=told.encode("utf-8", "surrogatepass"),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return json.loads(done.stdout)


def _installed() -> Path:
    """Install what the lock file names, once for all workers, and return where."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        raise NotInstalled("Node.js and npm are not installed.")
    _THERE.mkdir(exist_ok=True)
    with (_THERE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = {name: (_HERE / name).read_bytes() for name in _FILES}
        have = {name: (_THERE / name).read_bytes() for name in _FILES if (_THERE / name).exists()}
        if have != wanted or not (_THERE / "node_modules").is_dir():
            for name, content in wanted.items():
                (_THERE / name).write_bytes(content)
            _install()
    return _THERE


def _install() -> None:
    done = subprocess.run(
        ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
        cwd=_THERE,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        shutil.rmtree(_THERE, ignore_errors=True)
        raise NotInstalled(f"npm could not install GitHub's libraries: {done.stderr[-300:]}")
