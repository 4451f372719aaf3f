"""The bash that stands in for conda: it installs from PyPI what conda is asked for."""

from __future__ import annotations

from importlib.resources import files

PROGRAM = "~/.ci/conda_packages.py"


def program() -> str:
    """Return the program that reads what conda is asked for."""
    return (files("bot.ci.workflow.inside") / "conda_packages.py").read_text("utf-8")


CONDA = rf"""
command=$1
shift
[ "$command" != env ] || {{ command="env $1"; shift; }}
case $command in
  install | update | create | env\ create | env\ update)
    mapfile -t wanted < <(python3 {PROGRAM} "$@")
    . ~/.ci/begin none
    if [[ -n ${{wanted[0]}} && $command == *create ]]; then ci_python "${{wanted[0]}}" "${{wanted[0]//[!0-9.]}}"; fi
    [ ${{#wanted[@]}} -lt 2 ] || ci_conda "${{wanted[@]:1}}"
    ;;
  run)
    while [ $# -gt 0 ]; do
      case $1 in -n | -p | --name | --prefix) shift 2 ;; -*) shift ;; *) break ;; esac
    done
    exec "$@"
    ;;
esac
exit 0
"""
"""In place of conda, mamba and micromamba; there is one environment, which is always active."""

SHELL = 'exec bash -eo pipefail "$@"'
"""In place of `micromamba-shell`, which the action of micromamba makes."""
