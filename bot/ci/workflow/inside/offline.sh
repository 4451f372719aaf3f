# Prepares the failing step: earlier steps, and a rehearsal of the step itself. A way out shows in HTTPS_PROXY; where
# there is none, package clients are told so: they take what they have instead of asking an index for something newer.
# ci_tracked: print the id of a tree with the tracked files as they are.
ci_tracked() (
  cd "$GITHUB_WORKSPACE" && cp "$(git rev-parse --git-path index)" ~/.ci/temp/index 2>/dev/null || return 0
  export GIT_INDEX_FILE=~/.ci/temp/index
  git add -u 2>/dev/null && git write-tree
)

# ci_untracked: print the other files that git does not ignore, each ended by a NUL.
ci_untracked() { git -C "$GITHUB_WORKSPACE" ls-files -z --others --exclude-standard 2>/dev/null | LC_ALL=C sort -z; }

# ci_put_back TREE LIST: make the tracked files those of TREE, and remove other files that are not in LIST, unless they are an environment.
ci_put_back() (
  cd "$GITHUB_WORKSPACE" || return 0
  [ -z "$1" ] || [ "$(ci_tracked)" = "$1" ] || git restore -q --source="$1" --worktree -- .
  ci_untracked | LC_ALL=C comm -z -13 "$2" - >~/.ci/temp/new
  roots=()
  while IFS= read -r -d '' path; do
    [[ $path != */pyvenv.cfg ]] || roots+=("${path%pyvenv.cfg}")
  done <~/.ci/temp/new
  while IFS= read -r -d '' path; do
    [[ /$path != */node_modules/* ]] || continue
    for root in "${roots[@]}"; do [[ $path != "$root"* ]] || continue 2; done
    rm -f -- "$path"
  done <~/.ci/temp/new
)

# ci_earlier FAILS UNREACHABLE COMMAND: run a step before the failing one. When it fails, it says FAILS, and UNREACHABLE when it asked for a place that can't be reached, and the setup goes on; without FAILS the setup ends.
ci_earlier() {
  local log=~/.ci/temp/earlier.log code=0
  bash -c "$3" > >(tee "$log") 2>&1 || code=$?
  [ "$code" != 0 ] || return 0
  sleep 0.2
  if grep -qE @UNREACHABLE@ "$log"; then
    ci_said "$2"
  elif [ -n "$1" ]; then
    ci_said "$1"
  else
    return "$code"
  fi
}

# ci_rehearse COMMAND: run it once; what stays is the home, what git ignores, and new environments.
ci_rehearse() {
  local before
  before=$(ci_tracked)
  ci_untracked >~/.ci/temp/untracked
  timeout --kill-after=10 @REHEARSAL_SECONDS@ bash -c "$1" || echo "The rehearsal ended with exit code $?; only what it fetched counts."
  ci_put_back "$before" ~/.ci/temp/untracked
  ci_offline
}

# ci_offline: have the package clients use what was fetched wherever there is no way out.
ci_offline() {
  {
    python3 ~/.ci/keep_wheels.py ~/.ci/wheels "${PIP_CACHE_DIR:-$HOME/.cache/pip}" "$GITHUB_WORKSPACE" /etc/pip.conf ~/.pip/pip.conf ~/.config/pip/pip.conf "${PIP_CONFIG_FILE:-/dev/null}"
    echo 'export UV_OFFLINE=1 CARGO_NET_OFFLINE=true NPM_CONFIG_OFFLINE=true GOPROXY=off'
  } >~/.ci/offline
}
