"""Conda's actions without conda: what an environment file names is installed from PyPI."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping

from bot.ci.workflow.actions.effect import Act, Effect, Inputs, done
from bot.ci.workflow.actions.languages import python_requests
from bot.ci.workflow.inside.conda_packages import pip_words, requirement, version
from bot.config.yaml_document import Unreadable, read
from bot.ecosystems.tree import Tree
from bot.reporting.reasons import job_steps as effects

_ENTRY = re.compile(r"(?:[\w.-]+::)?(?P<name>[\w.-]+)\s*(?P<rest>[=<>!~].*)?$")
_MOST_BYTES = 100_000
_MOST_VALUES = 5_000


def environment(text: str) -> tuple[str, tuple[str, ...]]:
    """Return the Python version of an environment file, or "", and its packages as pip takes them.

    Source: https://docs.conda.io/projects/conda/en/stable/user-guide/tasks/manage-environments.html
    """
    try:
        value = read(text, most_bytes=_MOST_BYTES, most_values=_MOST_VALUES).value
    except Unreadable:
        return "", ()
    entries = value.get("dependencies") if isinstance(value, Mapping) else None
    python, packages = "", []
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, Mapping):
            inner = entry.get("pip")
            named = [each for each in inner or [] if isinstance(each, str)]
            packages += [word for each in named for word in pip_words(each)]
        elif isinstance(entry, str) and (match := _ENTRY.match(entry.strip())):
            if match["name"] == "python":
                python = version(match["rest"])
            elif match["name"] != "pip":
                packages.append(requirement(match["name"], match["rest"]))
    return python, tuple(packages)


def conda_actions(tree: Tree) -> Mapping[str, Act]:
    """Return the actions by name; environment files are read from the tree."""

    def set_up(inputs: Inputs) -> Effect:
        path = inputs.text("environment-file")
        python, packages = environment(tree.read(path) or "") if path else ("", ())
        more = [word for word in inputs.text("create-args").split() if not word.startswith("-")]
        named, others = environment(f"dependencies: {more}")
        wanted = inputs.text("python-version") or python or named
        every = (*packages, *others)
        lines = [shlex.join(["ci_python", wanted or "3", *python_requests(wanted)])]
        lines += [shlex.join(["ci_conda", *every])] if every else []
        return done(effects.replaces_conda(len(every)), "\n".join(lines))

    names = ("conda-incubator/setup-miniconda", "mamba-org/setup-micromamba")
    others = ("mamba-org/provision-with-micromamba", "s-weigand/setup-conda")
    return dict.fromkeys((*names, *others), set_up)
