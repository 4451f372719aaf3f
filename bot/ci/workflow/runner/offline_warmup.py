"""The bash that prepares the failing step: earlier steps, and a rehearsal of the step itself.

Where there is no way out, package clients are told so: they take what they have instead of asking
an index for something newer.
"""

from __future__ import annotations

import shlex
from importlib.resources import files

from bot.ci.network import UNREACHABLE

REHEARSAL_SECONDS = 600
"""Longest time of a rehearsal; what it has fetched until then is there."""

KEEP_WHEELS = "~/.ci/keep-wheels.py"


def keep_wheels() -> str:
    """Return the program that makes a folder of wheels out of pip's cache."""
    return (files("bot.ci.workflow.inside") / "keep_wheels.py").read_text("utf-8")


_SAID = "fixpoint: "
"""Front of the lines by which the shell's functions tell people something."""


def said_by(command: str, output: str) -> tuple[str, ...]:
    """Return which of its own sentences a setup's command printed: which step before the failing one failed.

    Args:
        command: Shell text that has these sentences, see `ci_earlier`.
        output: What it printed; it may print such lines of its own.
    """
    lines = (line for line in output.splitlines() if line.startswith(_SAID))
    said = dict.fromkeys(line.removeprefix(_SAID).rstrip() for line in lines)
    return tuple(text for text in said if text and shlex.quote(text) in command)


FUNCTIONS = rf"""
# ci_tracked: print the id of a tree with the tracked files as they are.
ci_tracked() (
  cd "$GITHUB_WORKSPACE" && cp "$(git rev-parse --git-path index)" ~/.ci/temp/index 2>/dev/null || return 0
  export GIT_INDEX_FILE=~/.ci/temp/index
  git add -u 2>/dev/null && git write-tree
)

# ci_untracked: print the other files that git does not ignore, each ended by a NUL.
ci_untracked() {{ git -C "$GITHUB_WORKSPACE" ls-files -z --others --exclude-standard 2>/dev/null | LC_ALL=C sort -z; }}

# ci_put_back TREE LIST: make the tracked files those of TREE, and remove other files that are not in LIST, unless they are an environment.
ci_put_back() (
  cd "$GITHUB_WORKSPACE" || return 0
  [ -z "$1" ] || [ "$(ci_tracked)" = "$1" ] || git restore -q --source="$1" --worktree -- .
  ci_untracked | LC_ALL=C comm -z -13 "$2" - >~/.ci/temp/new
  roots=()
  while IFS= read -r -d '' path; do
    [[ $path != */pyvenv.cfg ]] || roots+=("${{path%pyvenv.cfg}}")
  done <~/.ci/temp/new
  while IFS= read -r -d '' path; do
    [[ /$path != */node_modules/* ]] || continue
    for root in "${{roots[@]}}"; do [[ $path != "$root"* ]] || continue 2; done
    rm -f -- "$path"
  done <~/.ci/temp/new
)

# ci_earlier FAILS UNREACHABLE COMMAND: run a step before the failing one. When it fails, it says FAILS, and UNREACHABLE when it asked for a place that can't be reached, and the setup goes on; without FAILS the setup ends.
ci_earlier() {{
  local log=~/.ci/temp/earlier.log code=0
  bash -c "$3" > >(tee "$log") 2>&1 || code=$?
  [ "$code" != 0 ] || return 0
  sleep 0.2
  if grep -qE {shlex.quote(UNREACHABLE)} "$log"; then
    ci_said "$2"
  elif [ -n "$1" ]; then
    ci_said "$1"
  else
    return "$code"
  fi
}}

# ci_rehearse COMMAND: run it once; what stays is the home, what git ignores, and new environments.
ci_rehearse() {{
  local before
  before=$(ci_tracked)
  ci_untracked >~/.ci/temp/untracked
  timeout --kill-after=10 {REHEARSAL_SECONDS} bash -c "$1" || echo "The rehearsal ended with exit code $?; only what it fetched counts."
  ci_put_back "$before" ~/.ci/temp/untracked
  ci_offline
}}

# ci_offline: have the package clients use what was fetched wherever there is no way out.
ci_offline() {{
  {{
    python3 {KEEP_WHEELS} ~/.ci/wheels "${{PIP_CACHE_DIR:-$HOME/.cache/pip}}" "$GITHUB_WORKSPACE" /etc/pip.conf ~/.pip/pip.conf ~/.config/pip/pip.conf "${{PIP_CONFIG_FILE:-/dev/null}}"
    echo 'export UV_OFFLINE=1 CARGO_NET_OFFLINE=true NPM_CONFIG_OFFLINE=true GOPROXY=off'
  }} >~/.ci/offline
}}
"""
"""Defined in every step. A way out shows in `HTTPS_PROXY`."""

BEGIN = '[ -n "${HTTPS_PROXY:-}" ] || [ ! -f ~/.ci/offline ] || . ~/.ci/offline'
"""What every step begins with."""
