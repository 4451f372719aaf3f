"""Read and write a sandbox's files from inside it, where its links lead nowhere else.

The host never opens a path that untrusted code may have prepared: a short shell script does,
as the sandboxed user. It answers with errno numbers as exit codes.
"""

from __future__ import annotations

import errno
import os
import posixpath
import shlex

from sandbox.base import WORKSPACE, SandboxError

LARGEST_FILE = 64 * 2**20
"""Bytes that `read_file` returns at most."""

_READ = f"""\
[ -d "$1" ] && exit {errno.EISDIR}
[ -e "$1" ] || exit {errno.ENOENT}
[ -f "$1" ] || exit {errno.EINVAL}
[ -r "$1" ] || exit {errno.EACCES}
exec head -c {LARGEST_FILE + 1} -- "$1" 2>/dev/null
"""

_WRITE = f"""\
[ -d "$1" ] && exit {errno.EISDIR}
[ ! -e "$1" ] || [ -f "$1" ] || exit {errno.EINVAL}
mkdir -p -- "$2" 2>/dev/null || exit {errno.EACCES}
mode=
if [ -e "$1" ] && [ ! -w "$1" ]; then
    mode=$(stat -Lc %a -- "$1") && chmod u+w -- "$1" 2>/dev/null || exit {errno.EACCES}
fi
{{ cat >"$1"; }} 2>/dev/null || exit {errno.EACCES}
[ -z "$mode" ] || chmod "$mode" -- "$1"
"""


def absolute(path: str) -> str:
    """Return a path inside the sandbox, relative ones being below the workspace.

    Raises:
        FileNotFoundError: No file can have that name.
    """
    if not path or "\0" in path:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    return posixpath.join(WORKSPACE, path)


def read_command(path: str) -> tuple[str, ...]:
    """Return the command that prints a file."""
    return ("/bin/sh", "-c", _READ, "sh", absolute(path))


def read_script(path: str) -> str:
    """Return the same as a script for a shell."""
    return f"set -- {shlex.quote(absolute(path))}\n{_READ}"


def write_command(path: str) -> tuple[str, ...]:
    """Return the command that fills a file from its standard input."""
    place = absolute(path)
    return ("/bin/sh", "-c", _WRITE, "sh", place, posixpath.dirname(place))


def read_result(path: str, exit_code: int, data: bytes) -> bytes:
    """Return what `read_command` printed, or raise what its exit code says."""
    raise_for(path, exit_code)
    if len(data) > LARGEST_FILE:
        raise SandboxError(f"{path} is larger than the {LARGEST_FILE} bytes that can be read.")
    return data


def raise_for(path: str, exit_code: int) -> None:
    """Raise the error that a script's exit code stands for."""
    match exit_code:
        case 0:
            return
        case errno.ENOENT | errno.EISDIR:
            raise OSError(exit_code, os.strerror(exit_code), path)
        case errno.EINVAL:
            raise SandboxError(f"{path} is not a regular file.")
        case errno.EACCES:
            raise SandboxError(f"{path} can't be read or written by the sandboxed user.")
        case _:
            raise SandboxError(f"{path} can't be read or written (exit code {exit_code}).")
