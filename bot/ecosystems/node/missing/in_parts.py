"""Install a Node project's development tools as far as they can be had.

One of them may come from a repository that is gone or out of reach, most often as a dependency of a
dependency, which the project itself does not name. All of them together then fail, and most often
no test needs that one.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from bot.ecosystems.node.missing.absent_packages import INSTALLING, LOCKS, put_back
from bot.ecosystems.node.missing.packages import INSTALLATION, said_manager
from bot.ecosystems.node.package_json import package_json
from bot.ecosystems.node.workspaces import workspace_of
from bot.ecosystems.remedy import Remedy, Symptoms
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import setup_repair

_OUT_OF_REACH = re.compile(
    r"git\b.{0,80}\bls-remote\b|Could not (?:resolve host|read from remote repository)"
    r"|\b(?:ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETARGET)\b"
    r"|npm (?:ERR!|error) (?:code E)?40[134]\b|ERR_PNPM_(?:FETCH_|NO_MATCHING_VERSION)"
    r"|Request failed \"(?:40[134]|5\d\d)|Couldn't find package|No matching version found"
    r"|tunneling socket could not be established|Exit code: \d+\s+Command: git\b"
)
_FROM_CACHE = {"npm": " --prefer-offline", "pnpm": " --prefer-offline"}
_IN_PARTS = """\
const fs = require('fs'), { spawnSync } = require('child_process');
const install = process.argv[1], read = () => JSON.parse(fs.readFileSync('package.json', 'utf8'));
const all = read().devDependencies, without = [];
const quietly = { npm_config_ignore_scripts: 'true', YARN_ENABLE_SCRIPTS: 'false', npm_config_fetch_retries: '0' };
let had = {};
function installed(names, env = quietly) {
  const tools = { ...had };
  for (const name of names) tools[name] = all[name];
  fs.writeFileSync('package.json', JSON.stringify({ ...read(), devDependencies: tools }, null, 2));
  if (spawnSync(install, { shell: true, stdio: 'inherit', env: { ...process.env, ...env } }).status !== 0) return false;
  had = tools;
  return true;
}
function add(names) {
  if (installed(names)) return;
  const half = Math.ceil(names.length / 2);
  if (half < names.length) [names.slice(0, half), names.slice(half)].forEach(add);
  else without.push(...names);
}
if (!installed([])) process.exit(1);
add(Object.keys(all));
if (!Object.keys(had).length || !installed([], {})) process.exit(1);
console.log('Installed without: ' + without.join(' '));"""
"""Halves what fails until what can't be had is alone. Scripts run in the last installation, of what is left."""


def failed_tools(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield the installation of what the project needs, and of its tools without the failing ones."""
    name, root = said_manager(symptoms.command), workspace_of(tree)
    if not symptoms.in_setup or not name or not _OUT_OF_REACH.search(symptoms.output):
        return
    tools = package_json(root.read).get("devDependencies")
    if not isinstance(tools, dict) or not tools:
        return
    files = ["package.json", *(lock for lock in LOCKS if root.exists(lock))]
    each = INSTALLING[name] + _FROM_CACHE.get(name, "")
    parts = f"node -e {shlex.quote(_IN_PARTS)} {shlex.quote(each)}"
    lenient = INSTALLATION.sub(lambda _: parts, symptoms.command, count=1)
    yield Remedy(
        "development tools",
        setup_repair.NODE_TOOLS_IN_PARTS,
        only_now=True,
        instead=(symptoms.command, put_back(files, f"{{ {lenient}; }}", "all-tools")),
    )
