# Functions of every step: outputs, exports, places. What a step prints about this machine goes through ci_said.
ci_said() { grep -qxF -- "$*" ~/.ci/said 2>/dev/null || printf '%s\n' "$*" >>~/.ci/said; printf 'fixpoint: %s\n' "$*" >&2; }

# ci_pairs FILE FUNCTION: call it with name and value of each entry, as bot/ci/step_runner.py reads them.
ci_pairs() {
  local line name value end
  [ -f "$1" ] || return 0
  while IFS= read -r line || [ -n "$line" ]; do
    [ -n "$line" ] || continue
    name=${line%%=*} value=${line#*=}
    if [[ $name == *'<<'* ]]; then
      name=${line%%'<<'*} end=${line#*'<<'} value=
      [ -n "$name" ] && [ -n "$end" ] || return 0
      while IFS= read -r line || { [ "$line" = "$end" ] || return 0; }; do
        [ "$line" != "$end" ] || break
        value+=$line$'\n'
      done
      value=${value%$'\n'}
    elif [[ $line != *=* ]]; then
      return 0
    fi
    "$2" "$name" "$value"
  done <"$1"
}

# As on GitHub's runner, what another program's options would be changed by is not exported.
ci_export() { [[ $1 =~ ^[A-Za-z_][A-Za-z0-9_]*$ && ${1^^} != NODE_OPTIONS ]] && export "$1=$2"; return 0; }

# ci_output KEY NAME: print what a step wrote to its outputs; with .env, a variable.
ci_output() {
  local ci_wanted=$2 ci_found=
  if [ "$1" = .env ]; then
    printenv "$2" || true
    return 0
  fi
  ci_take() { [ "$1" != "$ci_wanted" ] || ci_found=$2; }
  ci_pairs ~/.ci/outputs/"$1" ci_take
  printf '%s' "$ci_found"
}

# Fill @@ci:KEY:NAME@@ in stdin with outputs and exports of earlier steps.
ci_fill() {
  local rest filled= mark
  rest=$(cat; printf .); rest=${rest%.}
  while [[ $rest =~ @@ci:([^:@]+):([^:@]+)@@ ]]; do
    mark=${BASH_REMATCH[0]}
    filled+=${rest%%"$mark"*}$(ci_output "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}")
    rest=${rest#*"$mark"}
  done
  printf '%s' "$filled$rest"
}

# ci_place FOLDER: show the checked-out commit below FOLDER too.
ci_place() {
  case $1 in /* | *..*) ci_said "The commit can't be made available at $1."; return 0 ;; esac
  mkdir -p "$(dirname "$GITHUB_WORKSPACE/$1")"
  [ -e "$GITHUB_WORKSPACE/$1" ] || ln -s "$GITHUB_WORKSPACE" "$GITHUB_WORKSPACE/$1"
}

ci_submodules() {
  git -C "$GITHUB_WORKSPACE" submodule update --init --recursive --depth 1 || ci_said "The submodules could not be fetched here."
}
