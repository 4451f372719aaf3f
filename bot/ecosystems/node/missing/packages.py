"""What Node projects miss: packages, a build, an installation that agrees with its lock file."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from bot.ecosystems.node.detect import manager
from bot.ecosystems.node.install import EACH_OWN_SCRIPT, scripts_apart
from bot.ecosystems.node.package_json import package_json, package_scripts
from bot.ecosystems.node.workspaces import build_of_all, build_of_one, members, workspace_of
from bot.ecosystems.rebuild_commands import PROGRAMS, STAMP, rebuilding
from bot.ecosystems.remedy import Remedy, Symptoms, matches
from bot.ecosystems.tree import Tree, repository_of
from bot.reporting.reasons import setup_repair

_NO_MODULE = re.compile(
    r"(?:Cannot find (?:module|package)|Failed to resolve import|Could not resolve"
    r"|Failed to resolve entry for package) ['\"](?P<name>[^'\"]+)['\"]"
)
_PACKAGE = re.compile(r"(?P<name>(?:@[\w.-]+/)?[A-Za-z0-9][\w.-]*)(?:/.*)?")
_BUILT = re.compile(r"(?:^|/)(?:dist|build|lib|out|esm|cjs)(?:/|$)")
_SETUP = (
    (re.compile(r"\bERESOLVE\b|peer dep(?:endency)? conflict"), setup_repair.peer_conflict),
    (re.compile(r"npm ci`? can only install|npm (?:ERR!|error) `npm ci`|EUSAGE"), setup_repair.lock_differs),
    (re.compile(r"ERR_PNPM_\w{0,40}LOCKFILE"), setup_repair.lock_differs),
    (re.compile(r"lockfile needs to be updated|lockfile would have been modified|lockfile had changes, but lockfile is frozen"), setup_repair.lock_differs),
    (re.compile(r"\bEBADENGINE\b|ERR_PNPM_UNSUPPORTED_ENGINE|The engine \"node\" is incompatible"), setup_repair.engine_refused),
)  # fmt: skip
_REFUSED = re.compile(r"\bERR_PNPM_(?:META_)?FETCH_")
_UNVERIFIED = "failed supply-chain policy check"
"""pnpm 11 asks its registry about each package of a lock file, those for other systems as well:
https://pnpm.io/settings#trustlockfile."""

_ENGINE_OPTIONS = {
    "npm": "npm_config_engine_strict=false",
    "pnpm": "npm_config_engine_strict=false",
    "yarn": "YARN_IGNORE_ENGINES=true",
}
INSTALLATION = re.compile(r"(?:npm|pnpm|yarn|bun)\s+(?:ci|install)\b(?: +[\w./=-]+)*")
"""Of a setup command, what installs; something else may be around it."""

_SCRIPT_FAILED = re.compile(
    r"npm (?:ERR!|error) path (?P<npm>\S+)\s+npm (?:ERR!|error) command failed"
    r"|^error (?P<yarn>/\S+): Command failed\.|^(?P<pnpm>\S+) (?:(?:post|pre)?install|prepare): Failed$",
    re.MULTILINE,
)
"""The script of a package, or of the project itself, that its installation runs."""

_MANAGER = re.compile(r"(?:^|\s)(?P<name>npm|pnpm|yarn|bun)\s+(?:ci|install)\b")


def missing_packages(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield a remedy for each package that was not found, and the build where a result of it was."""
    if not tree.exists("package.json"):
        return
    names = {member.name for member in members(workspace_of(tree))}
    for match in matches(_NO_MODULE, symptoms.output):
        name = match["name"]
        package = _PACKAGE.fullmatch(name)
        own = package["name"] if package else ""
        if own in names or (not own and _BUILT.search(name)):
            if build := _build(tree, own=not own):
                again = rebuilding(build, PROGRAMS, repository_of(tree)[1])
                setup = (f"{build} && touch {STAMP}",)
                yield Remedy("build", setup_repair.build_missing(name), setup, before=again)
        elif own:
            yield Remedy(f"package {own}", setup_repair.node_package(own), (_install(own, tree),))


def _build(tree: Tree, *, own: bool) -> str:
    """Return what builds a project, or what it needs of its workspace; "" where nothing does.

    Args:
        tree: Of the project, the workspace or a package in it.
        own: Whether something that the package itself builds was not found.
    """
    name = manager(tree)[0]
    if workspace_of(tree) is not tree:
        return build_of_one(name, tree, own=own)
    if "build" in package_scripts(tree.read):
        return f"{name} run build"
    return build_of_all(name) if any(member.build for member in members(tree)) else ""


def said_manager(command: str) -> str:
    """Return the package manager with which a setup command installs, "" if it doesn't."""
    said = _MANAGER.search(command)
    return said["name"] if said is not None else ""


def refused_install(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield a more lenient installation where the package manager refuses the strict one."""
    name = said_manager(symptoms.command)
    if not symptoms.in_setup or not name or not tree.exists("package.json"):
        return
    for pattern, why in _SETUP:
        if pattern.search(symptoms.output):
            lenient = _lenient(symptoms.command, name, why is setup_repair.engine_refused)
            yield Remedy("installation", why(name), instead=(symptoms.command, lenient))
            return
    if name == "pnpm" and _UNVERIFIED in symptoms.output and _REFUSED.search(symptoms.output):
        trusting = INSTALLATION.sub(
            lambda found: f"{found[0]} --trust-lockfile", symptoms.command, count=1
        )
        looked_up = setup_repair.LOCK_NOT_LOOKED_UP
        yield Remedy("lock file", looked_up, instead=(symptoms.command, trusting))
        return
    if failed := _SCRIPT_FAILED.search(symptoms.output):
        package = next(filter(None, failed.groups())).rpartition("node_modules/")[2]
        yield Remedy(
            "scripts of the installation",
            setup_repair.install_script_failed("" if package.startswith(("/", ".")) else package),
            instead=(symptoms.command, scripts_apart(symptoms.command, name, EACH_OWN_SCRIPT)),
        )


def _lenient(command: str, name: str, engine: bool) -> str:  # noqa: FBT001 - private
    """Return a command that installs what a lock file does not have; Yarn from 2 on refuses in CI."""
    if engine:
        variable = _ENGINE_OPTIONS.get(name, "")
        return INSTALLATION.sub(lambda found: f"{variable} {found[0]}".strip(), command, count=1)
    options = {"npm": " --legacy-peer-deps --no-audit --no-fund", "pnpm": " --no-frozen-lockfile"}
    variable = "YARN_ENABLE_IMMUTABLE_INSTALLS=false " if name == "yarn" else ""
    lenient = f"{variable}{name} install{options.get(name, '')}"
    return INSTALLATION.sub(lenient, command, count=1)


def _install(package: str, tree: Tree) -> str:
    """Return the installation of a package in the version that the project asks for."""
    data = package_json(tree.read)
    tables = [data.get(key) for key in ("dependencies", "devDependencies", "peerDependencies")]
    version = next((t[package] for t in tables if isinstance(t, dict) and package in t), "")
    plain = re.fullmatch(r"[\w.^~<>=|* -]+", str(version))
    wanted = f"{package}@{version}" if plain else package
    return f"npm install --no-save --no-audit --no-fund --legacy-peer-deps {shlex.quote(wanted)}"
