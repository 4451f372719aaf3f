"""JavaScript and TypeScript on Node.js: npm, pnpm, Yarn, Bun and their test runners."""

from __future__ import annotations

from bot.ecosystems.base import Ecosystem, Looks
from bot.ecosystems.node.detect import find, has_own_tests, manager, tested_packages
from bot.ecosystems.node.install import program_from_npm
from bot.ecosystems.node.missing.absent_packages import absent_packages
from bot.ecosystems.node.missing.in_parts import failed_tools
from bot.ecosystems.node.missing.packages import missing_packages, refused_install
from bot.ecosystems.node.missing.versions import old_node
from bot.ecosystems.node.products import stale_build
from bot.ecosystems.node.programs import PROGRAMS
from bot.ecosystems.node.runners import RUNNERS
from bot.ecosystems.node.select import ids_of_scripts
from bot.ecosystems.node.versions import with_node_of

NODE = Ecosystem(
    name="node",
    sought="package.json with a test script",
    detect=find,
    marks=("package.json",),
    hosts=(
        *("registry.npmjs.org", "registry.yarnpkg.com", "repo.yarnpkg.com"),
        *("nodejs.org", "npm.jsr.io"),
    ),
    manager=manager,
    toolchains={"node": "Node.js", "npm": "Node.js"},
    install_program=program_from_npm,
    has_own_tests=has_own_tests,
    packages=tested_packages,
    is_package=has_own_tests,
    looks=Looks(
        versions=(old_node,),
        setup=(refused_install, absent_packages),
        tests=(missing_packages,),
        around=(failed_tools,),
    ),
    products=stale_build,
    with_toolchain_of=with_node_of,
    ids_of_files=ids_of_scripts,
    runners=RUNNERS,
    programs=PROGRAMS,
)
