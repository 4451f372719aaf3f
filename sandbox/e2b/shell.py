"""The shell texts that run inside an E2B sandbox.

They are constants: what varies reaches them as environment variables, so that nothing needs
quoting and no value shows up in a command line.

E2B starts `/bin/bash -l -c TEXT` and knows only the pid of that shell: a signal reaches it and
none of its children, which live on without it (envd, `services/process/handler/handler.go`). So
each command gets a pid namespace of its own, whose end the kernel makes the end of everything in
it. `unshare` takes the pid that E2B knows, and takes the namespace along when it is killed.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Mapping

from sandbox import file_scripts
from sandbox.base import HOME, SCRATCH, WORKSPACE, ResourceLimits, SandboxError

USER = "user"
"""The account that commands run as; every E2B template has it (e2b `default_username`)."""

ROOT = "root"
"""The account that prepares things, and that E2B starts everything of ours as."""

COMMAND_ID = "FIXPOINT_ID"
"""Names the variable that tells our commands from other processes, and from each other."""

_STATE = "/var/lib/fixpoint"
BASE_MANIFEST = f"{_STATE}/base"
MANIFEST = f"{_STATE}/manifest"
WANTED = f"{_STATE}/wanted"
CHANGES = f"{_STATE}/changes.tar.gz"
_READY = f"{_STATE}/ready"

_PREFIX = "FIXPOINT_ENV_"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KIBIBYTE = 1024

# Runs as the sandboxed user. Limits that E2B has no setting for; bash counts sizes in KiB.
_AS_USER = f"""\
ulimit -c 0 -f "$FIXPOINT_FILE_SIZE" -t "$FIXPOINT_CPU" -u "$FIXPOINT_PROCESSES" -d "$FIXPOINT_MEMORY"
cd -- "$FIXPOINT_CWD" || exit 1
set -- "$FIXPOINT_COMMAND"
export HOME={HOME} USER={USER} LOGNAME={USER} SHELL=/bin/bash LANG=C.UTF-8 CI=true
export PATH={HOME}/.venv/bin:{HOME}/.local/bin:$PATH
for FIXPOINT_N in ${{!{_PREFIX}@}}; do export "${{FIXPOINT_N#{_PREFIX}}}=${{!FIXPOINT_N}}"; done
unset ${{!FIXPOINT_@}}
exec /bin/bash -c "$1"
"""

# Process 1 of the namespace stays root, because a process that changes its user loses the signal
# that ends it with its parent (prctl(2), PR_SET_PDEATHSIG). It forks the command and outlives it:
# so the command may end by a signal, and orphans are reaped. Its remarks about that go nowhere.
# Groups are kept because root's only one opens nothing, and a user namespace may forbid setgroups.
_AS_INIT = f"""\
exec 3>&1 >/dev/null 2>&1
(exec setpriv --reuid={USER} --regid={USER} --keep-groups --no-new-privs --inh-caps=-all \\
  --bounding-set=-all /bin/bash -c "$FIXPOINT_AS_USER" >&3 2>&3 3>&-)
exit $?
"""

COMMAND = """\
exec unshare --pid --fork --kill-child --mount-proc /bin/bash -c "$FIXPOINT_AS_INIT" </dev/null 2>&1
"""
"""Runs one command, with the variables of `command_environment`, started as root."""

_FIND = (
    rf"find {WORKSPACE} -mindepth 1 \( -type f -o -type d -o -type l \)"
    r" -printf '%P\0%y %m %s %i %C@\0'"
)

PREPARED = "prepared\n"
"""What `PREPARE` prints when it filled the workspace, and another had not done so before."""

PREPARE = f"""\
set -eu -o pipefail
for tool in unshare setpriv flock tar gzip find base64; do
  command -v "$tool" >/dev/null || {{ echo "the template lacks $tool; use a Debian-based one"; exit 1; }}
done
id {USER} >/dev/null || {{ echo "the template lacks the account {USER}"; exit 1; }}
mkdir -p {WORKSPACE} {HOME} {_STATE}
exec 9>{_STATE}/lock
flock 9
if [ "$(cat {_READY} 2>/dev/null)" = "$FIXPOINT_NAME" ]; then
  rm -f "$FIXPOINT_SOURCE"
  exit
