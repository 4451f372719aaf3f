"""Choose the Node.js that was current on a day: packages of that day may not work with a newer one. Pure."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

from bot.detect.node_release import least_by_engines
from bot.detect.python_environment import ENVIRONMENT
from bot.detect.tree import Tree
from bot.model import Commands
from bot.reporting.reasons import package_dates

_LONG_TERM_SUPPORT = {
    8: date(2017, 10, 31),
    10: date(2018, 10, 30),
    12: date(2019, 10, 21),
    14: date(2020, 10, 27),
    16: date(2021, 10, 26),
    18: date(2022, 10, 25),
    20: date(2023, 10, 24),
    22: date(2024, 10, 29),
    24: date(2025, 10, 28),
}
"""From when on each line had it: https://github.com/nodejs/release#release-schedule."""

_NPM = {8: 6, 10: 6, 12: 6, 14: 6, 16: 8, 18: 9, 20: 10, 22: 10, 24: 11}
"""The npm that comes with each line; a newer one may not run on it: https://nodejs.org/dist/index.json."""

_NEWER = "process.exit(Number(process.versions.node.split('.')[0]) > {line} ? 1 : 0)"


def with_node_of(commands: Commands, tree: Tree, moment: datetime) -> Commands:
    """Return the commands with the Node.js of a day ahead of them, if the one that is here is newer.

    It comes from npm's registry, whose later versions the sandbox's proxy leaves out. A project
    that asks for a newer one keeps the one that is here.
    """
    day = moment.astimezone(UTC).date()
    there = [line for line, since in _LONG_TERM_SUPPORT.items() if since <= day]
    if "node" not in commands.ecosystems or not there or len(there) == len(_LONG_TERM_SUPPORT):
        return commands
    line = there[-1]
    if least_by_engines(tree) > line:
        return commands
    here = f'node -e "{_NEWER.format(line=line)}"'
    install = f"{here} || npm install --global --prefix {ENVIRONMENT} node@{line} npm@{_NPM[line]} || true"
    said = package_dates.node_of_day(str(line), moment)
    return replace(
        commands,
        setup=(install, *commands.setup),
        explanation=(*commands.explanation, said),
    )
