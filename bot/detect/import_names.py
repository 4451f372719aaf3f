"""Install the package that brings a Python module, in shell."""

from __future__ import annotations

from bot.detect.python_environment import ENVIRONMENT

_NAMES = "pipreqs"
"""A package of PyPI whose file `mapping` has import names with the packages that bring them."""

_FOLDER = "/tmp/fixpoint-names"  # noqa: S108 - a path in the sandbox


def by_import_name(module: str) -> str:
    """Return the command that installs the package known for an import name, else that of its name.

    Args:
        module: The name, or a shell variable's, as `$module`.
    """
    return (
        f"uv pip install -q --python {ENVIRONMENT} --no-deps --target {_FOLDER} {_NAMES}"
        f" && package=$(for case in p Ip; do"
        f' sed -n "s/^{module}://$case" {_FOLDER}/{_NAMES}/mapping; done | head -n 1)'
        f'; rm -rf {_FOLDER}; uv pip install --python {ENVIRONMENT} "${{package:-{module}}}"'
    )
