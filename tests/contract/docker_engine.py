"""A private Docker Engine with an image made of this machine's own programs."""

from __future__ import annotations

import io
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import tarfile
import time
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory

_REPOSITORY, _TAG = "fixpoint-contract", "latest"
IMAGE = f"{_REPOSITORY}:{_TAG}"
_PROGRAMS = (
    *(
        "sh",
        "base64",
        "bash",
        "cat",
        "chmod",
        "chown",
        "cp",
        "echo",
        "env",
        "getent",
        "git",
        "grep",
        "head",
        "hostname",
        "id",
        "ln",
    ),
    *(
        "ls",
        "make",
        "mknod",
        "mkdir",
        "mkfifo",
        "mv",
        "perl",
        "ps",
        "readlink",
        "rm",
        "seq",
        "setsid",
        "sleep",
        "stat",
        "tail",
        "tr",
    ),
    *("timeout", "touch", "wc", "dd", "dirname", "find"),
)
_PACKAGES = (
    *("collections", "ctypes", "email", "encodings", "http", "importlib", "json", "lib-dynload"),
    *("re", "urllib"),
)
_BOUND = ("_ctypes", "_hashlib", "_ssl")
"""Parts of Python's library that need others of the system."""
_START_SECONDS = 300.0


class NoEngine(Exception):
    """No engine can be had here; the text says why in one sentence."""


@dataclass(frozen=True)
class PrivateEngine:
    """A running engine that nobody else talks to."""

    socket: Path
    image: str


@contextmanager
def private_engine() -> Iterator[PrivateEngine]:
    """Start an engine and give it the image; stop and wipe it at the end."""
    daemon = shutil.which("dockerd")
    if daemon is None or os.geteuid() != 0:
        raise NoEngine("A private Docker Engine needs `dockerd` and root.")
    with TemporaryDirectory(prefix="fixpoint-docker-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                [daemon, *_options(folder)], stdout=log, stderr=log, start_new_session=True
            )
        try:
            _wait(process, folder)
            _import_image(folder / "socket")
            yield PrivateEngine(folder / "socket", IMAGE)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=_START_SECONDS)


def _options(folder: Path) -> list[str]:
    return [
        f"--host=unix://{folder}/socket",
        f"--data-root={folder}/data",
        f"--exec-root={folder}/exec",
        f"--pidfile={folder}/pid",
        *("--iptables=false", "--ip6tables=false", "--bridge=none"),
    ]


def _wait(process: subprocess.Popen[bytes], folder: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if _call(folder / "socket", "GET", "/_ping") == 200:
                return
        except OSError:
            time.sleep(0.1)
    last = (folder / "log").read_text(errors="replace").splitlines()[-1:]
    process.kill()
    process.wait()
    raise NoEngine(f"The private Docker Engine did not start: {''.join(last)}")


def _import_image(engine: Path) -> None:
    query = urllib.parse.urlencode({"fromSrc": "-", "repo": _REPOSITORY, "tag": _TAG})
    status = _call(engine, "POST", f"/images/create?{query}", _root_file_system())
    if status != 200:
        raise NoEngine(f"The private Docker Engine did not take the image ({status}).")


def _call(engine: Path, method: str, path: str, body: bytes | None = None) -> int:
    connection = HTTPConnection("docker")
    connection.sock = socket.socket(socket.AF_UNIX)
    try:
        connection.sock.connect(str(engine))
        connection.request(method, path, body)
        response = connection.getresponse()
        response.read()
        return response.status
    finally:
        connection.close()


def _root_file_system() -> bytes:
    """Pack a few programs with the libraries they need."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name in ("usr/bin", "tmp", "proc", "dev", "sys", "etc", "workspace", "home/fixpoint"):
            folder = tarfile.TarInfo(name)
            folder.type, folder.mode = tarfile.DIRTYPE, 0o1777 if name == "tmp" else 0o755
            tar.addfile(folder)
        link = tarfile.TarInfo("bin")
        link.type, link.linkname = tarfile.SYMTYPE, "usr/bin"
        tar.addfile(link)
        programs = {name: shutil.which(name) for name in _PROGRAMS}
        paths = [Path(path) for path in programs.values() if path is not None]
        for name, path in programs.items():
            if path is not None:
                tar.add(Path(path).resolve(), f"usr/bin/{name}")
        paths += _add_python(tar)
        for library in sorted({library for path in paths for library in _libraries(path)}):
            tar.add(library.resolve(), str(library).lstrip("/"))
    return buffer.getvalue()


def _add_python(tar: tarfile.TarFile) -> list[Path]:
    """Add this Python with part of its library; return its program, and what else needs libraries."""
    program = Path(sys.base_prefix, "bin", "python3").resolve()
    library = Path(sysconfig.get_path("stdlib"))
    tar.add(program, "usr/bin/python3")
    for path in (*library.glob("*.py"), *(library / name for name in _PACKAGES)):
        tar.add(path, f"usr/lib/{library.name}/{path.name}", filter=_without_bytecode)
    needing = (library / "lib-dynload").glob("_*.so")
    return [program, *(path for path in needing if path.name.split(".")[0] in _BOUND)]


def _without_bytecode(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
    return None if member.name.endswith("__pycache__") else member


def _libraries(program: Path) -> list[Path]:
    said = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    return [Path(path) for path in re.findall(r"(/\S+) \(0x", said)]
