"""Install a Node project without a package that its registry does not have.

One tarball that is gone, or that a private registry keeps to its own people, takes the whole
installation with it, and most often it is a tool that no test needs.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator
from urllib.parse import unquote

from bot.ecosystems.node.missing.packages import INSTALLATION, said_manager
from bot.ecosystems.node.workspaces import members, workspace_of
from bot.ecosystems.remedy import Remedy, Symptoms, matches
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import setup_repair

_PACKAGE = r"(?:@[\w.-]+(?:/|%2[fF]))?[\w.-]+"


def _url(group: str) -> str:
    """Return a pattern for the address of a package, or of its tarball, at any registry."""
    return rf"https?://[^\s\"']{{1,200}}?/(?P<{group}>{_PACKAGE})(?:/-/[^\s\"']{{1,200}})?"


_ABSENT = re.compile(
    rf"ERR_PNPM_FETCH_40[134]\s{{1,4}}GET {_url('pnpm')}: "
    rf"|npm (?:ERR!|error) 40[134] [\w ]{{1,20}} - GET {_url('npm')}(?=\s)"
    rf"|error (?:Error: )?{_url('yarn')}: Request failed \"40[134]"
    rf"|error Couldn't find package \"(?P<classic>{_PACKAGE})@"
)
_DECLARING = ("dependencies", "devDependencies", "optionalDependencies")
LOCKS = ("package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock")
_WITHOUT = """\
const fs = require('fs'), [name, ...files] = process.argv.slice(1);
for (const file of files) {
  const data = JSON.parse(fs.readFileSync(file, 'utf8'));
  for (const kind of ['dependencies', 'devDependencies', 'optionalDependencies'])
    if (data[kind]) delete data[kind][name];
  fs.writeFileSync(file, JSON.stringify(data, null, 2));
}"""
INSTALLING = {
    "npm": "npm install --no-audit --no-fund",
    "pnpm": "pnpm install --no-frozen-lockfile",
    "yarn": "YARN_ENABLE_IMMUTABLE_INSTALLS=false yarn install",
    "bun": "bun install",
}


def absent_packages(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield the installation without what the registry refuses, where the project itself names it."""
    name, root = said_manager(symptoms.command), workspace_of(tree)
    if not symptoms.in_setup or not name:
        return
    for match in matches(_ABSENT, symptoms.output):
        package = unquote(next(filter(None, match.groups())))
        declaring = [path for path in _manifests(root) if _declares(path, package, root)]
        if not declaring:
            continue
        locks = [lock for lock in LOCKS if root.exists(lock)]
        lenient = INSTALLATION.sub(INSTALLING[name], symptoms.command, count=1)
        edit = f"node -e {shlex.quote(_WITHOUT)} {shlex.quote(package)} {shlex.join(declaring)}"
        archive = f"without-{package.replace('/', '+')}"
        without = put_back([*declaring, *locks], f"{edit} && {{ {lenient}; }}", archive)
        yield Remedy(
            f"package {package}",
            setup_repair.node_package_absent(package),
            instead=(symptoms.command, without),
            way="absent",
        )


def put_back(files: Iterable[str], command: str, archive: str) -> str:
    """Return a command that may change these files, and leaves them as they were once it is done."""
    kept = shlex.quote(f"/tmp/{archive}.tar")  # noqa: S108 - the sandbox's
    return f"tar cf {kept} {shlex.join(files)} && {command} && tar xf {kept}"


def _manifests(tree: Tree) -> list[str]:
    return ["package.json", *(f"{member.folder}/package.json" for member in members(tree))]


def _declares(path: str, package: str, tree: Tree) -> bool:
    try:
        data = json.loads(tree.read(path) or "{}")
    except ValueError:
        return False
    tables = [data.get(kind) for kind in _DECLARING] if isinstance(data, dict) else []
    return any(isinstance(table, dict) and package in table for table in tables)
