"""Compose the `/etc` of a jail: what programs need to run, and nothing that tells of the host."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from sandbox.base import HOME
from sandbox.bubblewrap.client_settings import (
    client_environment,
    ini_values,
    local_paths,
    merged_pip_config,
    pip_config_files,
    safe_npm_config,
)
from sandbox.bubblewrap.jail import HOSTNAME, USER_ID

_COPIED = (
    *("ld.so.cache", "ld.so.conf", "ld.so.conf.d/*", "alternatives/*", "localtime", "timezone"),
    *(
        "os-release",
        "lsb-release",
        "debian_version",
        "mime.types",
        "services",
        "protocols",
        "ssl/openssl.cnf",
    ),
    *("java-*/**/*", "maven/m2.conf", "maven/logging/*", "perl/**/*", "python3*/**/*"),
    *("fonts/**/*", "php/**/*"),
)
"""Below the host's `/etc`; distributions keep parts of these programs there."""

CERTIFICATES = ("ssl/certs", "pki/ca-trust/extracted", "pki/tls/certs")
"""Folders below `/etc` with the public certificates of authorities; mounted, as they are big."""

_PATIENCE = "fetch-retry-mintimeout=1000\nfetch-retry-maxtimeout=10000\n"
"""npm waits 70 seconds for each address out of reach, and tells nobody; the host's settings follow."""

Content = bytes | Path
"""A file's bytes, or the target of a symbolic link."""


def etc_files(etc: Path, environ: Mapping[str, str]) -> dict[str, Content]:
    """Return the files by their path below `/etc`, from the host's `etc` and its settings."""
    files: dict[str, Content] = dict(_copied(etc))
    files.setdefault("lsb-release", _lsb_release(_text(etc / "os-release")))
    files |= _accounts()
    files["hosts"] = f"127.0.0.1 localhost {HOSTNAME}\n::1 localhost\n".encode()
    files["resolv.conf"] = b""
    files["nsswitch.conf"] = b"passwd: files\ngroup: files\nhosts: files dns\n"
    files["hostname"] = f"{HOSTNAME}\n".encode()
    pip = merged_pip_config(_texts(pip_config_files(environ)))
    files["pip.conf"] = pip.encode()
    files |= dict(_named(etc, (*ini_values(pip), *client_environment(environ).values())))
    home = Path(environ.get("HOME", "/root"))
    npm = _texts((etc / "npmrc", home / ".npmrc"))
    files["npmrc"] = "".join((_PATIENCE, *(safe_npm_config(text) for text in npm))).encode()
    return files


def _copied(etc: Path) -> Iterator[tuple[str, Content]]:
    for pattern in _COPIED:
        for path in sorted(etc.glob(pattern)):
            name = str(path.relative_to(etc))
            if path.is_symlink():
                yield name, path.readlink()
            elif path.is_file():
                try:
                    yield name, path.read_bytes()
                except PermissionError:
                    continue  # what we may not read, a jail need not see


def _named(etc: Path, settings: Iterable[str]) -> Iterator[tuple[str, Content]]:
    """Yield the files below `etc` that settings of package clients name: constraints, bundles."""
    for path in local_paths(settings):
        name = path.relative_to(etc) if path.is_relative_to(etc) else None
        if name is None or any(name.is_relative_to(folder) for folder in CERTIFICATES):
            continue
        if path.is_file() and os.access(path, os.R_OK):
            yield str(name), path.read_bytes()


def _lsb_release(os_release: str) -> bytes:
    """Return the older form of `os-release`, which scripts for Ubuntu read."""
    found = re.findall(
        r'^(ID|VERSION_ID|VERSION_CODENAME|PRETTY_NAME)="?([^"\n]*)', os_release, re.MULTILINE
    )
    known = dict(found)
    lines = {
        "DISTRIB_ID": known.get("ID", "").capitalize(),
        "DISTRIB_RELEASE": known.get("VERSION_ID", ""),
        "DISTRIB_CODENAME": known.get("VERSION_CODENAME", ""),
        "DISTRIB_DESCRIPTION": f'"{known.get("PRETTY_NAME", "")}"',
    }
    return "".join(f"{name}={value}\n" for name, value in lines.items()).encode()


def _text(path: Path) -> str:
    return next(_texts((path,)), "")


def _accounts() -> dict[str, Content]:
    passwd = f"fixpoint:x:{USER_ID}:{USER_ID}:Fixpoint:{HOME}:/bin/bash\n"
    nobody = "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
    root = "root:x:0:0:root:/root:/usr/sbin/nologin\n"
    groups = f"root:x:0:\nfixpoint:x:{USER_ID}:\nnogroup:x:65534:\n"
    return {"passwd": f"{root}{passwd}{nobody}".encode(), "group": groups.encode()}


def _texts(paths: tuple[Path, ...]) -> Iterator[str]:
    for path in paths:
        try:
            yield path.read_text()
        except (OSError, UnicodeDecodeError):
            continue  # absent, or not for us


def digest(files: Mapping[str, Content]) -> str:
    """Name a set of files by its content."""
    state = hashlib.sha256()
    for name, content in sorted(files.items()):
        kind, data = ("f", content) if isinstance(content, bytes) else ("l", str(content).encode())
        state.update(f"{kind} {name} {len(data)}\n".encode() + data)
    return state.hexdigest()[:16]


def write_etc(files: Mapping[str, Content], folder: Path) -> None:
    """Write the files, and the empty folders that certificates are mounted on."""
    for name in CERTIFICATES:
        (folder / name).mkdir(parents=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.symlink_to(content)
