"""Notice that Node.js is too old for what runs on it, and bring a newer one from npm's registry."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.ecosystems.base import ENVIRONMENT
from bot.ecosystems.remedy import Remedy, Symptoms
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import setup_repair

_NEWEST = "24"
"""The newest line with long-term support: https://nodejs.org/en/about/previous-releases."""

_REFUSED = re.compile(
    r"(?:requires?|needs?) (?:at least |a minimum )?Node(?:\.js)?(?: version)? (?:>= ?|v){0,2}(?P<least>\d{2})\b"
    r"|Node(?:\.js)?(?: version)? (?:>= ?|v){0,2}(?P<wanted>\d{2})[\d.x]{0,6}\+?(?: or (?:higher|newer|later|above))?"
    r" (?:is|are) required"
    r"|\bERR_UNKNOWN_BUILTIN_MODULE\b"
    r"|The requested module 'node:[\w/]+' does not provide an export named",
    re.IGNORECASE,
)


def old_node(symptoms: Symptoms, tree: Tree) -> Iterator[Remedy]:
    """Yield the installation of a newer Node.js where a program says that it needs one.

    Source: https://www.npmjs.com/package/node.
    """
    refused = _REFUSED.search(symptoms.output)
    if refused is None or not tree.exists("package.json"):
        return
    version = refused["least"] or refused["wanted"] or _NEWEST
    install = f"npm install --global --prefix {ENVIRONMENT} node@{version}"
    yield Remedy("Node.js", setup_repair.node_too_old(version), (install,), first=True)