fi
if [ "$FIXPOINT_SOURCE" ]; then
  find {WORKSPACE} -mindepth 1 -delete
  tar --extract --gzip --no-same-owner --same-permissions \\
    --file "$FIXPOINT_SOURCE" --directory {WORKSPACE}
  rm "$FIXPOINT_SOURCE"
  chown -hR {USER}:{USER} {WORKSPACE}
  {_FIND} | gzip -1 > {BASE_MANIFEST}
fi
chown {USER}:{USER} {WORKSPACE} {HOME}
printf %s "$FIXPOINT_NAME" > {_READY}
echo prepared
"""
"""Makes the folders that every sandbox has, and unpacks the source if there is one.

The last thing it writes is the sandbox's name: a host may die before that, two may open a name
at once, and a machine made from a snapshot still has the name of another.
"""

READY_NAME = f"cat {_READY} 2>/dev/null || true"
"""Prints the name under which `PREPARE` came to its end."""

LIST_WORKSPACE = f"set -eu -o pipefail\n{_FIND} | gzip -1 > {MANIFEST}\n"
"""Writes what `manifest.parse` reads."""

PACK_CHANGES = f"""\
set -eu -o pipefail
tar --create --format=gnu --hard-dereference --no-recursion --null --directory {WORKSPACE} \\
  --files-from {WANTED} | gzip -1 > {CHANGES}
"""
"""Packs the paths that `WANTED` lists, each ended by a zero byte."""


def source_archive(identity: str) -> str:
    """Return where the source is uploaded to."""
    return f"{_STATE}/source-{identity}.tar.gz"


def scratch_file(identity: str) -> str:
    """Return where the sandboxed user finds what is too long for a variable."""
    return f"{SCRATCH}/.fixpoint-{identity}"


def read_command(path: str) -> str:
    """Return the command that prints a file in base64."""
    return f"{_quoted(file_scripts.read_command(path))} | base64 --wrap=0; exit ${{PIPESTATUS[0]}}"


def write_command(path: str) -> str:
    """Return the command that fills a file from the variable `DATA`, which is base64."""
    return f'base64 --decode <<<"$DATA" | {_quoted(file_scripts.write_command(path))}'


def move_command(source: str, path: str) -> str:
    """Return the command that fills a file from another, and removes that."""
    script = _quoted(file_scripts.write_command(path))
    return f"{script} <{source}; code=$?; rm {source}; exit $code"


def _quoted(arguments: Iterable[str]) -> str:
    """Quote words for bash; those that are no ASCII, and may be no UTF-8, byte by byte."""
    return " ".join(
        shlex.quote(word)
        if word.isascii()
        else "$'" + "".join(f"\\x{byte:02x}" for byte in os.fsencode(word)) + "'"
        for word in arguments
    )


def command_environment(
    command: str, *, identity: str, cwd: str, environment: Mapping[str, str], limits: ResourceLimits
) -> dict[str, str]:
    """Return the variables that `COMMAND` needs.

    Raises:
        SandboxError: A name that no shell variable can have.
    """
    for name in environment:
        if not _NAME.fullmatch(name):
            raise SandboxError(f"{name!r} is not a valid name for a shell variable; rename it.")
    return {
        COMMAND_ID: identity,
        "FIXPOINT_AS_INIT": _AS_INIT,
        "FIXPOINT_AS_USER": _AS_USER,
        "FIXPOINT_COMMAND": command,
        "FIXPOINT_CWD": cwd,
        "FIXPOINT_FILE_SIZE": str(limits.file_size // _KIBIBYTE),
        "FIXPOINT_MEMORY": str(limits.memory // _KIBIBYTE),
        "FIXPOINT_CPU": str(limits.cpu_seconds),
        "FIXPOINT_PROCESSES": str(limits.processes),
        **{f"{_PREFIX}{name}": value for name, value in environment.items()},
    }
