"""A machine's disk: a folder that becomes the root of a file system."""

from __future__ import annotations

import asyncio
import os
import shutil
import stat
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

_USER_ID = 1000
_FROM_HOST = (
    *("/etc/alternatives", "/etc/ssl", "/etc/ca-certificates", "/etc/ld.so.cache"),
    *("/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/localtime"),
)
_MERGED = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
_EMPTY = ("dev", "etc", "home/user", "proc", "root", "run", "tmp", "usr", "var/lib", "var/tmp")
_MOST_LINKS = 40

# Debian's /etc/profile sets PATH whatever it was before.
_PROFILE = "export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin\n"


class Disk:
    """The disk of one machine.

    Root on the host gives the machine two accounts. Anybody else can't: there `user` is another
    name of root, in a user namespace where root may do nothing outside.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.user_id = _USER_ID if os.geteuid() == 0 else 0

    def format(self) -> None:
        """Lay out the disk of the base template."""
        for name in _EMPTY:
            (self.root / name).mkdir(parents=True)
        for name in _MERGED:
            if (link := Path("/", name)).is_symlink():
                (self.root / name).symlink_to(link.readlink())
        for name in ("tmp", "var/tmp"):
            (self.root / name).chmod(0o777 | stat.S_ISVTX)
        etc = self.root / "etc"
        etc.joinpath("profile").write_text(_PROFILE)
        etc.joinpath("passwd").write_text(
            "root:x:0:0:root:/root:/bin/bash\n"
            f"user:x:{self.user_id}:{self.user_id}:user:/home/user:/bin/bash\n"
        )
        etc.joinpath("group").write_text(f"root:x:0:\nuser:x:{self.user_id}:\n")
        self._own(self.root / "home/user", "user")

    async def copy(self, target: Path) -> Disk:
        """Copy everything, links and owners included."""
        process = await asyncio.create_subprocess_exec(
            "cp", "--archive", "--reflink=auto", "--", str(self.root), str(target)
        )
        if await process.wait():
            raise OSError(f"can't copy the disk {self.root}")
        return Disk(target)

    async def erase(self) -> None:
        """Remove it, read-only folders included."""
        await asyncio.to_thread(shutil.rmtree, self.root, ignore_errors=True)

    def arguments(self, mounts: Sequence[Path]) -> list[str]:
        """Return what shows bubblewrap this disk as `/`, with the host's programs on it."""
        arguments = ["--bind", str(self.root), "/", "--ro-bind", "/usr", "/usr"]
        for name in _MERGED:
            if (folder := Path("/", name)).is_dir() and not folder.is_symlink():
                arguments += ["--ro-bind", str(folder), str(folder)]
        for name in _FROM_HOST:
            arguments += ["--ro-bind-try", name, name]
        for mount in mounts:
            arguments += ["--ro-bind", str(mount), str(mount)]
        arguments += ["--proc", "/proc", "--dev", "/dev"]
        if os.geteuid() != 0:
            arguments += ["--unshare-user", "--uid", "0", "--gid", "0"]
        return arguments

    def place(self, path: str) -> Path:
        """Return the host's path for one on this disk, links resolved as the machine sees them."""
        resolved = PurePosixPath("/")
        rest = list(reversed(PurePosixPath(path).parts))
        links = 0
        while rest:
            part = rest.pop()
            if part == "/":
                resolved = PurePosixPath("/")
                continue
            if part == "..":
                resolved = resolved.parent
                continue
            here = self.root / resolved.relative_to("/") / part
            if here.is_symlink():
                links += 1
                if links > _MOST_LINKS:
                    raise OSError(f"too many links in {path}")
                rest.extend(reversed(PurePosixPath(here.readlink()).parts))
            else:
                resolved /= part
        return self.root / resolved.relative_to("/")

    def write(self, path: Path, data: bytes, user: str) -> None:
        """Write a file as envd does: folders are made, the owner is set, a mode stays."""
        missing = [folder for folder in path.parents if not folder.exists()]
        for folder in reversed(missing):
            folder.mkdir()
            self._own(folder, user)
        path.write_bytes(data)
        self._own(path, user)

    def _own(self, path: Path, user: str) -> None:
        if os.geteuid() == 0:
            owner = 0 if user == "root" else self.user_id
            os.chown(path, owner, owner)
